/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/functions.h"

#include <stdlib.h>
#include <string.h>

#include "base/format.h"

#define PAGE 4096

static int make_room(struct functions *f, struct error *t)
{
    size_t room = f->room ? f->room * 2 : 256;
    struct function *function;

    if (f->n < f->room) {
        return 0;
    }
    function = reallocarray(f->function, room, sizeof(*function));
    if (!function) {
        return error_memory(t);
    }
    f->function = function;
    f->room = room;
    return 0;
}

int functions_add(struct functions *f, const struct function *function, struct error *t)
{
    char *module = NULL;
    char *name;

    if (make_room(f, t)) {
        return -1;
    }
    name = strdup(function->name);
    if (function->module) {
        module = strdup(function->module);
    }
    if (!name || (function->module && !module)) {
        free(name);
        free(module);
        return error_memory(t);
    }
    format_tame(name);
    if (module) {
        format_tame(module);
    }
    f->function[f->n] = *function;
    f->function[f->n].name = name;
    f->function[f->n].module = module;
    f->function[f->n].was_demangled = false;
    f->function[f->n].demangled = NULL;
    f->n++;
    return 0;
}

/*
 * qsort() is not stable. Functions with the same start are ordered by their position in the list.
 */
static int compare(const void *a, const void *b)
{
    const struct function *left = *(const struct function *const *)a;
    const struct function *right = *(const struct function *const *)b;

    if (left->start != right->start) {
        return left->start < right->start ? -1 : 1;
    }
    return (int)(left - right);
}

/* Is there nothing between two functions that belongs to neither the kernel nor a module? */
static bool are_together(const struct function *f, const struct function *next)
{
    return f->of_module == next->of_module &&
           (!f->module || !next->module || strcmp(f->module, next->module) == 0);
}

/* The end of a function that was added without one or a limit. @next: NULL for the last one. */
static uint64_t next_end(const struct function *f, const struct function *next)
{
    uint64_t page = (f->start & ~(uint64_t)(PAGE - 1)) + PAGE;

    if (!next || !are_together(f, next)) {
        page += f->start % PAGE ? PAGE : 0;
        page = page > f->start ? page : UINT64_MAX;
        return next && next->start < page ? next->start : page;
    }
    return next->start;
}

static uint64_t usual_end(const struct function *f, const struct function *next)
{
    uint64_t end = next_end(f, next);

    return f->limit > f->start && (!next || f->limit < end) ? f->limit : end;
}

static struct function **sorted_pointers(const struct functions *f)
{
    struct function **sorted = reallocarray(NULL, f->n, sizeof(*sorted));

    for (size_t i = 0; sorted && i < f->n; i++) {
        sorted[i] = &f->function[i];
    }
    if (sorted) {
        qsort(sorted, f->n, sizeof(*sorted), compare);
    }
    return sorted;
}

static void free_names(struct function *f)
{
    free(f->demangled);
    free(f->name);
    free(f->module);
}

/* The rules of choose_best_symbol() of perf, the most important one first. */
bool functions_better(const struct function *a, const struct function *b)
{
    const struct {
        size_t a;
        size_t b;
    } rules[] = {
        {a->end > a->start, b->end > b->start},
        {a->binding != FUNCTION_WEAK, b->binding != FUNCTION_WEAK},
        {a->binding == FUNCTION_GLOBAL, b->binding == FUNCTION_GLOBAL},
        {strspn(b->name, "_"), strspn(a->name, "_")},
        {strlen(a->name), strlen(b->name)},
    };

    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (rules[i].a != rules[i].b) {
            return rules[i].a > rules[i].b;
        }
    }
    return false;
}

/* Choose one of @n functions with the same start, and free the names of the others. */
static struct function *choose(struct function **same, size_t n)
{
    struct function *chosen = same[0];

    for (size_t i = 1; i < n; i++) {
        chosen = functions_better(same[i], chosen) ? same[i] : chosen;
    }
    for (size_t i = 0; i < n; i++) {
        if (same[i] != chosen) {
            free_names(same[i]);
        }
    }
    return chosen;
}

static size_t keep(struct function *kept, struct function **sorted, size_t n)
{
    size_t to = 0;
    size_t same;

    for (size_t i = 0; i < n; i += same) {
        for (same = 1; i + same < n && sorted[i + same]->start == sorted[i]->start; same++) {
        }
        kept[to++] = *choose(sorted + i, same);
    }
    return to;
}

int functions_sort(struct functions *f, struct error *t)
{
    struct function **sorted = sorted_pointers(f);
    struct function *kept = reallocarray(NULL, f->n, sizeof(*kept));
    size_t n;

    if (f->n && (!sorted || !kept)) {
        free(sorted);
        free(kept);
        return error_memory(t);
    }
    n = keep(kept, sorted, f->n);
    for (size_t i = 0; i < n; i++) {
        if (kept[i].end <= kept[i].start) {
            kept[i].end = usual_end(&kept[i], i + 1 < n ? &kept[i + 1] : NULL);
        }
    }
    free(sorted);
    free(f->function);
    *f = (struct functions){.function = kept, .n = n, .room = f->n, .data = f->data};
    return 0;
}

const struct function *functions_find(const struct functions *f, uint64_t address)
{
    size_t low = 0;
    size_t high = f->n;

    /* Functions below low begin at or before the address. */
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (f->function[middle].start <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 && address < f->function[low - 1].end ? &f->function[low - 1] : NULL;
}

const struct function *functions_named(const struct functions *f, const char *name)
{
    for (size_t i = 0; i < f->n; i++) {
        if (strcmp(f->function[i].name, name) == 0) {
            return &f->function[i];
        }
    }
    return NULL;
}

void functions_cut(struct functions *f, size_t n)
{
    while (f->n > n) {
        free_names(&f->function[--f->n]);
    }
}

void functions_free(struct functions *f)
{
    for (size_t i = 0; i < f->n; i++) {
        free_names(&f->function[i]);
    }
    free(f->function);
    *f = (struct functions){0};
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the code that a process had mapped at a time. The records of one CPU can follow later
 * records of another CPU, so all mappings are read before the first lookup.
 */
#include "profile/code-maps.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * The most generations of processes, each a child of the one before. No machine has as many; the
 * limit bounds the time that a hostile file takes.
 */
#define MAX_GENERATIONS 4096

/*
 * @order: the position in the file. Of two changes at the same time, the later one counts.
 * @life: the index of the first change of the same process: its fork, if there was one.
 * @before: with @is_fork, the number of changes up to the parent's mappings at that time.
 */
struct code_change {
    struct code_map code;
    size_t order;
    bool is_fork;
    uint32_t parent;
    size_t life;
    size_t before;
};

/* A range of addresses with code, both ends included. */
struct span {
    uint64_t first;
    uint64_t last;
};

/*
 * An index that skips blocks of changes without the wanted address. A level divides all changes
 * into blocks of @width. The blocks of the next level are FAN times as wide.
 * @end: for each block, the index after its last span. The spans of the next block follow.
 */
struct code_level {
    size_t width;
    size_t *end;
    struct span *span;
};

#define WIDTH 64u
#define FAN 8u
#define MAX_LEVELS 8u

static int add(struct code_maps *maps, const struct code_change *new, struct error *t)
{
    if (maps->n == maps->room) {
        size_t room = maps->room ? maps->room * 2 : 64;
        struct code_change *change = reallocarray(maps->change, room, sizeof(*change));

        if (!change) {
            return error_memory(t);
        }
        maps->change = change;
        maps->room = room;
    }
    maps->change[maps->n] = *new;
    maps->change[maps->n].order = maps->n;
    maps->n++;
    return 0;
}

int code_maps_add(struct code_maps *maps, const struct code_map *code, struct error *t)
{
    struct code_change new = {.code = *code};

    /* The file may contain a range that wraps around. */
    if (new.code.length > UINT64_MAX - new.code.start) {
        new.code.length = UINT64_MAX - new.code.start;
    }
    return add(maps, &new, t);
}

int code_maps_fork(struct code_maps *maps, uint32_t pid, uint64_t time, uint32_t parent,
                   struct error *t)
{
    return add(maps,
               &(struct code_change){
                   .code = {.pid = pid, .time = time}, .is_fork = true, .parent = parent},
               t);
}

static int compare(const void *a, const void *b)
{
    const struct code_change *left = a;
    const struct code_change *right = b;

    if (left->code.pid != right->code.pid) {
        return left->code.pid < right->code.pid ? -1 : 1;
    }
    if (left->code.time != right->code.time) {
        return left->code.time < right->code.time ? -1 : 1;
    }
    return left->order < right->order ? -1 : left->order > right->order;
}

/* Returns the number of changes up to this one. */
static size_t count_until(const struct code_maps *maps, const struct code_change *when)
{
    size_t low = 0;
    size_t high = maps->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (compare(&maps->change[middle], when) <= 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Links each change to the start of its process, and each fork to the state of its parent. */
static void link_changes(struct code_maps *maps)
{
    for (size_t i = 0; i < maps->n; i++) {
        struct code_change *c = &maps->change[i];
        bool is_first = i == 0 || c[-1].code.pid != c->code.pid || c->is_fork;

        c->life = is_first ? i : c[-1].life;
        if (c->is_fork) {
            const struct code_change then = {.code = {.pid = c->parent, .time = c->code.time},
                                             .order = c->order};

            c->before = c->parent == c->code.pid ? i : count_until(maps, &then);
        }
    }
}

static int compare_spans(const void *a, const void *b)
{
    const struct span *left = a;
    const struct span *right = b;

    return left->first < right->first ? -1 : left->first > right->first;
}

/* Sorts spans and merges those that overlap. Return: the number of spans left. */
static size_t unite(struct span *span, size_t n)
{
    size_t to = 0;

    qsort(span, n, sizeof(*span), compare_spans);
    for (size_t i = 0; i < n; i++) {
        if (to > 0 && span[i].first <= span[to - 1].last) {
            span[to - 1].last = span[i].last > span[to - 1].last ? span[i].last : span[to - 1].last;
        } else {
            span[to++] = span[i];
        }
    }
    return to;
}

/* Return: the number of spans. */
static size_t fill_level(const struct code_maps *maps, struct code_level *level)
{
    size_t end = 0;

    for (size_t block = 0; block < maps->n / level->width; block++) {
        size_t n = 0;

        for (size_t i = 0; i < level->width; i++) {
            const struct code_map *code = &maps->change[block * level->width + i].code;

            if (code->length) {
                level->span[end + n++] =
                    (struct span){code->start, code->start + (code->length - 1)};
            }
        }
        end += unite(level->span + end, n);
        level->end[block] = end;
    }
    return end;
}

static int add_level(struct code_maps *maps, size_t width, struct error *t)
{
    struct code_level *level = &maps->level[maps->levels++];
    struct span *span;

    *level = (struct code_level){
        .width = width,
        .end = reallocarray(NULL, maps->n / width, sizeof(*level->end)),
        .span = reallocarray(NULL, maps->n + 1, sizeof(*level->span)),
    };
    if (!level->end || !level->span) {
        return error_memory(t);
    }
    /* Most files repeat the same mappings. */
    span = reallocarray(level->span, fill_level(maps, level) + 1, sizeof(*span));
    level->span = span ? span : level->span;
    return 0;
}

int code_maps_settle(struct code_maps *maps, struct error *t)
{
    int err = 0;

    if (maps->n == 0) {
        return 0;
    }
    qsort(maps->change, maps->n, sizeof(*maps->change), compare);
    link_changes(maps);
    maps->level = calloc(MAX_LEVELS, sizeof(*maps->level));
    if (!maps->level) {
        return error_memory(t);
    }
    for (size_t width = WIDTH; !err && width <= maps->n && maps->levels < MAX_LEVELS;
         width *= FAN) {
        err = add_level(maps, width, t);
    }
    return err;
}

static bool block_has(const struct code_level *level, size_t block, uint64_t address)
{
    size_t low = block ? level->end[block - 1] : 0;
    size_t high = level->end[block];

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (level->span[middle].last < address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < level->end[block] && level->span[low].first <= address;
}

/*
 * Returns the widest of the first @levels levels that has a block from @low on that ends at @high,
 * counted from 1; 0 if there is none.
 */
static unsigned level_at(const struct code_maps *maps, unsigned levels, size_t low, size_t high)
{
    unsigned n = levels;

    while (n > 0 && (high % maps->level[n - 1].width || high - low < maps->level[n - 1].width)) {
        n--;
    }
    return n;
}

/* Returns the last change with the address, of the changes from @low to @high. */
static const struct code_map *last_with(const struct code_maps *maps, size_t low, size_t high,
                                        uint64_t address)
{
    unsigned levels = maps->levels;

    while (low < high) {
        unsigned n = level_at(maps, levels, low, high);
        const struct code_level *level = n ? &maps->level[n - 1] : NULL;
        const struct code_map *code = &maps->change[high - 1].code;

        if (level && block_has(level, high / level->width - 1, address)) {
            low = high - level->width;
            levels = n - 1;
        } else if (level) {
            high -= level->width;
        } else if (address - code->start < code->length) {
            return code;
        } else {
            high--;
        }
    }
    return NULL;
}

const struct code_map *code_maps_find(const struct code_maps *maps, uint32_t pid, uint64_t time,
                                      uint64_t address)
{
    const struct code_change when = {.code = {.pid = pid, .time = time}, .order = SIZE_MAX};
    size_t n = count_until(maps, &when);

    for (unsigned i = 0; n > 0 && maps->change[n - 1].code.pid == pid && i < MAX_GENERATIONS; i++) {
        const struct code_change *life = &maps->change[maps->change[n - 1].life];
        const struct code_map *found = last_with(maps, maps->change[n - 1].life, n, address);

        if (found || !life->is_fork) {
            return found;
        }
        n = life->before;
        pid = life->parent;
    }
    return NULL;
}

void code_maps_free(struct code_maps *maps)
{
    for (unsigned i = 0; i < maps->levels; i++) {
        free(maps->level[i].end);
        free(maps->level[i].span);
    }
    free(maps->level);
    free(maps->change);
    *maps = (struct code_maps){0};
}

/* As is_anon_memory() and is_no_dso_memory() of perf. */
bool code_maps_anonymous(const char *name)
{
    static const char *const prefix[] = {"//anon", "/dev/zero", "/anon_hugepage", "[stack",
                                         "/SYSV",  "[heap]",    "/memfd:"};
    bool is = false;

    for (size_t i = 0; i < sizeof(prefix) / sizeof(prefix[0]) && !is; i++) {
        is = strncmp(name, prefix[i], strlen(prefix[i])) == 0;
    }
    return is;
}

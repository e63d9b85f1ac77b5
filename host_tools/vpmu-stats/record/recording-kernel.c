/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's functions. It gets more while it runs, when it loads modules and compiles BPF
 * programs. They are read when a sample needs them, which takes time: a machine is asked for each
 * piece of its memory.
 */
#include "record/recording-parts.h"

#include <stdlib.h>

/* How long to wait before reading again, in nanoseconds, if there was something new and if not. */
#define WAIT_FIRST 100000000u
#define WAIT_LAST 10000000000u

static void map_modules(struct recording *r, size_t from)
{
    const struct symbols *k = &r->names.kernel;

    for (size_t i = from; i < k->modules; i++) {
        perfdata_map(&r->file, PERFDATA_KERNEL, PERFDATA_ALL, k->module[i].start,
                     k->module[i].end - k->module[i].start, 0, k->module[i].name);
    }
}

void recording_map_kernel(struct recording *r)
{
    const struct symbols *k = &r->names.kernel;

    perfdata_map(&r->file, PERFDATA_KERNEL, PERFDATA_ALL, k->text, k->end - k->text, k->text,
                 "[kernel.kallsyms]_text");
    map_modules(r, 0);
}

/* Collects where the functions begin that samples need; *@n is their number. NULL: no memory. */
static uint64_t *used_starts(const struct recording *r, size_t *n)
{
    const struct functions *f = &r->names.functions;
    uint64_t *start = reallocarray(NULL, f->n + 1, sizeof(*start));

    *n = 0;
    for (size_t i = 0; start && i < f->n; i++) {
        if (r->used[i]) {
            start[(*n)++] = f->function[i].start;
        }
    }
    return start;
}

/* Reads names, and marks the functions at @start again, which are at other places now. */
static void read_again(struct recording *r, const uint64_t *start, size_t n)
{
    const struct functions *f = &r->names.functions;
    struct error ignored = {0};
    bool *used;

    if (guest_names_again(&r->names, r->memory, &ignored)) {
        return;
    }
    used = calloc(f->n + 1, sizeof(*used));
    if (!used) {
        functions_free(&r->names.functions);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        used[functions_find(f, start[i]) - f->function] = true;
    }
    free(r->used);
    r->file.used = r->used = used;
}

void recording_find_code(struct recording *r, uint64_t time)
{
    size_t functions = r->names.functions.n;
    size_t modules = r->names.kernel.modules;
    uint64_t *start;
    size_t n;

    if (!r->memory || !r->names.is_found || time < r->code_next) {
        return;
    }
    start = used_starts(r, &n);
    if (start) {
        read_again(r, start, n);
    }
    free(start);
    map_modules(r, modules);
    r->code_wait = r->names.functions.n != functions || !r->code_wait ? WAIT_FIRST
                   : r->code_wait < WAIT_LAST / 2                     ? 2 * r->code_wait
                                                                      : WAIT_LAST;
    r->code_next = time + r->code_wait;
}

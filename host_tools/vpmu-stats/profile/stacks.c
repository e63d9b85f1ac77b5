/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/stacks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/branch.h"
#include "profile/callchain.h"

/* Returns the number of a text, after replacing the characters that separate parts of a stack. */
static int put_text(struct sample_input *g, const char *text, bool blanks, uint32_t *number,
                    struct error *t)
{
    char *copy;
    int err;

    if (!strpbrk(text, blanks ? ";" : "; ")) {
        return string_table_number(&g->profile->texts, text, number, t);
    }
    copy = strdup(text);
    if (!copy) {
        return error_memory(t);
    }
    for (char *p = copy; *p; p++) {
        *p = (char)(*p == ';' ? ':' : *p == ' ' && !blanks ? '_' : *p);
    }
    err = string_table_number(&g->profile->texts, copy, number, t);
    free(copy);
    return err;
}

static int put_frame(struct sample_input *g, const struct callchain_frame *frame, uint32_t *number,
                     struct error *t)
{
    const struct stacks_options *o = g->opaque;
    char buf[PLACE_NAME];
    const char *name = frame->place.function || !o->addresses
                           ? place_name(&frame->place, frame->address - frame->lookup, buf)
                           : NULL;
    char text[32];

    if (name) {
        return put_text(g, name, true, number, t);
    }
    snprintf(text, sizeof(text), o->addresses ? "0x%" PRIx64 : "[unknown]", frame->address);
    return string_table_number(&g->profile->texts, text, number, t);
}

/* The mark of perf script for an inlined function. */
static int put_inlined(struct sample_input *g, const char *name, uint32_t *number, struct error *t)
{
    char text[512];

    snprintf(text, sizeof(text), "%s" STACKS_INLINED, name);
    return put_text(g, text, true, number, t);
}

/* Innermost first. */
static int put_chain(struct sample_input *g, const struct input_sample *s, uint32_t *key,
                     uint32_t *n, struct error *t)
{
    struct callchain chain = callchain_of(g, s);
    struct callchain_frame frame;

    while (callchain_next(&chain, &frame)) {
        struct dwarf_line line[DWARF_LINES_FRAMES];
        size_t lines = g->no_inline ? 0 : sample_input_lines(g, &frame.place, line);

        for (size_t i = 0; i == 0 || i < lines; i++) {
            if (*n == SAMPLE_INPUT_MAX_KEY) {
                return 0;
            }
            if (i + 1 < lines ? put_inlined(g, line[i].function, &key[*n], t)
                              : put_frame(g, &frame, &key[*n], t)) {
                return -1;
            }
            ++*n;
        }
    }
    return 0;
}

static void reverse(uint32_t *key, uint32_t n)
{
    for (uint32_t i = 0; i < n / 2; i++) {
        uint32_t swapped = key[i];

        key[i] = key[n - 1 - i];
        key[n - 1 - i] = swapped;
    }
}

static int put_world(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                     struct error *t)
{
    const struct stacks_options *o = g->opaque;

    if (!o->worlds) {
        return string_table_number(&g->profile->texts, "", number, t);
    }
    return sample_input_cgroup(g, s, number, t) ||
                   put_text(g, string_table_get(&g->profile->texts, *number), true, number, t)
               ? -1
               : 0;
}

int stacks_key(struct sample_input *g, const struct input_sample *s, uint32_t *key, uint32_t *n,
               struct error *t)
{
    const struct stacks_options *o = g->opaque;
    const char *comm = o->program ? o->program : string_table_get(&g->profile->texts, s->comm);

    *n = STACKS_FIRST;
    if (put_world(g, s, &key[STACKS_WORLD], t) || put_text(g, comm, false, &key[STACKS_COMM], t) ||
        put_chain(g, s, key, n, t)) {
        return -1;
    }
    reverse(key + STACKS_FIRST, *n - STACKS_FIRST);
    return 0;
}

static int put_side(struct sample_input *g, const struct input_sample *s, uint64_t address,
                    uint32_t *number, struct error *t)
{
    const struct callchain_frame frame = {
        .address = address,
        .lookup = address,
        .place = sample_input_place(g, s, branch_mode(s, address), address),
    };

    return put_frame(g, &frame, number, t);
}

int stacks_edge_key(struct sample_input *g, const struct input_sample *s, uint32_t *key,
                    uint32_t *n, struct error *t)
{
    const char *comm = string_table_get(&g->profile->texts, s->comm);

    *n = STACKS_FIRST + 2;
    return put_world(g, s, &key[STACKS_WORLD], t) ||
                   put_text(g, comm, false, &key[STACKS_COMM], t) ||
                   put_side(g, s, s->branch->from, &key[STACKS_FIRST], t) ||
                   put_side(g, s, s->branch->to, &key[STACKS_FIRST + 1], t)
               ? -1
               : 0;
}

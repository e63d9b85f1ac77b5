/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/stacks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of a text, without what separates parts of a stack. */
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

static int put_frame(struct sample_input *g, const struct input_sample *s, unsigned mode,
                     uint64_t address, bool is_return, uint32_t *number, struct error *t)
{
    const struct stacks_options *o = g->opaque;
    /* What a call that does not come back returns to can be the next function. */
    const struct function *f = sample_input_function(g, s, mode, address - is_return);
    char text[32];

    if (f) {
        return put_text(g, f->name, true, number, t);
    }
    snprintf(text, sizeof(text), o->addresses ? "0x%" PRIx64 : "[unknown]", address);
    return string_table_number(&g->profile->texts, text, number, t);
}

/* What addresses behind a marker are; no mode if it is none that perf knows. */
static unsigned mode_behind(uint64_t marker)
{
    switch (marker) {
    case PERF_CONTEXT_HV:
        return PERF_RECORD_MISC_HYPERVISOR;
    case PERF_CONTEXT_KERNEL:
        return PERF_RECORD_MISC_KERNEL;
    case PERF_CONTEXT_USER:
        return PERF_RECORD_MISC_USER;
    default:
        return PERF_RECORD_MISC_CPUMODE_UNKNOWN;
    }
}

/* The innermost first. The first of each kind is where it was, others are where it returns to. */
static int put_chain(struct sample_input *g, const struct input_sample *s, uint32_t *key,
                     uint32_t *n, struct error *t)
{
    unsigned mode = PERF_RECORD_MISC_USER;
    bool is_return = false;

    for (uint64_t i = 0; i < s->s->n_chain && *n < SAMPLE_INPUT_MAX_KEY; i++) {
        uint64_t word = perfsample_word(s->s->chain, i);

        if (word >= PERF_CONTEXT_MAX) {
            mode = mode_behind(word);
            is_return = false;
            continue;
        }
        if (put_frame(g, s, mode, word, is_return, &key[*n], t)) {
            return -1;
        }
        is_return = true;
        ++*n;
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
    const char *comm = string_table_get(&g->profile->texts, s->comm);

    *n = STACKS_FIRST;
    if (put_world(g, s, &key[STACKS_WORLD], t) || put_text(g, comm, false, &key[STACKS_COMM], t) ||
        put_chain(g, s, key, n, t)) {
        return -1;
    }
    if (*n == STACKS_FIRST && put_frame(g, s, s->mode, s->s->ip, false, &key[(*n)++], t)) {
        return -1;
    }
    reverse(key + STACKS_FIRST, *n - STACKS_FIRST);
    return 0;
}

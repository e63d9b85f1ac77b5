/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frames of a sample. */
#include "profile/callchain.h"

/* Returns the mode of the addresses after a marker; no mode if perf does not know the marker. */
static unsigned mode_after(uint64_t marker)
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

struct callchain callchain_of(const struct input_sample *s)
{
    return (struct callchain){.s = s, .mode = PERF_RECORD_MISC_USER};
}

bool callchain_next(struct callchain *c, struct callchain_frame *frame)
{
    const struct perfsample *s = c->s->s;

    while (c->at < s->n_chain) {
        uint64_t word = perfsample_word(s->chain, c->at++);

        if (word >= PERF_CONTEXT_MAX) {
            c->mode = mode_after(word);
            c->is_return = false;
            continue;
        }
        *frame = (struct callchain_frame){c->mode, word, word - c->is_return};
        c->is_return = true;
        c->any = true;
        return true;
    }
    if (!c->any) {
        *frame = (struct callchain_frame){c->s->mode, s->ip, s->ip};
        c->any = true;
        return true;
    }
    return false;
}

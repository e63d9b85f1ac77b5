/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frames of a sample. */
#include "profile/callchain.h"

#include <fnmatch.h>
#include <string.h>

/* PERF_CONTEXT_USER_DEFERRED, which older headers lack. */
#define USER_DEFERRED ((uint64_t)-640)

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

/*
 * Linux's functions behind which a chain has an address that is not a return address: behind an
 * entry of exceptions, it is where the kernel was interrupted; behind a thunk, it can be the
 * function to which the thunk jumps. A chain that a kernel has recorded does not mark it.
 */
static const char *const entries[] = {
    "asm_exc_*",
    "asm_sysvec_*",
    "asm_common_interrupt",
    "asm_spurious_interrupt",
    "asm_fred_entrypoint_*",
    "el1?_64_sync",
    "el1?_64_irq",
    "el1?_64_fiq",
    "el1_sync",
    "el1_irq",
    "el1_fiq",
    "__irq_svc",
    "__fiq_svc",
    "__dabt_svc",
    "__pabt_svc",
    "__und_svc",
    "__x86_indirect_thunk_*",
};

static bool is_entry(const struct callchain_frame *frame)
{
    const struct function *function = frame->place.function;

    /* Most names begin with another letter, and need no further comparison. */
    if (!function || frame->mode != PERF_RECORD_MISC_KERNEL || !strchr("ae_", function->name[0])) {
        return false;
    }
    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
        if (fnmatch(entries[i], function->name, 0) == 0) {
            return true;
        }
    }
    return false;
}

struct callchain callchain_of(const struct sample_input *g, const struct input_sample *s)
{
    return (struct callchain){.g = g, .s = s, .mode = PERF_RECORD_MISC_USER};
}

static void fill(struct callchain *c, struct callchain_frame *frame, unsigned mode,
                 uint64_t address)
{
    *frame = (struct callchain_frame){
        .mode = mode, .address = address, .lookup = address - c->is_return};
    frame->place = sample_input_place(c->g, c->s, mode, frame->lookup);
    c->is_return = !is_entry(frame);
    c->any = true;
}

bool callchain_next(struct callchain *c, struct callchain_frame *frame)
{
    const struct perfsample *s = c->s->s;

    while (c->at < s->n_chain) {
        uint64_t word = perfsample_word(s->chain, c->at++);

        if (word >= PERF_CONTEXT_MAX) {
            /* The next word is a cookie: the program's part is in a later record. */
            c->at += word == USER_DEFERRED;
            c->mode = mode_after(word);
            c->is_return = false;
            continue;
        }
        fill(c, frame, c->mode, word);
        return true;
    }
    if (!c->any) {
        fill(c, frame, c->s->mode, s->ip);
        return true;
    }
    return false;
}

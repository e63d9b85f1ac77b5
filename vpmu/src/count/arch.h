/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_COUNT_ARCH_H
#define VPMU_COUNT_ARCH_H

#include "count_internal.h"

struct vpmu_state_format_;

/*
 * What an architecture adds to the counting core. Each architecture has one of these, and all its
 * PMUs refer to it. A PMU is a struct whose first member is its struct vpmu_count, so the functions
 * below find the registers from that. None of them is called while instructions execute, unless a
 * counter overflows.
 */
struct vpmu_arch {
    uint8_t contexts;      /* the number of contexts */
    uint8_t sources;       /* the number of sources */
    uint8_t row;           /* the number of totals from one context to the next */
    uint8_t first_context; /* the context of a PE that starts */
    /*
     * These counters overflowed: sets their overflow flags, and freezes counters if registers say
     * so. Returns whether this causes an interrupt that is an edge.
     */
    bool (*commit)(struct vpmu_count *c, uint64_t ended);
    /*
     * The registers or controls of the counters in @changed changed, or a freeze may have begun or
     * ended: calls vpmu_count_assign_() for the counters that may count something else now, and
     * sets vpmu_count.urgent and chained.
     */
    void (*assign)(struct vpmu_count *c, uint64_t changed);
    /* Returns VPMU_DUE_IRQ if the interrupt must be driven. @edge is what commit() returned. */
    int (*interrupt)(struct vpmu_count *c, bool edge);
    const struct vpmu_state_format_ *state; /* saved.h */
};

/*
 * What the machine gives to a PMU, and the part of the configuration that all architectures have.
 */
struct vpmu_machine_ {
    uint64_t *totals;
    const struct vpmu_now *now;
    vpmu_sources sources;
    vpmu_sources timed;
    uint8_t cycle_units;
};

/*
 * change.c: initializes the counting state. Clocks start now, and counters do nothing. Returns 0,
 * or -VPMU_ERR_CONFIG if totals are missing.
 */
int vpmu_count_init_(struct vpmu_count *c, const struct vpmu_arch *arch,
                     const struct vpmu_machine_ *machine, const char **why);

/*
 * change.c: every change of state is enclosed in vpmu_begin_() and vpmu_end_().
 *
 * vpmu_begin_() settles all counters under the old state. It returns whether an edge of the
 * interrupt is due, which vpmu_end_() gets as @edge. vpmu_end_() gives counters their new
 * assignments, and returns what is due: VPMU_DUE_REARM, and VPMU_DUE_IRQ if the interrupt changes.
 */
bool vpmu_begin_(struct vpmu_count *c, const struct vpmu_now *now);
int vpmu_end_(struct vpmu_count *c, uint64_t changed, bool edge);

/* change.c: see vpmu_arm_settle() and vpmu_arm_step(). */
int vpmu_settle_(struct vpmu_count *c, const struct vpmu_now *now);
int vpmu_step_(struct vpmu_count *c, const struct vpmu_now *now);

/*
 * change.c: vpmu_settle_() in the middle of an instruction, which reads a counter. Samples wait
 * until the instruction has been executed.
 */
int vpmu_settle_counters_(struct vpmu_count *c, const struct vpmu_now *now);

/*
 * change.c: the PE is about to leave its context or world. Time until now belongs to it, if an
 * observer counts time, and so do the periods of observers that have ended.
 */
int vpmu_leave_context_(struct vpmu_count *c, const struct vpmu_now *now);

/* See vpmu_arm_sample(). */
static inline int vpmu_sample_(struct vpmu_count *c, const struct vpmu_now *now)
{
    return c->sampling ? vpmu_observers_sample_(c, now) : 0;
}

#endif

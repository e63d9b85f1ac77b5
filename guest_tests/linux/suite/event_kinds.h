/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef EVENT_KINDS_H
#define EVENT_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds of instructions and exceptions, whose numbers are known for the programs. */
enum kind {
    INST = 1 << 0,
    LD = 1 << 1,
    ST = 1 << 2,
    UNALIGNED = 1 << 3,
    DP = 1 << 4,
    ASE = 1 << 5,
    VFP = 1 << 6,
    BR_IMMED = 1 << 7,
    BR_RETURN = 1 << 8,
    BR_INDIRECT = 1 << 9,
    PC_WRITE = 1 << 10,
    ISB = 1 << 11,
    DSB = 1 << 12,
    DMB = 1 << 13,
    SVC = 1 << 14,
    UNDEF = 1 << 15,
    DATA_ABORT = 1 << 16,
    FETCH_ABORT = 1 << 17,
    UNALIGNED_LD = 1 << 19,
    UNALIGNED_ST = 1 << 20,
    EXCLUSIVE = 1 << 21, /* a load-exclusive and a store-exclusive */
    QUADWORD = 1 << 22,  /* a load or store of a Q register */
    /* PC_WRITE before PMUv3p8; all branches from there on. */
    PC_WRITE_SPEC = 1 << 23,
    PREFETCH = 1 << 24,
    /* What user programs never do. */
    NEVER = 1 << 18,
    /*
     * Not a kind of instruction: decided by a model or by time, so that there is no known number.
     */
    UNKNOWN = 0
};

/* What the machine must be so that it claims an event. */
enum need {
    NEEDS_NOTHING,
    NEEDS_L2,
    NEEDS_LLC,
    NEEDS_CYCLES_MODEL,
    NEEDS_SLOTS,  /* that, and PMMIR.SLOTS */
    NEEDS_STALLS, /* a modelled pipeline, or PMUv3p1, which demands them */
    NEEDS_P1,
    NEEDS_P4,
    NEEDS_L2_P4,
    NEEDS_LLC_P4
};

/**
 * struct pmu_event - an event as Linux sees it
 * @number: of the architecture.
 * @name: in sysfs; NULL if it has none, as events for which PMCEID has no bit.
 * @kinds: the kinds whose sum it is, or UNKNOWN.
 * @need: what the machine must be.
 */
struct pmu_event {
    unsigned number;
    const char *name;
    unsigned kinds;
    enum need need;
};

extern const struct pmu_event pmu_events[];
extern const size_t pmu_events_count;

/* Returns whether the machine under test claims the event. */
bool pmu_event_claimed(const struct pmu_event *event);

/* Returns the row of a number that the machine claims, or NULL. */
const struct pmu_event *pmu_event_find(unsigned number);

/* program_counts.c */

/**
 * known_kinds() - user instructions and exceptions of a whole run of one of our programs
 * @program: its name.
 * @n: its argument, at least 1.
 * @kinds: a sum of enum kind.
 * @count: is set.
 *
 * Return: false if one of @kinds is not known for @program.
 */
bool known_kinds(const char *program, uint64_t n, unsigned kinds, uint64_t *count);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_BLACKOUT_H
#define VPMU_BLACKOUT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What a hypervisor loses when it switches counters between host and guest, found by watching who
 * runs and who counts. It needs no help from the hypervisor: see vpmu/watch.h.
 */

/* A stretch of execution that is counted for the wrong side, or for none. */
enum vpmu_span {
    /* Blackout: the host executes, and a counter of the host's that the switch stopped would
     * count that. */
    VPMU_SPAN_ENTRY,   /* from the stop to the guest's first instruction */
    VPMU_SPAN_EXIT,    /* from the guest's last instruction to the restart */
    VPMU_SPAN_INSIDE,  /* from the guest's last instruction to its next, without a restart */
    VPMU_SPAN_ABORTED, /* from the stop to the restart: the guest did not run */
    /* Leaks. */
    VPMU_SPAN_LEAK_HOST,  /* the host executes, and a counter of the guest's counts it */
    VPMU_SPAN_LEAK_GUEST, /* the guest executes, and a counter of the host's counts it */
    VPMU_SPAN_COUNT,
};

enum vpmu_unit {
    VPMU_UNIT_INSTRUCTIONS,
    VPMU_UNIT_CYCLES,      /* of CPU_CYCLES */
    VPMU_UNIT_NANOSECONDS, /* of vpmu_watch.now */
    VPMU_UNIT_COUNT,
};

/* Bucket 0 is 0; bucket n is 2^(n-1) to 2^n - 1. */
#define VPMU_LOG2_BUCKETS 65u

/* The bucket of a size. */
static inline unsigned vpmu_log2_bucket(uint64_t size)
{
    return size ? 64 - (unsigned)__builtin_clzll(size) : 0;
}

/**
 * struct vpmu_spread - how large the spans of a kind were, in one unit
 * @sum: of all. Wraps.
 * @min: the smallest; UINT64_MAX before the first.
 * @max: the largest.
 * @log2: how many of each power of two.
 */
struct vpmu_spread {
    uint64_t sum;
    uint64_t min;
    uint64_t max;
    uint64_t log2[VPMU_LOG2_BUCKETS];
};

/* What made the guest stop: ESR_EL2.EC of a synchronous exception, or one of these. */
enum vpmu_exit_reason {
    VPMU_EXIT_SYNC_END = 64,
    VPMU_EXIT_IRQ = VPMU_EXIT_SYNC_END,
    VPMU_EXIT_FIQ,
    VPMU_EXIT_SERROR,
    VPMU_EXIT_REASONS,
};

/**
 * struct vpmu_reason - spans EXIT and INSIDE that began with one reason, in instructions
 */
struct vpmu_reason {
    uint64_t windows;
    uint64_t sum;
    uint64_t min;
    uint64_t max;
};

/* A span that has not ended. Private. */
struct vpmu_open_span {
    bool open;
    bool running; /* what has been executed since vpmu_blackout.mark is part of it */
    uint64_t size[VPMU_UNIT_COUNT];
};

/**
 * struct vpmu_blackout - the meter of one PE
 * @windows: spans of each kind that have ended.
 * @spread: their sizes.
 * @reason: by what ended the guest's run before.
 * @exits: how often a guest stopped running, for each reason, whether or not a counter was
 * switched.
 * @ended: NULL, as vpmu_blackout_start() leaves it, or called when a span has ended, with
 *     vpmu.opaque, what it was and its sizes, once these are in @spread. Must not call vpmu.
 *
 * The rest is private. The caller owns the memory.
 */
struct vpmu_blackout {
    uint64_t windows[VPMU_SPAN_COUNT];
    struct vpmu_spread spread[VPMU_SPAN_COUNT][VPMU_UNIT_COUNT];
    struct vpmu_reason reason[VPMU_EXIT_REASONS];
    uint64_t exits[VPMU_EXIT_REASONS];
    void (*ended)(void *opaque, enum vpmu_span kind, const uint64_t size[VPMU_UNIT_COUNT]);
    struct vpmu_open_span dark;
    struct vpmu_open_span leak;
    uint64_t mark[VPMU_UNIT_COUNT];
    bool after_exit; /* a guest has run since the switch stopped counters */
    uint8_t last_reason;
    uint8_t leak_kind;
};

/**
 * vpmu_exit_reason_name() - Linux's name of an exception class, as in its kvm_exit trace point
 * @reason: 0 to VPMU_EXIT_REASONS - 1.
 *
 * Return: a constant in lower case, like "hvc64"; NULL if there is no such reason.
 */
const char *vpmu_exit_reason_name(unsigned reason);

#endif

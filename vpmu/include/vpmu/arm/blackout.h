/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_ARM_BLACKOUT_H
#define VPMU_ARM_BLACKOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu/decls.h"

VPMU_DECLS_BEGIN

/*
 * The blackout meter measures what a hypervisor loses when it switches counters between host and
 * guest. It observes who runs and who counts, and needs no help from the hypervisor. See
 * vpmu/arm/watch.h.
 */

/* A span is a stretch of execution that is counted for the wrong side or for neither side. */
enum vpmu_span {
    /*
     * Blackout: the host executes, and the switch has stopped a host counter that would otherwise
     * count this execution.
     */
    VPMU_SPAN_ENTRY,   /* from stopping the counter to the guest's first instruction */
    VPMU_SPAN_EXIT,    /* from the guest's last instruction to restarting the counter */
    VPMU_SPAN_INSIDE,  /* between two runs of the guest, without restarting the counter */
    VPMU_SPAN_ABORTED, /* from stopping to restarting; the guest did not run */
    /* Leaks: a counter of the other side counts. */
    VPMU_SPAN_LEAK_HOST,  /* a guest counter counts execution of the host */
    VPMU_SPAN_LEAK_GUEST, /* a host counter counts execution of the guest */
    VPMU_SPAN_COUNT,
};

enum vpmu_unit {
    VPMU_UNIT_INSTRUCTIONS,
    VPMU_UNIT_CYCLES,      /* CPU_CYCLES */
    VPMU_UNIT_NANOSECONDS, /* by vpmu_now.ns */
    VPMU_UNIT_COUNT,
};

/* Bucket 0 holds size 0; bucket n holds 2^(n-1) to 2^n - 1. */
#define VPMU_LOG2_BUCKETS 65u

/**
 * vpmu_log2_bucket() - the histogram bucket of a size
 * @size: any value.
 *
 * Return: 0 for @size 0, otherwise the n for which 2^(n-1) <= @size < 2^n: 1 to VPMU_LOG2_BUCKETS -
 * 1.
 */
static inline unsigned vpmu_log2_bucket(uint64_t size)
{
    return size ? 64 - (unsigned)__builtin_clzll(size) : 0;
}

/**
 * struct vpmu_spread - the sizes of the spans of one kind, in one unit
 * @sum: the sum of all sizes. Wraps.
 * @min: the smallest size; UINT64_MAX before the first span.
 * @max: the largest size.
 * @log2: the number of spans in each bucket of vpmu_log2_bucket().
 */
struct vpmu_spread {
    uint64_t sum;
    uint64_t min;
    uint64_t max;
    uint64_t log2[VPMU_LOG2_BUCKETS];
};

/* Why the guest stopped running: ESR_EL2.EC of a synchronous exception, or one of these. */
enum vpmu_exit_reason {
    VPMU_EXIT_SYNC_END = 64,
    VPMU_EXIT_IRQ = VPMU_EXIT_SYNC_END,
    VPMU_EXIT_FIQ,
    VPMU_EXIT_SERROR,
    VPMU_EXIT_REASONS,
};

/**
 * struct vpmu_reason - the EXIT and INSIDE spans that one exit reason began, in instructions
 * @windows: the number of spans.
 * @sum: the sum of their sizes. Wraps.
 * @min: the smallest size; UINT64_MAX before the first span.
 * @max: the largest size.
 */
struct vpmu_reason {
    uint64_t windows;
    uint64_t sum;
    uint64_t min;
    uint64_t max;
};

/* A span that has ended, with its sizes. */
struct vpmu_ended_span {
    enum vpmu_span kind;
    uint64_t size[VPMU_UNIT_COUNT];
};

/* Private: a span that has not ended. */
struct vpmu_open_span {
    bool open;
    bool running; /* execution since vpmu_blackout.mark belongs to it */
    uint64_t size[VPMU_UNIT_COUNT];
};

/**
 * struct vpmu_blackout - the meter of one PE
 * @windows: the number of spans of each kind that have ended.
 * @spread: the sizes of these spans.
 * @reason: the spans that began when a guest stopped running, for each exit reason.
 * @exits: how often a guest stopped running, for each reason, whether or not a counter was
 *     switched.
 *
 * All other fields are private. The caller owns the memory.
 */
struct vpmu_blackout {
    uint64_t windows[VPMU_SPAN_COUNT];
    struct vpmu_spread spread[VPMU_SPAN_COUNT][VPMU_UNIT_COUNT];
    struct vpmu_reason reason[VPMU_EXIT_REASONS];
    uint64_t exits[VPMU_EXIT_REASONS];
    struct vpmu_open_span blackout;
    struct vpmu_open_span leak;
    uint64_t mark[VPMU_UNIT_COUNT];
    bool after_exit; /* a guest has run since the switch stopped counters */
    uint8_t last_reason;
    uint8_t leak_kind;
    uint8_t ended_count;
    struct vpmu_ended_span ended[2]; /* by the last call: a blackout and a leak at most */
};

/**
 * vpmu_span_next() - fetch the next span that has ended
 * @b: the meter.
 * @span: is set to the span, unless there is none. vpmu_blackout.spread includes it already.
 *
 * After VPMU_DUE_SPANS, a machine that wants the single spans calls this until it returns false,
 * before it calls any function that changes the PMU. Spans that are not fetched are dropped.
 *
 * Return: true if there is a span.
 */
bool vpmu_span_next(struct vpmu_blackout *b, struct vpmu_ended_span *span);

/**
 * vpmu_arm_exit_reason_name() - the name of an exit reason, as the trace point kvm_exit prints it
 * @reason: 0 to VPMU_EXIT_REASONS - 1.
 *
 * Return: a constant in lower case, such as "hvc64"; "other" for a class that Linux does not name;
 * NULL if there is no such reason.
 * Source: Linux, arch/arm64/include/asm/kvm_arm.h, kvm_arm_exception_class.
 */
const char *vpmu_arm_exit_reason_name(unsigned reason);

VPMU_DECLS_END

#endif

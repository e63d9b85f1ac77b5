/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far a CPU may execute before counters of its PMU must be settled: the
 * part that all targets share
 *
 * A target computes limits, in instructions and cycles, for each context of its
 * CPU.  This part knows which of them stay valid, and settles by the clock.
 */

#ifndef SYSTEM_VPMU_LIMIT_H
#define SYSTEM_VPMU_LIMIT_H

#include "hw/core/cpu.h"
#include "qemu/bitops.h"
#include "qemu/timer.h"
#include "vpmu/count.h"

/*
 * While all counters are at least VPMU_SHARED from overflow, each context may
 * use one of VPMU_PARTS parts of the distance.  All contexts together cannot
 * cause the overflow, so such a limit stays valid while the CPU is in other
 * contexts.
 */
#define VPMU_SHARED (1 << 16)
#define VPMU_PARTS  16

/* Called on the thread of the CPU. */
typedef struct VPMULimitOps {
    /*
     * Returns when a counter of time overflows if the CPU stays in this
     * context; INT64_MAX if none does.
     */
    int64_t (*deadline)(CPUState *cs);
    /*
     * Computes the limit of the context that the PMU knows.  Returns true if it
     * is a part that stays valid while the CPU is in other contexts.
     */
    bool (*find)(CPUState *cs);
    /*
     * Settles.  @moved: the CPU may be in another context than the PMU knows.
     */
    void (*settle)(CPUState *cs, bool moved);
} VPMULimitOps;

typedef struct VPMULimits {
    const VPMULimitOps *ops;
    CPUState *cs;
    const struct vpmu_count *count;
    /*
     * When to settle.  The timer fires at that time or before: it may still be
     * set for an earlier deadline.
     */
    int64_t deadline;
    QEMUTimer *timer;
    /* A mask of the contexts whose limits are valid. */
    uint32_t shared;
} VPMULimits;

void vpmu_limits_init(VPMULimits *l, const VPMULimitOps *ops, CPUState *cs,
                      const struct vpmu_count *count);

/* Sets the timer for the present deadline. */
void vpmu_limits_update_timer(VPMULimits *l);

/* Computes the limit of the present context. */
void vpmu_limits_find(VPMULimits *l);

/* Discards all limits and computes that of the present context. */
void vpmu_limits_update(VPMULimits *l);

/*
 * Called when the context has changed.  Returns false if its limit is valid,
 * and true if it was computed anew.
 */
static inline bool vpmu_limits_enter(VPMULimits *l)
{
    if (likely(extract32(l->shared, l->count->ctx, 1))) {
        return false;
    }
    vpmu_limits_find(l);
    return true;
}

/* Settles and discards all limits.  @time_due: also sets the timer. */
void vpmu_limits_settle(VPMULimits *l, bool time_due);

/* Is a counter of time due to overflow, at the time @ns or now? */
static inline bool vpmu_limits_time_due_at(const VPMULimits *l, int64_t ns)
{
    return l->deadline != INT64_MAX && ns >= l->deadline;
}

static inline bool vpmu_limits_time_due(const VPMULimits *l)
{
    return l->deadline != INT64_MAX &&
           vpmu_limits_time_due_at(l, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL));
}

/* Settles if the limit is reached, @due, or a deadline is, @time_due. */
static inline void vpmu_limits_settle_if_due(VPMULimits *l, bool due,
                                             bool time_due)
{
    if (due || time_due) {
        vpmu_limits_settle(l, time_due);
    }
}

/* Distances and limits.  UINT64_MAX: there is no limit. */

/* Returns one of @parts parts of a distance. */
static inline uint64_t vpmu_part(uint64_t events, unsigned int parts)
{
    return events == UINT64_MAX ? events : events / parts;
}

/* Returns the limit that is @events after @total. */
static inline uint64_t vpmu_limit(uint64_t total, uint64_t events)
{
    return events > UINT64_MAX - total ? UINT64_MAX : total + events;
}

/* Returns how far it is from @total to @limit. */
static inline uint64_t vpmu_left(uint64_t total, uint64_t limit)
{
    return limit == UINT64_MAX ? limit : limit > total ? limit - total : 0;
}

/*
 * If @insns instructions that stall for @stalled slots could exceed the @cycles
 * that are left, it is not known which of them stall.  Returns how many may be
 * executed in any case, at least one.  Counters are settled after these.
 */
static inline uint64_t vpmu_cut(uint64_t insns, uint64_t cycles,
                                uint64_t stalled)
{
    return MIN(insns, cycles > stalled ? cycles - stalled : 1);
}

#endif

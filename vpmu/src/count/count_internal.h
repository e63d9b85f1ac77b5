/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_COUNT_INTERNAL_H
#define VPMU_COUNT_INTERNAL_H

#include <stddef.h>

#include "../bits.h"
#include "vpmu/count.h"
#include "vpmu/errors.h"
#include "vpmu/rate.h"

/* The largest number of cycles per count, and the largest vpmu_config.cycle_units. */
#define VPMU_MAX_DIVIDER 64
#define VPMU_MAX_CYCLE_UNITS 8

/* Narrow fields and masks of 64 bits are wide enough for their values. */
_Static_assert(VPMU_CTX_LIMIT <= 8 * sizeof(((struct vpmu_counter *)0)->ctx_mask), "contexts");
_Static_assert(VPMU_MAX_DIVIDER *VPMU_MAX_CYCLE_UNITS <= UINT16_MAX, "vpmu_counter.remainder");
_Static_assert(VPMU_COUNTER_COUNT <= 64, "counters fit in a mask");

/* Sources from which the ends of cycles are derived. */
#define VPMU_PACERS                                                                                \
    (VPMU_SRC_BIT(VPMU_SRC_INST_RETIRED) | VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES) |                     \
     VPMU_SRC_BIT(VPMU_SRC_STALL_FRONTEND) | VPMU_SRC_BIT(VPMU_SRC_STALL_BACKEND) |                \
     VPMU_SRCS_SLOTS)

/*
 * A mark is the value of a sum of totals that has been counted. The sum may be below its mark,
 * because machines take back what was not executed (struct vpmu_table), and because a snapshot has
 * less than what was settled. The difference is a surplus: as many new events must happen before
 * anything is counted again. All computations on totals use these four functions.
 */

/* Returns by how much a sum exceeds its mark. */
static inline uint64_t vpmu_since_(uint64_t total, uint64_t mark)
{
    return (int64_t)(total - mark) > 0 ? total - mark : 0;
}

/* The same, and moves the mark to the sum. */
static inline uint64_t vpmu_take_(uint64_t *mark, uint64_t total)
{
    uint64_t delta = vpmu_since_(total, *mark);

    *mark += delta;
    return delta;
}

/* The mark, which was just moved, now belongs to another sum. The surplus stays the same. */
static inline void vpmu_move_mark_(uint64_t *mark, uint64_t from, uint64_t to)
{
    *mark += to - from;
}

/* Returns by how much a sum may increase if the mark has @room left. A surplus is added to that. */
static inline uint64_t vpmu_room_left_(uint64_t room, uint64_t total, uint64_t mark)
{
    uint64_t gone = vpmu_since_(total, mark);
    uint64_t owed = vpmu_since_(mark, total);

    if (gone) {
        return gone < room ? room - gone : 0;
    }
    return owed < UINT64_MAX - room ? room + owed : UINT64_MAX;
}

/* The totals of a context. */
static inline uint64_t *vpmu_row_(const struct vpmu_count *c, unsigned ctx)
{
    return c->totals.n + (size_t)ctx * c->totals.row;
}

/* The sum of the totals of some sources of one row. Two masks take less time than a wide one. */
static inline uint64_t vpmu_total_in_(const uint64_t *row, vpmu_sources sources)
{
    uint64_t total = 0;
    unsigned source;

    VPMU_FOR_EACH_BIT (source, (uint64_t)sources) {
        total += row[source];
    }
    VPMU_FOR_EACH_BIT (source, (uint64_t)(sources >> 64)) {
        total += row[64 + source];
    }
    return total;
}

/* The sum of the totals of some sources in some contexts. */
static inline uint64_t vpmu_total_(const struct vpmu_count *c, vpmu_sources sources,
                                   uint16_t ctx_mask)
{
    uint64_t total = 0;
    unsigned ctx;

    VPMU_FOR_EACH_BIT (ctx, ctx_mask) {
        total += vpmu_total_in_(vpmu_row_(c, ctx), sources);
    }
    return total;
}

/* The sum that a counter counts. */
static inline uint64_t vpmu_total_of_(const struct vpmu_count *c, const struct vpmu_counter *ctr)
{
    return vpmu_total_(c, ctr->sources, ctr->ctx_mask);
}

/* The part of that sum in the current context. */
static inline uint64_t vpmu_total_here_(const struct vpmu_count *c, const struct vpmu_counter *ctr)
{
    return vpmu_total_in_(vpmu_row_(c, c->ctx), ctr->sources);
}

/* Returns by how much the sum of a counter increased since the last call. */
static inline uint64_t vpmu_take_delta_(const struct vpmu_count *c, struct vpmu_counter *ctr)
{
    return vpmu_take_(&ctr->base, vpmu_total_of_(c, ctr));
}

/* What a counter does, as in struct vpmu_counter and struct vpmu_pace. */
struct vpmu_assignment_ {
    vpmu_sources sources;
    struct vpmu_function function;
    uint16_t ctx_mask;
    uint16_t unit;
    uint8_t width;
    uint8_t end;
    bool paced;
};

/*
 * advance.c: adds to a counter that overflows, and to the counters chained to it. Returns a mask of
 * the counters that overflowed: one, two or none.
 */
uint64_t vpmu_advance_far_(struct vpmu_count *c, unsigned idx, uint64_t n);

/* Tells whether a counter can advance by @n without an overflow: no bit from the end up changes. */
static inline bool vpmu_has_room_(const struct vpmu_counter *ctr, uint64_t n)
{
    uint64_t sum = ctr->value + n;

    return sum >= n && (sum ^ ctr->value) >> (ctr->end - 1) >> 1 == 0;
}

/* Advances all @counters by @n, unless one of them would overflow. Returns whether it did. */
static inline bool vpmu_advance_all_(struct vpmu_count *c, uint64_t counters, uint64_t n)
{
    unsigned idx;

    VPMU_FOR_EACH_BIT (idx, counters) {
        if (!vpmu_has_room_(&c->counter[idx], n)) {
            return false;
        }
    }
    VPMU_FOR_EACH_BIT (idx, counters) {
        c->counter[idx].value += n;
    }
    return true;
}

/* The same as vpmu_advance_far_(). Mostly no counter overflows. */
static inline uint64_t vpmu_advance_(struct vpmu_count *c, unsigned idx, uint64_t n)
{
    if (vpmu_has_room_(&c->counter[idx], n)) {
        c->counter[idx].value += n;
        return 0;
    }
    return vpmu_advance_far_(c, idx, n);
}

/* advance.c: the same, for a counter whose totals increased by @delta. */
uint64_t vpmu_go_on_(struct vpmu_count *c, unsigned idx, uint64_t delta);

/*
 * pace.c: evaluates the cycles that have passed in the current context. Returns as vpmu_advance_().
 */
uint64_t vpmu_pace_settle_(struct vpmu_count *c);

/* pace.c: the same, if the events since the last call have been added to vpmu_pace.value. */
uint64_t vpmu_pace_go_on_(struct vpmu_count *c);

/* pace.c: adds an event to the current cycle of some paced counters. */
void vpmu_pace_happen_(struct vpmu_count *c, uint64_t counters);

/* pace.c: sets how a counter is evaluated, after its sources and contexts have been set. */
void vpmu_pace_assign_(struct vpmu_count *c, unsigned idx,
                       const struct vpmu_assignment_ *assignment);

/*
 * pace.c: from now on, cycles of the current context are evaluated, if a paced counter counts
 * there.
 */
void vpmu_pace_follow_(struct vpmu_count *c);

/* settle.c: starts the clocks. */
void vpmu_clocks_start_(struct vpmu_count *c, const struct vpmu_now *now);

/* settle.c: adds the time that has passed to the current context. */
void vpmu_clocks_settle_(struct vpmu_count *c, const struct vpmu_now *now);

/* settle.c: settles clocks and counters. Returns a mask of the counters that overflowed. */
uint64_t vpmu_count_settle_(struct vpmu_count *c, const struct vpmu_now *now);

/* step.c: the same, if only totals of the current context have changed. */
uint64_t vpmu_count_step_(struct vpmu_count *c, const struct vpmu_now *now);

/* settle.c: gives a counter another assignment. Settle first. */
void vpmu_count_assign_(struct vpmu_count *c, unsigned idx,
                        const struct vpmu_assignment_ *assignment);

/* settle.c: call it after settling and a change of context. */
void vpmu_count_follow_(struct vpmu_count *c);

/*
 * settle.c: sets the value of a counter, which must fit its width. A counter that has the value
 * keeps its part of the current cycle unless it is paced. Settle first.
 */
void vpmu_count_set_(struct vpmu_count *c, unsigned idx, uint64_t value);

/* settle.c: a counter that counts every 64th cycle begins a new count, but no new cycle. */
void vpmu_count_undivide_(struct vpmu_count *c, unsigned idx);

/*
 * settle.c: discards the remainder of a count or a cycle and the surplus of a counter whose event
 * has changed, which must be below VPMU_PACE_COUNT. Settle first.
 */
void vpmu_count_restart_(struct vpmu_count *c, unsigned idx);

/* settle.c: sets all counters to 0 and stops them. Settle first. */
void vpmu_count_clear_(struct vpmu_count *c);

/*
 * observe.c: adds what an observer has counted in its contexts, and sets its contexts to @mask.
 * Returns what is due, which is VPMU_DUE_SAMPLES and VPMU_DUE_REARM if its period has ended.
 */
int vpmu_observer_take_(const struct vpmu_count *c, struct vpmu_observer *o, uint16_t mask);

/* observe.c: the same for all observers with a period, whose contexts stay. */
int vpmu_observers_sample_(struct vpmu_count *c, const struct vpmu_now *now);

/* observe.c: vpmu_count_headroom_() of observers only. */
uint64_t vpmu_observers_headroom_(const struct vpmu_count *c, vpmu_sources sources, unsigned ctx);

/* observe.c: recomputes what must be tallied for observers and the meter. Returns what is due. */
int vpmu_observers_want_(struct vpmu_count *c);

/*
 * observe.c: see vpmu_arm_observer_add(), vpmu_arm_observer_remove() and vpmu_arm_observer_read().
 * @mask is the contexts in which the observer counts now.
 */
int vpmu_observer_add_(struct vpmu_count *c, struct vpmu_observer *o, uint16_t mask,
                       const struct vpmu_now *now);
int vpmu_observer_remove_(struct vpmu_count *c, struct vpmu_observer *o, const struct vpmu_now *now,
                          uint64_t *count);
uint64_t vpmu_observer_read_(struct vpmu_count *c, const struct vpmu_observer *o,
                             const struct vpmu_now *now);

/* headroom.c: see vpmu_arm_headroom() and vpmu_arm_armed(). */
uint64_t vpmu_count_headroom_(const struct vpmu_count *c, vpmu_sources sources, unsigned ctx);
vpmu_sources vpmu_count_armed_(const struct vpmu_count *c, unsigned ctx);

/* rate.c: see vpmu_arm_deadline(). */
uint64_t vpmu_count_deadline_(const struct vpmu_count *c,
                              const struct vpmu_rate rate[VPMU_CLOCK_COUNT]);

/* snapshot.c: copies the totals to @totals, and makes @copy count from them. */
void vpmu_count_look_(struct vpmu_count *copy, uint64_t *totals, const struct vpmu_count *c,
                      const struct vpmu_now *now);

#endif

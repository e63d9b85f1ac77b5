/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_COUNT_INTERNAL_H
#define VPMU_COUNT_INTERNAL_H

#include <stddef.h>

#include "../bits.h"
#include "vpmu/count.h"
#include "vpmu/errors.h"
#include "vpmu/rate.h"

/* Cycles to a count, at most, and vpmu_config.cycle_units. */
#define VPMU_MAX_DIVIDER 64
#define VPMU_MAX_CYCLE_UNITS 8

/* Fields of few bits, and masks of 64, have room for what they hold. */
_Static_assert(VPMU_CTX_LIMIT <= 8 * sizeof(((struct vpmu_counter *)0)->ctx_mask), "contexts");
_Static_assert(VPMU_MAX_DIVIDER *VPMU_MAX_CYCLE_UNITS <= UINT16_MAX, "vpmu_counter.remainder");
_Static_assert(VPMU_COUNTER_COUNT <= 64, "counters fit in a mask");

/* Sources that say where cycles end. */
#define VPMU_PACERS                                                                                \
    (VPMU_SRC_BIT(VPMU_SRC_INST_RETIRED) | VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES) |                     \
     VPMU_SRC_BIT(VPMU_SRC_STALL_FRONTEND) | VPMU_SRC_BIT(VPMU_SRC_STALL_BACKEND) |                \
     VPMU_SRCS_SLOTS)

/*
 * A mark is how far a sum of totals has been taken over. The sum may be behind it: machines take
 * back what did not happen after all (struct vpmu_table), and a snapshot knows less than what was
 * settled. Then as much is owed, and what happens next makes up for it. All that is computed from
 * totals goes by these four.
 */

/* How far a sum has come since its mark. */
static inline uint64_t vpmu_since_(uint64_t total, uint64_t mark)
{
    return (int64_t)(total - mark) > 0 ? total - mark : 0;
}

/* The same, and takes it over. */
static inline uint64_t vpmu_take_(uint64_t *mark, uint64_t total)
{
    uint64_t delta = vpmu_since_(total, *mark);

    *mark += delta;
    return delta;
}

/* The mark, taken over just now, is of another sum from now on. What is owed stays so. */
static inline void vpmu_move_mark_(uint64_t *mark, uint64_t from, uint64_t to)
{
    *mark += to - from;
}

/* How far a sum may go, of a room from the mark on; what is owed has to be made up for first. */
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
    return c->totals.n + (size_t)ctx * c->totals.sources;
}

/* The sum of the totals of some sources of one row. */
static inline uint64_t vpmu_total_in_(const uint64_t *row, vpmu_sources sources)
{
    uint64_t total = 0;

    while (sources) {
        total += row[vpmu_source_take(&sources)];
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

/* What of that is of the present context. */
static inline uint64_t vpmu_total_here_(const struct vpmu_count *c, const struct vpmu_counter *ctr)
{
    return vpmu_total_in_(vpmu_row_(c, c->ctx), ctr->sources);
}

/* How far all of it has moved since the last time. */
static inline uint64_t vpmu_take_delta_(const struct vpmu_count *c, struct vpmu_counter *ctr)
{
    return vpmu_take_(&ctr->base, vpmu_total_of_(c, ctr));
}

/* What a counter is to do from now on; as struct vpmu_counter and struct vpmu_pace have it. */
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
 * advance.c: adds to a counter, which passes its end, and feeds its chain. Returns which counters
 * passed their ends: one, two or none.
 */
uint64_t vpmu_advance_far_(struct vpmu_count *c, unsigned idx, uint64_t n);

/* The same, though mostly no counter passes its end: no bit from there on changes. */
static inline uint64_t vpmu_advance_(struct vpmu_count *c, unsigned idx, uint64_t n)
{
    struct vpmu_counter *ctr = &c->counter[idx];
    uint64_t sum = ctr->value + n;

    if (sum >= n && (sum ^ ctr->value) >> (ctr->end - 1) >> 1 == 0) {
        ctr->value = sum;
        return 0;
    }
    return vpmu_advance_far_(c, idx, n);
}

/* advance.c: the same, of a counter's totals that moved by @delta. */
uint64_t vpmu_go_on_(struct vpmu_count *c, unsigned idx, uint64_t delta);

/* pace.c: evaluates the cycles that have passed where the PE is. Returns as vpmu_advance_(). */
uint64_t vpmu_pace_settle_(struct vpmu_count *c);

/* pace.c: the same, if what was counted since has been added to vpmu_pace.value. */
uint64_t vpmu_pace_go_on_(struct vpmu_count *c);

/* pace.c: an event falls into the cycle that goes on, of some counters that are paced. */
void vpmu_pace_happen_(struct vpmu_count *c, uint64_t counters);

/* pace.c: how a counter is evaluated from now on; what it counts, and where, has been set. */
void vpmu_pace_assign_(struct vpmu_count *c, unsigned idx,
                       const struct vpmu_assignment_ *assignment);

/* pace.c: the cycles that are told apart are those of where the PE is now, if any are. */
void vpmu_pace_follow_(struct vpmu_count *c);

/* settle.c: time counts from now on. */
void vpmu_clocks_start_(struct vpmu_count *c);

/* settle.c: credits the time that passed to the context that the PE is in. */
void vpmu_clocks_settle_(struct vpmu_count *c);

/*
 * settle.c: brings counters up to date, and @clocks even if none counts them. Returns which of them
 * passed their ends.
 */
uint64_t vpmu_count_settle_(struct vpmu_count *c, bool clocks);

/* step.c: the same, if only totals of the present context have moved. */
uint64_t vpmu_count_step_(struct vpmu_count *c);

/* settle.c: after that, sets a counter to do something else. */
void vpmu_count_assign_(struct vpmu_count *c, unsigned idx,
                        const struct vpmu_assignment_ *assignment);

/* settle.c: after that, and after a change of context. */
void vpmu_count_follow_(struct vpmu_count *c);

/* settle.c: after that, gives a counter a value, whose bits it must have. */
void vpmu_count_set_(struct vpmu_count *c, unsigned idx, uint64_t value);

/* settle.c: after that, forgets what a counter has of a count, or of a cycle, or owes. */
void vpmu_count_restart_(struct vpmu_count *c, unsigned idx);

/* settle.c: after that, all counters are 0 and count nothing. */
void vpmu_count_clear_(struct vpmu_count *c);

/*
 * observe.c: takes over what an observer has counted in the contexts that it had; from now on it
 * counts in @mask. Returns whether samples were due.
 */
bool vpmu_observer_take_(const struct vpmu_count *c, struct vpmu_observer *o, uint16_t mask);

/*
 * observe.c, where an observer has a period: tells of the periods that are over, and returns
 * whether any was.
 */
bool vpmu_observers_sample_(struct vpmu_count *c);

/* observe.c: as vpmu_count_headroom_(), of observers alone. */
uint64_t vpmu_observers_headroom_(const struct vpmu_count *c, vpmu_sources sources, unsigned ctx);

/* observe.c: recomputes what has to be tallied for them and for the meter; calls ops.rearm. */
void vpmu_observers_want_(struct vpmu_count *c);

/*
 * observe.c: see vpmu_observer_add(), vpmu_observer_remove() and vpmu_observer_read(). @mask are
 * the contexts in which the observer counts now.
 */
int vpmu_observer_add_(struct vpmu_count *c, struct vpmu_observer *o, uint16_t mask);
uint64_t vpmu_observer_remove_(struct vpmu_count *c, struct vpmu_observer *o);
uint64_t vpmu_observer_read_(struct vpmu_count *c, const struct vpmu_observer *o);

/* headroom.c: see vpmu_headroom() and vpmu_armed(). */
uint64_t vpmu_count_headroom_(const struct vpmu_count *c, vpmu_sources sources, unsigned ctx);
vpmu_sources vpmu_count_armed_(const struct vpmu_count *c, unsigned ctx);

/* rate.c: see vpmu_deadline(). */
uint64_t vpmu_count_deadline_(const struct vpmu_count *c,
                              const struct vpmu_rate rate[VPMU_CLOCK_COUNT]);

/* certain.c: @copy counts from @totals from now on, which are made those that are certain. */
void vpmu_count_look_(struct vpmu_count *copy, uint64_t *totals, const struct vpmu_count *c,
                      const uint64_t *ahead);

#endif

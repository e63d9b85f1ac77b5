/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Settles after each instruction, for paced counters. Only totals of the current context have
 * changed. Mostly, one cycle has passed without a stall.
 */
#include "pace.h"

static inline uint64_t take_delta(const struct vpmu_count *c, struct vpmu_counter *ctr)
{
    return vpmu_take_(&ctr->base, ctr->elsewhere + vpmu_total_here_(c, ctr));
}

/*
 * Tells whether exactly one cycle of one slot has passed, and if so, moves the marks. In the order
 * of vpmu_count.passed.
 */
static inline bool take_cycle(struct vpmu_count *c)
{
    const uint64_t *totals = vpmu_row_(c, c->ctx);
    bool one = c->cycle_units == 1 && totals[VPMU_SRC_CPU_CYCLES] - c->passed[0] == 1 &&
               totals[VPMU_SRC_STALL_FRONTEND] == c->passed[1] &&
               totals[VPMU_SRC_STALL_BACKEND] == c->passed[2] &&
               totals[VPMU_SRC_STALL_SLOT_BACKEND] == c->passed[3] &&
               totals[VPMU_SRC_STALL_SLOT_FRONTEND] == c->passed[4];

    if (one) {
        c->passed[0]++;
        c->insns = totals[VPMU_SRC_INST_RETIRED];
    }
    return one;
}

/* Tells whether a counter with sources, apart from cycles and stalls, has counted none of them. */
static inline bool has_no_event(const struct vpmu_count *c, const struct vpmu_counter *ctr)
{
    return !ctr->sources || !vpmu_since_(ctr->elsewhere + vpmu_total_here_(c, ctr), ctr->base);
}

/*
 * If a cycle without events does what the one before did, lets it pass. An event, and a counter
 * that is going to overflow, need the evaluation. Returns whether the cycle has passed.
 */
static inline bool repeat_cycle(struct vpmu_count *c, uint64_t counters)
{
    unsigned idx;

    if (c->cycle != VPMU_CYCLE_REPEATS_) {
        return false;
    }
    VPMU_FOR_EACH_BIT (idx, counters) {
        if (!has_no_event(c, &c->counter[idx])) {
            return false;
        }
    }
    return vpmu_advance_all_(c, c->repeating, 1);
}

/*
 * Evaluates a cycle of one slot. If the cycle before has ended as well, and this one has no events
 * and changes no condition, then the next cycle without events counts the same.
 */
static uint64_t pass_cycle(struct vpmu_count *c, uint64_t counters)
{
    bool repeats = c->cycle != VPMU_CYCLE_UNKNOWN_;
    uint64_t ended = 0;
    unsigned idx;

    c->repeating = 0;
    VPMU_FOR_EACH_BIT (idx, counters) {
        struct vpmu_counter *ctr = &c->counter[idx];
        struct vpmu_pace *p = &c->pace[idx];
        uint64_t delta = ctr->sources ? take_delta(c, ctr) : 0;
        uint64_t value = ctr->value;
        bool met = p->met;

        p->value += delta + (p->lasting & VPMU_LASTS_CYCLES_);
        ended |= vpmu_end_cycle_(c, idx);
        repeats = repeats && !delta && p->met == met && ctr->value - value <= 1;
        c->repeating |= ctr->value != value ? VPMU_BIT(idx) : 0;
    }
    c->cycle = ended ? VPMU_CYCLE_UNKNOWN_ : repeats ? VPMU_CYCLE_REPEATS_ : VPMU_CYCLE_ENDED_;
    return ended;
}

static uint64_t pass_other(struct vpmu_count *c, uint64_t counters)
{
    bool whole =
        c->cycle_units == 1 && vpmu_since_(vpmu_row_(c, c->ctx)[VPMU_SRC_CPU_CYCLES], c->passed[0]);
    uint64_t ended;
    unsigned idx;

    VPMU_FOR_EACH_BIT (idx, counters) {
        c->pace[idx].value += take_delta(c, &c->counter[idx]);
    }
    ended = vpmu_pace_go_on_(c);
    c->cycle = whole && !ended ? VPMU_CYCLE_ENDED_ : VPMU_CYCLE_UNKNOWN_;
    return ended;
}

uint64_t vpmu_count_step_(struct vpmu_count *c, const struct vpmu_now *now)
{
    uint64_t here = c->in_ctx[c->ctx];
    uint64_t paced = here & c->paced;
    uint64_t ended = 0;
    unsigned idx;

    if (!paced) {
        return vpmu_count_settle_(c, now);
    }
    if (here & c->clocked) {
        vpmu_clocks_settle_(c, now);
    }
    VPMU_FOR_EACH_BIT (idx, here & ~paced) {
        ended |= vpmu_go_on_(c, idx, take_delta(c, &c->counter[idx]));
    }
    if (ended) {
        c->cycle = VPMU_CYCLE_UNKNOWN_; /* a paced counter may be chained */
    }
    if (!take_cycle(c)) {
        return ended | pass_other(c, paced);
    }
    return repeat_cycle(c, paced) ? ended : ended | pass_cycle(c, paced);
}

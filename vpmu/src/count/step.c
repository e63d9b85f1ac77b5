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

static uint64_t pass_cycle(struct vpmu_count *c, uint64_t counters)
{
    uint64_t ended = 0;
    unsigned idx;

    VPMU_FOR_EACH_BIT (idx, counters) {
        struct vpmu_pace *p = &c->pace[idx];

        p->value += c->counter[idx].sources ? take_delta(c, &c->counter[idx]) : 0;
        p->value += p->lasting & VPMU_LASTS_CYCLES_;
        ended |= vpmu_end_cycle_(c, idx);
    }
    return ended;
}

static uint64_t pass_other(struct vpmu_count *c, uint64_t counters)
{
    unsigned idx;

    VPMU_FOR_EACH_BIT (idx, counters) {
        c->pace[idx].value += take_delta(c, &c->counter[idx]);
    }
    return vpmu_pace_go_on_(c);
}

uint64_t vpmu_count_step_(struct vpmu_count *c)
{
    uint64_t here = c->in_ctx[c->ctx];
    uint64_t paced = here & c->paced;
    uint64_t ended = 0;
    unsigned idx;

    if (!paced) {
        return vpmu_count_settle_(c, false);
    }
    if (here & c->clocked) {
        vpmu_clocks_settle_(c);
    }
    VPMU_FOR_EACH_BIT (idx, here & ~paced) {
        ended |= vpmu_go_on_(c, idx, take_delta(c, &c->counter[idx]));
    }
    return ended | (take_cycle(c) ? pass_cycle(c, paced) : pass_other(c, paced));
}

/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Computes what the machine must tally, and how far it may execute before counters must be settled.
 */
#include "count_internal.h"

/*
 * Returns by how much the totals may increase from the settled value until the counter overflows.
 * Never 0.
 */
static uint64_t room(const struct vpmu_counter *ctr)
{
    uint64_t before = ~ctr->value & (UINT64_MAX >> (64 - ctr->end));
    unsigned n = ctr->unit;
    unsigned last = n - ctr->remainder;

    /* Each count has n units. The remainder is a part of the first one. */
    if (n == 1) {
        return before == UINT64_MAX ? UINT64_MAX : before + 1;
    }
    return before > (UINT64_MAX - last) / n ? UINT64_MAX : before * n + last;
}

/* Cycles are evaluated after each instruction. */
static uint64_t room_of_cycles(const struct vpmu_count *c, unsigned ctx)
{
    return ctx != c->ctx || vpmu_row_(c, ctx)[VPMU_SRC_INST_RETIRED] == c->insns ? 1 : 0;
}

uint64_t vpmu_count_headroom_(const struct vpmu_count *c, vpmu_sources sources, unsigned ctx)
{
    uint64_t least = UINT64_MAX;
    unsigned idx;

    if ((c->paced & c->in_ctx[ctx]) && (sources & VPMU_SRC_BIT(VPMU_SRC_INST_RETIRED))) {
        least = room_of_cycles(c, ctx);
    }
    VPMU_FOR_EACH_BIT (idx, c->in_ctx[ctx] & c->urgent & ~c->paced) {
        const struct vpmu_counter *ctr = &c->counter[idx];

        if (ctr->sources & sources) {
            uint64_t left = vpmu_room_left_(room(ctr), vpmu_total_of_(c, ctr), ctr->base);

            least = left < least ? left : least;
        }
    }
    if (c->sampling) {
        uint64_t left = vpmu_observers_headroom_(c, sources, ctx);

        least = left < least ? left : least;
    }
    return least;
}

vpmu_sources vpmu_count_armed_(const struct vpmu_count *c, unsigned ctx)
{
    vpmu_sources armed = c->wanted[ctx];
    unsigned idx;

    if (c->paced & c->in_ctx[ctx]) {
        armed |= VPMU_PACERS & c->sources;
    }
    VPMU_FOR_EACH_BIT (idx, c->in_ctx[ctx]) {
        armed |= c->counter[idx].sources;
    }
    return armed;
}

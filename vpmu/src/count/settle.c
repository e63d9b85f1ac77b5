/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Settles counters. The value of a counter is its settled value plus the increase of its totals
 * since then; settling adds that increase to the value.
 */
#include "count_internal.h"

void vpmu_clocks_start_(struct vpmu_count *c, const struct vpmu_now *now)
{
    for (unsigned i = 0; now && i < VPMU_CLOCK_COUNT; i++) {
        c->clock[i] = now->ticks[i];
    }
}

void vpmu_clocks_settle_(struct vpmu_count *c, const struct vpmu_now *now)
{
    uint64_t *totals = vpmu_row_(c, c->ctx) + VPMU_SRC_CPU_CYCLES;

    for (unsigned i = 0; now && i < VPMU_CLOCK_COUNT; i++) {
        if (c->timed & VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES + i)) {
            totals[i] += now->ticks[i] - c->clock[i];
            c->clock[i] = now->ticks[i];
        }
    }
}

uint64_t vpmu_count_settle_(struct vpmu_count *c, const struct vpmu_now *now)
{
    uint64_t ended = 0;
    unsigned idx;

    vpmu_clocks_settle_(c, now);
    VPMU_FOR_EACH_BIT (idx, c->counting & ~c->paced) {
        ended |= vpmu_go_on_(c, idx, vpmu_take_delta_(c, &c->counter[idx]));
    }
    return c->paced ? ended | vpmu_pace_settle_(c) : ended;
}

static void assign(uint64_t *mask, uint64_t bit, bool set)
{
    *mask = set ? *mask | bit : *mask & ~bit;
}

/* The sum of a counter without sources or contexts is 0. */
void vpmu_count_assign_(struct vpmu_count *c, unsigned idx,
                        const struct vpmu_assignment_ *assignment)
{
    struct vpmu_counter *ctr = &c->counter[idx];
    uint64_t before = vpmu_total_of_(c, ctr);
    uint64_t bit = VPMU_BIT(idx);

    ctr->sources = assignment->sources;
    ctr->ctx_mask = assignment->ctx_mask;
    ctr->unit = assignment->unit;
    ctr->width = assignment->width;
    ctr->end = assignment->end;
    if (assignment->paced || (idx < VPMU_PACE_COUNT && c->pace[idx].on)) {
        vpmu_pace_assign_(c, idx, assignment);
    }
    if (!assignment->paced && ctr->remainder >= assignment->unit) {
        ctr->remainder = 0;
    }
    vpmu_move_mark_(&ctr->base, before, vpmu_total_of_(c, ctr));
    assign(&c->counting, bit, ctr->ctx_mask);
    assign(&c->clocked, bit, (ctr->sources & c->timed) != 0);
    for (unsigned ctx = 0; ctx < c->totals.contexts; ctx++) {
        assign(&c->in_ctx[ctx], bit, ctr->ctx_mask >> ctx & 1);
    }
}

void vpmu_count_follow_(struct vpmu_count *c)
{
    if (c->paced || c->paced_ctx != VPMU_CTX_LIMIT) {
        vpmu_pace_follow_(c);
    }
}

static void forget(struct vpmu_count *c, unsigned idx)
{
    struct vpmu_counter *ctr = &c->counter[idx];

    ctr->remainder = 0;
    ctr->base = vpmu_total_of_(c, ctr);
}

void vpmu_count_undivide_(struct vpmu_count *c, unsigned idx)
{
    c->counter[idx].remainder = (uint16_t)(c->counter[idx].remainder % c->cycle_units);
}

/*
 * An operating system that switches tasks reads a counter and writes the value back. Then nothing
 * happens to the current cycle: if the part of it that has passed were dropped, the counter would
 * lose it at each switch. Another value begins a new cycle, so that counts from there repeat.
 */
void vpmu_count_set_(struct vpmu_count *c, unsigned idx, uint64_t value)
{
    uint16_t begun = (uint16_t)(c->counter[idx].remainder % c->cycle_units);
    bool same = c->counter[idx].value == value;

    c->counter[idx].value = value;
    forget(c, idx);
    if (same) {
        c->counter[idx].remainder = begun;
    } else if (idx < VPMU_PACE_COUNT) {
        c->pace[idx].value = 0;
        c->pace[idx].link = 0;
    }
}

void vpmu_count_restart_(struct vpmu_count *c, unsigned idx)
{
    forget(c, idx);
    c->pace[idx] = (struct vpmu_pace){.on = c->pace[idx].on};
}

/* The assignment that follows clears c->pace[] of counters that are paced no longer. */
void vpmu_count_clear_(struct vpmu_count *c)
{
    for (unsigned idx = 0; idx < VPMU_COUNTER_COUNT; idx++) {
        c->counter[idx] = (struct vpmu_counter){.unit = 1, .width = 64, .end = 64};
    }
    for (unsigned i = 0; i < VPMU_LASTING_COUNT; i++) {
        c->passed[i] = 0;
    }
    c->paced = 0;
    c->paced_ctx = VPMU_CTX_LIMIT;
}

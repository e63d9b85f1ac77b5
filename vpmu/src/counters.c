/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Counters and totals. A counter that counts is a value plus how far the totals of its contexts
 * have moved since; settling moves that into the value.
 */
#include "internal.h"
#include "vpmu/watch.h"

uint64_t vpmu_total_(const struct vpmu *v, const struct vpmu_counter *c)
{
    uint64_t total = 0;
    unsigned source;

    VPMU_FOR_EACH_BIT (source, c->sources) {
        for (uint64_t left = c->ctx_mask; left != 0; left &= left - 1) {
            total += v->totals->n[source][vpmu_lowest_bit_(left)];
        }
    }
    return total;
}

void vpmu_clocks_settle_(struct vpmu *v)
{
    unsigned source;

    VPMU_FOR_EACH_BIT (source, v->config.timed) {
        uint64_t now = v->ops->clock(v->opaque, (enum vpmu_source)source);
        uint64_t *last = &v->clock[source - VPMU_SRC_CPU_CYCLES];

        v->totals->n[source][v->ctx] += now - *last;
        *last = now;
    }
}

void vpmu_start_clocks_(struct vpmu *v)
{
    unsigned source;

    VPMU_FOR_EACH_BIT (source, v->config.timed) {
        v->clock[source - VPMU_SRC_CPU_CYCLES] = v->ops->clock(v->opaque, (enum vpmu_source)source);
    }
}

uint64_t vpmu_take_delta_(const struct vpmu *v, struct vpmu_counter *c)
{
    return vpmu_take_(&c->base, vpmu_total_(v, c));
}

static void settle_counters(struct vpmu *v)
{
    unsigned idx;

    VPMU_FOR_EACH_BIT (idx, v->counting & ~v->paced) {
        uint64_t delta = vpmu_take_delta_(v, &v->counter[idx]);

        if (delta) {
            vpmu_counter_settle_(v, idx, delta);
        }
    }
    if (v->paced) {
        vpmu_pace_(v);
    }
}

static uint64_t sources_of(const struct vpmu *v, unsigned idx)
{
    const struct vpmu_event *event;

    if (idx == VPMU_CYCLE_COUNTER) {
        return VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES);
    }
    if (idx == VPMU_INST_COUNTER) {
        return VPMU_SRC_BIT(VPMU_SRC_INST_RETIRED);
    }
    event = vpmu_event_find(vpmu_event_of_(v, idx));
    return event && vpmu_counts_(v, event) ? event->sources : 0;
}

/* Finds out what a counter counts now. What it does not count has a sum of 0. */
static void plan(struct vpmu *v, unsigned idx)
{
    struct vpmu_counter *c = &v->counter[idx];
    uint64_t before = vpmu_total_(v, c);
    uint64_t bit = VPMU_BIT(idx);

    c->sources = sources_of(v, idx);
    c->ctx_mask = vpmu_ctx_mask_(v, idx);
    if (idx < VPMU_CYCLE_COUNTER) {
        vpmu_pace_plan_(v, idx);
    }
    vpmu_move_mark_(&c->base, before, vpmu_total_(v, c));
    v->counting = c->ctx_mask ? v->counting | bit : v->counting & ~bit;
    v->clocked = c->sources & v->config.timed ? v->clocked | bit : v->clocked & ~bit;
    for (unsigned ctx = 0; ctx < VPMU_CTX_COUNT; ctx++) {
        v->in_ctx[ctx] = c->ctx_mask >> ctx & 1 ? v->in_ctx[ctx] | bit : v->in_ctx[ctx] & ~bit;
    }
}

void vpmu_begin_(struct vpmu *v)
{
    vpmu_clocks_settle_(v);
    settle_counters(v);
}

void vpmu_end_(struct vpmu *v, uint64_t changed)
{
    unsigned from = vpmu_paced_in_(v);
    unsigned idx;

    if (vpmu_freezes_(v, false) || vpmu_freezes_(v, true)) {
        changed |= v->cnten;
    }
    VPMU_FOR_EACH_BIT (idx, changed & vpmu_implemented_(v)) {
        plan(v, idx);
    }
    vpmu_pace_begin_(v, from);
    vpmu_update_irq_(v);
    v->ops->rearm(v->opaque);
}

void vpmu_settle(struct vpmu *v)
{
    v->wrapped = false;
    if (v->counting & v->clocked) {
        vpmu_clocks_settle_(v);
    }
    settle_counters(v);
    if (v->wrapped) {
        vpmu_end_(v, 0);
    }
}

void vpmu_counter_set_(struct vpmu *v, unsigned idx, uint64_t value)
{
    v->counter[idx].value = value & vpmu_counter_kept_(v, idx);
    vpmu_counter_restart_(v, idx);
    if (idx < VPMU_CYCLE_COUNTER) {
        v->pace[idx].value = 0;
        v->pace[idx].link = 0;
    }
}

void vpmu_counter_restart_(struct vpmu *v, unsigned idx)
{
    struct vpmu_counter *c = &v->counter[idx];

    c->remainder = 0;
    c->base = vpmu_total_(v, c);
}

void vpmu_counters_clear_(struct vpmu *v)
{
    for (unsigned idx = 0; idx < VPMU_COUNTER_COUNT; idx++) {
        v->counter[idx] = (struct vpmu_counter){0};
    }
    for (unsigned idx = 0; idx < VPMU_MAX_EVENT_COUNTERS; idx++) {
        v->pace[idx] = (struct vpmu_pace){0};
    }
    for (unsigned i = 0; i < VPMU_LASTING_COUNT; i++) {
        v->passed[i] = 0;
    }
    v->paced = 0;
}

void vpmu_switch_context_(struct vpmu *v, unsigned ctx)
{
    unsigned from;

    if (ctx == v->ctx) {
        return;
    }
    /*
     * Time is credited to the context that is left. An overflow that it causes is that context's,
     * too: found later, it would be taken to have happened where the chain, the freeze or the
     * interrupt may not be.
     */
    vpmu_settle(v);
    from = vpmu_paced_in_(v);
    v->ctx = (uint8_t)ctx;
    vpmu_pace_begin_(v, from);
}

uint64_t vpmu_armed(const struct vpmu *v, unsigned ctx)
{
    uint64_t armed = v->watch ? v->watch->armed[ctx] : 0;
    unsigned idx;

    if (v->paced & v->in_ctx[ctx]) {
        armed |= VPMU_PACERS & v->config.sources;
    }
    VPMU_FOR_EACH_BIT (idx, v->in_ctx[ctx]) {
        armed |= v->counter[idx].sources;
    }
    return armed;
}

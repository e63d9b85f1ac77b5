/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* What happens when a counter passes its end, and how far it is from it. */
#include "internal.h"

/* PMCR.D, as it takes effect. */
static bool divides(const struct vpmu *v, unsigned idx)
{
    return idx == VPMU_CYCLE_COUNTER && (v->pmcr & (VPMU_PMCR_D | VPMU_PMCR_LC)) == VPMU_PMCR_D;
}

bool vpmu_is_long_(const struct vpmu *v, unsigned idx)
{
    if (idx == VPMU_CYCLE_COUNTER) {
        return v->pmcr & VPMU_PMCR_LC;
    }
    if (idx == VPMU_INST_COUNTER) {
        return true;
    }
    if (v->config.version < VPMU_V3P5) {
        return false;
    }
    return vpmu_second_range_(v) & VPMU_BIT(idx) ? (v->controls.mdcr_el2 & VPMU_MDCR_EL2_HLP) != 0
                                                 : (v->pmcr & VPMU_PMCR_LP) != 0;
}

/* Does the odd counter above this one count its overflows, wherever these may happen? */
static bool is_chained(const struct vpmu *v, unsigned idx)
{
    unsigned odd = idx + 1;

    return idx % 2 == 0 && odd < v->config.counters && !vpmu_is_long_(v, idx) &&
           vpmu_event_of_(v, odd) == VPMU_EVENT_CHAIN && (v->counting & VPMU_BIT(odd));
}

/* Adds to the register. Returns how many times it wrapped. */
static uint64_t advance(struct vpmu *v, unsigned idx, uint64_t delta)
{
    struct vpmu_counter *c = &v->counter[idx];
    uint64_t old = c->value;

    c->value = (old + delta) & vpmu_counter_kept_(v, idx);
    if (vpmu_is_long_(v, idx)) {
        return old + delta < old;
    }
    return (delta >> 32) + (((old & VPMU_LOW32) + (delta & VPMU_LOW32)) >> 32);
}

/* How far the total of its source moves for each count. */
static unsigned units(const struct vpmu *v, unsigned idx)
{
    unsigned n =
        v->counter[idx].sources & VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES) ? v->config.cycle_units : 1;

    return divides(v, idx) ? n * VPMU_DIVIDER : n;
}

/* Counters whose overflow flags reach the interrupt line: their range is enabled. */
static uint64_t irq_mask(const struct vpmu *v)
{
    uint64_t second = vpmu_second_range_(v);

    return v->inten & ((v->pmcr & VPMU_PMCR_E ? ~second : 0) |
                       (v->controls.mdcr_el2 & VPMU_MDCR_EL2_HPME ? second : 0));
}

/* Sets the overflow flag, @wraps times. */
static void overflow(struct vpmu *v, unsigned idx, uint64_t wraps)
{
    uint64_t bit = VPMU_BIT(idx);

    v->overflows[idx] += wraps;
    v->interrupts[idx] += (bit & irq_mask(v) & ~v->ovs) != 0;
    v->ovs |= bit;
}

void vpmu_counter_settle_(struct vpmu *v, unsigned idx, uint64_t delta)
{
    struct vpmu_counter *c = &v->counter[idx];
    unsigned n = units(v, idx);
    uint64_t rest;

    if (n == 1) {
        vpmu_counter_add_(v, idx, delta);
        return;
    }
    rest = delta % n + c->remainder;
    c->remainder = (uint16_t)(rest % n);
    vpmu_counter_add_(v, idx, delta / n + rest / n);
}

void vpmu_counter_add_(struct vpmu *v, unsigned idx, uint64_t delta)
{
    unsigned odd = idx + 1;
    uint64_t wraps = advance(v, idx, delta);
    uint64_t odd_wraps;

    if (!wraps) {
        return;
    }
    v->wrapped = true;
    overflow(v, idx, wraps);
    if (!is_chained(v, idx) || !(v->in_ctx[v->ctx] & VPMU_BIT(odd))) {
        return;
    }
    if (v->paced & VPMU_BIT(odd)) {
        v->pace[odd].value += wraps;
        return;
    }
    odd_wraps = advance(v, odd, wraps);
    if (odd_wraps) {
        overflow(v, odd, odd_wraps);
    }
}

void vpmu_update_irq_(struct vpmu *v)
{
    bool level = v->ovs & irq_mask(v);

    if (level != v->irq) {
        v->irq = level;
        v->ops->irq(v->opaque, level);
    }
}

/*
 * Must this counter be settled at the moment at which it overflows? A chain must even if CHAIN does
 * not count in this context: settled later, in another, the overflow would be taken to be there.
 */
static bool is_urgent(const struct vpmu *v, unsigned idx)
{
    uint64_t bit = VPMU_BIT(idx);

    if (is_chained(v, idx)) {
        return true;
    }
    if (v->ovs & bit) {
        return false;
    }
    return (irq_mask(v) & bit) || vpmu_freezes_(v, vpmu_second_range_(v) & bit);
}

/* How far the totals may move until the counter overflows, from its settled value. Never 0. */
static uint64_t room(const struct vpmu *v, unsigned idx)
{
    const struct vpmu_counter *c = &v->counter[idx];
    uint64_t before = ~c->value & (vpmu_is_long_(v, idx) ? UINT64_MAX : VPMU_LOW32);
    unsigned n = units(v, idx);
    unsigned last = n - c->remainder;

    /* Each count has n units; the first of them, and so all together, less the remainder. */
    return before > (UINT64_MAX - last) / n ? UINT64_MAX : before * n + last;
}

/* Of a room from the mark on; what is owed has to be made up for first. */
static uint64_t room_left(uint64_t room, uint64_t total, uint64_t mark)
{
    uint64_t gone = vpmu_since_(total, mark);
    uint64_t owed = vpmu_since_(mark, total);

    if (gone) {
        return gone < room ? room - gone : 0;
    }
    return owed < UINT64_MAX - room ? room + owed : UINT64_MAX;
}

/* Cycles are evaluated after each instruction. */
static uint64_t room_of_cycles(const struct vpmu *v, unsigned ctx)
{
    return ctx != v->ctx || v->totals->n[VPMU_SRC_INST_RETIRED][ctx] == v->insns ? 1 : 0;
}

uint64_t vpmu_headroom(const struct vpmu *v, uint64_t sources, unsigned ctx)
{
    uint64_t least = UINT64_MAX;
    unsigned idx;

    if ((v->paced & v->in_ctx[ctx]) && (sources & VPMU_SRC_BIT(VPMU_SRC_INST_RETIRED))) {
        least = room_of_cycles(v, ctx);
    }
    VPMU_FOR_EACH_BIT (idx, v->in_ctx[ctx] & ~v->paced) {
        const struct vpmu_counter *c = &v->counter[idx];

        if ((c->sources & sources) && is_urgent(v, idx)) {
            uint64_t left = room_left(room(v, idx), vpmu_total_(v, c), c->base);

            least = left < least ? left : least;
        }
    }
    return least;
}

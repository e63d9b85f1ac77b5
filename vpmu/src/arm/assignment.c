/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Derives from the registers what counters must do: their events, functions, units and overflow
 * bits, and which are urgent.
 */
#include "arm_internal.h"

#define ODD_COUNTERS 0xaaaaaaaaull
#define TC_EDGES 3u
#define TLC_OTHERWISE 1u
#define TLC_INSTEAD 2u
#define TLC_RESERVED 3u

/* ReservedPMUThreshold() of the Arm ARM: such a threshold disables the function. */
static bool is_reserved(const struct vpmu_function *f)
{
    if (f->te) {
        return !(f->tc & TC_EDGES) || f->tlc == TLC_OTHERWISE || f->tlc == TLC_RESERVED;
    }
    return f->tlc == TLC_RESERVED || (f->tlc == TLC_INSTEAD && (f->tc & 1));
}

/* The function of a PMEVTYPER value, in which bits that the PMU does not have are 0. */
static struct vpmu_function function_of(uint64_t type)
{
    struct vpmu_function f = {
        .tc = (uint8_t)(type >> VPMU_TYPER_TC_SHIFT),
        .tlc = (uint8_t)((type & VPMU_TYPER_TLC) >> VPMU_TYPER_TLC_SHIFT),
        .te = type & VPMU_TYPER_TE,
        .th = (uint16_t)(type >> VPMU_TYPER_TH_SHIFT & VPMU_TYPER_TH_MASK),
    };

    f.on = (f.tc || f.th || f.te || f.tlc) && !is_reserved(&f);
    return f;
}

/*
 * Tells whether a counter is evaluated cycle by cycle, possibly because the next one is linked to
 * it.
 */
static bool paces(const struct vpmu_setup_ *s, unsigned idx, const struct vpmu_function *f)
{
    struct vpmu_function above;

    if (f->on || idx % 2 || idx + 1 >= s->config->counters) {
        return f->on;
    }
    above = function_of(s->regs->type[idx + 1]);
    return above.on && above.tlc;
}

static vpmu_sources sources_of(const struct vpmu_setup_ *s, unsigned idx)
{
    switch (idx) {
    case VPMU_CYCLE_COUNTER:
        return VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES);
    case VPMU_INST_COUNTER:
        return VPMU_SRC_BIT(VPMU_SRC_INST_RETIRED);
    default:
        return vpmu_event_sources_(s->config, vpmu_event_of_(s->regs, idx));
    }
}

/* The counters that overflow at 64 bits. */
static uint64_t long_ones(const struct vpmu_setup_ *s)
{
    uint64_t events = vpmu_ranges_(s, VPMU_PMCR_LP, VPMU_MDCR_EL2_HLP);

    return (s->config->version >= VPMU_V3P5 ? events & vpmu_below_(VPMU_MAX_EVENT_COUNTERS) : 0) |
           (s->regs->pmcr & VPMU_PMCR_LC ? VPMU_BIT(VPMU_CYCLE_COUNTER) : 0) |
           VPMU_BIT(VPMU_INST_COUNTER);
}

/* Tells whether PMCR.D takes effect. */
static bool divides(const struct vpmu_arm_regs *regs, unsigned idx)
{
    return idx == VPMU_CYCLE_COUNTER && (regs->pmcr & (VPMU_PMCR_D | VPMU_PMCR_LC)) == VPMU_PMCR_D;
}

/* By how much the total of the counter's source increases per count. */
static uint16_t unit_of(const struct vpmu_setup_ *s, unsigned idx, vpmu_sources sources)
{
    unsigned n = sources & VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES) ? s->config->cycle_units : 1;

    return (uint16_t)(divides(s->regs, idx) ? n * VPMU_DIVIDER : n);
}

struct vpmu_assignment_ vpmu_assignment_(const struct vpmu_setup_ *s, unsigned idx)
{
    struct vpmu_assignment_ assignment = {
        .sources = sources_of(s, idx),
        .ctx_mask = vpmu_ctx_mask_(s, idx),
        .width = (uint8_t)vpmu_counter_width_(s->config, idx),
        .end = long_ones(s) & VPMU_BIT(idx) ? 64 : 32,
    };

    assignment.unit = unit_of(s, idx, assignment.sources);
    if (s->config->threshold_width && idx < s->config->counters) {
        assignment.function = function_of(s->regs->type[idx]);
        assignment.paced = paces(s, idx, &assignment.function);
    }
    return assignment;
}

/* The counters whose overflows a CHAIN event counts, in any context. */
static uint64_t chained(const struct vpmu_setup_ *s, uint64_t counting)
{
    uint64_t odd = counting & vpmu_below_(s->config->counters) & ODD_COUNTERS;
    uint64_t even = 0;
    unsigned idx;

    VPMU_FOR_EACH_BIT (idx, odd) {
        even |= vpmu_event_of_(s->regs, idx) == VPMU_EVENT_CHAIN ? VPMU_BIT(idx - 1) : 0;
    }
    return even ? even & ~long_ones(s) : 0;
}

/*
 * Urgent counters are those whose overflow causes an interrupt, freezes counters or branch records,
 * or feeds a chain.
 * Chained counters are urgent even in contexts where CHAIN does not count, because settling late
 * would count the overflow in the wrong context.
 */
void vpmu_assign_all_(struct vpmu_count *c, const struct vpmu_setup_ *s, uint64_t changed)
{
    uint64_t freezers = vpmu_freezers_(s);
    unsigned idx;

    changed |= freezers ? s->regs->cnten : 0;
    VPMU_FOR_EACH_BIT (idx, changed & vpmu_implemented_(s->config)) {
        struct vpmu_assignment_ assignment = vpmu_assignment_(s, idx);

        vpmu_count_assign_(c, idx, &assignment);
    }
    c->chained = chained(s, c->counting);
    freezers |= s->controls->brbe_freezers;
    c->urgent = c->chained | (~s->regs->ovs & ((s->regs->inten & vpmu_global_(s)) | freezers));
}

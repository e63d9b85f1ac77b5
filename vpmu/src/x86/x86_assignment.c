/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Derives from the registers what counters do: their contexts, events, functions and ends. */
#include "vpmu/latency.h"
#include "x86_internal.h"

#define CTX(ctx) (1u << VPMU_X86_CTX_##ctx)
#define USER_CONTEXTS (CTX(USER) | CTX(GUEST_USER))
#define KERNEL_CONTEXTS (CTX(KERNEL) | CTX(GUEST_KERNEL) | CTX(SMM))
#define CYCLES VPMU_SRC_BIT(VPMU_X86_SRC_CYCLES)
#define GUEST_CONTEXTS (CTX(GUEST_USER) | CTX(GUEST_KERNEL))

uint64_t vpmu_x86_interrupting_(const struct vpmu_x86_setup_ *s)
{
    uint64_t counters = 0;
    unsigned idx;

    VPMU_FOR_EACH_BIT (idx, vpmu_x86_implemented_(s->config)) {
        uint64_t on = idx < VPMU_X86_FIXED
                          ? s->regs->select[idx] & VPMU_X86_SEL_INT
                          : vpmu_x86_fixed_field_(s->regs, idx) & VPMU_X86_FIXED_PMI;

        counters |= on ? VPMU_BIT(idx) : 0;
    }
    return counters;
}

/*
 * GuestOnly and HostOnly: if neither is set, the counter counts in host and guest, whatever SVME
 * is. If one or both are set, nothing is counted while SVME is 0 (PPR, PERF_CTL.HostGuestOnly;
 * Linux masks HostOnly for that reason).
 */
static unsigned side(const struct vpmu_x86_setup_ *s, uint64_t select)
{
    unsigned contexts = 0;

    if (!(select & (VPMU_X86_SEL_GUEST | VPMU_X86_SEL_HOST))) {
        return USER_CONTEXTS | KERNEL_CONTEXTS;
    }
    if (!s->controls->svme) {
        return 0;
    }
    contexts |= select & VPMU_X86_SEL_GUEST ? GUEST_CONTEXTS : 0;
    contexts |= select & VPMU_X86_SEL_HOST ? ~GUEST_CONTEXTS : 0;
    return contexts;
}

static unsigned levels(bool os, bool usr)
{
    return (os ? KERNEL_CONTEXTS : 0) | (usr ? USER_CONTEXTS : 0);
}

static unsigned of_registers(const struct vpmu_x86_setup_ *s, unsigned idx)
{
    if (idx >= VPMU_X86_FIXED) {
        uint64_t field = vpmu_x86_fixed_field_(s->regs, idx);

        return levels(field & VPMU_X86_FIXED_OS, field & VPMU_X86_FIXED_USR);
    }
    if (!(s->regs->select[idx] & VPMU_X86_SEL_EN)) {
        return 0;
    }
    return levels(s->regs->select[idx] & VPMU_X86_SEL_OS, s->regs->select[idx] & VPMU_X86_SEL_USR) &
           side(s, s->regs->select[idx]);
}

/* SDM 3B: the enables ANDed, and not CTR_FRZ; DEBUGCTL.FREEZE_WHILE_SMM. */
static uint16_t contexts_of(const struct vpmu_x86_setup_ *s, unsigned idx)
{
    bool pdcm = s->config->features & VPMU_X86_HAS_PDCM;
    unsigned contexts = of_registers(s, idx);

    if (!(s->regs->enabled & VPMU_BIT(idx)) || (s->regs->flags & VPMU_X86_CTR_FRZ) ||
        s->controls->halted) {
        return 0;
    }
    if (pdcm && (s->controls->debugctl & VPMU_X86_DEBUGCTL_FREEZE_SMM)) {
        contexts &= ~CTX(SMM);
    }
    return (uint16_t)contexts;
}

/*
 * CMASK: count 1 in a cycle with at least that many events. INV: with fewer; it has no effect
 * without CMASK (SDM 3B, IA32_PERFEVTSELx). Edge: count a cycle in which this becomes true, with a
 * CMASK of at least 1.
 */
static struct vpmu_function function_of(uint64_t select)
{
    uint16_t cmask = (uint16_t)((select & VPMU_X86_SEL_CMASK) >> VPMU_X86_SEL_CMASK_SHIFT);
    bool edge = select & VPMU_X86_SEL_EDGE;
    bool inverted = cmask && (select & VPMU_X86_SEL_INV);

    return (struct vpmu_function){
        .th = cmask ? cmask : 1,
        .tc = (uint8_t)((inverted ? VPMU_TC_LT : VPMU_TC_GE) | VPMU_TC_COUNT),
        .te = edge,
        .on = cmask || edge,
    };
}

/* General counters count the event of a fixed counter as an architectural event. */
uint64_t vpmu_x86_selected_(const struct vpmu_x86_setup_ *s, unsigned idx)
{
    static const uint64_t fixed[VPMU_X86_MAX_FIXED] = {0x00c0, 0x003c, 0x013c, VPMU_X86_SLOTS_P};

    return idx < VPMU_X86_FIXED ? s->regs->select[idx] & vpmu_x86_event_mask_(s->config)
                                : fixed[idx - VPMU_X86_FIXED];
}

/* The conditions of a general counter can be part of its event. */
static uint64_t selected_whole(const struct vpmu_x86_setup_ *s, unsigned idx)
{
    uint64_t conditions = idx < VPMU_X86_FIXED ? s->regs->select[idx] & VPMU_X86_SEL_CONDITION : 0;

    return vpmu_x86_selected_(s, idx) | conditions;
}

const struct vpmu_x86_event *vpmu_x86_counted_(const struct vpmu_x86_setup_ *s, unsigned idx)
{
    return vpmu_x86_event_find(s->config, selected_whole(s, idx));
}

#define CHOICE_KEPT VPMU_BIT(63)

/* The event of a counter. It is searched for only if PERFEVTSEL has changed. */
static struct vpmu_x86_choice choice_of(const struct vpmu_x86_setup_ *s, unsigned idx)
{
    struct vpmu_x86_choice *kept = s->choices && idx < VPMU_X86_FIXED ? &s->choices[idx] : NULL;
    struct vpmu_x86_choice choice = {.key = selected_whole(s, idx) | CHOICE_KEPT};

    if (kept && kept->key == choice.key) {
        return *kept;
    }
    choice.event = vpmu_x86_counted_(s, idx);
    choice.sources = choice.event ? choice.event->sources
                                  : vpmu_x86_event_sources(s->config, selected_whole(s, idx));
    if (kept) {
        *kept = choice;
    }
    return choice;
}

/*
 * Fewer instructions or uops in a cycle than the widest machine retires. Software uses this to
 * count cycles with PEBS (CMASK 16 in Linux, 10 in perf's lists). It is true in each cycle. If
 * cycles are those of a clock, no other condition can be evaluated.
 */
static bool is_each_cycle(const struct vpmu_x86_setup_ *s, unsigned idx, vpmu_sources sources)
{
    uint64_t select = idx < VPMU_X86_FIXED ? s->regs->select[idx] : 0;

    return vpmu_x86_is_intel_(s->config) && (s->config->sources & CYCLES) &&
           (select & VPMU_X86_SEL_INV) && !(select & VPMU_X86_SEL_EDGE) &&
           (select & VPMU_X86_SEL_CMASK) >> VPMU_X86_SEL_CMASK_SHIFT > VPMU_MAX_CYCLE_UNITS &&
           sources == VPMU_SRC_BIT(VPMU_X86_SRC_INST);
}

/* Tells whether the cycle of each of these events is known. It is unknown for VPMU_X86_LOST. */
static bool can_pace(const struct vpmu_x86_config *config, vpmu_sources sources)
{
    return vpmu_x86_cycle_by_cycle_(config) && !(sources & VPMU_X86_LOST);
}

/* A cycle is a RECOVERY cycle or not, so a CMASK of 1 changes nothing. */
static bool needs_no_condition(uint64_t select, vpmu_sources sources)
{
    return sources == VPMU_SRC_BIT(VPMU_X86_SRC_RECOVERY) &&
           (select & VPMU_X86_SEL_CONDITION) == VPMU_BIT(VPMU_X86_SEL_CMASK_SHIFT);
}

/* Each load exceeds a threshold below the least latency. */
static bool is_each_load(const struct vpmu_x86_setup_ *s, vpmu_sources sources)
{
    return sources == VPMU_SRC_BIT(VPMU_X86_SRC_LOAD_LATENCY) &&
           (s->config->sources & VPMU_SRC_BIT(VPMU_X86_SRC_LOAD)) &&
           s->regs->load_latency < vpmu_access_latency(VPMU_DATA_L1, VPMU_TLB_L1);
}

/* A fixed counter of reference cycles ticks with the TSC on all families. */
static uint16_t unit_of(const struct vpmu_x86_setup_ *s, unsigned idx,
                        const struct vpmu_x86_event *event, vpmu_sources sources)
{
    if (sources & CYCLES) {
        return s->config->cycle_units;
    }
    return idx < VPMU_X86_FIXED && event && event->bus && s->config->bus_ratio
               ? s->config->bus_ratio
               : 1;
}

struct vpmu_assignment_ vpmu_x86_assignment_(const struct vpmu_x86_setup_ *s, unsigned idx)
{
    struct vpmu_x86_choice choice = choice_of(s, idx);
    bool each_cycle = is_each_cycle(s, idx, choice.sources);
    bool whole = choice.event && (choice.event->select & VPMU_X86_SEL_CONDITION);
    struct vpmu_assignment_ assignment = {
        .sources = each_cycle ? CYCLES : choice.sources,
        .ctx_mask = contexts_of(s, idx),
        .width = s->config->width,
        .end = s->config->width,
    };

    if (assignment.sources == CYCLES && vpmu_x86_is_detector_(s, idx)) {
        assignment.sources = VPMU_SRC_BIT(VPMU_X86_SRC_REF_CYCLES);
    }
    if (is_each_load(s, assignment.sources)) {
        assignment.sources = VPMU_SRC_BIT(VPMU_X86_SRC_LOAD);
    }
    assignment.unit = unit_of(s, idx, choice.event, assignment.sources);
    if (idx < VPMU_X86_FIXED && !each_cycle && !whole &&
        !needs_no_condition(s->regs->select[idx], assignment.sources)) {
        assignment.function = function_of(s->regs->select[idx]);
    }
    if (!assignment.sources ||
        (assignment.function.on && !can_pace(s->config, assignment.sources))) {
        /* The event does not exist, or the condition on cycles cannot be evaluated. */
        assignment.sources = 0;
        assignment.ctx_mask = 0;
        assignment.unit = 1;
        assignment.function.on = false;
    }
    assignment.paced = assignment.function.on;
    return assignment;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU of x86 CPUs as a target of system/vpmu: how it acts on what is due,
 * flags of blocks, and the tables that QEMU calls
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "hw/i386/apic.h"
#include "parts.h"
#include "system/vpmu_target.h"

static bool is_intel(X86CPU *cpu)
{
    return cpu->vpmu->pmu.config.vendor == VPMU_X86_INTEL;
}

static void acts_interrupt(CPUState *cs)
{
    X86CPU *cpu = X86_CPU(cs);

    x86_parts_interrupting(cpu);
    if (cpu->apic_state) {
        BQL_LOCK_GUARD();
        apic_deliver_pmi(cpu->apic_state, is_intel(cpu));
    }
}

/* Returns the flags of blocks in a context. */
static uint64_t flags_of(X86CPU *cpu, unsigned int ctx)
{
    const struct vpmu_x86 *pmu = &cpu->vpmu->pmu;
    vpmu_sources armed =
        (vpmu_x86_armed(pmu, ctx) & ~pmu->config.timed) |
        x86_parts_sources(cpu, ctx);
    uint64_t flags = armed ? HF_PMU_TALLY_MASK : 0;
    bool steps = pmu->count.paced & pmu->count.in_ctx[ctx];

    if ((armed & PIPELINE) && x86_vpmu_models_cycles(cpu)) {
        armed |= VPMU_X86_MODELLED | MISSES;
    }
    if ((vpmu_x86_pebs_with_data(pmu) & pmu->count.in_ctx[ctx]) ||
        extract32(cpu->vpmu->accesses, ctx, 1)) {
        armed |= VPMU_X86_MODELLED;
    }
    if (armed & (ACCESSES | VPMU_X86_MODIFYING | VPMU_X86_MODELLED)) {
        flags = HF_PMU_MEMORY_MASK |
                (armed & VPMU_X86_MODELLED ? HF_PMU_MODELS_MASK : 0) |
                (extract32(cpu->vpmu->accesses, ctx, 1) ||
                 (vpmu_x86_pebs_armed(pmu) & pmu->count.in_ctx[ctx])
                 ? X86_PMU_DESCRIBED_MASK : 0);
    }
    return flags |
           (armed & BRANCHES ? HF_PMU_EVENTS_MASK : 0) |
           (armed & VPMU_X86_OUTCOMES ? X86_PMU_OUTCOMES_MASK : 0) |
           (armed & MISSES ? HF_PMU_PREDICT_MASK : 0) |
           (armed & PIPELINE ? X86_PMU_CYCLES_MASK : 0) |
           (armed & VPMU_X86_DETAIL ? X86_PMU_DETAIL_MASK : 0) |
           (steps ? X86_PMU_STEP_MASK : 0);
}

/* Flags that outlast their counters; cycles of issue slots are cheap. */
static uint64_t lasting(X86CPU *cpu)
{
    return HF_PMU_EVENTS_MASK |
           (x86_vpmu_models_cycles(cpu) ? 0 : X86_PMU_CYCLES_MASK);
}

/* Updates the flags of all contexts; returns whether any block tallies. */
static bool update_flags(X86CPU *cpu)
{
    CPUX86PMUState *s = &cpu->env.pmu;
    VPMUTallied tallied = { };
    uint64_t all = 0;
    bool fed = false;

    for (unsigned int ctx = 0; ctx < VPMU_X86_CTX_COUNT; ctx++) {
        s->flags_in[ctx] = flags_of(cpu, ctx);
        all |= s->flags_in[ctx];
        fed |= x86_pmu_feeds_models(s->flags_in[ctx]);
        tallied.contexts |= (s->flags_in[ctx] != 0) << ctx;
    }
    x86_vpmu_model_feed(cpu, fed);
    all &= lasting(cpu);
    /* Flags of the two halves have different bit numbers. */
    tallied.events = all | all >> X86_PMU_FLAGS_SHIFT;
    tallied = vpmu_recent_tally(&cpu->vpmu->recent, tallied);
    all = tallied.events | (uint64_t)tallied.events << X86_PMU_FLAGS_SHIFT;
    all &= lasting(cpu);
    for (uint32_t left = tallied.contexts; left; left &= left - 1) {
        s->flags_in[ctz32(left)] |= all;
        if (!x86_pmu_tallies(s->flags_in[ctz32(left)])) {
            s->flags_in[ctz32(left)] |= HF_PMU_TALLY_MASK;
        }
    }
    for (unsigned int ctx = 0; ctx < VPMU_X86_CTX_COUNT; ctx++) {
        s->flags_in[ctx] |= x86_parts_flags(cpu, ctx);
        cpu->vpmu->predicted |= !!(s->flags_in[ctx] & HF_PMU_PREDICT_MASK);
    }
    return tallied.contexts;
}

/* Returns whether a timed count depends on the context. */
static bool clocks_follow(const struct vpmu_count *count)
{
    uint64_t differ = 0;

    for (unsigned int ctx = 0; ctx < VPMU_X86_CTX_COUNT; ctx++) {
        differ |= (count->in_ctx[ctx] ^ count->in_ctx[0]) & count->clocked;
        differ |= (count->wanted[ctx] ^ count->wanted[0]) & count->timed;
    }
    return differ;
}

static void acts_arm(CPUState *cs)
{
    X86CPU *cpu = X86_CPU(cs);
    CPUX86PMUState *s = &cpu->env.pmu;
    const struct vpmu_count *count = &cpu->vpmu->pmu.count;
    bool tallies = update_flags(cpu);

    s->clocks_follow = clocks_follow(count);
    s->branches = x86_lbr_enabled(cpu) || cpu->vpmu->branches;
    s->follows = tallies || s->clocks_follow || s->branches ||
                 vpmu_x86_follows_svme(&cpu->vpmu->pmu);
    x86_vpmu_set_flags(cpu);
}

static struct vpmu_count *acts_count(CPUState *cs)
{
    return &X86_CPU(cs)->vpmu->pmu.count;
}

static VPMULimits *acts_limits(CPUState *cs)
{
    return &X86_CPU(cs)->vpmu->limits;
}

static const VPMUActs x86_acts = {
    .count = acts_count,
    .limits = acts_limits,
    .interrupt = acts_interrupt,
    .sampled = x86_ibs_sampled,
    .arm = acts_arm,
};

/* The meter is Arm's. */
static const VPMUTarget x86_target = {
    .machine = VPMU_RECORD_X86,
    .acts = &x86_acts,
    .counting = &x86_vpmu_counting,
    .samples = &x86_samples,
    .threads = &x86_threads,
};

static void register_target(void)
{
    vpmu_register_target(&x86_target);
}

type_init(register_target);

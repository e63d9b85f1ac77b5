/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples of an Arm CPU, and windows of the meter as samples
 *
 * Call chain and thread are read through the MMU, which needs the BQL if the
 * guest has page tables in a device.  A sample that is taken with a lock held
 * is therefore completed after the release, before the next instruction.
 */

#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "cpu.h"
#include "internals.h"
#include "system/vpmu_target.h"
#include "tcg/vpmu-profile.h"
#include "sample.h"

/* Returns the address of the next instruction. */
static uint64_t sample_pc(CPUARMState *env, bool in_insn)
{
    return (is_a64(env) ? env->pc : env->regs[15]) + (in_insn ? 4 : 0);
}

/* An AArch32 EL3 has the modes of a Secure kernel, and Monitor mode. */
static bool sample_in_secure_kernel(CPUARMState *env)
{
    return arm_current_el(env) == 3 && !is_a64(env) &&
           (env->uncached_cpsr & CPSR_M) != ARM_CPU_MODE_MON;
}

/* The CONTEXTIDR of the kernel: AArch32 has one of Secure state. */
static uint64_t sample_contextidr(CPUARMState *env, enum vpmu_world world)
{
    if (arm_is_secure_below_el3(env) && !arm_el_is_aa64(env, 3)) {
        return env->cp15.contextidr_s;
    }
    return env->cp15.contextidr_el[world == VPMU_WORLD_VHE ? 2 : 1];
}

/* The state of the CPU says it all, so the context is not needed. */
static void sample_place(CPUState *cs, unsigned int ctx,
                         struct vpmu_record_sample *sample)
{
    ARMCPU *cpu = ARM_CPU(cs);
    CPUARMState *env = &cpu->env;
    enum vpmu_world world = arm_vpmu_world(cpu);

    sample->contextidr = sample_contextidr(env, world);
    sample->vmid = world == VPMU_WORLD_GUEST
                   ? extract64(env->cp15.vttbr_el2, 48, 16) : 0;
    sample->el = sample_in_secure_kernel(env) ? 1 : arm_current_el(env);
    sample->world = world;
    sample->flags = (is_a64(env) ? 0 : VPMU_RECORD_AARCH32) |
                    (arm_is_secure(env) ? VPMU_RECORD_SECURE : 0);
}

static void sample_describe(CPUState *cs, struct vpmu_record_sample *sample,
                            bool in_insn)
{
    sample->time = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    sample->pc = sample_pc(cpu_env(cs), in_insn);
    sample_place(cs, 0, sample);
}

static void **sample_profile(CPUState *cs)
{
    return &cpu_env(cs)->pmu.profile;
}

static const uint64_t *sample_totals(CPUState *cs, unsigned int ctx)
{
    return ctx < ARM_PMU_CONTEXTS ? cpu_env(cs)->pmu.totals[ctx] : NULL;
}

/* The address of a page table, without the ASID, which changes often. */
#define TTBR_ADDRESS MAKE_64BIT_MASK(1, 47)

static void sample_guest(CPUState *cs, struct vpmu_record_guest *guest)
{
    CPUARMState *env = cpu_env(cs);

    guest->vttbr = env->cp15.vttbr_el2;
    guest->vtcr = env->cp15.vtcr_el2;
    guest->ttbr1 = env->cp15.ttbr1_el[1] & TTBR_ADDRESS;
    if (arm_hcr_el2_eff(env) & HCR_E2H) {
        guest->ttbr0 = env->cp15.ttbr0_el[2] & TTBR_ADDRESS;
        guest->tcr = env->cp15.tcr_el[2];
    }
}

/* The entry is valid for the machine's own kernel only, not for a guest's. */
static unsigned int sample_unwind(CPUState *cs,
                                  const struct vpmu_record_sample *sample,
                                  VPMURecord *r, uint64_t *chain,
                                  unsigned int frames)
{
    return arm_vpmu_unwind(ARM_CPU(cs), sample->world == VPMU_WORLD_GUEST
                                        ? NULL : r->threads.entry,
                           chain, frames);
}

/* Copies the registers of a program; see VPMU_RECORD_REGS_ARM. */
static uint64_t sample_registers(CPUState *cs,
                                 const struct vpmu_record_sample *sample,
                                 VPMURecord *r, VPMUStack *stack)
{
    return arm_vpmu_registers(ARM_CPU(cs), sample, r->threads.entry, stack);
}

/*
 * The meter
 */

static bool meter_is_on(CPUState *cs)
{
    return ARM_CPU(cs)->vpmu->meter;
}

static enum vpmu_span meter_span(const char *name)
{
    enum vpmu_span span;

    for (span = 0; span < VPMU_SPAN_COUNT; span++) {
        const char *its = name;

        if ((span >= VPMU_SPAN_LEAK_HOST || strstart(name, "blackout-", &its))
            && g_str_equal(its, arm_vpmu_span_names[span])) {
            break;
        }
    }
    return span;
}

void arm_vpmu_record_spans(CPUState *cs)
{
    ARMVPMU *vpmu = ARM_CPU(cs)->vpmu;
    struct vpmu_ended_span span;

    while (vpmu->record && vpmu->meter && vpmu_span_next(vpmu->meter, &span)) {
        vpmu_record_span(vpmu->record, span.kind, span.size);
    }
}

const VPMUMeter arm_meter = {
    .on = arm_vpmu_meter_on,
    .off = arm_vpmu_meter_off,
    .is_on = meter_is_on,
    .span = meter_span,
};

static void sample_set_record(CPUState *cs, VPMUObservedCPU *on)
{
    ARMCPU *cpu = ARM_CPU(cs);

    if (on) {
        arm_vpmu_watch_begin(cpu);
    }
    cpu->vpmu->record = on;
    arm_branches_set(cpu, on && on->base.record->has_branches
                          ? &on->base.record->branches : NULL);
    arm_accesses_set(cpu, on && on->base.record->has_accesses ? on : NULL);
    if (!on) {
        arm_vpmu_watch_end(cpu);
    }
}

#define MISPREDICTED VPMU_SRC_BIT(VPMU_SRC_BR_MIS_PRED)
#define LAST_READ_MISS VPMU_SRC_BIT(VPMU_SRC_LL_CACHE_MISS_RD)

/* No source has conditional branches alone. */
static const vpmu_sources costs[VPMU_COST_COUNT] = {
    [VPMU_COST_READ] = VPMU_SRC_BIT(VPMU_SRC_L1D_CACHE_RD),
    [VPMU_COST_WRITE] = VPMU_SRC_BIT(VPMU_SRC_L1D_CACHE_WR),
    [VPMU_COST_FETCH_MISS] = VPMU_SRC_BIT(VPMU_SRC_L1I_CACHE_REFILL),
    [VPMU_COST_READ_MISS] = VPMU_SRC_BIT(VPMU_SRC_L1D_CACHE_REFILL_RD),
    [VPMU_COST_WRITE_MISS] = VPMU_SRC_BIT(VPMU_SRC_L1D_CACHE_REFILL_WR),
    [VPMU_COST_FETCH_LAST_MISS] = LAST_READ_MISS,
    [VPMU_COST_READ_LAST_MISS] = LAST_READ_MISS,
    [VPMU_COST_WRITE_LAST_MISS] = VPMU_SRC_BIT(VPMU_SRC_LL_CACHE_MISS_WR),
    [VPMU_COST_CONDITIONAL_MISS] = MISPREDICTED,
    [VPMU_COST_INDIRECT] = VPMU_SRC_BIT(VPMU_SRC_BR_INDIRECT),
    [VPMU_COST_INDIRECT_MISS] = MISPREDICTED,
    [VPMU_COST_RETURN] = VPMU_SRC_BIT(VPMU_SRC_BR_RETURN),
    [VPMU_COST_RETURN_MISS] = MISPREDICTED,
};

/* The same, of one cost each. */
static const vpmu_sources costs_alone[VPMU_COST_COUNT] = {
    [VPMU_COST_READ] = VPMU_SRC_BIT(VPMU_SRC_L1D_CACHE_RD),
    [VPMU_COST_WRITE] = VPMU_SRC_BIT(VPMU_SRC_L1D_CACHE_WR),
    [VPMU_COST_FETCH_MISS] = VPMU_SRC_BIT(VPMU_SRC_L1I_CACHE_REFILL),
    [VPMU_COST_READ_MISS] = VPMU_SRC_BIT(VPMU_SRC_L1D_CACHE_REFILL_RD),
    [VPMU_COST_WRITE_MISS] = VPMU_SRC_BIT(VPMU_SRC_L1D_CACHE_REFILL_WR),
    [VPMU_COST_WRITE_LAST_MISS] = VPMU_SRC_BIT(VPMU_SRC_LL_CACHE_MISS_WR),
    [VPMU_COST_INDIRECT] = VPMU_SRC_BIT(VPMU_SRC_BR_INDIRECT),
    [VPMU_COST_RETURN] = VPMU_SRC_BIT(VPMU_SRC_BR_RETURN),
};

const VPMUSamples arm_samples = {
    .set_record = sample_set_record,
    .describe = sample_describe,
    .place = sample_place,
    .profile = sample_profile,
    .costs = costs,
    .cost_alone = costs_alone,
    .insns = ARM_PMU_INSNS,
    .totals = sample_totals,
    .guest = sample_guest,
    .branches = arm_branches_copy,
    .access = arm_accesses_describe,
    .unwind = sample_unwind,
    .registers = sample_registers,
};

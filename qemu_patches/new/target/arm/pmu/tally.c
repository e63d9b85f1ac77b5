/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an Arm CPU tallies for its PMU
 *
 * Generated code adds events that are armed to the totals of their context; see
 * translate/block.c.  Exceptions are counted when they are taken.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "internals.h"
#include "system/tcg.h"
#include "parts.h"
#include "tally.h"
#include "vpmu/arm/insn.h"

#define MODELS (ARM_PMU_MEMORY | ARM_PMU_BRANCHES | ARM_PMU_MODEL_CYCLES)

QEMU_BUILD_BUG_ON(sizeof(struct vpmu_arm_totals) !=
                  sizeof_field(CPUARMState, pmu.totals));
QEMU_BUILD_BUG_ON(sizeof_field(struct vpmu_arm_totals, n[0]) !=
                  sizeof_field(CPUARMState, pmu.totals[0]));
QEMU_BUILD_BUG_ON(VPMU_SRC_DETAIL_END - VPMU_SRC_DETAIL > 64);
QEMU_BUILD_BUG_ON(ARM_PMU_DETAIL_FAILED !=
                  VPMU_SRCS_SKIPPED >> VPMU_SRC_DETAIL);
QEMU_BUILD_BUG_ON(ARM_PMU_DETAIL_EFFECTIVE !=
                  1 << (VPMU_SRC_EFFECTIVE - VPMU_SRC_DETAIL));
QEMU_BUILD_BUG_ON(ARM_PMU_DETAIL_PASSED !=
                  1 << (VPMU_SRC_LDREX - VPMU_SRC_DETAIL));
#define EQUALS(name, of_library, number) \
    QEMU_BUILD_BUG_ON((int)VPMU_##of_library != (number));
ARM_PMU_NUMBERS(EQUALS)

/* Returns what blocks in a context have to count besides instructions. */
static uint32_t block_events(ARMCPU *cpu, unsigned int ctx,
                             vpmu_sources armed)
{
    const struct vpmu_arm *pmu = &cpu->vpmu->pmu;
    uint32_t events = armed & OF_INSNS;

    if (armed & MEMORY) {
        events |= ARM_PMU_MEMORY;
    }
    if (armed & DETAIL) {
        events |= ARM_PMU_IN_DETAIL;
    }
    if (armed & BRANCHES) {
        events |= ARM_PMU_BRANCHES;
    }
    if (armed & CYCLES) {
        events |= cpu->pmu_config.model->cycles == VPMU_CYCLES_MODEL
                  ? MODELS : ARM_PMU_MODEL_CYCLES;
    }
    if (vpmu_steps(pmu, ctx)) {
        events |= ARM_PMU_STEP;
    }
    return events;
}

void arm_vpmu_forgotten(CPUState *cs)
{
    ARMCPU *cpu = ARM_CPU(cs);

    arm_vpmu_here(&cpu->env);
    arm_vpmu_rearm(cpu);
}

static bool set_tallied(CPUARMState *env, uint32_t *events,
                        VPMUTallied tallied)
{
    bool changed = tallied.contexts != env->pmu.contexts;

    for (unsigned int ctx = 0; ctx < ARM_PMU_CONTEXTS; ctx++) {
        if (extract32(tallied.contexts, ctx, 1)) {
            events[ctx] |= tallied.events;
        }
        changed |= events[ctx] != env->pmu.events[ctx];
        env->pmu.events[ctx] = events[ctx];
    }
    env->pmu.contexts = tallied.contexts;
    return changed;
}

static bool update_events(ARMCPU *cpu)
{
    const struct vpmu_arm *pmu = &cpu->vpmu->pmu;
    uint32_t events[ARM_PMU_CONTEXTS];
    /* Cycles of issue slots come with instructions.  They need no model. */
    uint32_t lasting = OF_INSNS | ARM_PMU_IN_DETAIL |
        (cpu->pmu_config.model->cycles == VPMU_CYCLES_MODEL
         ? 0 : ARM_PMU_MODEL_CYCLES);
    uint32_t contexts = 0;
    uint32_t all = 0;
    VPMUTallied tallied;

    for (unsigned int ctx = 0; ctx < VPMU_CTX_COUNT; ctx++) {
        vpmu_sources armed = vpmu_arm_armed(pmu, ctx) & vpmu_tallied(pmu);

        uint32_t parts = arm_parts_events(cpu, ctx);

        events[ctx] = block_events(cpu, ctx, armed) | parts;
        all |= events[ctx];
        if ((armed & ~EXCEPTIONS) || parts) {
            contexts |= 1u << ctx;
        }
    }
    if (all & (ARM_PMU_MEMORY | ARM_PMU_BRANCHES)) {
        arm_vpmu_model_start(cpu);
    }
    arm_vpmu_model_feed(cpu, all & ARM_PMU_MEMORY);
    tallied = (VPMUTallied) { .events = all & lasting, .contexts = contexts };
    return set_tallied(&cpu->env, events,
                       vpmu_recent_tally(&cpu->vpmu->recent, tallied));
}

void arm_vpmu_arm(ARMCPU *cpu)
{
    arm_brbe_overflowed(cpu);
    if (update_events(cpu) && tcg_enabled()) {
        arm_rebuild_hflags(&cpu->env);
    }
}

/*
 * What an instruction counts as
 */

uint32_t arm_vpmu_decode(int isa, uint32_t insn, unsigned int *stall)
{
    vpmu_sources sources;

    switch (isa) {
    case ARM_PMU_ISA_A64:
        sources = vpmu_insn_a64(insn);
        *stall = vpmu_insn_a64_stall(insn);
        break;
    case ARM_PMU_ISA_A32:
        sources = vpmu_insn_a32(insn);
        *stall = vpmu_insn_a32_stall(insn);
        break;
    default:
        sources = vpmu_insn_t32(insn);
        *stall = vpmu_insn_t32_stall(insn);
        break;
    }
    return sources & ~INSNS;
}

uint32_t arm_vpmu_cond_failed(uint32_t sources, uint64_t *detail)
{
    vpmu_sources failed = vpmu_insn_cond_failed(sources);

    *detail = failed >> VPMU_SRC_DETAIL;
    return failed & OF_INSNS;
}

ARMPMUDetail arm_vpmu_detail(int isa, uint32_t insn)
{
    struct vpmu_insn_detail detail = isa == ARM_PMU_ISA_A64
        ? vpmu_insn_a64_detail(insn) : isa == ARM_PMU_ISA_A32
        ? vpmu_insn_a32_detail(insn) : vpmu_insn_t32_detail(insn);

    return (ARMPMUDetail) {
        .sources = detail.sources >> VPMU_SRC_DETAIL,
        .ops = detail.ops,
        .predicated = detail.predicated,
        .predicate = detail.predicate,
        .element = detail.element,
    };
}

/*
 * Exceptions
 */

/*
 * Is the exception taken locally (Arm ARM D14.1.1): from EL0 or EL1 to EL1,
 * from EL2 or a host's EL0 to EL2, or from EL3 to EL3?
 */
static bool is_local(CPUARMState *env)
{
    unsigned int from = arm_current_el(env);
    unsigned int to = env->exception.target_el;

    if (to == 2 && from == 0) {
        return (arm_hcr_el2_eff(env) & (HCR_E2H | HCR_TGE)) ==
               (HCR_E2H | HCR_TGE);
    }
    return to == MAX(from, 1);
}

/* What the exception counts as.  Interrupts have no syndrome. */
static unsigned int exception_source(CPUARMState *env, unsigned int kind)
{
    bool local = is_local(env);

    switch (kind) {
    case EXCP_IRQ:
    case EXCP_VIRQ:
    case EXCP_NMI:
    case EXCP_VINMI:
        return local ? VPMU_SRC_EXC_IRQ : VPMU_SRC_EXC_TRAP_IRQ;
    case EXCP_FIQ:
    case EXCP_VFIQ:
    case EXCP_VFNMI:
        return local ? VPMU_SRC_EXC_FIQ : VPMU_SRC_EXC_TRAP_FIQ;
    case EXCP_VSERR:
        return local ? VPMU_SRC_EXC_DABORT : VPMU_SRC_EXC_TRAP_DABORT;
    default:
        return vpmu_arm_exception_source(env->exception.syndrome,
                                         env->exception.target_el, local);
    }
}

/* Is this SVC, HVC or SMC?  The PC is after them, and they were executed. */
static bool is_call(unsigned int kind)
{
    return kind == EXCP_SWI || kind == EXCP_HVC || kind == EXCP_SMC;
}

/* Can the instruction that causes this exception be executed again instead? */
static bool can_repeat(CPUARMState *env, unsigned int kind)
{
    switch (kind) {
    case EXCP_SWI:
    case EXCP_HVC:
    case EXCP_SMC:
        /* The state of an IT block or a single step has been lost. */
        return (is_a64(env) || !env->thumb) &&
               !EX_TBFLAG_ANY(env->hflags, SS_ACTIVE);
    case EXCP_UDEF:
    case EXCP_PREFETCH_ABORT:
    case EXCP_DATA_ABORT:
    case EXCP_HYP_TRAP:
    case EXCP_MON_TRAP:
    case EXCP_BKPT:
    case EXCP_GPC:
        return true;
    default:
        return false;
    }
}

/* Undoes a call, which is executed again after the interrupt. */
static void undo_call(CPUARMState *env)
{
    if (is_a64(env)) {
        env->pc -= 4;
    } else {
        env->regs[15] -= 4;
    }
    arm_pmu_uncount_insn(env, 0);
}

bool arm_vpmu_comes_first(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;
    CPUState *cs = CPU(cpu);
    struct vpmu_arm *pmu;
    unsigned int kind = cs->exception_index;
    struct vpmu_now now;
    bool counted, timed;

    if (!cpu->vpmu) {
        return false;
    }
    pmu = &cpu->vpmu->pmu;
    /* Samples that are due belong to the code before the exception. */
    timed = vpmu_arm_needs_time(pmu);
    pmu_service(cs, vpmu_arm_sample(pmu, arm_vpmu_now_if(cpu, timed, &now)));
    if (!pmu->count.counting) {
        return false;
    }
    if (arm_vpmu_counts_time(pmu)) {
        /*
         * This time decides what came first, overflow or exception.  None
         * passes until arm_vpmu_moved().
         */
        now = arm_vpmu_now(cpu);
        vpmu_arm_pass_time(pmu, &now);
    }
    if (!can_repeat(env, kind)) {
        return false;
    }
    counted = arm_vpmu_due(env, pmu->count.ctx);
    timed = vpmu_limits_time_due(&cpu->vpmu->limits);
    if (is_call(kind) ? counted || !timed : !counted && !timed) {
        /* An overflow that the call itself causes happens after the call. */
        return false;
    }
    vpmu_limits_settle(&cpu->vpmu->limits, timed);
    if (!tcg_enabled() || !pmu->irq ||
        !arm_cpu_has_unmasked_interrupt(cs)) {
        return false;
    }
    if (is_call(kind)) {
        undo_call(env);
    }
    return true;
}

void arm_vpmu_exception(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;
    unsigned int kind = CPU(cpu)->exception_index;

    /* The last excepted access did not fault, or its tally was restored. */
    env->pmu.excepted = 0;
    if (!cpu->vpmu) {
        return;
    }
    arm_parts_excepting(cpu);
    if (!cpu->vpmu->pmu.count.counting && !cpu->vpmu->pmu.watch) {
        return;
    }
    if (kind != EXCP_SWI && kind != EXCP_SMC && kind != EXCP_HVC &&
        vpmu_steps(&cpu->vpmu->pmu, cpu->vpmu->pmu.count.ctx)) {
        /* The exception is not in the cycles of the last instruction. */
        pmu_service(CPU(cpu), vpmu_arm_settle(&cpu->vpmu->pmu, NULL));
    }
    env->pmu.totals[cpu->vpmu->pmu.count.ctx][exception_source(env, kind)]++;
    if (env->pmu.near) {
        arm_vpmu_near(env);
    } else if (env->pmu.budget && !--env->pmu.budget) {
        arm_vpmu_request(env);
    }
}

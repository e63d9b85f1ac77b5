/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of an Arm CPU that its PMU depends on: the context, controls, and
 * who runs
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "cpu-features.h"
#include "internals.h"
#include "syndrome.h"
#include "compat.h"
#include "parts.h"

#define SDER_SUNIDEN 2
#define DEBUG_V8P2 8

void arm_vpmu_rearm(ARMCPU *cpu)
{
    pmu_service(CPU(cpu), VPMU_DUE_REARM);
}

static bool is_secure_el0_allowed(CPUARMState *env)
{
    return arm_feature(env, ARM_FEATURE_EL3) && !arm_el_is_aa64(env, 1) &&
           (env->cp15.sder & SDER_SUNIDEN);
}

/*
 * QEMU has no authentication interface, which means that Secure non-invasive
 * debug is enabled.  From FEAT_Debugv8p2 on it has no effect on counting.
 */
static bool is_secure_allowed(ARMCPU *cpu)
{
    unsigned int debug = arm_feature(&cpu->env, ARM_FEATURE_AARCH64)
        ? FIELD_EX64_IDREG(&cpu->isar, ID_AA64DFR0, DEBUGVER)
        : FIELD_EX32_IDREG(&cpu->isar, ID_DFR0, COPDBG);

    return arm_feature(&cpu->env, ARM_FEATURE_EL3) && debug < DEBUG_V8P2;
}

static int set_controls(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;
    struct vpmu_now now = arm_vpmu_now(cpu);
    struct vpmu_arm_controls controls = {
        .mdcr_el2 = env->cp15.mdcr_el2,
        .mdcr_el3 = env->cp15.mdcr_el3,
        .secure_el0_allowed = is_secure_el0_allowed(env),
        .secure_allowed = is_secure_allowed(cpu),
    };

    arm_parts_controls(cpu, &controls);
    return vpmu_arm_set_controls(&cpu->vpmu->pmu, &controls, &now);
}

void arm_vpmu_update_controls(ARMCPU *cpu)
{
    pmu_service(CPU(cpu), set_controls(cpu));
}

enum vpmu_world arm_vpmu_world(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;

    return vpmu_arm_watch_world(cpu->vpmu->watch, arm_current_el(env),
                                arm_hcr_el2_eff(env), env->cp15.vttbr_el2);
}

/* Returns the reason why a guest has just stopped running. */
static unsigned int exit_reason(ARMCPU *cpu)
{
    switch (CPU(cpu)->exception_index) {
    case EXCP_IRQ:
    case EXCP_NMI:
        return VPMU_EXIT_IRQ;
    case EXCP_FIQ:
        return VPMU_EXIT_FIQ;
    default:
        return syn_get_ec(cpu->env.cp15.esr_el[2]);
    }
}

/* Called if there is a watch.  Returns what is due. */
static int watch_moved(ARMCPU *cpu, const struct vpmu_now *now)
{
    struct vpmu_arm *pmu = &cpu->vpmu->pmu;

    return vpmu_arm_watch_moved(pmu, arm_pmu_context(&cpu->env),
                                arm_vpmu_world(cpu), exit_reason(cpu), now);
}

int arm_vpmu_set_context(ARMCPU *cpu, const struct vpmu_now *now)
{
    CPUARMState *env = &cpu->env;
    struct vpmu_arm *pmu = &cpu->vpmu->pmu;
    int due = unlikely(pmu->watch)
              ? watch_moved(cpu, now)
              : vpmu_arm_set_context(pmu, arm_pmu_context(env), now);

    if (unlikely(pmu->controls.secure_el0_allowed !=
                 is_secure_el0_allowed(env))) {
        due |= set_controls(cpu);
    }
    return due;
}

void arm_vpmu_arrive(ARMCPU *cpu, const struct vpmu_now *now)
{
    arm_vpmu_set_context(cpu, now);
    set_controls(cpu);
}

struct vpmu_arm *arm_vpmu_here(CPUARMState *env)
{
    ARMCPU *cpu = env_archcpu(env);
    struct vpmu_arm *pmu = &cpu->vpmu->pmu;
    struct vpmu_now now;
    bool timed = vpmu_arm_leaving_needs_time(pmu, arm_pmu_context(env));

    pmu_service(CPU(cpu),
                arm_vpmu_set_context(cpu, arm_vpmu_now_if(cpu, timed, &now)));
    return pmu;
}

void arm_vpmu_enter_context(ARMCPU *cpu, bool decided)
{
    struct vpmu_arm *pmu = &cpu->vpmu->pmu;
    struct vpmu_now now;
    bool timed = vpmu_arm_leaving_needs_time(pmu, arm_pmu_context(&cpu->env));
    const struct vpmu_now *time = arm_vpmu_now_if(cpu, timed, &now);

    if (timed && decided) {
        memcpy(now.ticks, pmu->count.clock, sizeof(now.ticks));
    }
    pmu_service(CPU(cpu), arm_vpmu_set_context(cpu, time));
}

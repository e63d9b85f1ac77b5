/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact profiles of Arm CPUs: which thread executes
 *
 * Calls and returns say it (helper.c), but a thread may execute instructions
 * before its first one.  These must not belong to the calls of the thread that
 * was executed before.  Where a thread leaves and arrives shows whether it has
 * got a signal.
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "cpu.h"
#include "internals.h"
#include "tcg/vpmu-profile.h"
#include "target/arm/pmu/caller.h"
#include "target/arm/pmu/parts.h"

/* Returns the stack pointer of the program that an exception has left. */
static uint64_t program_sp(CPUARMState *env)
{
    unsigned int bank = aarch64_banked_spsr_index(arm_current_el(env));

    if (!is_a64(env)) {
        return env->banked_r13[BANK_USRSYS];
    }
    return env->banked_spsr[bank] & PSTATE_nRW ? env->xregs[13]
                                               : env->sp_el[0];
}

static void calls_leaving(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;
    unsigned int was = cpu->vpmu->pmu.count.ctx;
    uint64_t sp;

    if (unlikely(env->pmu.profile) && was != arm_pmu_context(env) &&
        (VPMU_CTXS_AT(0) & (1u << was)) && arm_current_el(env) > 0) {
        sp = program_sp(env);
        vpmu_profile_depart(env->pmu.profile, was, env->pmu.totals[was], &sp);
    }
}

static void calls_arrived(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;
    VPMUCaller who;

    if (unlikely(env->pmu.profile)) {
        who = arm_pmu_caller(env, arm_pmu_context(env));
        vpmu_profile_arrive(env->pmu.profile, &who);
    }
}

const ARMPart arm_calls_part = {
    .leaving = calls_leaving,
    .arrived = calls_arrived,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact profiles of Arm CPUs: which thread executes
 *
 * Calls and returns say it (helper.c), but a thread may execute instructions
 * before its first one.  These must not belong to the calls of the thread that
 * was executed before.
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "internals.h"
#include "tcg/vpmu-profile.h"
#include "target/arm/pmu/caller.h"
#include "target/arm/pmu/parts.h"

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
    .arrived = calls_arrived,
};

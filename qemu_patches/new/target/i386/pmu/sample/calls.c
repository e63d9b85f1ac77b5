/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact profiles of x86 CPUs: which thread executes
 *
 * Calls and returns say it (helper.c), but a thread may execute instructions
 * before its first one.  These must not belong to the calls of the thread that
 * was executed before.
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "tcg/vpmu-profile.h"
#include "target/i386/pmu/caller.h"
#include "target/i386/pmu/parts.h"

static void calls_arrived(X86CPU *cpu)
{
    CPUX86State *env = &cpu->env;
    VPMUCaller who;

    if (unlikely(env->pmu.profile)) {
        who = x86_pmu_caller(env, x86_pmu_context(env->hflags),
                             env->regs[R_ESP]);
        vpmu_profile_arrive(env->pmu.profile, &who);
    }
}

const X86Part x86_calls_part = {
    .arrived = calls_arrived,
};

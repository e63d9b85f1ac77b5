/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact profiles of x86 CPUs: which thread executes
 *
 * Calls and returns say it (helper.c), but a thread may execute instructions
 * before its first one.  These must not belong to the calls of the thread that
 * was executed before.  Where a thread leaves and arrives shows whether it has
 * got a signal.
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "tcg/vpmu-profile.h"
#include "target/i386/pmu/caller.h"
#include "target/i386/pmu/parts.h"

/* SYSCALL leaves the stack pointer of the program.  SYSENTER does not. */
static bool is_after_syscall(const CPUX86State *env)
{
#ifdef TARGET_X86_64
    return (env->hflags & HF_LMA_MASK) &&
           (env->eip == env->lstar || env->eip == env->cstar);
#else
    return false;
#endif
}

/* Tells with which stack pointer a program was left. */
static void calls_departed(CPUX86State *env)
{
    unsigned int was = x86_pmu_context(env->pmu.place);
    uint64_t sp = env->pmu.interrupted ? env->pmu.interrupted_sp
                                       : env->regs[R_ESP];

    if ((was == X86_PMU_USER || was == X86_PMU_GUEST_USER) &&
        was != x86_pmu_context(env->hflags)) {
        vpmu_profile_depart(env->pmu.profile, was, env->pmu.totals[was],
                            env->pmu.interrupted || is_after_syscall(env)
                            ? &sp : NULL);
    }
}

static void calls_arrived(X86CPU *cpu)
{
    CPUX86State *env = &cpu->env;
    VPMUCaller who;

    if (unlikely(env->pmu.profile)) {
        calls_departed(env);
        who = x86_pmu_caller(env, x86_pmu_context(env->hflags),
                             env->regs[R_ESP]);
        vpmu_profile_arrive(env->pmu.profile, &who);
    }
    env->pmu.interrupted = false;
}

const X86Part x86_calls_part = {
    .arrived = calls_arrived,
};

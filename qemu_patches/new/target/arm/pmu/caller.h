/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread that an Arm CPU executes, for the calls of exact profiles
 */

#ifndef TARGET_ARM_PMU_CALLER_H
#define TARGET_ARM_PMU_CALLER_H

#include "tcg/vpmu-calls.h"

/* The address of a page table, without the ASID */
#define TTBR_ADDRESS MAKE_64BIT_MASK(1, 47)

/*
 * A thread of a program has a TLS pointer of its own.  Linux has the pointer to
 * its thread in SP_EL0 while it uses its own stack.
 */
static inline VPMUCaller arm_pmu_caller(CPUARMState *env, unsigned int ctx)
{
    VPMUCaller who = {
        .ctx = ctx,
        .sp = is_a64(env) ? env->xregs[31] : env->regs[13],
        .link = is_a64(env) ? env->xregs[30] : 0,
        .totals = env->pmu.totals[ctx],
    };

    if (arm_current_el(env) == 0) {
        who.space = (env->cp15.ttbr0_el[1] ^ env->cp15.ttbr0_el[2]) &
                    TTBR_ADDRESS;
        who.thread = env->cp15.tpidr_el[0] ^ env->cp15.tpidrro_el[0];
    } else if (is_a64(env) && (env->pstate & PSTATE_SP)) {
        who.thread = env->sp_el[0];
    }
    return who;
}

#endif

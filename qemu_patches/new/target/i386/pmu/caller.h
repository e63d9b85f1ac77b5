/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread that an x86 CPU executes, for the calls of exact profiles
 */

#ifndef TARGET_I386_PMU_CALLER_H
#define TARGET_I386_PMU_CALLER_H

#include "exec/target_page.h"
#include "tcg/vpmu-calls.h"

/* A thread of a program has an FS base of its own, or a GS base if 32-bit. */
static inline VPMUCaller x86_pmu_caller(CPUX86State *env, unsigned int ctx,
                                        uint64_t sp)
{
    bool user = ctx == X86_PMU_USER || ctx == X86_PMU_GUEST_USER;

    return (VPMUCaller) {
        .ctx = ctx,
        .space = user ? env->cr[3] & TARGET_PAGE_MASK : 0,
        .thread = user ? env->segs[R_FS].base ^ env->segs[R_GS].base : 0,
        .sp = sp,
        .totals = env->pmu.totals[ctx],
    };
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kinds of what is tallied, for tally.c, which has it, and limit.c. */

#ifndef TARGET_ARM_VPMU_TALLY_H
#define TARGET_ARM_VPMU_TALLY_H

#include "vpmu/pmu.h"

#define INSNS VPMU_SRC_BIT(VPMU_SRC_INST_RETIRED)
#define EXCEPTIONS MAKE_64BIT_MASK(VPMU_SRC_EXC_UNDEF, \
                                   VPMU_SRC_CPU_CYCLES - VPMU_SRC_EXC_UNDEF)
#define CYCLES (VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES) | \
                VPMU_SRC_BIT(VPMU_SRC_STALL_FRONTEND) | \
                VPMU_SRC_BIT(VPMU_SRC_STALL_BACKEND) | \
                VPMU_SRC_BIT(VPMU_SRC_STALL_SLOT))
#define MEMORY MAKE_64BIT_MASK(VPMU_SRC_L1I_CACHE, \
                               VPMU_SRC_BR_MIS_PRED - VPMU_SRC_L1I_CACHE)
#define BRANCHES VPMU_SRC_BIT(VPMU_SRC_BR_MIS_PRED)

/* What blocks tally, besides instructions and cycles. */
#define OF_INSNS MAKE_64BIT_MASK(1, ARM_PMU_UNALIGNED)

/* What is tallied: not clocks, nor stalls of a pipeline that is not there. */
static inline uint64_t vpmu_tallied(const struct vpmu *pmu)
{
    bool clock = pmu->config.timed & VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES);

    return VPMU_SRC_ALL & ~pmu->config.timed & ~(clock ? CYCLES : 0);
}

/* Does a counter or somebody outside count what goes on with a clock? */
static inline bool vpmu_counts_time(const struct vpmu *pmu)
{
    return (pmu->count.counting & pmu->count.clocked) || pmu->watch;
}

/* Does a counter with a threshold count here? */
static inline bool vpmu_steps(const struct vpmu *pmu, unsigned int ctx)
{
    return pmu->count.paced & pmu->count.in_ctx[ctx];
}

/* Is a counter due in context @ctx, of all but the clocks? */
bool arm_vpmu_due(CPUARMState *env, unsigned int ctx);

/* Have this block, which we are in the middle of, be the last. */
void arm_vpmu_request(CPUARMState *env);

#endif

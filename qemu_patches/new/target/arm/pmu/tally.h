/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Groups of sources; shared by tally.c and limit.c. */

#ifndef TARGET_ARM_VPMU_TALLY_H
#define TARGET_ARM_VPMU_TALLY_H

#include "vpmu/arm/pmu.h"

#define INSNS VPMU_SRC_BIT(VPMU_SRC_INST_RETIRED)
#define EXCEPTIONS VPMU_SRCS_EXCEPTIONS
#define CYCLES (VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES) | VPMU_SRCS_STALLS)
#define MEMORY (VPMU_SRCS_MEMORY | VPMU_SRCS_MEMORY_DETAIL)
#define BRANCHES VPMU_SRC_BIT(VPMU_SRC_BR_MIS_PRED)

/* Sources that are all tallied if one of them is wanted. */
#define DETAIL VPMU_SRC_FROM_TO(VPMU_SRC_DETAIL, VPMU_SRC_COUNT - 1)
/* Those of them that blocks tally; the models tally the others. */
#define DETAIL_OF_BLOCKS (DETAIL & ~VPMU_SRCS_MEMORY_DETAIL)

/* The sources that blocks tally from encodings, besides instructions. */
#define OF_INSNS MAKE_64BIT_MASK(1, ARM_PMU_UNALIGNED)

/* Returns the tallied sources: no clocks, and stalls only of a pipeline. */
static inline vpmu_sources vpmu_tallied(const struct vpmu_arm *pmu)
{
    bool clock = pmu->config.timed & VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES);

    return VPMU_SRC_ALL & ~pmu->config.timed & ~(clock ? CYCLES : 0);
}

/* Does a counter or an observer count a source of time? */
static inline bool arm_vpmu_counts_time(const struct vpmu_arm *pmu)
{
    return (pmu->count.counting & pmu->count.clocked) || pmu->watch;
}

/* Does a counter with a threshold count here? */
static inline bool vpmu_steps(const struct vpmu_arm *pmu, unsigned int ctx)
{
    return pmu->count.paced & pmu->count.in_ctx[ctx];
}

/* Is an overflow due in context @ctx, except of a counter of time? */
bool arm_vpmu_due(CPUARMState *env, unsigned int ctx);

/* Ends the current block after this instruction, to perform an overflow. */
void arm_vpmu_request(CPUARMState *env);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Totals of the PMU in generated code
 */

#ifndef TARGET_ARM_PMU_TRANSLATE_TOTAL_H
#define TARGET_ARM_PMU_TRANSLATE_TOTAL_H

#include "tcg/translate.h"
#include "tcg/tcg-temp-internal.h"
#include "tcg/vpmu-profile-op.h"

#define LOADS_AND_STORES ((1u << ARM_PMU_LD) | (1u << ARM_PMU_ST))

static inline int total_offset(DisasContext *s, unsigned int source)
{
    return offsetof(CPUARMState, pmu.totals) +
           ((s->pmu.tally - 1) * ARM_PMU_ROW + source) * sizeof(uint64_t);
}

/* Adds @n to the total of a source, and returns the new total. */
static inline TCGv_i64 gen_total(DisasContext *s, unsigned int source,
                                 int64_t n)
{
    TCGv_i64 total = tcg_temp_ebb_new_i64();

    tcg_gen_ld_i64(total, tcg_env, total_offset(s, source));
    tcg_gen_addi_i64(total, total, n);
    tcg_gen_st_i64(total, tcg_env, total_offset(s, source));
    return total;
}

static inline void gen_add(DisasContext *s, unsigned int source, int64_t n)
{
    if (n) {
        gen_total(s, source, n);
    }
}

static inline void gen_profile(intptr_t counter, TCGv_i64 n)
{
    gen_vpmu_profile(offsetof(CPUARMState, pmu.profile), counter, n);
}

/* Adds @n to a cost of the present instruction. */
static inline void gen_cost(DisasContext *s, VPMUCost cost, TCGv_i64 n)
{
    if (s->pmu.costs && s->pmu.tally) {
        uint32_t site = vpmu_profile_site(&s->base, s->pc_curr,
                                          s->pmu.tally - 1);

        gen_profile(vpmu_cost_counter(site, cost), n);
    }
}

/* Adds @n to the sum of a cost, which no total has alone. */
static inline void gen_cost_sum(DisasContext *s, VPMUCost cost, TCGv_i64 n)
{
    if (s->pmu.costs && s->pmu.calls && s->pmu.tally) {
        gen_profile(vpmu_cost_sum_of(s->pmu.tally - 1, cost), n);
    }
}

/* Helpers charge what they tally to the instruction at @pc. */
static inline void gen_charged(DisasContext *s, uint64_t pc)
{
    if (s->pmu.costs && s->pmu.tally) {
        gen_vpmu_charged(offsetof(CPUARMState, pmu.profile),
                         vpmu_profile_site(&s->base, pc, s->pmu.tally - 1));
    }
}

/* Called after an event that may make a counter overflow. */
static inline void gen_check_near(DisasContext *s)
{
    if (s->pmu.events & ARM_PMU_NEAR) {
        gen_helper_pmu_near(tcg_env);
    }
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exact profiles, for emulators that have no recordings */

#include "qemu/osdep.h"
#include "tcg/vpmu-profile.h"

void vpmu_profile_begin(void)
{
    g_assert_not_reached();
}

void vpmu_profile_insn(uint64_t pc)
{
    g_assert_not_reached();
}

void vpmu_profile_insn_costs(uint32_t costs)
{
    g_assert_not_reached();
}

intptr_t vpmu_profile_block(const struct DisasContextBase *db,
                            unsigned int ctx)
{
    g_assert_not_reached();
}

intptr_t vpmu_profile_undone(const struct DisasContextBase *db, uint64_t pc,
                             unsigned int ctx, uint32_t costs)
{
    g_assert_not_reached();
}

uint32_t vpmu_profile_site(const struct DisasContextBase *db, uint64_t pc,
                           unsigned int ctx)
{
    g_assert_not_reached();
}

void vpmu_profile_call(void *profile, VPMUCaller *who, uint32_t site,
                       uint64_t target, uint64_t back, uint64_t sp)
{
    g_assert_not_reached();
}

void vpmu_profile_leave(void *profile, VPMUCaller *who, uint64_t target,
                        VPMUReturn how)
{
    g_assert_not_reached();
}

void vpmu_profile_arrive(void *profile, VPMUCaller *who)
{
}

void vpmu_profile_depart(void *profile, unsigned int ctx,
                         const uint64_t *totals, const uint64_t *sp)
{
}

void vpmu_profile_uncount(CPUState *cs, const TranslationBlock *tb,
                          uint64_t pc)
{
    g_assert_not_reached();
}

void vpmu_profile_uncount_at(CPUState *cs, uint64_t pc, unsigned int ctx)
{
}

bool vpmu_profile_on(CPUState *cs, bool calls, uint32_t costs,
                     uint32_t wanted)
{
    return false;
}

void *vpmu_profile_off(CPUState *cs)
{
    return NULL;
}

void vpmu_profile_follow(CPUState *cs, unsigned int ctx)
{
}

GArray *vpmu_profile_read(const void *counters, const uint16_t *contexts,
                          unsigned int cost)
{
    g_assert_not_reached();
}

GArray *vpmu_profile_read_calls(const void *counters, const uint16_t *contexts,
                                unsigned int cost)
{
    g_assert_not_reached();
}

void vpmu_profile_free(void *counters)
{
}

bool vpmu_profile_is_full(const void *counters)
{
    return false;
}

intptr_t vpmu_cost_counter(uint32_t number, VPMUCost cost)
{
    g_assert_not_reached();
}

intptr_t vpmu_cost_sum_of(unsigned int ctx, VPMUCost cost)
{
    g_assert_not_reached();
}

intptr_t vpmu_cost_charged(void)
{
    g_assert_not_reached();
}

void vpmu_cost_charge(void *profile, VPMUCost cost, int64_t n)
{
}

void vpmu_cost_keep(const VPMUCostSource *of, unsigned int n,
                    const uint64_t *totals, uint64_t *before)
{
}

void vpmu_cost_grown(void *profile, unsigned int ctx, const VPMUCostSource *of,
                     unsigned int n, const uint64_t *totals,
                     const uint64_t *before)
{
}

void vpmu_cost_charge_at(CPUState *cs, const TranslationBlock *tb, uint64_t pc,
                         uint32_t costs, int64_t n)
{
}

unsigned int vpmu_cost_find(const char *event, const char **modifiers)
{
    return VPMU_COST_COUNT;
}

uint64_t vpmu_cost_sum(const void *counters, const uint16_t *contexts,
                       unsigned int cost)
{
    g_assert_not_reached();
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exact profiles: what instructions cost beside themselves */

#include "qemu/osdep.h"
#include "system/vpmu_profile.h"
#include "tcg/vpmu-costs.h"
#include "profile-items.h"

/* Valgrind's names; it does not model returns. */
static const char *const names[VPMU_COST_COUNT] = {
    [VPMU_COST_READ] = "Dr",
    [VPMU_COST_WRITE] = "Dw",
    [VPMU_COST_FETCH_MISS] = "I1mr",
    [VPMU_COST_READ_MISS] = "D1mr",
    [VPMU_COST_WRITE_MISS] = "D1mw",
    [VPMU_COST_FETCH_LAST_MISS] = "ILmr",
    [VPMU_COST_READ_LAST_MISS] = "DLmr",
    [VPMU_COST_WRITE_LAST_MISS] = "DLmw",
    [VPMU_COST_CONDITIONAL] = "Bc",
    [VPMU_COST_CONDITIONAL_MISS] = "Bcm",
    [VPMU_COST_INDIRECT] = "Bi",
    [VPMU_COST_INDIRECT_MISS] = "Bim",
    [VPMU_COST_RETURN] = "Br",
    [VPMU_COST_RETURN_MISS] = "Brm",
};

unsigned int vpmu_cost_find(const char *event, const char **modifiers)
{
    size_t length = strcspn(event, ":");
    unsigned int cost;

    *modifiers = event + length;
    for (cost = 0; cost < VPMU_COST_COUNT; cost++) {
        if (strlen(names[cost]) == length &&
            !strncmp(names[cost], event, length)) {
            break;
        }
    }
    return cost;
}

intptr_t vpmu_cost_counter(uint32_t number, VPMUCost cost)
{
    return offsetof(Profile, cost) +
           ((intptr_t)cost * ITEMS_MAX + number) * sizeof(uint64_t);
}

intptr_t vpmu_cost_charged(void)
{
    return offsetof(Profile, charged);
}

intptr_t vpmu_cost_sum_of(unsigned int ctx, VPMUCost cost)
{
    return offsetof(Profile, sum) +
           (ctx * VPMU_COST_COUNT + cost) * sizeof(uint64_t);
}

void vpmu_cost_charge(void *profile, VPMUCost cost, int64_t n)
{
    Profile *p = profile;

    if (p && p->charged) {
        p->cost[cost][p->charged] += n;
    }
}

void vpmu_cost_keep(const VPMUCostSource *of, unsigned int n,
                    const uint64_t *totals, uint64_t *before)
{
    for (unsigned int i = 0; i < n; i++) {
        before[i] = totals[of[i].source];
    }
}

void vpmu_cost_grown(void *profile, unsigned int ctx, const VPMUCostSource *of,
                     unsigned int n, const uint64_t *totals,
                     const uint64_t *before)
{
    Profile *p = profile;

    for (unsigned int i = 0; i < n; i++) {
        uint64_t grown = totals[of[i].source] - before[i];

        vpmu_cost_charge(p, of[i].cost, grown);
        p->sum[ctx][of[i].cost] += grown;
    }
}

uint64_t vpmu_cost_sum(const void *counters, const uint16_t *contexts,
                       unsigned int cost)
{
    GArray *all = vpmu_profile_read(counters, contexts, cost);
    uint64_t sum = 0;

    for (unsigned int i = 0; i < all->len; i++) {
        sum += g_array_index(all, VPMUProfiled, i).sample.weight;
    }
    g_array_free(all, true);
    return sum;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact profiles: what instructions cost beside themselves, which blocks with
 * CF_VPMU_COSTS count
 *
 * Costs that each execution of an instruction has are counted with its
 * executions.  Others, such as misses, have counters of their own.
 */

#ifndef TCG_VPMU_COSTS_H
#define TCG_VPMU_COSTS_H

/* In the order in which valgrind lists them; costs.c has its names. */
typedef enum VPMUCost {
    VPMU_COST_READ,
    VPMU_COST_WRITE,
    VPMU_COST_FETCH_MISS,
    VPMU_COST_READ_MISS,
    VPMU_COST_WRITE_MISS,
    VPMU_COST_FETCH_LAST_MISS,
    VPMU_COST_READ_LAST_MISS,
    VPMU_COST_WRITE_LAST_MISS,
    VPMU_COST_CONDITIONAL,
    VPMU_COST_CONDITIONAL_MISS,
    VPMU_COST_INDIRECT,
    VPMU_COST_INDIRECT_MISS,
    VPMU_COST_RETURN,
    VPMU_COST_RETURN_MISS,
    VPMU_COST_COUNT,
} VPMUCost;

#define VPMU_COST_BIT(cost) (1u << (cost))

/* A source of the totals, and the cost that it is in a helper. */
typedef struct VPMUCostSource {
    uint8_t cost;
    uint8_t source;
} VPMUCostSource;

/*
 * Returns the number of the cost that an event is named after; VPMU_COST_COUNT
 * if it is none.  The name may have modifiers, which start at *@modifiers.
 */
unsigned int vpmu_cost_find(const char *event, const char **modifiers);

/*
 * For the translator: returns the offset of the counter of a cost of the
 * instruction with this number, and that of the number of the instruction that
 * helpers charge, a 32-bit integer.
 */
intptr_t vpmu_cost_counter(uint32_t number, VPMUCost cost);
intptr_t vpmu_cost_charged(void);

/*
 * For the translator: returns the offset of the sum of a cost in a context,
 * which needs one if the target has no total of it alone.
 */
intptr_t vpmu_cost_sum_of(unsigned int ctx, VPMUCost cost);

/*
 * For helpers: keep some totals of a context, and charge what they have grown
 * by to the instruction.  Charge one cost.  @profile may be NULL.
 */
void vpmu_cost_keep(const VPMUCostSource *of, unsigned int n,
                    const uint64_t *totals, uint64_t *before);
void vpmu_cost_grown(void *profile, unsigned int ctx, const VPMUCostSource *of,
                     unsigned int n, const uint64_t *totals,
                     const uint64_t *before);

static inline void vpmu_cost_begin(void *profile, const VPMUCostSource *of,
                                   unsigned int n, const uint64_t *totals,
                                   uint64_t *before)
{
    if (unlikely(profile)) {
        vpmu_cost_keep(of, n, totals, before);
    }
}

static inline void vpmu_cost_end(void *profile, unsigned int ctx,
                                 const VPMUCostSource *of, unsigned int n,
                                 const uint64_t *totals, const uint64_t *before)
{
    if (unlikely(profile)) {
        vpmu_cost_grown(profile, ctx, of, n, totals, before);
    }
}

void vpmu_cost_charge(void *profile, VPMUCost cost, int64_t n);

/*
 * Charge @n times the costs of the mask @costs to an instruction of a block,
 * where @pc may lack all but the offset in its page.
 */
void vpmu_cost_charge_at(CPUState *cs, const TranslationBlock *tb, uint64_t pc,
                         uint32_t costs, int64_t n);

/* Returns the sum of a cost; see vpmu_profile_read(). */
uint64_t vpmu_cost_sum(const void *counters, const uint16_t *contexts,
                       unsigned int cost);

#endif

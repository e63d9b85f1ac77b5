/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_PMU_H
#define VPMU_PMU_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu/config.h"
#include "vpmu/contexts.h"
#include "vpmu/count.h"
#include "vpmu/errors.h"

/**
 * struct vpmu_controls - state outside the PMU that decides what is counted
 *
 * All zero is not the reset state of a PE with EL2: MDCR_EL2.HPMN resets to the number of event
 * counters, and 0, which software can write, gives all of them to EL2. vpmu_controls_reset() has
 * the reset state.
 *
 * @mdcr_el2: MDCR_EL2, or HDCR; ignored without EL2.
 * @mdcr_el3: MDCR_EL3, or SDCR; ignored without EL3.
 * @secure_el0_allowed: EL1 is AArch32 and SDER.SUNIDEN is 1: counting is not prohibited at
 *     Secure EL0.
 * @halted: the PE is in Debug state: nothing counts.
 * @spe_stopped: PMBLIMITR_EL1.E, PMBLIMITR_EL1.PMFZ and PMBSR_EL1.S are all 1, for PMCR.FZS and
 *     MDCR_EL2.HPMFZS.
 */
struct vpmu_controls {
    uint64_t mdcr_el2;
    uint64_t mdcr_el3;
    bool secure_el0_allowed;
    bool halted;
    bool spe_stopped;
};

/**
 * vpmu_controls_reset() - the controls out of reset: those that vpmu_init() begins with
 * @controls: is filled in: all zero, except that MDCR_EL2.HPMN is @config->counters.
 * @config: of the PMU.
 */
static inline void vpmu_controls_reset(struct vpmu_controls *controls,
                                       const struct vpmu_config *config)
{
    *controls = (struct vpmu_controls){.mdcr_el2 = config->counters};
}

struct vpmu_watch;

/* What PMCEID announces: all that is counted, or no more than another implementation did. */
enum vpmu_announced {
    VPMU_ANNOUNCED_ALL,
    VPMU_ANNOUNCED_CYCLES, /* SW_INCR, CPU_CYCLES and the stalls that the version demands */
    VPMU_ANNOUNCED_INSNS,  /* and INST_RETIRED */
    VPMU_ANNOUNCED_COUNT,
};

/* What software wrote, and the overflow flags. */
struct vpmu_regs {
    uint64_t pmcr;  /* only the bits that are kept: E D DP LC LP FZO FZS */
    uint64_t cnten; /* PMCNTENSET */
    uint64_t inten; /* PMINTENSET */
    uint64_t ovs;   /* PMOVSSET */
    uint64_t userenr;
    uint64_t uacr;
    uint64_t selr;
    uint64_t type[VPMU_COUNTER_COUNT]; /* PMEVTYPER<n>, PMCCFILTR and PMICFILTR */
};

/**
 * struct vpmu - the whole architectural state of one PE's PMU
 *
 * The caller owns the memory and zeroes nothing: vpmu_init() does. All functions on one struct
 * vpmu must be called by one thread at a time. The fields may be read, as of the last settling, but
 * are written by the library alone.
 */
struct vpmu {
    struct vpmu_count count; /* totals and counters; what follows from the rest */
    struct vpmu_config config;
    struct vpmu_controls controls;
    struct vpmu_regs regs;
    struct vpmu_watch *watch; /* or NULL */
    uint8_t announced;        /* enum vpmu_announced */
    bool irq;
    /* How often a counter gave the line a reason to be high, since vpmu_init(); not saved. */
    uint64_t interrupts[VPMU_COUNTER_COUNT];
};

_Static_assert(sizeof(struct vpmu) <= 4096, "one PMU fits in a page");

/**
 * vpmu_init() - make a PMU, in its reset state
 * @v: memory for it, of any content.
 * @config: is checked and copied.
 * @totals: the machine's tallies; must outlive @v.
 * @ops: must outlive @v.
 * @opaque: handed to @ops.
 * @why: as for vpmu_config_check().
 *
 * Calls no @ops but clock. The PE is taken to be at Non-secure EL1, its controls as
 * vpmu_controls_reset() has them, until vpmu_set_context() and vpmu_set_controls().
 *
 * Return: 0, or -VPMU_ERR_CONFIG with @v unusable: the configuration is impossible, @totals or an
 * operation is missing.
 */
int vpmu_init(struct vpmu *v, const struct vpmu_config *config, struct vpmu_totals *totals,
              const struct vpmu_ops *ops, void *opaque, const char **why);

/**
 * vpmu_reset() - a Warm reset of the PE
 *
 * Registers take their reset values; those that the architecture leaves UNKNOWN become 0.
 */
void vpmu_reset(struct vpmu *v);

/**
 * vpmu_set_controls() - the outside state changed
 * @controls: all of it, as it is from now on. Copied.
 *
 * What was counted until now is settled under the old state.
 */
void vpmu_set_controls(struct vpmu *v, const struct vpmu_controls *controls);

/**
 * vpmu_time_differs() - does a counter of a timed source count in one context and not in the other?
 * @a: a context.
 * @b: another.
 */
static inline bool vpmu_time_differs(const struct vpmu *v, unsigned a, unsigned b)
{
    return (v->count.in_ctx[a] ^ v->count.in_ctx[b]) & v->count.clocked;
}

/* Settles what must be, and moves to another context. Private: use vpmu_set_context(). */
void vpmu_switch_context_(struct vpmu *v, unsigned ctx);

/**
 * vpmu_set_context() - the PE runs in another context from now on
 * @ctx: vpmu_ctx() of it.
 *
 * Costs a comparison, unless a counter of a timed source counts on one side of the change and not
 * on the other, or a counter is paced: then all counters are settled first, as vpmu_settle() does
 * it. A counter of a timed source that counts on both sides and is due to overflow is not looked
 * at. Does not call vpmu_ops.rearm for the change: the caller knows that headroom is per context.
 */
static inline void vpmu_set_context(struct vpmu *v, unsigned ctx)
{
    if (vpmu_time_differs(v, v->count.ctx, ctx) || v->count.paced) {
        vpmu_switch_context_(v, ctx);
    } else {
        v->count.ctx = (uint8_t)ctx;
    }
}

/**
 * vpmu_armed() - what the machine must tally
 * @ctx: a context.
 *
 * Return: a mask of VPMU_SRC_BIT(): those that some counter counts in @ctx now.
 */
uint64_t vpmu_armed(const struct vpmu *v, unsigned ctx);

/**
 * vpmu_headroom() - how far sources may go before something must happen at once
 * @sources: which: a mask of VPMU_SRC_BIT(). Counters that count any of them are looked at.
 * @ctx: where.
 *
 * Counts only overflows that can be seen without reading a counter: those that raise the
 * interrupt, feed a CHAIN event or freeze counters; and periods of observers (vpmu/observer.h).
 * Assumes that nothing is counted elsewhere in the meantime. For timed sources call vpmu_settle()
 * first if time has passed.
 *
 * While a counter with a threshold counts in @ctx, that of VPMU_SRC_INST_RETIRED is 1: cycles are
 * told apart by settling after each instruction, when all that it counts as has been tallied.
 *
 * Return: by how much the totals that such a counter sums up may move, at least 1, until the
 * counter overflows: when they have, vpmu_settle() is due. The least of all counters; UINT64_MAX if
 * there is no such limit; 0 if vpmu_settle() is due already.
 */
uint64_t vpmu_headroom(const struct vpmu *v, uint64_t sources, unsigned ctx);

/**
 * vpmu_settle() - take over what was tallied: counters, overflow flags, chains, the interrupt
 *
 * The machine calls it when a headroom is used up. Registers need it at no other time: reading
 * them settles what is read. Samples of observers that are due come first.
 *
 * Return: a counter passed its end. Samples alone do not make it true.
 */
bool vpmu_settle(struct vpmu *v);

/**
 * vpmu_step() - the same, of an instruction
 *
 * For a machine that settles after each instruction, as it must where a counter with a threshold
 * counts. Takes over what has been tallied in the present context since the last call of the
 * library; what was tallied elsewhere waits for the next vpmu_settle(), and nothing may be taken
 * back there before it.
 *
 * Return: as vpmu_settle().
 */
bool vpmu_step(struct vpmu *v);

/**
 * vpmu_irq_level() - the level of the overflow interrupt line as last settled
 */
static inline bool vpmu_irq_level(const struct vpmu *v)
{
    return v->irq;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_ARM_PMU_H
#define VPMU_ARM_PMU_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu/arm/config.h"
#include "vpmu/arm/contexts.h"
#include "vpmu/count.h"
#include "vpmu/decls.h"
#include "vpmu/errors.h"

VPMU_DECLS_BEGIN

/**
 * struct vpmu_arm_controls - state outside the PMU that decides what is counted
 * @mdcr_el2: MDCR_EL2, or HDCR; ignored without EL2.
 * @mdcr_el3: MDCR_EL3, or SDCR; ignored without EL3.
 * @secure_el0_allowed: EL1 is AArch32 and SDER.SUNIDEN is 1, so counting is allowed at Secure EL0.
 * @secure_allowed: the authentication interface enables Secure non-invasive debug, so counting is
 *     allowed in Secure state and at EL3. Has an effect only on a PE without FEAT_Debugv8p2: false
 *     on all others. Source: Arm ARM D13.5.4.
 * @halted: the PE is in Debug state and nothing counts.
 * @spe_stopped: PMBLIMITR_EL1.E, PMBLIMITR_EL1.PMFZ and PMBSR_EL1.S are all 1; used by PMCR.FZS and
 *     MDCR_EL2.HPMFZS.
 * @brbe_freezers: the counters whose overflow flags freeze branch records: vpmu_brbe_freezers(); 0
 *     without FEAT_BRBE.
 * @spe_contexts: a mask of the contexts in which SPE counts instructions: vpmu_spe_enabled(). There
 *     SAMPLE_POP counts them, too. 0 without FEAT_SPE.
 *
 * On a PE with EL2, all zero is not the reset state: MDCR_EL2.HPMN resets to the number of event
 * counters. HPMN 0, which software can write, gives all of them to EL2. Use
 * vpmu_arm_controls_reset().
 */
struct vpmu_arm_controls {
    uint64_t mdcr_el2;
    uint64_t mdcr_el3;
    bool secure_el0_allowed;
    bool secure_allowed;
    bool halted;
    bool spe_stopped;
    uint64_t brbe_freezers;
    uint16_t spe_contexts;
};

/**
 * vpmu_arm_controls_reset() - the reset state of the controls, which vpmu_arm_init() sets
 * @controls: is filled in: all zero, except that MDCR_EL2.HPMN is @config->counters.
 * @config: the configuration of the PMU.
 *
 * Source: Arm ARM D24.3, MDCR_EL2.
 */
static inline void vpmu_arm_controls_reset(struct vpmu_arm_controls *controls,
                                           const struct vpmu_arm_config *config)
{
    struct vpmu_arm_controls reset = {config->counters, 0, false, false, false, false, 0, 0};

    *controls = reset;
}

struct vpmu_watch;

/* What PMCEID announces: all that is counted, or only what another implementation announced. */
enum vpmu_announced {
    VPMU_ANNOUNCED_ALL,
    VPMU_ANNOUNCED_CYCLES, /* SW_INCR, CPU_CYCLES and the stall events that the version requires */
    VPMU_ANNOUNCED_INSNS,  /* the same and INST_RETIRED */
    VPMU_ANNOUNCED_COUNT,
};

/* What software wrote, and the overflow flags. */
struct vpmu_arm_regs {
    uint64_t pmcr;  /* the writable bits: E D DP LC LP FZO FZS */
    uint64_t cnten; /* PMCNTENSET */
    uint64_t inten; /* PMINTENSET */
    uint64_t ovs;   /* PMOVSSET */
    uint64_t userenr;
    uint64_t uacr;
    uint64_t selr;
    uint64_t type[VPMU_COUNTER_COUNT]; /* PMEVTYPER<n>, PMCCFILTR and PMICFILTR */
};

/**
 * struct vpmu_arm - the whole architectural state of one PE's PMU
 *
 * The caller owns the memory, which need not be zeroed before vpmu_arm_init(). The caller may read
 * the fields, which are as of the last settling; only the library writes them.
 */
struct vpmu_arm {
    struct vpmu_count count; /* totals and counters, derived from the other fields */
    struct vpmu_arm_config config;
    struct vpmu_arm_controls controls;
    struct vpmu_arm_regs regs;
    struct vpmu_watch *watch; /* or NULL */
    uint8_t announced;        /* enum vpmu_announced */
    bool irq;
    /* How often an overflow of each counter asserted the interrupt since vpmu_arm_init(); not
     * saved. */
    uint64_t interrupts[VPMU_COUNTER_COUNT];
};

VPMU_STATIC_ASSERT(sizeof(struct vpmu_arm) <= 4096, "one PMU fits in a page");

/**
 * vpmu_arm_init() - make a PMU in its reset state
 * @v: memory for it, of any content.
 * @config: the configuration. It is checked and copied.
 * @totals: the machine's tallies. They must outlive @v.
 * @now: what the clocks show; NULL if they are all 0, or no source is timed.
 * @why: is set to the reason if the PMU is refused; may be NULL.
 *
 * Until vpmu_arm_set_context() and vpmu_arm_set_controls() are called, the PE is
 * assumed to be at Non-secure EL1 with the controls of vpmu_arm_controls_reset().
 *
 * Return: 0, or -VPMU_ERR_CONFIG if the configuration is impossible, or @totals is NULL. @v is
 * unusable then.
 */
int vpmu_arm_init(struct vpmu_arm *v, const struct vpmu_arm_config *config,
                  struct vpmu_arm_totals *totals, const struct vpmu_now *now, const char **why);

/**
 * vpmu_arm_reset() - perform a Warm reset of the PE
 * @now: what the clocks show; NULL if no source is timed.
 *
 * Registers get their reset values. Those that the architecture leaves UNKNOWN become 0.
 *
 * Return: a mask of enum vpmu_due.
 * Source: Arm ARM D24.5, the reset values of the PM* registers.
 */
int vpmu_arm_reset(struct vpmu_arm *v, const struct vpmu_now *now);

/**
 * vpmu_arm_set_counters() - change the number of event counters
 * @v: the PMU. It is reset, as by vpmu_arm_reset().
 * @counters: 0 to VPMU_MAX_EVENT_COUNTERS.
 * @now: as for vpmu_arm_reset().
 *
 * For a machine that takes over a PMU with another number of counters: software may have read
 * PMCR.N once, so the number must not change under it. To be called before vpmu_arm_adopt() or
 * vpmu_arm_state_load(). Call vpmu_arm_set_controls() afterwards: HPMN is read against the new
 * number.
 *
 * Return: a mask of enum vpmu_due, or -VPMU_ERR_CONFIG with @v as it was.
 */
int vpmu_arm_set_counters(struct vpmu_arm *v, unsigned counters, const struct vpmu_now *now);

/**
 * vpmu_arm_set_controls() - the state outside the PMU has changed
 * @controls: the complete new state. It is copied.
 * @now: as for vpmu_arm_reset().
 *
 * The events until now are settled under the old state.
 *
 * Return: a mask of enum vpmu_due.
 */
int vpmu_arm_set_controls(struct vpmu_arm *v, const struct vpmu_arm_controls *controls,
                          const struct vpmu_now *now);

/**
 * vpmu_arm_needs_time() - tell whether a call that only settles needs the time
 *
 * Return: false if the @now of vpmu_arm_settle(), vpmu_arm_step(), vpmu_arm_sample() and
 * vpmu_arm_reg_read() may be NULL: no timed source is counted.
 */
static inline bool vpmu_arm_needs_time(const struct vpmu_arm *v)
{
    return vpmu_count_needs_time_(&v->count);
}

/**
 * vpmu_arm_leaving_needs_time() - tell whether a change of context needs the time
 * @ctx: the new context.
 *
 * Return: false if the @now of vpmu_arm_set_context() and vpmu_arm_watch_moved() may be NULL.
 */
static inline bool vpmu_arm_leaving_needs_time(const struct vpmu_arm *v, unsigned ctx)
{
    return vpmu_count_leaving_needs_time_(&v->count, ctx);
}

/**
 * vpmu_arm_time_differs() - tell whether one of two contexts alone counts a timed source
 * @a: a context, 0 to VPMU_CTX_COUNT - 1.
 * @b: another context.
 *
 * Return: true if there is such a counter.
 */
static inline bool vpmu_arm_time_differs(const struct vpmu_arm *v, unsigned a, unsigned b)
{
    return vpmu_count_time_differs_(&v->count, a, b);
}

/**
 * vpmu_arm_pass_time() - let time pass in the current context, without settling anything
 * @now: what the clocks show.
 *
 * For a machine that decides what comes first, an overflow or an exception, and must not let more
 * time pass until the PE has taken the exception: its next calls get NULL for the time.
 */
void vpmu_arm_pass_time(struct vpmu_arm *v, const struct vpmu_now *now);

/**
 * vpmu_arm_set_context() - the PE now runs in another context
 * @ctx: the new context: vpmu_arm_ctx().
 * @now: what the clocks show; NULL unless vpmu_arm_leaving_needs_time().
 *
 * Costs a comparison, unless a counter of a timed source counts in only one of the two contexts or
 * a counter is paced; then all counters are settled first, as by vpmu_arm_settle(). A counter of a
 * timed source that counts in both contexts is not checked for overflow. The change of context
 * itself is no reason for VPMU_DUE_REARM: the caller knows that headroom is per context.
 *
 * Return: a mask of enum vpmu_due.
 */
static inline int vpmu_arm_set_context(struct vpmu_arm *v, unsigned ctx, const struct vpmu_now *now)
{
    return vpmu_change_context_(&v->count, ctx, now);
}

/**
 * vpmu_arm_armed() - the sources that the machine must tally
 * @ctx: a context, 0 to VPMU_CTX_COUNT - 1.
 *
 * Return: a mask of VPMU_SRC_BIT(): the sources that a counter, an observer or the blackout meter
 * counts in @ctx now.
 */
vpmu_sources vpmu_arm_armed(const struct vpmu_arm *v, unsigned ctx);

/**
 * vpmu_arm_headroom() - by how much totals may increase before vpmu_arm_settle() must be called
 * @v: the PMU. If a source is timed and time has passed, call vpmu_arm_settle() first.
 * @sources: a mask of VPMU_SRC_BIT(). Counters that count any of these are considered.
 * @ctx: a context, 0 to VPMU_CTX_COUNT - 1. Nothing must be counted in other contexts meanwhile.
 *
 * Only overflows are considered that have an effect without a read: those that raise the interrupt,
 * feed a CHAIN event, or freeze counters or branch records. The periods of observers
 * (vpmu/arm/observer.h) are considered too.
 *
 * While a counter with a threshold counts in @ctx, the headroom of VPMU_SRC_INST_RETIRED is 1: the
 * library derives single cycles from being called after each instruction, when the machine has
 * tallied everything that the instruction counts as.
 *
 * Return: by how much the totals that such a counter sums may increase, at least 1, until the
 * counter overflows; vpmu_arm_settle() is due then. The minimum over all counters; UINT64_MAX if
 * there is no limit; 0 if vpmu_arm_settle() is due now.
 */
uint64_t vpmu_arm_headroom(const struct vpmu_arm *v, vpmu_sources sources, unsigned ctx);

/**
 * vpmu_arm_settle() - update counters, overflow flags, chains and the interrupt from the totals
 * @now: what the clocks show; NULL unless vpmu_arm_needs_time().
 *
 * The machine calls it when a headroom is used up. Register accesses do not need it, because they
 * settle what they read.
 *
 * Return: a mask of enum vpmu_due.
 */
int vpmu_arm_settle(struct vpmu_arm *v, const struct vpmu_now *now);

/**
 * vpmu_arm_step() - vpmu_arm_settle() for one instruction
 * @now: what the clocks show; NULL unless vpmu_arm_needs_time().
 *
 * For a machine that settles after each instruction, as it must while a counter with a threshold
 * counts. Settles what has been tallied in the current context since the last call of the library.
 * What was tallied in other contexts is settled by the next vpmu_arm_settle(), and the machine must
 * not subtract anything there before that.
 *
 * Return: a mask of enum vpmu_due.
 */
int vpmu_arm_step(struct vpmu_arm *v, const struct vpmu_now *now);

/**
 * vpmu_arm_sample_taken() - SPE has sampled an instruction of the current context
 * @passed: no filter of SPE rejects the sample, as vpmu_spe_collect() says.
 * @now: what the clocks show; NULL unless vpmu_arm_needs_time().
 *
 * Counts SAMPLE_FEED, and SAMPLE_FILTRATE if the sample has passed.
 *
 * Return: a mask of enum vpmu_due.
 * Source: Arm ARM, SPEPreExecution() and SPEPostExecution().
 */
int vpmu_arm_sample_taken(struct vpmu_arm *v, bool passed, const struct vpmu_now *now);

/**
 * vpmu_arm_irq_level() - the level of the overflow interrupt line, as of the last settling
 *
 * Return: true if the line is high.
 */
static inline bool vpmu_arm_irq_level(const struct vpmu_arm *v)
{
    return v->irq;
}

VPMU_DECLS_END

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_PMU_H
#define VPMU_PMU_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu/config.h"
#include "vpmu/errors.h"
#include "vpmu/events.h"

/*
 * A context is where an instruction runs: an exception level in a security state. Totals are kept
 * for each, so that a filter only selects which of them a counter sums.
 */
enum vpmu_security {
    VPMU_SECURE,
    VPMU_NONSECURE,
    VPMU_REALM,
};

#define VPMU_CTX_EL3 9u
#define VPMU_CTX_COUNT 10u

/**
 * vpmu_ctx_name() - a name for a context
 * @ctx: 0 to VPMU_CTX_COUNT - 1.
 *
 * Return: a constant: the exception level, "el0" to "el3", after "secure-" or "realm-" where it is
 * one of these; NULL if there is no such context.
 */
const char *vpmu_ctx_name(unsigned ctx);

/**
 * vpmu_ctx() - the number of a context
 * @el: exception level, 0 to 3.
 * @security: security state; of no account at EL3, which is Secure, or Root with FEAT_RME.
 */
static inline unsigned vpmu_ctx(unsigned el, enum vpmu_security security)
{
    return el == 3 ? VPMU_CTX_EL3 : (unsigned)security * 3 + el;
}

/* Counters are numbered as the bits of PMCNTENSET_EL0 are. */
#define VPMU_CYCLE_COUNTER 31u
#define VPMU_INST_COUNTER 32u
#define VPMU_COUNTER_COUNT 33u

/* Sources that may be timed: VPMU_SRC_CPU_CYCLES and the one after it. */
#define VPMU_CLOCK_COUNT 2u

/**
 * struct vpmu_totals - what the machine has tallied, for each source and context
 *
 * The machine owns it and adds to it without telling the library. Totals may wrap. Between two
 * calls of the library none moves by 2^63 or more.
 *
 * The machine may take back what it has added: it tallies a block of instructions as a whole, say,
 * and leaves it midway. If no call has settled that meanwhile it leaves no trace. Otherwise
 * counters and observers that have it do not go back, since somebody may have read them: each
 * stands still until as much has happened as was taken back, whatever it is to count then, and so
 * counts nothing twice. A counter owes nothing any more when its value or its event is written, the
 * PMU is reset or a state loaded. What has followed from it stays: an overflow, or a chained count.
 *
 * The library writes only the totals of timed sources (vpmu_config.timed), which it brings up to
 * date from vpmu_ops.clock.
 */
struct vpmu_totals {
    uint64_t n[VPMU_SRC_COUNT][VPMU_CTX_COUNT];
};

/**
 * struct vpmu_ops - what the library asks of the machine; every pointer must be set
 * @clock: how far a timed source went since some fixed moment. Monotone.
 * @irq: the level of the overflow interrupt line changed to @level.
 * @rearm: what is to be counted, or how far it may go, may have changed: ask vpmu_armed() and
 *     vpmu_headroom() again. Called at the end of any call that may change them.
 *
 * Called from within the library's functions, on the caller's thread; they must not call functions
 * that change the PMU.
 */
struct vpmu_ops {
    uint64_t (*clock)(void *opaque, enum vpmu_source source);
    void (*irq)(void *opaque, bool level);
    void (*rearm)(void *opaque);
};

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

/* One counter. Private to the library; here so that the caller can own the memory. */
struct vpmu_counter {
    uint64_t value;     /* as of the last settling */
    uint64_t base;      /* up to where the sum of the totals of sources and ctx_mask is in it */
    uint64_t type;      /* PMEVTYPER<n>, PMCCFILTR or PMICFILTR */
    uint64_t sources;   /* what it counts: a mask of VPMU_SRC_BIT() */
    uint16_t ctx_mask;  /* contexts in which it counts, all conditions taken together */
    uint16_t remainder; /* of a cycle, or of PMCR.D's 64: not yet counted */
};

/* What an event counter with a threshold, or linked to one, has of the cycle that goes on. */
struct vpmu_pace {
    uint64_t value;   /* what the event counts as so far: VB of the Arm ARM */
    uint64_t link;    /* of an odd counter: what the one below counted, V[n-1] */
    uint64_t lasting; /* those of its sources that last: cycles and stalls */
    bool met;         /* its condition was true in the cycle before: CP */
};

/* Sources that last; all cycles follow from them. */
#define VPMU_LASTING_COUNT 4u

struct vpmu_watch;

/* What PMCEID announces: all that is counted, or no more than another implementation did. */
enum vpmu_announced {
    VPMU_ANNOUNCED_ALL,
    VPMU_ANNOUNCED_CYCLES, /* SW_INCR, CPU_CYCLES and the stalls that the version demands */
    VPMU_ANNOUNCED_INSNS,  /* and INST_RETIRED */
    VPMU_ANNOUNCED_COUNT,
};

/**
 * struct vpmu - the whole architectural state of one PE's PMU
 *
 * The caller owns the memory and zeroes nothing: vpmu_init() does. All functions on one struct
 * vpmu must be called by one thread at a time. The fields may be read, as of the last settling, but
 * are written by the library alone.
 */
struct vpmu {
    struct vpmu_config config;
    struct vpmu_totals *totals;
    const struct vpmu_ops *ops;
    void *opaque;
    struct vpmu_controls controls;
    struct vpmu_watch *watch;         /* NULL: nobody watches */
    uint64_t pmcr;                    /* only the bits that are kept: E D DP LC LP FZO FZS */
    uint64_t cnten;                   /* PMCNTENSET */
    uint64_t inten;                   /* PMINTENSET */
    uint64_t ovs;                     /* PMOVSSET */
    uint64_t userenr;                 /* PMUSERENR */
    uint64_t uacr;                    /* PMUACR_EL1 */
    uint64_t selr;                    /* PMSELR */
    uint64_t clock[VPMU_CLOCK_COUNT]; /* vpmu_ops.clock when totals were last brought up to date */
    uint64_t counting;                /* counters with a ctx_mask that is not empty */
    uint64_t in_ctx[VPMU_CTX_COUNT];  /* counters that count in each context */
    uint64_t clocked;                 /* counters that count a timed source */
    uint8_t ctx;                      /* where the PE runs now */
    uint8_t announced;                /* enum vpmu_announced */
    bool irq;
    bool wrapped; /* a counter passed its end while settling */
    struct vpmu_counter counter[VPMU_COUNTER_COUNT];
    /* Since vpmu_init(), for whoever looks from outside; no part of the saved state. */
    uint64_t overflows[VPMU_COUNTER_COUNT];  /* how often a counter passed its end */
    uint64_t interrupts[VPMU_COUNTER_COUNT]; /* and gave the line a reason to be high by that */
    uint64_t paced;                          /* counters that are evaluated cycle by cycle */
    uint64_t passed[VPMU_LASTING_COUNT]; /* totals here up to which cycles have been evaluated */
    uint64_t insns;                      /* the total of INST_RETIRED here at that moment */
    struct vpmu_pace pace[VPMU_MAX_EVENT_COUNTERS];
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

/* Settles what must be, and moves to another context. Private: use vpmu_set_context(). */
void vpmu_switch_context_(struct vpmu *v, unsigned ctx);

/**
 * vpmu_set_context() - the PE runs in another context from now on
 * @ctx: vpmu_ctx() of it.
 *
 * Costs a comparison, unless a clock-driven counter counts on one side of the change and not on
 * the other, or a counter has a threshold: then all counters are settled first, as vpmu_settle()
 * does it. A clock-driven counter that counts on both sides and is due to overflow is not looked
 * at. Does not call vpmu_ops.rearm for the change: the caller knows that headroom is per context.
 */
static inline void vpmu_set_context(struct vpmu *v, unsigned ctx)
{
    if (((v->in_ctx[v->ctx] ^ v->in_ctx[ctx]) & v->clocked) | v->paced) {
        vpmu_switch_context_(v, ctx);
    } else {
        v->ctx = (uint8_t)ctx;
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
 * interrupt, feed a CHAIN event or freeze counters. Assumes that nothing is counted elsewhere in
 * the meantime. For timed sources call vpmu_settle() first if time has passed.
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
 * them settles what is read.
 */
void vpmu_settle(struct vpmu *v);

/**
 * vpmu_irq_level() - the level of the overflow interrupt line as last settled
 */
static inline bool vpmu_irq_level(const struct vpmu *v)
{
    return v->irq;
}

#endif

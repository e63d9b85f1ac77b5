/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_X86_PMU_H
#define VPMU_X86_PMU_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu/count.h"
#include "vpmu/decls.h"
#include "vpmu/errors.h"
#include "vpmu/rate.h"
#include "vpmu/x86/config.h"
#include "vpmu/x86/contexts.h"

VPMU_DECLS_BEGIN

/**
 * struct vpmu_x86_controls - state outside the PMU that decides what is counted
 * @debugctl: IA32_DEBUGCTL. FREEZE_PERFMON_ON_PMI [12] and FREEZE_WHILE_SMM [14] are used.
 * @svme: EFER.SVME.
 * @halted: the processor is in HLT or waits for SIPI; nothing counts.
 */
struct vpmu_x86_controls {
    uint64_t debugctl;
    bool svme;
    bool halted;
};

struct vpmu_x86_event;

/*
 * The event that the PERFEVTSEL of a general counter selects. It is kept because the search for it
 * takes longer than all else that a write to a register of the PMU does.
 */
struct vpmu_x86_choice {
    vpmu_sources sources;
    const struct vpmu_x86_event *event; /* NULL: none, or a sum of events */
    uint64_t key;                       /* its bits, and bit 63; 0: nothing is kept */
};

/* What software wrote, and the overflow flags. Masks have a bit for each counter, by its number. */
struct vpmu_x86_regs {
    uint64_t select[VPMU_X86_MAX_COUNTERS]; /* PERFEVTSELn */
    uint64_t fixed;                         /* FIXED_CTR_CTRL */
    uint64_t enabled;                       /* GLOBAL_CTRL; all ones if it does not exist */
    uint64_t overflowed;                    /* GLOBAL_STATUS */
    uint64_t flags;                         /* GLOBAL_STATUS[63:58] */
    uint64_t pebs;                          /* PEBS_ENABLE */
    uint64_t ds_area;                       /* DS_AREA */
    uint64_t due;                           /* overflows that wait for their PEBS records */
    uint64_t slow;                          /* written with a lockup detector's period */
    uint64_t load_latency;                  /* MSR_PEBS_LD_LAT_THRESHOLD */
    uint64_t data_cfg;                      /* MSR_PEBS_DATA_CFG */
};

/**
 * struct vpmu_x86 - the whole state of one logical processor's PMU
 *
 * As for struct vpmu_arm: the caller owns the memory and may read the fields, which are as of the
 * last settling; only the library writes them.
 */
struct vpmu_x86 {
    struct vpmu_count count;
    struct vpmu_x86_config config;
    struct vpmu_x86_controls controls;
    struct vpmu_x86_regs regs;
    struct vpmu_x86_choice choice[VPMU_X86_MAX_COUNTERS]; /* not saved */
    uint64_t pmis; /* the number of PMIs since vpmu_x86_init(); not saved */
};

VPMU_STATIC_ASSERT(sizeof(struct vpmu_x86) <= 4096, "one PMU fits in a page");

/**
 * vpmu_x86_init() - make a PMU in its state after power-up
 * @v: memory for it, of any content.
 * @config: the configuration. It is checked and copied.
 * @totals: the machine's tallies. They must outlive @v.
 * @now: what the clocks show; NULL if they are all 0, or no source is timed.
 * @why: is set to the reason if the PMU is refused; may be NULL.
 *
 * VPMU_DUE_IRQ announces a performance monitoring interrupt (PMI), which is an edge. The processor
 * is assumed to be at CPL 0 of the host until vpmu_x86_set_context() is called.
 *
 * Return: 0, or -VPMU_ERR_CONFIG if the configuration is impossible, or @totals is NULL. @v is
 * unusable then.
 */
int vpmu_x86_init(struct vpmu_x86 *v, const struct vpmu_x86_config *config,
                  struct vpmu_x86_totals *totals, const struct vpmu_now *now, const char **why);

/**
 * vpmu_x86_reset() - perform a RESET of the processor
 * @now: what the clocks show; NULL if no source is timed.
 *
 * INIT does not change a PMU, so do not call this for INIT.
 *
 * Return: a mask of enum vpmu_due.
 * Source: SDM volume 3A, "Processor State After Reset"; APM volume 2, 14.1.3.
 */
int vpmu_x86_reset(struct vpmu_x86 *v, const struct vpmu_now *now);

/**
 * vpmu_x86_set_controls() - the state outside the PMU has changed
 * @controls: the complete new state. It is copied.
 * @now: as for vpmu_x86_reset().
 *
 * The events until now are settled under the old state.
 *
 * Return: a mask of enum vpmu_due.
 */
int vpmu_x86_set_controls(struct vpmu_x86 *v, const struct vpmu_x86_controls *controls,
                          const struct vpmu_now *now);

/**
 * vpmu_x86_needs_time() - tell whether a call that only settles needs the time
 *
 * Return: false if the @now of vpmu_x86_settle(), vpmu_x86_step(), vpmu_x86_sample(),
 * vpmu_x86_rdmsr() and vpmu_x86_rdpmc() may be NULL: no timed source is counted.
 */
static inline bool vpmu_x86_needs_time(const struct vpmu_x86 *v)
{
    return vpmu_count_needs_time_(&v->count);
}

/**
 * vpmu_x86_leaving_needs_time() - tell whether a change of context needs the time
 * @ctx: the new context.
 *
 * Return: false if the @now of vpmu_x86_set_context() may be NULL.
 */
static inline bool vpmu_x86_leaving_needs_time(const struct vpmu_x86 *v, enum vpmu_x86_ctx ctx)
{
    return vpmu_count_leaving_needs_time_(&v->count, ctx);
}

/**
 * vpmu_x86_set_context() - the processor now runs in another context
 * @ctx: the new context.
 * @now: what the clocks show; NULL unless vpmu_x86_leaving_needs_time().
 *
 * Has the same cost and effect as vpmu_arm_set_context(). Samples of observers that are due belong
 * to the context that is left: see vpmu_sample.ctx.
 *
 * Return: a mask of enum vpmu_due.
 */
int vpmu_x86_set_context(struct vpmu_x86 *v, enum vpmu_x86_ctx ctx, const struct vpmu_now *now);

/**
 * vpmu_x86_armed() - the sources that the machine must tally
 * @ctx: a context.
 *
 * Return: a mask of VPMU_SRC_BIT() of enum vpmu_x86_source: the sources that a counter or an
 * observer counts in @ctx now.
 */
vpmu_sources vpmu_x86_armed(const struct vpmu_x86 *v, enum vpmu_x86_ctx ctx);

/**
 * vpmu_x86_headroom() - by how much totals may increase before vpmu_x86_settle() must be called
 * @v: the PMU. If a source is timed and time has passed, call vpmu_x86_settle() first.
 * @sources: a mask of VPMU_SRC_BIT(). Counters that count any of these are considered.
 * @ctx: a context. Nothing must be counted in other contexts meanwhile.
 *
 * Considers the counters that cause a PMI or a PEBS record when they overflow, and the periods of
 * observers. Otherwise as vpmu_arm_headroom().
 *
 * Return: as for vpmu_arm_headroom().
 */
uint64_t vpmu_x86_headroom(const struct vpmu_x86 *v, vpmu_sources sources, enum vpmu_x86_ctx ctx);

/**
 * vpmu_x86_settle() - update counters, overflow flags and interrupts from the totals
 * @now: what the clocks show; NULL unless vpmu_x86_needs_time().
 *
 * The machine calls it when a headroom is used up.
 *
 * Return: a mask of enum vpmu_due.
 */
int vpmu_x86_settle(struct vpmu_x86 *v, const struct vpmu_now *now);

/**
 * vpmu_x86_sample() - find the samples of observers that are due, without settling counters
 * @now: what the clocks show; NULL unless vpmu_x86_needs_time().
 *
 * Return: a mask of enum vpmu_due.
 */
int vpmu_x86_sample(struct vpmu_x86 *v, const struct vpmu_now *now);

/**
 * vpmu_x86_step() - vpmu_x86_settle() for one instruction
 * @now: what the clocks show; NULL unless vpmu_x86_needs_time().
 *
 * The machine calls it after each instruction while a counter in the present context has a
 * condition on cycles (CMASK or EDGE). Only totals of the present context have increased since the
 * last call, and only by what one instruction counts for.
 *
 * Return: a mask of enum vpmu_due.
 */
int vpmu_x86_step(struct vpmu_x86 *v, const struct vpmu_now *now);

/**
 * vpmu_x86_follows_svme() - tell whether a counter depends on EFER.SVME
 *
 * The machine then calls vpmu_x86_set_controls() when EFER.SVME changes, before it executes the
 * next instruction.
 *
 * Return: true if a counter is enabled with GuestOnly or HostOnly.
 */
bool vpmu_x86_follows_svme(const struct vpmu_x86 *v);

/**
 * vpmu_x86_deadline() - when a counter of a timed source will overflow if the processor stays in
 *     its context
 * @v: the PMU. It need not be settled.
 * @rate: the rates of VPMU_X86_SRC_CYCLES and VPMU_X86_SRC_REF_CYCLES. The rate of a source that is
 *     not in vpmu_x86_config.timed is ignored.
 *
 * Call it again after VPMU_DUE_REARM and vpmu_x86_set_context(). At the deadline call
 * vpmu_x86_settle().
 *
 * Return: nanoseconds since the clock was 0, as for vpmu_arm_deadline().
 */
uint64_t vpmu_x86_deadline(const struct vpmu_x86 *v, const struct vpmu_rate rate[VPMU_CLOCK_COUNT]);

VPMU_DECLS_END

#endif

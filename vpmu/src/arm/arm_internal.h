/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_ARM_INTERNAL_H
#define VPMU_ARM_INTERNAL_H

#include "../count/arch.h"
#include "vpmu/arm/pmu.h"
#include "vpmu/arm/regs.h"

/* Cycles per count of PMCCNTR while PMCR.D is in effect. */
#define VPMU_DIVIDER VPMU_MAX_DIVIDER

_Static_assert(VPMU_MAX_EVENT_COUNTERS == VPMU_PACE_COUNT, "event counters can have thresholds");
_Static_assert(VPMU_INST_COUNTER + 1 == VPMU_COUNTER_COUNT, "counters");

static inline bool vpmu_has_(const struct vpmu_arm_config *config, unsigned features)
{
    return (config->features & features) == features;
}

/*
 * Everything that decides what the counters do. hpmn is MDCR_EL2.HPMN as it takes effect
 * (EffectiveHPMN). second are the event counters from hpmn up, which are reserved for EL2 (the
 * second range).
 */
struct vpmu_setup_ {
    const struct vpmu_arm_config *config;
    const struct vpmu_arm_controls *controls;
    const struct vpmu_arm_regs *regs;
    unsigned hpmn;
    uint64_t second;
};

static inline struct vpmu_setup_ vpmu_setup_(const struct vpmu_arm_config *config,
                                             const struct vpmu_arm_controls *controls,
                                             const struct vpmu_arm_regs *regs)
{
    unsigned n = config->counters;
    unsigned hpmn = (unsigned)(controls->mdcr_el2 & VPMU_MDCR_EL2_HPMN);

    hpmn = vpmu_has_(config, VPMU_HAS_EL2) && hpmn < n ? hpmn : n;
    return (struct vpmu_setup_){config, controls, regs, hpmn, vpmu_below_(n) & ~vpmu_below_(hpmn)};
}

static inline struct vpmu_setup_ vpmu_setup_of_(const struct vpmu_arm *v)
{
    return vpmu_setup_(&v->config, &v->controls, &v->regs);
}

/*
 * The event counters for which a control bit is set: in PMCR for the first range, in MDCR_EL2 for
 * the second.
 */
static inline uint64_t vpmu_ranges_(const struct vpmu_setup_ *s, uint64_t pmcr, uint64_t mdcr_el2)
{
    return (s->regs->pmcr & pmcr ? ~s->second : 0) |
           (s->controls->mdcr_el2 & mdcr_el2 ? s->second : 0);
}

/* The counters whose range is enabled. */
static inline uint64_t vpmu_global_(const struct vpmu_setup_ *s)
{
    return vpmu_ranges_(s, VPMU_PMCR_E, VPMU_MDCR_EL2_HPME);
}

/* The counters that freeze others when they overflow. */
static inline uint64_t vpmu_freezers_(const struct vpmu_setup_ *s)
{
    return s->config->version >= VPMU_V3P7 ? vpmu_ranges_(s, VPMU_PMCR_FZO, VPMU_MDCR_EL2_HPMFZO)
                                           : 0;
}

/* All counters that the PMU has. */
static inline uint64_t vpmu_implemented_(const struct vpmu_arm_config *config)
{
    return vpmu_below_(config->counters) | VPMU_BIT(VPMU_CYCLE_COUNTER) |
           (vpmu_has_(config, VPMU_HAS_ICNTR) ? VPMU_BIT(VPMU_INST_COUNTER) : 0);
}

/* The event that an event counter is programmed with. */
static inline uint16_t vpmu_event_of_(const struct vpmu_arm_regs *regs, unsigned idx)
{
    return (uint16_t)(regs->type[idx] & VPMU_TYPER_EVENT);
}

/* Whether an event counter is programmed with SAMPLE_POP, and the PMU has that event. */
static inline bool vpmu_is_population_(const struct vpmu_setup_ *s, unsigned idx)
{
    return s->config->samples && idx < s->config->counters &&
           vpmu_event_of_(s->regs, idx) == VPMU_EVENT_SAMPLE_POP;
}

/* The width of a counter and its mask. Event counters have 64 bits from PMUv3p5 on. */
static inline unsigned vpmu_counter_width_(const struct vpmu_arm_config *config, unsigned idx)
{
    return idx < VPMU_CYCLE_COUNTER && config->version < VPMU_V3P5 ? 32 : 64;
}

static inline uint64_t vpmu_counter_kept_(const struct vpmu_arm_config *config, unsigned idx)
{
    return UINT64_MAX >> (64 - vpmu_counter_width_(config, idx));
}

/* events.c: whether the machine tallies an event's sources, in any version of the architecture. */
bool vpmu_event_tallied_(const struct vpmu_arm_config *config, const struct vpmu_arm_event *event);

/* core_events.c: whether an event is one of those that only the core has. */
bool vpmu_event_is_own_(const struct vpmu_arm_config *config, const struct vpmu_arm_event *event);

/* core_events.c: whether a number has no meaning on this core but that of its own events. */
bool vpmu_event_is_reserved_(const struct vpmu_arm_config *config, uint16_t number);

/* core_events.c: the events that only the core has, one after the other; NULL after the last. */
const struct vpmu_arm_event *vpmu_event_own_(const struct vpmu_arm_config *config, size_t i);

/* event_needs.c: whether the machine has the core and the caches that an event needs. */
bool vpmu_event_machine_(const struct vpmu_arm_config *config, const struct vpmu_arm_event *event);

/* event_needs.c: the first version, enum vpmu_version, that has an event; 0: all have it. */
unsigned vpmu_event_version_(const struct vpmu_arm_config *config,
                             const struct vpmu_arm_event *event);

/* events.c: the sources of an event; 0 if this PMU does not count it. */
vpmu_sources vpmu_event_sources_(const struct vpmu_arm_config *config, uint16_t number);

/* fields.c: the writable bits of registers. */
uint64_t vpmu_pmcr_kept_(const struct vpmu_arm_config *config);
uint64_t vpmu_pmcr_fixed_(const struct vpmu_arm_config *config);
uint64_t vpmu_typer_kept_(const struct vpmu_arm_config *config, unsigned idx);
uint64_t vpmu_userenr_kept_(const struct vpmu_arm_config *config);

/* fields.c: the reset values of the registers. */
struct vpmu_arm_regs vpmu_regs_reset_(const struct vpmu_arm_config *config);

/* filter.c: the contexts in which a counter counts, all controls and filters considered. */
uint16_t vpmu_ctx_mask_(const struct vpmu_setup_ *s, unsigned idx);

/* filter.c: whether software has enabled this counter. */
bool vpmu_enabled_(const struct vpmu_setup_ *s, unsigned idx);

/* regs.c: vpmu_arm_reg_exists(). */
bool vpmu_exists_(const struct vpmu_arm_config *config, unsigned reg, bool aarch32);

/* access.c: vpmu_arm_reg_access(). */
enum vpmu_access vpmu_access_(const struct vpmu_setup_ *s, unsigned reg, const struct vpmu_pe *pe,
                              bool write);

/* access.c: the number of event counters that the PE can access. */
unsigned vpmu_accessible_(const struct vpmu_setup_ *s, const struct vpmu_pe *pe);

/*
 * access.c: the register that PMXEVCNTR or PMXEVTYPER selects; for other registers the register
 * itself.
 */
unsigned vpmu_selected_(const struct vpmu_arm_regs *regs, unsigned reg);

/* access.c: the event counter that a register belongs to, or -1. */
int vpmu_event_counter_of_(unsigned reg);

/* access.c: the bits that an access to a bitmap register can read, and those that it can change. */
uint64_t vpmu_read_mask_(const struct vpmu_setup_ *s, const struct vpmu_pe *pe);
uint64_t vpmu_write_mask_(const struct vpmu_setup_ *s, const struct vpmu_pe *pe);

/* access.c: the counters that PMSWINC can increment. */
uint64_t vpmu_swinc_mask_(const struct vpmu_setup_ *s, const struct vpmu_pe *pe);

/* access.c: whether PMUACR allows a read or a write of one counter's registers. */
bool vpmu_may_touch_(const struct vpmu_setup_ *s, const struct vpmu_pe *pe, unsigned idx,
                     bool write);

/* ids.c: PMCEID0, or PMCEID1 if @first is 32; and PMMIR. */
uint64_t vpmu_pmceid_(const struct vpmu_arm_config *config, unsigned announced, unsigned first);
uint64_t vpmu_pmmir_(const struct vpmu_arm_config *config, unsigned announced);

/* assignment.c: what a counter must do. */
struct vpmu_assignment_ vpmu_assignment_(const struct vpmu_setup_ *s, unsigned idx);

/* assignment.c: recomputes what some counters must do, and which counters are urgent. */
void vpmu_assign_all_(struct vpmu_count *c, const struct vpmu_setup_ *s, uint64_t changed);

/* update.c and state.c: Arm, for the counting core. */
extern const struct vpmu_arch vpmu_arm_;
extern const struct vpmu_state_format_ vpmu_arm_state_;

/* update.c: increments these counters by one, between vpmu_begin_() and vpmu_end_(). */
void vpmu_bump_(struct vpmu_arm *v, uint64_t counters);

/*
 * watch.c: call these if a watch is attached and a register was written, the controls changed, or
 * the whole state was replaced (reset or load). They return what is due.
 */
int vpmu_watch_written_(struct vpmu_arm *v, const struct vpmu_pe *pe, unsigned reg, uint64_t val,
                        const struct vpmu_now *now);
int vpmu_watch_controls_(struct vpmu_arm *v, const struct vpmu_now *now);
int vpmu_watch_restart_(struct vpmu_arm *v, const struct vpmu_now *now);

#endif

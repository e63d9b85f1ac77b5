/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_TESTS_MODEL_H
#define VPMU_TESTS_MODEL_H

#include "model_events.h"
#include "vpmu/arm/config.h"
#include "vpmu/arm/events.h"
#include "vpmu/arm/pmu.h"
#include "vpmu/arm/regs.h"

/*
 * The whole PMU of one PE, as simple-minded as the architecture's pseudocode: one event at a time,
 * each condition evaluated afresh for each event and each counter. It shares the library's enums
 * and constants, and none of its code or tables: what the two agree on was worked out twice.
 *
 * Sources: Arm ARM J1.1.1 (IncrementEventCounter, IncrementCycleCounter, PMUCycle), J1.3.1
 * (CountPMUEvents, GetPMUAccessMask, PMUEvent, ShouldPMUFreeze, ZeroPMUCounters), D24.5 and G8.4
 * (the registers and their accessors).
 */

/**
 * struct model - one PE's PMU, and what it depends on
 * @el: exception level where the PE runs.
 * @security: its security state; of no account at EL3.
 * @count: the counters, numbered as the library's.
 * @type: PMEVTYPER<n>, PMCCFILTR and PMICFILTR, without the latter's fixed evtCount.
 * @units_held: of counters of cycles, what is not a whole cycle yet, 0 to cycle_units - 1.
 *     Of counters that are paced, the slots of the cycle that goes on.
 * @cycles_held: cycles that PMCR.D keeps back, 0 to 63.
 * @owed: events that each counter has counted and that were taken back since: the next ones do not
 *     count.
 * @vb: of counters that are paced, PMUEventAccumulator.
 * @vm: what the counter below has counted since the last cycle ended, if it is linked.
 * @cp: PMULastThresholdValue.
 */
struct model {
    struct vpmu_config config;
    struct vpmu_controls controls;
    unsigned el;
    enum vpmu_security security;
    uint64_t pmcr;
    uint64_t cnten;
    uint64_t inten;
    uint64_t ovs;
    uint64_t userenr;
    uint64_t uacr;
    uint64_t selr;
    uint64_t count[VPMU_COUNTER_COUNT];
    uint64_t type[VPMU_COUNTER_COUNT];
    unsigned units_held[VPMU_COUNTER_COUNT];
    unsigned cycles_held;
    uint64_t owed[VPMU_COUNTER_COUNT];
    uint64_t vb[VPMU_MAX_EVENT_COUNTERS];
    uint64_t vm[VPMU_MAX_EVENT_COUNTERS];
    bool cp[VPMU_MAX_EVENT_COUNTERS];
};

/* What passes at once: an instruction, perhaps, and the stalls that it causes. */
struct model_passed {
    uint64_t units;
    uint64_t frontend;
    uint64_t backend;
    uint64_t slots;
};

/* What vpmu_init() and vpmu_reset() do. */
void model_init(struct model *m, const struct vpmu_config *config);
void model_reset(struct model *m);

/* Does the PE have any of these enum vpmu_pe_feature? */
static inline bool model_has(const struct model *m, unsigned features)
{
    return (m->config.features & features) != 0;
}

/* The effective value of MDCR_EL2.HPMN: how many event counters are in the first range. */
unsigned model_hpmn(const struct model *m);

/* Is there such a counter? 0 to VPMU_COUNTER_COUNT - 1. */
bool model_has_counter(const struct model *m, unsigned idx);

/* Moves the PE; @ctx as for vpmu_set_context(). */
void model_set_context(struct model *m, unsigned ctx);

/* CountPMUEvents: would the counter count its event, if it happened now and here? */
bool model_counts(const struct model *m, unsigned idx);

/* Does the machine tally all that this event is the sum of? Also true of SW_INCR and CHAIN. */
bool model_has_event(const struct model *m, unsigned number);

/* What the counter counts, a mask; 0 for SW_INCR, CHAIN and events that there are not. */
uint64_t model_sources(const struct model *m, unsigned idx);

/* Where the counter's overflow is: 32 or 64 bits. */
unsigned model_overflow_width(const struct model *m, unsigned idx);

/* One event happens now and here; of cycles, one unit passes. */
void model_event(struct model *m, enum vpmu_source source);

/* @n events, one after the other. As @n calls of model_event(), but quick between overflows. */
void model_events(struct model *m, enum vpmu_source source, uint64_t n);

/* The same for counters that are not paced, and of any source. */
void model_plain_events(struct model *m, enum vpmu_source source, uint64_t n);

/*
 * The last @n events of a source, here, have not happened after all, though counters show them. If
 * anything is paced here, not those that last.
 */
void model_take_back(struct model *m, enum vpmu_source source, uint64_t n);

/* Is the counter evaluated cycle by cycle: has it a threshold, or is it linked to one that has? */
bool model_is_paced(const struct model *m, unsigned idx);

/* The counters that are paced and count here. */
uint64_t model_paced_here(const struct model *m);

/*
 * Cycles pass for these counters, which are paced. @chained: model_chained() before anything of the
 * same instruction was counted.
 */
void model_pass(struct model *m, uint64_t counters, uint64_t chained,
                const struct model_passed *passed);

/* Something has changed: where a counter does not count there is no cycle before. */
void model_look(struct model *m);

/* The odd counters that would count a CHAIN event now. */
uint64_t model_chained(const struct model *m);

/* One count for each of these counters, at once; then for the odd ones of @chained above them. */
void model_count_once(struct model *m, uint64_t counters, uint64_t chained);

/* PMSWINC: one SW_INCR event for each of these counters that is configured to count it. */
void model_software_increment(struct model *m, uint64_t counters);

/* The level of the overflow interrupt line. */
bool model_irq(const struct model *m);

/* What vpmu_armed() returns. */
uint64_t model_armed(const struct model *m, unsigned ctx);

/* Does software that stands like this see the register at all, in this state of the PE? */
bool model_exists(const struct model *m, unsigned reg, bool aarch32);

/* The accessor pseudocode up to the point where the register is touched. */
enum vpmu_access model_access(const struct model *m, unsigned reg, const struct vpmu_pe *pe,
                              bool write);

/* How an instruction names it: as VPMU_ENC64() and its AArch32 forms make, VPMU_ENC_NONE if none
 * can. */
uint16_t model_encoding(unsigned reg, bool aarch32);

/* No register here, or none that can be read or written at all. */
bool model_is_impossible(const struct model *m, unsigned reg, bool aarch32, bool write);

/* PMUSERENR.UEN as it takes effect for an access at EL0. */
bool model_uen(const struct model *m, const struct vpmu_pe *pe);

/* GetPMUAccessMask, and GetPMUReadMask or GetPMUWriteMask of it. */
uint64_t model_access_mask(const struct model *m, const struct vpmu_pe *pe);
uint64_t model_read_mask(const struct model *m, const struct vpmu_pe *pe);
uint64_t model_write_mask(const struct model *m, const struct vpmu_pe *pe);

/* The event counter that PMEVCNTR<n>, PMEVTYPER<n>, PMXEVCNTR or PMXEVTYPER is about, else -1. */
int model_event_counter(const struct model *m, unsigned reg);

/* A permitted access. */
uint64_t model_read(const struct model *m, unsigned reg, const struct vpmu_pe *pe);
void model_write(struct model *m, unsigned reg, const struct vpmu_pe *pe, uint64_t val);

#endif

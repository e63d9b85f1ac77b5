/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_TESTS_MODEL_H
#define VPMU_TESTS_MODEL_H

#include "model_events.h"
#include "vpmu/arm/config.h"
#include "vpmu/arm/events.h"
#include "vpmu/arm/pmu.h"
#include "vpmu/arm/regs.h"

/*
 * A reference model of the whole PMU of one PE, as simple as the architecture's pseudocode: one
 * event at a time, with each condition evaluated again for each event and each counter. It shares
 * the library's enums and constants, but none of its code or tables, so the two are independent.
 *
 * Sources: Arm ARM J1.1.1 (IncrementEventCounter, IncrementCycleCounter, PMUCycle), J1.3.1
 * (CountPMUEvents, GetPMUAccessMask, PMUEvent, ShouldPMUFreeze, ZeroPMUCounters), D24.5 and G8.4
 * (the registers and their accessors).
 */

/**
 * struct model - one PE's PMU, and the state that it depends on
 * @el: the exception level of the PE.
 * @security: its security state; ignored at EL3.
 * @count: the counters, numbered as in the library.
 * @type: PMEVTYPER<n>, PMCCFILTR and PMICFILTR, without the latter's fixed evtCount.
 * @units_held: for counters of cycles, the units that are not a whole cycle yet, 0 to cycle_units -
 *     1. For paced counters, the slots of the current cycle.
 * @cycles_held: cycles that PMCR.D has not counted yet, 0 to 63.
 * @owed: events that each counter has counted and that were subtracted since. The next events do
 *     not count.
 * @vb: for paced counters, PMUEventAccumulator.
 * @vm: what the counter below has counted since the last cycle ended, if it is linked.
 * @cp: PMULastThresholdValue.
 */
struct model {
    struct vpmu_arm_config config;
    struct vpmu_arm_controls controls;
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

/* What happens at once: possibly an instruction, and the stalls that it causes. */
struct model_passed {
    uint64_t units;
    uint64_t frontend;
    uint64_t backend;
    uint64_t backend_slots;
    uint64_t frontend_slots;
};

/* Implements vpmu_arm_init() and vpmu_arm_reset(). */
void model_init(struct model *m, const struct vpmu_arm_config *config);
void model_reset(struct model *m);

/* Tells whether the PE has any of these enum vpmu_pe_feature. */
static inline bool model_has(const struct model *m, unsigned features)
{
    return (m->config.features & features) != 0;
}

/* The effective value of MDCR_EL2.HPMN: how many event counters are in the first range. */
unsigned model_hpmn(const struct model *m);

/* Tells whether a counter exists. @idx is 0 to VPMU_COUNTER_COUNT - 1. */
bool model_has_counter(const struct model *m, unsigned idx);

/* Moves the PE; @ctx as for vpmu_arm_set_context(). */
void model_set_context(struct model *m, unsigned ctx);

/* CountPMUEvents: tells whether the counter would count its event in the current state. */
bool model_counts(const struct model *m, unsigned idx);

/* Tells whether the machine tallies all sources of an event. Also true for SW_INCR and CHAIN. */
bool model_has_event(const struct model *m, unsigned number);

/*
 * The sources that the counter counts, as a mask; 0 for SW_INCR, CHAIN and events that do not
 * exist.
 */
vpmu_sources model_sources(const struct model *m, unsigned idx);

/* The width at which the counter overflows: 32 or 64 bits. */
unsigned model_overflow_width(const struct model *m, unsigned idx);

/* One event happens in the current state; for cycles, one unit passes. */
void model_event(struct model *m, unsigned source);

/*
 * @n events happen, one after the other. Equal to @n calls of model_event(), but fast between
 * overflows.
 */
void model_events(struct model *m, unsigned source, uint64_t n);

/* The same for counters that are not paced, for any source. */
void model_plain_events(struct model *m, unsigned source, uint64_t n);

/*
 * The last @n events of a source in this context are subtracted, though counters have counted them.
 * If a counter is paced here, the source must not be a lasting one.
 */
void model_take_back(struct model *m, unsigned source, uint64_t n);

/*
 * Tells whether the counter is evaluated cycle by cycle, because it has a threshold or is linked to
 * a counter that has one.
 */
bool model_is_paced(const struct model *m, unsigned idx);

/* The paced counters that count in this context. */
uint64_t model_paced_here(const struct model *m);

/*
 * Cycles pass for these paced counters. @chained: model_chained() before anything of the same
 * instruction was counted.
 */
void model_pass(struct model *m, uint64_t counters, uint64_t chained,
                const struct model_passed *passed);

/* Call this after a change of state: a counter that does not count forgets the previous cycle. */
void model_look(struct model *m);

/* The odd counters that would count a CHAIN event now. */
uint64_t model_chained(const struct model *m);

/*
 * Counts one for each of these counters at once, and then for the odd counters of @chained above
 * those that overflowed.
 */
void model_count_once(struct model *m, uint64_t counters, uint64_t chained);

/* PMSWINC: one SW_INCR event for each of these counters that is configured to count it. */
void model_software_increment(struct model *m, uint64_t counters);

/* SPE takes a sample in the current state; @passed: no filter rejects it. */
void model_sample(struct model *m, bool passed);

/* The level of the overflow interrupt line. */
bool model_irq(const struct model *m);

/* The result of vpmu_arm_armed(). */
vpmu_sources model_armed(const struct model *m, unsigned ctx);

/* Tells whether the register exists in this execution state. */
bool model_exists(const struct model *m, unsigned reg, bool aarch32);

/* The accessor pseudocode up to the access itself. */
enum vpmu_access model_access(const struct model *m, unsigned reg, const struct vpmu_pe *pe,
                              bool write);

/*
 * The encoding of the register, as VPMU_ENC64() and its AArch32 forms make it; VPMU_ENC_NONE if it
 * has none.
 */
uint16_t model_encoding(unsigned reg, bool aarch32);

/* Tells whether the register does not exist here, or never allows this kind of access. */
bool model_is_impossible(const struct model *m, unsigned reg, bool aarch32, bool write);

/* PMUSERENR.UEN as it takes effect for an access at EL0. */
bool model_uen(const struct model *m, const struct vpmu_pe *pe);

/* GetPMUAccessMask, and GetPMUReadMask or GetPMUWriteMask of it. */
uint64_t model_access_mask(const struct model *m, const struct vpmu_pe *pe);
uint64_t model_read_mask(const struct model *m, const struct vpmu_pe *pe);
uint64_t model_write_mask(const struct model *m, const struct vpmu_pe *pe);

/*
 * The event counter of PMEVCNTR<n>, PMEVTYPER<n>, PMXEVCNTR or PMXEVTYPER; -1 for other registers.
 */
int model_event_counter(const struct model *m, unsigned reg);

/* Performs an access that is allowed. */
uint64_t model_read(const struct model *m, unsigned reg, const struct vpmu_pe *pe);
void model_write(struct model *m, unsigned reg, const struct vpmu_pe *pe, uint64_t val);

#endif

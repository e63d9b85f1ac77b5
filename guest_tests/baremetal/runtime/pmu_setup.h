/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNTIME_PMU_SETUP_H
#define RUNTIME_PMU_SETUP_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/level.h"

/* ID_AA64DFR0_EL1.PMUVer, and PMCR_EL0.N as the highest level sees it; both 0 without a PMU. */
unsigned pmu_version(void);
unsigned pmu_counters(void);

/* Bits of PMCNTENSET and its like that exist: the event counters and the cycle counter. */
uint64_t pmu_mask(void);

/* PMEVTYPER filter bits with which events are counted at every level and in every state. */
uint64_t filter_everywhere(void);

/* All counters disabled and zero, no overflow, no interrupt, no access from EL0. */
void pmu_reset(void);

/* Sets PMEVTYPER<n>, zeroes and enables the counter, and PMCR.E (or HPME for n >= HPMN). */
void pmu_count(unsigned n, uint64_t type);

/* The same for INST_RETIRED in counter 0, everywhere, readable at EL0. */
void pmu_count_instructions(void);

/*
 * What the interrupt handler saw: how often, and where the first one was taken. It clears the
 * overflows, and stops the counters in stop_mask, so that its own instructions are not in the way.
 */
struct pmu_irq {
    unsigned count;
    uint64_t elr;
    uint64_t overflows;
    unsigned el;
    uint64_t stop_mask;
};

/* Routes the interrupt to a handler for this CPU and forgets earlier ones. */
struct pmu_irq *pmu_irq_watch(uint64_t stop_mask);

/* Whether the interrupt line of this CPU is high. */
bool pmu_irq_line(void);

#endif

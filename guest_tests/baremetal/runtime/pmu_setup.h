/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNTIME_PMU_SETUP_H
#define RUNTIME_PMU_SETUP_H

#include <stdbool.h>
#include <stdint.h>

#include "registers/pmu.h"
#include "runtime/level.h"

/*
 * ID_AA64DFR0_EL1.PMUVer, and PMCR_EL0.N as the highest level reads it. Without a PMU both are 0.
 */
static inline unsigned pmu_version(void)
{
    return (unsigned)FIELD(read_sysreg(id_aa64dfr0_el1), 8, 4);
}

static inline unsigned pmu_counters(void)
{
    return pmu_version() == 0 ? 0 : PMCR_N(read_sysreg(pmcr_el0));
}

/* Returns the implemented bits of PMCNTENSET: the event counters and the cycle counter. */
uint64_t pmu_mask(void);

/* The PMEVTYPER filter bits that count events at every level and in every state. */
uint64_t filter_everywhere(void);

/* Disables and zeroes all counters, clears overflows and interrupts, and denies EL0 access. */
void pmu_reset(void);

/* Sets PMEVTYPER<n>, zeroes and enables the counter, and sets PMCR.E (or HPME if n >= HPMN). */
void pmu_count(unsigned n, uint64_t type);

/* The same for INST_RETIRED in counter 0, counting everywhere and readable at EL0. */
void pmu_count_instructions(void);

/*
 * What the interrupt handler recorded: the number of interrupts, and where the first one was taken.
 * The handler clears the overflows and stops the counters in stop_mask, so that its own
 * instructions are not counted.
 */
struct pmu_irq {
    unsigned count;
    uint64_t elr;
    uint64_t overflows;
    unsigned el;
    uint64_t stop_mask;
};

/* Installs the interrupt handler on this CPU and clears what it recorded before. */
struct pmu_irq *pmu_irq_watch(uint64_t stop_mask);

/* Returns whether the interrupt line of this CPU is high. */
bool pmu_irq_line(void);

#endif

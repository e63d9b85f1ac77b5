/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pmc.h"

#include "vpmu/arm/pmu.h"

static uint64_t read_cycles(void)
{
    uint64_t value;

    __asm__ volatile("isb\n\tmrs %0, pmccntr_el0" : "=r"(value) : : "memory");
    return value;
}

static uint64_t read_event(uint64_t index)
{
    uint64_t value;

    __asm__ volatile("msr pmselr_el0, %1\n\tisb\n\tmrs %0, pmxevcntr_el0"
                     : "=r"(value)
                     : "r"(index)
                     : "memory");
    return value;
}

/*
 * The kernel may move the event to another counter between the two accesses. It then changes the
 * page's lock, and the caller tries again. Source: Linux, Documentation/arch/arm64/perf.rst.
 */
uint64_t kvm_glue_pmc_read_(unsigned index)
{
    return index == VPMU_CYCLE_COUNTER ? read_cycles() : read_event(index);
}

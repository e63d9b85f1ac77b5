/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime.h"

#define PMCR_P BIT(1)
#define PMCR_C BIT(2)
#define PMCR_LC BIT(6)
#define CYCLE_COUNTER 31

#define PMCR S3_3_C9_C12_0
#define PMOVSCLR S3_3_C9_C12_3
#define PMCNTENSET S3_3_C9_C12_1
#define PMCNTENCLR S3_3_C9_C12_2
#define PMINTENSET S3_0_C9_C14_1
#define PMINTENCLR S3_0_C9_C14_2
#define PMSELR S3_3_C9_C12_5
#define PMCCNTR S3_3_C9_C13_0
#define PMXEVTYPER S3_3_C9_C13_1
#define PMXEVCNTR S3_3_C9_C13_2
#define PMUSERENR S3_3_C9_C14_0

static unsigned counters(void)
{
    return (unsigned)FIELD(read_sysreg(PMCR), 11, 5);
}

void pmu_stop(void)
{
    write_sysreg(PMCR, PMCR_LC);
    write_sysreg(PMCNTENCLR, ~UINT64_C(0));
    write_sysreg(PMINTENCLR, ~UINT64_C(0));
    write_sysreg(PMOVSCLR, ~UINT64_C(0));
    isb();
}

/* Everything except what CONTROLS sets. The PMU is stopped. */
void pmu_set(void)
{
    unsigned n = counters();

    write_sysreg(PMCR, PMCR_P | PMCR_C | PMCR_LC);
    for (unsigned i = 0; i < n; i++) {
        write_sysreg(PMSELR, i);
        isb();
        write_sysreg(PMXEVTYPER, program->pmevtyper[i]);
        write_sysreg(PMXEVCNTR, program->pmevcntr[i]);
    }
}

void pmu_record(void)
{
    unsigned n = counters();

    result->pmovs = read_sysreg(PMOVSCLR);
    result->pmcr = read_sysreg(PMCR);
    result->pmcnten = read_sysreg(PMCNTENSET);
    result->pminten = read_sysreg(PMINTENSET);
    result->pmselr = read_sysreg(PMSELR);
    result->pmuserenr = read_sysreg(PMUSERENR);
    result->pmccntr = read_sysreg(PMCCNTR);
    for (unsigned i = 0; i < n; i++) {
        write_sysreg(PMSELR, i);
        isb();
        result->pmevcntr[i] = read_sysreg(PMXEVCNTR);
        result->pmevtyper[i] = read_sysreg(PMXEVTYPER);
    }
}

/*
 * Answers an interrupt: counters that overflowed start again, and after some interrupts no more
 * come. Returns which overflowed.
 */
uint64_t pmu_answer(void)
{
    uint64_t overflows = read_sysreg(PMOVSCLR);
    uint64_t selected = read_sysreg(PMSELR);
    unsigned n = counters();

    for (unsigned i = 0; i < n; i++) {
        if (overflows & BIT(i)) {
            write_sysreg(PMSELR, i);
            isb();
            write_sysreg(PMXEVCNTR, program->reload[i]);
        }
    }
    if (overflows & BIT(CYCLE_COUNTER)) {
        write_sysreg(PMCCNTR, program->reload[CYCLE_COUNTER]);
    }
    write_sysreg(PMSELR, selected);
    write_sysreg(PMOVSCLR, overflows);
    if (++result->interrupts >= program->interrupts) {
        write_sysreg(PMINTENCLR, ~UINT64_C(0));
    }
    isb();
    return overflows;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */

/* What a guest does with a PMU of its own, at its EL1. */
#include "hypervisor/job.h"
#include "registers/pmu.h"

uint64_t job_set_up(struct guest_job *job)
{
    uint64_t mask;

    job->counters = PMCR_N(read_sysreg(pmcr_el0));
    mask = BIT(job->counters) - 1;
    for (unsigned n = 0; n < job->counters; n++) {
        write_pmevtyper(n, job->type[n]);
        write_pmevcntr(n, job->start);
    }
    if (job->has_cycles) {
        write_sysreg(pmccfiltr_el0, job->cycle_type);
        write_sysreg(pmccntr_el0, 0);
        mask |= BIT(CYCLE_COUNTER);
    }
    write_sysreg(pmovsclr_el0, mask);
    write_sysreg(pmcr_el0, PMCR_E | PMCR_LC | job->pmcr);
    isb();
    return mask;
}

void job_read(struct guest_job *job)
{
    job->overflows = read_sysreg(pmovsset_el0);
    for (unsigned n = 0; n < job->counters; n++) {
        job->count[n] = read_pmevcntr(n);
    }
    job->cycles = job->has_cycles ? read_sysreg(pmccntr_el0) : 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HYPERVISOR_JOB_H
#define HYPERVISOR_JOB_H

#include "hypervisor/guest.h"

/*
 * Guests with a PMU of their own. Top down: job.c has the host run one; guest.S is its program,
 * which calls job_code.c for what it does with its PMU.
 */

/**
 * struct guest_job - what a guest with a PMU of its own is to do with it, and what it found
 * @type: of its event counters, as it is to write them.
 * @start: what they start from.
 * @pmcr: what it sets in PMCR_EL0 besides E and LC.
 * @has_cycles: the cycle counter is its own as well.
 * @cycle_type: PMCCFILTR_EL0 in that case.
 * @counters: PMCR_EL0.N as the guest reads it.
 * @count: what its counters have counted of the loop, and @start.
 * @overflows: PMOVSSET_EL0 after it.
 * @cycles: the same of PMCCNTR_EL0, or 0.
 */
struct guest_job {
    uint64_t type[31];
    uint64_t start;
    uint64_t pmcr;
    bool has_cycles;
    uint64_t cycle_type;
    uint64_t counters;
    uint64_t count[31];
    uint64_t overflows;
    uint64_t cycles;
};

/*
 * For host_call(); arg is a struct vcpu with a job. The guest programs its counters and leaves in
 * front of its loop; and goes through that once more, stops its counters and reads them.
 */
uint64_t job_begin(uint64_t vcpu);
uint64_t job_end(uint64_t vcpu);

/* At the guest's EL1. In job_code.c: job_set_up() returns what is to be enabled. */
uint64_t job_set_up(struct guest_job *job);
void job_read(struct guest_job *job);

/* At the guest's EL1. In guest.S: its program, and where that goes on to end it. */
void guest_program(void *job);
void guest_finish(void);

#endif

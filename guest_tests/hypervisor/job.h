/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HYPERVISOR_JOB_H
#define HYPERVISOR_JOB_H

#include "hypervisor/guest.h"

/*
 * Guests with a PMU of their own. From the top: in job.c the host runs one; guest.S is its program,
 * which calls job_code.c for what it does with its PMU.
 */

/**
 * struct guest_job - what a guest with a PMU of its own does with it, and what it found
 * @type: the type that it writes to its event counters.
 * @start: their start value.
 * @pmcr: what it sets in PMCR_EL0 besides E and LC.
 * @has_cycles: it has the cycle counter as well.
 * @cycle_type: PMCCFILTR_EL0 in that case.
 * @counters: PMCR_EL0.N as the guest reads it.
 * @count: what its counters have counted of the loop, plus @start.
 * @overflows: PMOVSSET_EL0 after the loop.
 * @cycles: the same as @count for PMCCNTR_EL0, or 0.
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
 * For host_call(). arg is a struct vcpu with a job. The guest programs its counters and exits
 * before its loop. Then it runs the loop once more, stops its counters and reads them.
 */
uint64_t job_begin(uint64_t vcpu);
uint64_t job_end(uint64_t vcpu);

/* Run at the guest's EL1. In job_code.c. job_set_up() returns the counters to be enabled. */
uint64_t job_set_up(struct guest_job *job);
void job_read(struct guest_job *job);

/* Run at the guest's EL1. In guest.S: its program, and where the program continues to end. */
void guest_program(void *job);
void guest_finish(void);

#endif

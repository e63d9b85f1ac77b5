/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HYPERVISOR_GUEST_H
#define HYPERVISOR_GUEST_H

#include "hypervisor/world.h"

/*
 * What guests execute. The counting loop is assembly whose instructions are counted by hand; the
 * host knows how many a guest has executed of it.
 */

/* HVC, an access that HCR_EL2.TID3 traps, and a WFI that HCR_EL2.TWI traps. */
enum guest_exit {
    EXIT_HVC,
    EXIT_SYSREG,
    EXIT_WFI,
    EXITS
};

extern const struct exit_kind guest_exits[EXITS];

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

/* A guest that has not run: no counters, in front of its loop, in which it leaves by HVC. */
void guest_reset(struct vcpu *v);

/* Which way it leaves next, and from then on. */
void guest_leave_by(struct vcpu *v, const struct exit_kind *kind);

/*
 * For host_call(); arg is a struct vcpu with a job. The guest programs its counters and leaves in
 * front of its loop; and goes through that once more, stops its counters and reads them.
 */
uint64_t guest_begin(uint64_t vcpu);
uint64_t guest_end(uint64_t vcpu);

/* At the first exit of fn(arg), which runs at the guest's EL1 and leaves by guest_leave(). */
void guest_start(struct vcpu *v, void (*fn)(void *arg), void *arg);

/* Before a run: how much it is to spend. */
void guest_ready(struct vcpu *v);

/* After a run: it was left as expected, and what it executed is added up. Steps over what trapped.
 */
void guest_account(struct vcpu *v);

/* In guest.S, at EL1. */
void guest_leave(void);
void guest_touch(void *unused);
void guest_program(void *job);
void guest_loop_entry(void);
void guest_exit_hvc(void);
void guest_exit_sysreg(void);
void guest_exit_wfi(void);
void guest_finish(void);

#endif

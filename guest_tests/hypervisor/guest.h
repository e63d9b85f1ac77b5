/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HYPERVISOR_GUEST_H
#define HYPERVISOR_GUEST_H

#include "hypervisor/world.h"

/*
 * What guests execute. The counting loop is assembly whose instructions are counted by hand, so the
 * host knows how many of them a guest has executed.
 */

/* HVC, an access that HCR_EL2.TID3 traps, and a WFI that HCR_EL2.TWI traps. */
enum guest_exit {
    EXIT_HVC,
    EXIT_SYSREG,
    EXIT_WFI,
    EXITS
};

extern const struct exit_kind guest_exits[EXITS];

/* A guest that has not run: without counters, before its loop, which it leaves by HVC. */
void guest_reset(struct vcpu *v);

/* Sets how it exits next, and from then on. */
void guest_leave_by(struct vcpu *v, const struct exit_kind *kind);

/* At the first exit of fn(arg), which runs at the guest's EL1 and exits by guest_leave(). */
void guest_start(struct vcpu *v, void (*fn)(void *arg), void *arg);

/* Before a run: sets how much the guest executes. loops is world.loops, here and below. */
void guest_ready(struct vcpu *v, const uint64_t loops[PLACES]);

/*
 * After a run: adds up what it executed, and steps over the instruction that trapped. Returns
 * whether it exited as expected.
 */
bool guest_account(struct vcpu *v, const uint64_t loops[PLACES]);

/* In guest.S, at EL1. */
void guest_leave(void);
void guest_touch(void *unused);
void guest_loop_entry(void);
void guest_exit_hvc(void);
void guest_exit_sysreg(void);
void guest_exit_wfi(void);

#endif

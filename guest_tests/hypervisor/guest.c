/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hypervisor/guest.h"

#include "registers/pmu.h"

/* EL1 with its own stack pointer and all exceptions masked. */
#define SPSR_EL1H UINT64_C(0x3c5)

/* Derived in guest.S. */
#define EL1_PER_RUN 13u
#define EL0_PER_RUN 1u
#define PER_ITERATION 2u

/* Indexes into x19_x29. */
#define X19 0u
#define X20 1u
#define X21 2u
#define X22 3u

const struct exit_kind guest_exits[EXITS] = {
    [EXIT_HVC] = {guest_exit_hvc, EC_HVC64, 1},
    [EXIT_SYSREG] = {guest_exit_sysreg, EC_SYSREG, 0},
    [EXIT_WFI] = {guest_exit_wfi, EC_WFX, 0},
};

void guest_leave_by(struct vcpu *v, const struct exit_kind *kind)
{
    v->exit = kind;
    v->x19_x29[X21] = (uintptr_t)kind->code;
}

void guest_reset(struct vcpu *v)
{
    v->pc = (uintptr_t)guest_loop_entry;
    v->pstate = SPSR_EL1H;
    v->x19_x29[X22] = SPSR_EL0;
    v->counting = true;
    guest_leave_by(v, &guest_exits[EXIT_HVC]);
}

void guest_start(struct vcpu *v, void (*fn)(void *arg), void *arg)
{
    v->x0_x18[0] = (uintptr_t)arg;
    v->pc = (uintptr_t)fn;
    v->pstate = SPSR_EL1H;
    v->counting = false;
    v->exit = &guest_exits[EXIT_HVC];
}

void guest_ready(struct vcpu *v, const uint64_t loops[PLACES])
{
    if (v->counting) {
        v->x19_x29[X19] = loops[GUEST_KERNEL];
        v->x19_x29[X20] = loops[GUEST_USER];
    }
}

bool guest_account(struct vcpu *v, const uint64_t loops[PLACES])
{
    if (!v->exit->executed) {
        v->pc += 4;
    }
    if (v->counting) {
        v->executed_el1 += EL1_PER_RUN + PER_ITERATION * loops[GUEST_KERNEL] + v->exit->executed;
        v->executed_el0 += EL0_PER_RUN + PER_ITERATION * loops[GUEST_USER];
    }
    return ESR_EC(v->esr) == v->exit->ec;
}

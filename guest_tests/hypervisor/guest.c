/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hypervisor/guest.h"

#include "registers/pmu.h"
#include "runtime/report.h"

/* EL1 with its own stack pointer, all exceptions masked. */
#define SPSR_EL1H UINT64_C(0x3c5)

/* Derived in guest.S. */
#define EL1_PER_RUN 13u
#define EL0_PER_RUN 1u
#define PER_ITERATION 2u

/* Elements of x19_x29. */
#define X19 0u
#define X20 1u
#define X21 2u
#define X22 3u

const struct exit_kind guest_exits[EXITS] = {
    [EXIT_HVC] = {guest_exit_hvc, EC_HVC64, 1},
    [EXIT_SYSREG] = {guest_exit_sysreg, EC_SYSREG, 0},
    [EXIT_WFI] = {guest_exit_wfi, EC_WFX, 0},
};

/* msr pmcntenclr_el0, after which nothing is counted. */
static const struct exit_kind finish = {guest_finish, EC_HVC64, 1};

uint64_t guest_set_up(struct guest_job *job);
void guest_read(struct guest_job *job);

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

static void run_once(struct vcpu *v)
{
    at_hyp(guest_load, (uintptr_t)v);
    at_hyp(guest_run, (uintptr_t)v);
    at_hyp(guest_put, (uintptr_t)v);
}

uint64_t guest_begin(uint64_t vcpu)
{
    struct vcpu *v = (struct vcpu *)vcpu;
    const struct exit_kind *exit = v->exit;

    guest_start(v, guest_program, v->job);
    run_once(v);
    v->exit = exit;
    v->counting = true;
    v->executed_el1 = 0;
    v->executed_el0 = 0;
    return 0;
}

uint64_t guest_end(uint64_t vcpu)
{
    struct vcpu *v = (struct vcpu *)vcpu;

    guest_leave_by(v, &finish);
    run_once(v);
    v->counting = false;
    return 0;
}

void guest_ready(struct vcpu *v)
{
    if (v->counting) {
        v->x19_x29[X19] = world.loops[GUEST_KERNEL];
        v->x19_x29[X20] = world.loops[GUEST_USER];
    }
}

void guest_account(struct vcpu *v)
{
    world.errors += ESR_EC(v->esr) != v->exit->ec;
    if (!v->exit->executed) {
        v->pc += 4;
    }
    if (v->counting) {
        v->executed_el1 +=
            EL1_PER_RUN + PER_ITERATION * world.loops[GUEST_KERNEL] + v->exit->executed;
        v->executed_el0 += EL0_PER_RUN + PER_ITERATION * world.loops[GUEST_USER];
    }
}

/* At the guest's EL1: returns what is to be enabled. */
uint64_t guest_set_up(struct guest_job *job)
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

void guest_read(struct guest_job *job)
{
    job->overflows = read_sysreg(pmovsset_el0);
    for (unsigned n = 0; n < job->counters; n++) {
        job->count[n] = read_pmevcntr(n);
    }
    job->cycles = job->has_cycles ? read_sysreg(pmccntr_el0) : 0;
}

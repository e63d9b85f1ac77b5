/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hypervisor/job.h"

#include "registers/pmu.h"

/* msr pmcntenclr_el0, after which nothing is counted. */
static const struct exit_kind finish = {guest_finish, EC_HVC64, 1};

static void run_once(struct vcpu *v)
{
    at_hyp(guest_load, (uintptr_t)v);
    at_hyp(guest_run, (uintptr_t)v);
    at_hyp(guest_put, (uintptr_t)v);
}

uint64_t job_begin(uint64_t vcpu)
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

uint64_t job_end(uint64_t vcpu)
{
    struct vcpu *v = (struct vcpu *)vcpu;

    guest_leave_by(v, &finish);
    run_once(v);
    v->counting = false;
    return 0;
}

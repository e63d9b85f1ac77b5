/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * The host's counters and a guest's own overflow at the size, and freeze at the overflow, that
 * PMCR_EL0 of their own side says, whatever PMCR_EL0 of the other side says.
 */
#include "hypervisor/job.h"
#include "hypervisor/tests.h"
#include "registers/pmu.h"
#include "runtime/pmu_setup.h"

/* This much is counted before the 33rd bit is needed. */
#define BEFORE 10u
#define LENT 2u

static struct event event;
static struct guest_job job;

/* PMCR_EL0's bits of one side, from the two lowest bits of a number. */
static uint64_t pmcr_bits(unsigned n)
{
    return (n & 1 ? PMCR_LP : 0) | (n & 2 ? PMCR_FZO : 0);
}

/* A frozen counter has counted the event that made it overflow, and nothing after it. */
static void expect_side(const char *side, unsigned n, unsigned index, uint64_t executed,
                        uint64_t value, bool overflowed)
{
    bool overflows = !(n & 1), freezes = overflows && (n & 2);

    expect_eq(side, index, overflows, overflowed);
    expect_eq(side, index + 100, freezes ? BIT(32) : BIT(32) - BEFORE + executed, value);
}

static void check_sides(unsigned host, unsigned guest)
{
    const struct scenario s = {.loads = 2, .runs = 6, .guests = 1, .events = &event, .n = 1};
    struct vcpu *v = &world.guest[0];
    unsigned index = host * 4 + guest;
    uint64_t host_executed;

    guest_reset(v);
    v->pmu.counters = LENT;
    v->job = &job;
    job = (struct guest_job){.start = BIT(32) - BEFORE, .pmcr = pmcr_bits(guest)};
    job.type[0] = EVENT_INST_RETIRED;
    job.type[1] = EVENT_SW_INCR;
    event_open(&event, ROW_GUEST, LENT);
    event.start = BIT(32) - BEFORE;
    host_call(job_begin, (uintptr_t)v);
    write_sysreg(pmcr_el0, PMCR_E | PMCR_LC | pmcr_bits(host));
    isb();
    scenario_run(&s);
    /* Including the msr that enables the guest's counters. */
    host_executed = v->executed_el1 + v->executed_el0 + 1;
    expect_side("host", host, index, host_executed, event.count,
                read_sysreg(pmovsset_el0) & BIT(LENT));
    write_sysreg(pmcr_el0, PMCR_E | PMCR_LC);
    write_sysreg(pmovsclr_el0, BIT(LENT));
    isb();
    host_call(job_end, (uintptr_t)v);
    expect_side("guest", guest, index, v->executed_el1 + v->executed_el0, job.count[0],
                job.overflows & 1);
}

static void check_overflow(enum vpmu_host_mode mode)
{
    unsigned combinations = pmu_version() >= PMUVER_V3P7 ? 4 : 2;

    world_start(mode);
    for (unsigned host = 0; host < combinations; host++) {
        for (unsigned guest = 0; guest < combinations; guest++) {
            check_sides(host, guest);
        }
    }
    expect_eq("errors", 0, 0, world.errors);
}

DEFINE_TESTS(test_overflow, check_overflow)

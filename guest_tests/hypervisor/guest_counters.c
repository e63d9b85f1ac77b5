/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * Guests with counters of their own run in turns. They count what they execute, which is known from
 * their loop. The host's counters beside them are as exact as without them.
 */
#include "hypervisor/job.h"
#include "hypervisor/tests.h"
#include "registers/pmu.h"
#include "runtime/pmu_setup.h"

#define LOADS 4u
#define RUNS 6u

/* The most counters that are lent: the host keeps some. */
#define LENT_MAX 4u

/* What guests count, and what a filter leaves of it. */
static const struct own_type {
    uint64_t filter;
    bool el1, el0;
} types[] = {
    {0, true, true},
    {PMEVTYPER_P, false, true},
    {PMEVTYPER_U, true, false},
    {PMEVTYPER_NSH, true, true},
    {PMEVTYPER_P | PMEVTYPER_U, false, false},
    {PMEVTYPER_P | PMEVTYPER_U | PMEVTYPER_NSH, false, false},
};

#define TYPES (sizeof(types) / sizeof(types[0]))

static struct guest_job jobs[GUESTS];

/* A guest may ask for EL2. A hypervisor can deny that only since MDCR_EL2.HPMD exists. */
static const struct own_type *type_of(unsigned guest, unsigned n)
{
    unsigned count = pmu_version() >= PMUVER_V3P1 ? TYPES : 3;

    return &types[(n + guest) % count];
}

static void lend(unsigned guest, unsigned counters, bool cycles)
{
    world.guest[guest].pmu.counters = (uint8_t)counters;
    world.guest[guest].pmu.cycles = cycles;
    world.guest[guest].job = &jobs[guest];
    jobs[guest] = (struct guest_job){.has_cycles = cycles};
    for (unsigned n = 0; n < counters; n++) {
        jobs[guest].type[n] = EVENT_INST_RETIRED | type_of(guest, n)->filter;
    }
}

static void check_guest(unsigned guest)
{
    const struct vcpu *v = &world.guest[guest];
    const struct guest_job *job = &jobs[guest];

    expect_eq("PMCR.N", guest, v->pmu.counters, job->counters);
    for (unsigned n = 0; n < job->counters; n++) {
        const struct own_type *type = type_of(guest, n);

        expect_eq("own counter", n + 100 * guest,
                  (type->el1 ? v->executed_el1 : 0) + (type->el0 ? v->executed_el0 : 0),
                  job->count[n]);
    }
    expect_eq("own cycles", guest, v->pmu.cycles, job->cycles != 0);
}

static void check_scenario(struct scenario *s, unsigned first_counter)
{
    for (unsigned guest = 0; guest < GUESTS; guest++) {
        host_call(job_begin, (uintptr_t)&world.guest[guest]);
    }
    /* A guest's first run is longer than the others, so it is not compared. */
    scenario_run(s);
    if (first_counter < pmu_counters()) {
        for (enum place place = 0; place < PLACES; place++) {
            check_rows(s, first_counter, place);
        }
    }
    for (unsigned guest = 0; guest < GUESTS; guest++) {
        host_call(job_end, (uintptr_t)&world.guest[guest]);
        check_guest(guest);
    }
    expect_eq("errors", 0, 0, world.errors);
}

/* Each guest has two counters and cycles, and exits in one way only. */
static void check_exits(enum vpmu_host_mode mode, enum guest_exit exit)
{
    struct scenario s = {.loads = LOADS, .runs = RUNS, .guests = GUESTS};

    world_start(mode);
    use_long_windows();
    for (unsigned guest = 0; guest < GUESTS; guest++) {
        lend(guest, 2, true);
        guest_leave_by(&world.guest[guest], &guest_exits[exit]);
    }
    check_scenario(&s, 2);
}

/* One guest has more counters than the other, and no cycles. The kinds of exit are mixed. */
static void check_uneven(enum vpmu_host_mode mode, bool all)
{
    struct scenario s = {.loads = LOADS, .runs = RUNS, .guests = GUESTS, .all_exits = true};
    unsigned most = all || pmu_counters() < LENT_MAX ? pmu_counters() : LENT_MAX;

    world_start(mode);
    use_long_windows();
    lend(0, most, true);
    lend(1, 1, false);
    check_scenario(&s, most);
}

/* Guests that do not touch what they are lent, PMCR_EL0.E included. */
static void check_unused(enum vpmu_host_mode mode)
{
    struct scenario s = {.loads = LOADS, .runs = RUNS, .guests = GUESTS};

    world_start(mode);
    use_long_windows();
    for (unsigned guest = 0; guest < GUESTS; guest++) {
        lend(guest, 2, true);
    }
    for (enum place place = 0; place < PLACES; place++) {
        check_rows(&s, 2, place);
    }
}

DEFINE_TESTS(test_own_hvc, check_exits, EXIT_HVC)
DEFINE_TESTS(test_own_trap, check_exits, EXIT_SYSREG)
DEFINE_TESTS(test_own_wfi, check_exits, EXIT_WFI)
DEFINE_TESTS(test_own_uneven, check_uneven, false)
DEFINE_TESTS(test_own_all, check_uneven, true)
DEFINE_TESTS(test_own_unused, check_unused)

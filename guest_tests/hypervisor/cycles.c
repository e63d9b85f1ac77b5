/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * The cycle counter, the host's and a guest's own. Time is not exact. But if one place takes nearly
 * all of it, a counter counts either nearly all of it or nearly nothing.
 */
#include "hypervisor/job.h"
#include "hypervisor/tests.h"
#include "registers/pmu.h"
#include "runtime/pmu_setup.h"

/* Iterations in the place that takes long. */
#define LONG 300000u

/* The emulator's host may have done other work during a place that takes no time. */
#define TRIES 10u

/* The value of the cycle counter. */
#define HZ UINT64_C(1000000000)

static struct event event;
static struct guest_job job;

static const struct scenario once = {.loads = 1, .runs = 1, .guests = 1, .events = &event, .n = 1};
/* Several runs: a guest's counters are not yet on in the first and no longer on in the last. */
static const struct scenario uncounted = {.loads = 1, .runs = 4, .guests = 1};

/* In nanoseconds. */
static uint64_t time_now(void)
{
    isb();
    return read_sysreg(cntvct_el0) * (HZ / read_sysreg(cntfrq_el0));
}

/* The shares of the time that are counted, in hundredths. */
static uint64_t host_share(void)
{
    uint64_t start = time_now();

    scenario_run(&once);
    return event.count * 100 / (time_now() - start);
}

static uint64_t guest_share(void)
{
    uint64_t start;

    guest_reset(&world.guest[0]);
    host_call(job_begin, (uintptr_t)&world.guest[0]);
    start = time_now();
    scenario_run(&uncounted);
    host_call(job_end, (uintptr_t)&world.guest[0]);
    return job.cycles * 100 / (time_now() - start);
}

/* The hundredths that are nearly nothing, and nearly all: some code runs first. */
#define LITTLE 25u
#define MUCH 60u

static void check_share(uint64_t (*share)(void), enum place place, uint64_t index, bool counts)
{
    uint64_t got;

    world.loops[place] = LONG;
    for (unsigned i = 0; i < TRIES; i++) {
        got = share();
        if (counts ? got >= MUCH : got <= LITTLE) {
            break;
        }
    }
    world.loops[place] = 1;
    expect_range(place_names[place], index, counts ? MUCH : 0, counts ? 100 : LITTLE, got);
}

static void check_host(enum vpmu_host_mode mode)
{
    world_start(mode);
    use_long_windows();
    for (unsigned row = 0; row < ROWS; row++) {
        event_open(&event, row, CYCLE_COUNTER);
        for (enum place place = 0; place < PLACES; place++) {
            check_share(host_share, place, row, event_counts(&event.attr, place));
        }
    }
    expect_eq("errors", 0, 0, world.errors);
}

/* Since MDCR_EL2.HCCD exists, cycles of EL2 are not counted even if the guest asks for them. */
static void check_own(enum vpmu_host_mode mode)
{
    unsigned filters = pmu_version() >= PMUVER_V3P5 ? 2 : 1;

    world_start(mode);
    use_long_windows();
    world.guest[0].pmu.counters = 1;
    world.guest[0].pmu.cycles = true;
    world.guest[0].job = &job;
    for (unsigned i = 0; i < filters; i++) {
        job = (struct guest_job){.has_cycles = true, .cycle_type = i ? PMEVTYPER_NSH : 0};
        for (enum place place = 0; place < PLACES; place++) {
            check_share(guest_share, place, i, place == GUEST_KERNEL || place == GUEST_USER);
        }
    }
    expect_eq("errors", 0, 0, world.errors);
}

DEFINE_TESTS(test_cycles, check_host)
DEFINE_TESTS(test_own_cycles, check_own)

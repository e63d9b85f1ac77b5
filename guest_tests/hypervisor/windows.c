/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * The size of an nVHE host's windows, in which its own counters are off. One counter counts EL2 and
 * is never switched. Another counts EL2 for the host alone. The difference is the windows.
 */
#include "hypervisor/info.h"
#include "hypervisor/tests.h"
#include "runtime/console.h"

#define LOADS 20u
#define RUNS 20u
#define TIMES ((uint64_t)LOADS * RUNS)

/* Excluding user and kernel, and guests. */
#define ROW_EL2 24u
#define ROW_EL2_HOST 25u

/*
 * From the exception up to and including first_step_reading's first read: 16 in world.S, and
 * itself.
 */
#define INSTRUCTIONS_TO_READ 17u

/* Instructions in a window: registers are loaded or stored in pairs, and as many again. */
#define LARGEST 32u

/* The two counters, with or without one that counts guests. */
static struct event events[3];

static uint64_t difference(uint64_t el2, uint64_t el2_host)
{
    return el2 - el2_host;
}

/* All windows of a scenario. Of the last window, only the part before first_step_reading's read. */
struct sums {
    uint64_t all, until_read;
};

static struct sums sums_with(step_fn first, bool guest_too)
{
    const struct scenario s = {
        .loads = LOADS, .runs = RUNS, .guests = GUESTS, .events = events, .n = guest_too ? 3 : 2};

    for (unsigned guest = 0; guest < GUESTS; guest++) {
        world.guest[guest].first = first;
    }
    scenario_run(&s);
    return (struct sums){difference(events[0].count, events[1].count),
                         difference(windows_read[0], windows_read[1])};
}

uint64_t measure_windows(bool guest_too)
{
    struct sums plain;

    event_open(&events[0], ROW_EL2, WINDOWS_EL2);
    event_open(&events[1], ROW_EL2_HOST, WINDOWS_EL2_HOST);
    event_open(&events[2], ROW_GUEST, WINDOWS_GUEST);
    plain = sums_with(first_step, guest_too);
    expect_eq("all alike", 0, 0, plain.all % TIMES);
    return plain.all / TIMES;
}

/* What there is to switch: always a counter of the host. */
static const struct window_case {
    const char *name;
    bool guest_too;
    unsigned lent;
} cases[] = {
    {"host", false, 0},
    {"host-guest", true, 0},
    {"own-host-guest", true, 2},
};

static void print_window(const char *which, const struct window_case *c, uint64_t size)
{
    console_puts("INFO window.nvhe.");
    console_puts(which);
    console_puts(".");
    console_puts(c->name);
    console_puts(" ");
    info_number(size);
    console_puts("\n");
}

static void check_windows(const struct window_case *c)
{
    uint64_t both, entry;
    struct sums reading;

    for (unsigned guest = 0; guest < GUESTS; guest++) {
        world.guest[guest].pmu.counters = (uint8_t)c->lent;
    }
    both = measure_windows(c->guest_too);
    reading = sums_with(first_step_reading, c->guest_too);
    expect_eq("all alike", 1, 0, reading.all % TIMES);
    entry = reading.until_read - INSTRUCTIONS_TO_READ - reading.all / TIMES * (TIMES - 1);
    print_window("entry", c, entry);
    print_window("exit", c, both - entry);
    expect_range("entry", c->lent, 1, LARGEST, entry);
    expect_range("exit", c->lent, INSTRUCTIONS_TO_READ, LARGEST, both - entry);
}

void test_window_size_nvhe(void)
{
    world_start(VPMU_HOST_NVHE);
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check_windows(&cases[i]);
    }
    expect_eq("errors", 0, 0, world.errors);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * Many entries with the three kinds of counter that perf knows: of the host, of guests, and of
 * both. They are between two marks, so that a meter outside can count the same. A phase without
 * entries measures what the marks themselves cost.
 */
#include "hypervisor/info.h"
#include "hypervisor/tests.h"
#include "runtime/bootargs.h"
#include "runtime/console.h"

/* Unless the boot argument "loads" gives the number. */
#define LOADS 1000u
#define RUNS 100u

enum {
    H,
    G,
    HG,
    KINDS
};

static struct event events[KINDS];

static void print_counts(const char *name, uint64_t entries)
{
    const uint64_t numbers[] = {events[H].count, events[G].count, events[HG].count, entries};
    static const char *const keys[] = {" H=", " G=", " HG=", " entries="};

    console_puts("INFO counts.");
    console_puts(is_vhe() ? "vhe" : "nvhe");
    console_puts(name);
    for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        console_puts(keys[i]);
        info_number(numbers[i]);
    }
    console_puts("\n");
}

static void phase(const char *name, unsigned loads)
{
    const struct scenario s = {.loads = loads,
                               .runs = RUNS,
                               .guests = GUESTS,
                               .all_exits = true,
                               .events = events,
                               .n = KINDS};
    const char *mode = is_vhe() ? "vhe" : "nvhe";

    mark(mode, name, ".begin");
    scenario_run(&s);
    mark(mode, name, ".end");
    print_counts(name, (uint64_t)loads * RUNS);
}

static uint64_t executed_by_guests(void)
{
    uint64_t sum = 0;

    for (unsigned guest = 0; guest < GUESTS; guest++) {
        sum += world.guest[guest].executed_el1 + world.guest[guest].executed_el0;
    }
    return sum;
}

static void check_phases(enum vpmu_host_mode mode)
{
    uint64_t windows, both, executed, loads = LOADS;

    bootarg("loads", &loads);
    world_start(mode);
    both = is_vhe() ? 0 : measure_windows(true);
    event_open(&events[H], ROW_HOST, H);
    event_open(&events[G], ROW_GUEST, G);
    event_open(&events[HG], ROW_ALL, HG);
    phase(".none", 0);
    expect_eq("none: G", 0, 0, events[G].count);
    expect_eq("none: H", 0, events[HG].count, events[H].count);
    executed = executed_by_guests();
    phase(".runs", (unsigned)loads);
    executed = executed_by_guests() - executed;
    windows = events[HG].count - events[H].count - events[G].count;
    expect_eq("G", 0, executed, events[G].count);
    expect_eq("HG - H - G", 0, loads * RUNS * both, windows);
    expect_eq("errors", 0, 0, world.errors);
}

DEFINE_TESTS(test_phases, check_phases)

/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * Every attribute on either host. In each place, exactly what should be counted is counted. The
 * glue around the places is compiled and has an unknown length, so two scenarios are compared that
 * differ only in the length of one place's loop.
 */
#include "hypervisor/tests.h"
#include "runtime/pmu_setup.h"

#define LOADS 10u
#define RUNS 12u

static struct event events[ROWS];

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* All rows, as many at a time as there are counters from the first one on. */
void check_rows(struct scenario *s, unsigned first_counter, enum place place)
{
    unsigned room = pmu_counters() - first_counter;

    s->events = events;
    for (unsigned row = 0; row < ROWS; row += s->n) {
        s->n = smaller(room, ROWS - row);
        events_open(events, s->n, row, first_counter);
        scenario_check_place(s, place);
    }
}

void use_long_windows(void)
{
    for (unsigned n = 0; n < GUESTS; n++) {
        world.guest[n].last = last_step_spending;
        world.guest[n].first = first_step_spending;
    }
}

static void check_places(enum vpmu_host_mode mode, enum place from, enum place to)
{
    struct scenario s = {.loads = LOADS, .runs = RUNS, .guests = GUESTS};

    world_start(mode);
    use_long_windows();
    for (enum place place = from; place <= to; place++) {
        check_rows(&s, 0, place);
    }
}

/* Events are started, stopped, or both, while a guest is loaded. */
static void check_loaded(enum vpmu_host_mode mode)
{
    world_start(mode);
    use_long_windows();
    for (unsigned i = 1; i < 4; i++) {
        struct scenario s = {.loads = 2, .runs = 3, .guests = GUESTS};

        s.start_loaded = i & 1;
        s.stop_loaded = i & 2;
        for (enum place place = 0; place < PLACES; place++) {
            check_rows(&s, 0, place);
        }
    }
}

/*
 * Counts in whole. What guests execute is known. Of the host, its EL0 is known: 2 instructions and
 * svc each time. All of it is between the start and the stop of the events.
 */
static const struct total {
    unsigned row; /* as in struct event */
    bool guest_el1, guest_el0, host_el0;
} totals[] = {
    {2, true, true, false},
    {8 + 2, false, true, false},
    {16 + 2, true, false, false},
    {4 + 2, true, true, false},
    {8 + 4 + 1, false, false, true},
    {8 + 4, false, true, true},
    {16 + 8 + 2, false, false, false},
    {2 + 1, false, false, false},
};

static void check_total(const struct total *total)
{
    struct scenario s = {.loads = LOADS, .runs = RUNS, .guests = GUESTS, .all_exits = true};
    uint64_t el1 = 0, el0 = 0, host_el0 = 3 * scenario_visits(&s, HOST_USER);

    s.events = events;
    s.n = 1;
    event_open(&events[0], total->row, 0);
    for (unsigned n = 0; n < GUESTS; n++) {
        el1 -= world.guest[n].executed_el1;
        el0 -= world.guest[n].executed_el0;
    }
    scenario_run(&s);
    for (unsigned n = 0; n < GUESTS; n++) {
        el1 += world.guest[n].executed_el1;
        el0 += world.guest[n].executed_el0;
    }
    expect_eq("total", total->row,
              total->guest_el1 * el1 + total->guest_el0 * el0 + total->host_el0 * host_el0,
              events[0].count);
}

static void check_totals(enum vpmu_host_mode mode)
{
    world_start(mode);
    for (unsigned i = 0; i < sizeof(totals) / sizeof(totals[0]); i++) {
        check_total(&totals[i]);
    }
    expect_eq("errors", 0, 0, world.errors);
}

DEFINE_TESTS(test_host_user, check_places, HOST_USER, HOST_USER)
DEFINE_TESTS(test_host_kernel, check_places, HOST_KERNEL, HOST_KERNEL)
DEFINE_TESTS(test_outside, check_places, HYP_BEFORE, HYP_AFTER)
DEFINE_TESTS(test_window, check_places, WINDOW_ENTRY, WINDOW_EXIT)
DEFINE_TESTS(test_guest_kernel, check_places, GUEST_KERNEL, GUEST_KERNEL)
DEFINE_TESTS(test_guest_user, check_places, GUEST_USER, GUEST_USER)
DEFINE_TESTS(test_loaded, check_loaded)
DEFINE_TESTS(test_totals, check_totals)

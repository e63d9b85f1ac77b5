/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hypervisor/scenario.h"

#include "runtime/report.h"

/* The number of iterations, of two instructions each, by which a place's loop is made longer. */
#define LONGER 50u
#define PER_ITERATION 2u

static void run_guest(const struct scenario *s, struct vcpu *v)
{
    for (unsigned run = 0; run < s->runs; run++) {
        if (s->all_exits) {
            guest_leave_by(v, &guest_exits[run % EXITS]);
        }
        spend_at(HOST_KERNEL);
        at_hyp(guest_run, (uintptr_t)v);
    }
}

static void load_and_run(const struct scenario *s, unsigned load)
{
    struct vcpu *v = &world.guest[load % s->guests];

    host_user(world.loops[HOST_USER]);
    spend_at(HOST_KERNEL);
    at_hyp(guest_load, (uintptr_t)v);
    if (s->start_loaded && load == 0) {
        events_start(s->events, s->n);
    }
    run_guest(s, v);
    if (s->stop_loaded && load == s->loads - 1) {
        events_stop(s->events, s->n);
    }
    at_hyp(guest_put, (uintptr_t)v);
    spend_at(HOST_KERNEL);
    host_user(world.loops[HOST_USER]);
}

static uint64_t host(uint64_t arg)
{
    const struct scenario *s = (const struct scenario *)arg;

    if (!s->start_loaded) {
        events_start(s->events, s->n);
    }
    for (unsigned load = 0; load < s->loads; load++) {
        load_and_run(s, load);
    }
    if (!s->stop_loaded) {
        events_stop(s->events, s->n);
    }
    return 0;
}

void scenario_run(const struct scenario *s)
{
    host_call(host, (uintptr_t)s);
}

uint64_t scenario_visits(const struct scenario *s, enum place place)
{
    uint64_t runs = (uint64_t)s->loads * s->runs;
    uint64_t outside = 2 * (uint64_t)s->loads - s->start_loaded - s->stop_loaded;

    switch (place) {
    case HOST_USER:
        return outside;
    case HOST_KERNEL:
        return outside + runs;
    default:
        return runs;
    }
}

void scenario_check_place(const struct scenario *s, enum place place)
{
    uint64_t more = PER_ITERATION * LONGER * scenario_visits(s, place);
    uint64_t base[ROWS];

    scenario_run(s);
    for (unsigned i = 0; i < s->n; i++) {
        base[i] = s->events[i].count;
    }
    world.loops[place] += LONGER;
    scenario_run(s);
    world.loops[place] -= LONGER;
    for (unsigned i = 0; i < s->n; i++) {
        const struct event *e = &s->events[i];

        expect_eq(place_names[place], e->row, event_counts(&e->attr, place) ? more : 0,
                  e->count - base[i]);
    }
    expect_eq("errors", place, 0, world.errors);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HYPERVISOR_SCENARIO_H
#define HYPERVISOR_SCENARIO_H

#include "hypervisor/guest.h"
#include "hypervisor/perf.h"

/**
 * struct scenario - a host that counts while it runs guests
 * @loads: how often a guest is loaded and put. The host's EL0 runs before and after.
 * @runs: how often the guest runs each time.
 * @guests: how many of world.guest are loaded in turns.
 * @all_exits: they exit in every way in turn; otherwise as they are set to.
 * @start_loaded: the events are started with the first guest loaded; otherwise before.
 * @stop_loaded: they are stopped with the last guest still loaded; otherwise after.
 * @events: what is counted; n of them.
 */
struct scenario {
    unsigned loads, runs, guests;
    bool all_exits;
    bool start_loaded, stop_loaded;
    struct event *events;
    unsigned n;
};

/* Called by a test. */
void scenario_run(const struct scenario *s);

/* Returns how often world.loops of a place is spent while the events count. */
uint64_t scenario_visits(const struct scenario *s, enum place place);

/*
 * Runs the scenario twice, once with a longer loop in one place. Expects that each event has
 * counted exactly that much more, or nothing.
 */
void scenario_check_place(const struct scenario *s, enum place place);

#endif

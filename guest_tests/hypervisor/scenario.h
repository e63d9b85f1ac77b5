/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HYPERVISOR_SCENARIO_H
#define HYPERVISOR_SCENARIO_H

#include "hypervisor/guest.h"
#include "hypervisor/perf.h"

/**
 * struct scenario - a host that counts while it runs guests
 * @loads: how often a guest is loaded and put; the host's EL0 runs before and after.
 * @runs: how often it runs each time.
 * @guests: how many of world.guest take turns at being loaded.
 * @all_exits: they leave in every way in turn, else as they are set to.
 * @start_loaded: the events are started with the first guest loaded, else before.
 * @stop_loaded: they are stopped with the last guest still loaded, else after.
 * @events: what is counted; n of them.
 */
struct scenario {
    unsigned loads, runs, guests;
    bool all_exits;
    bool start_loaded, stop_loaded;
    struct event *events;
    unsigned n;
};

/* From a test. */
void scenario_run(const struct scenario *s);

/* How often world.loops of a place is spent while the events count. */
uint64_t scenario_visits(const struct scenario *s, enum place place);

/*
 * Runs it twice, once with a place's loop longer, and expects of each event that it has counted
 * just that more, or nothing.
 */
void scenario_check_place(const struct scenario *s, enum place place);

#endif

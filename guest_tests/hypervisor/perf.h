/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HYPERVISOR_PERF_H
#define HYPERVISOR_PERF_H

#include "hypervisor/world.h"

/*
 * What a host's kernel does for perf events: it compiles their attributes, starts and stops their
 * counters, and tells the hypervisor which are to be switched. All count INST_RETIRED or cycles.
 */

/* All that an event can exclude: exclude_user, _kernel, _hv, _host, _guest; the last is bit 0. */
#define ROWS 32u

#define ROW_HOST 1u  /* :H */
#define ROW_GUEST 2u /* :G */
#define ROW_ALL 0u

/**
 * struct event - an event on its counter
 * @row: what it excludes, as bits.
 * @counter: the event counter that it is on, or CYCLE_COUNTER.
 * @start: its start value.
 * @count: the start value plus what was counted from its start to its stop.
 */
struct event {
    unsigned row;
    unsigned counter;
    struct vpmu_attr attr;
    struct vpmu_plan plan;
    uint64_t start;
    uint64_t count;
};

/* Puts rows first to first + n - 1 on counters from first_counter on. */
void events_open(struct event *events, unsigned n, unsigned first, unsigned first_counter);
void event_open(struct event *e, unsigned row, unsigned counter);

/* In the host's kernel: start all at once, and stop all at once. */
void events_start(const struct event *events, unsigned n);
void events_stop(struct event *events, unsigned n);

/* Returns whether a place is to be counted, from the meaning of the attributes. */
bool event_counts(const struct vpmu_attr *attr, enum place place);

extern const char *const place_names[PLACES];

#endif

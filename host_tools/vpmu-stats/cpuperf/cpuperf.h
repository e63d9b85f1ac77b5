/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_CPUPERF_H
#define VPMU_STATS_CPUPERF_H

#include <stdint.h>

#include "cpuperf/categories.h"
#include "machine/events.h"
#include "base/error.h"

/* All fixed categories with one event each, including the timebase, and one that is not fixed. */
#define CPUPERF_EVENTS (CATEGORY_EVENTS + 8u)

/**
 * struct cpuperf - what a session of Fuchsia's cpuperf records; all 0 at first
 * @rate: number of events between two samples; 0 for a tally.
 * @tally: record only totals, at the end.
 * @timebase: only event[0] is sampled, and each of its samples has the counts of all events. If it
 *     is NULL, each event is sampled on its own.
 * @programmable: the only category that is not fixed, or NULL.
 * @os, @user: record above EL0 and at EL0. If neither is set, record both.
 * @pc: samples have an address.
 * @event: the events, in the order of recording. Set by cpuperf_end().
 * @n: number of events.
 */
struct cpuperf {
    uint64_t rate;
    bool tally;
    const struct category *timebase;
    const struct category *programmable;
    bool os;
    bool user;
    bool pc;
    const struct category_event *event[CPUPERF_EVENTS];
    size_t n;
};

/**
 * cpuperf_add() - add a list of categories and options
 * @list: for example "cpu:fixed:cycle_counter,cpu:arch:llc,cpu:sample:10000".
 *
 * Return: 0, or -1 with ERROR_USAGE if a name is unknown or two names exclude each other.
 */
int cpuperf_add(struct cpuperf *c, const char *list, struct error *t);

/**
 * cpuperf_end() - check the complete session and add its events
 * @events: the events are added here, in the order of c->event. Call events_free() in any case.
 *
 * Return: 0, or -1 with ERROR_USAGE.
 */
int cpuperf_end(struct cpuperf *c, struct events *events, struct error *t);

#endif

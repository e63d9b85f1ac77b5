/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_CPUPERF_H
#define VPMU_STATS_CPUPERF_H

#include <stdint.h>

#include "record/categories.h"
#include "machine/events.h"
#include "base/error.h"

/* One category that is not fixed, and all that are: one event each; the timebase is among these. */
#define CPUPERF_EVENTS (CATEGORY_EVENTS + 8u)

/**
 * struct cpuperf - a session of Fuchsia's cpuperf: what its categories say is to be recorded
 * @rate: each event is sampled each time it has happened so often; 0: with @tally.
 * @tally: totals only, in the end.
 * @timebase: event[0] is sampled only, and all are read with each of its samples; NULL: each event
 *     is sampled for itself.
 * @os, @user: above EL0, and at EL0; both, if neither was named.
 * @pc: samples say where.
 * @programmable: the one category that is not fixed, or NULL.
 * @event: @n of them, once cpuperf_end() has returned 0.
 *
 * All 0 at first.
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
 * cpuperf_add() - adds a list: "cpu:fixed:cycle_counter,cpu:arch:llc,cpu:sample:10000"
 * Return: 0, or -1: ERROR_USAGE if there is no such category, or two of which there is one.
 */
int cpuperf_add(struct cpuperf *c, const char *list, struct error *t);

/**
 * cpuperf_end() - no more is added: holds all against the rules, and says what it comes to
 * @events: are added to, in the order of c->event. events_free() is needed either way.
 *
 * Return: 0, or -1 with ERROR_USAGE.
 */
int cpuperf_end(struct cpuperf *c, struct events *events, struct error *t);

#endif

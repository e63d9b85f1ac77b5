/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_METRICS_H
#define VPMU_STATS_METRICS_H

#include "machine/events.h"

#define METRICS_MAX 16u

/**
 * struct metric_formula - a metric that is a proportion of two events
 * @name: as perf calls it on Arm where it has it.
 * @part, @whole: the events.
 * @scale: the value is @scale * @part / @whole.
 * @unit: of the value.
 */
struct metric_formula {
    const char *name;
    const char *part;
    const char *whole;
    double scale;
    const char *unit;
    const char *description;
};

/** struct metrics - @n metrics that a user wants */
struct metrics {
    const struct metric_formula *metric[METRICS_MAX];
    size_t n;
};

/**
 * metrics_add() - adds a list of metrics and groups of them: "ipc,mpki"
 * Return: 0, or -1: ERROR_USAGE.
 */
int metrics_add(struct metrics *m, const char *list, struct error *t);

/** metrics_events() - adds the events that they need. Return: 0 or -1. */
int metrics_events(const struct metrics *m, struct events *e, struct error *t);

/**
 * metrics_value() - computes one
 * @counts: one for each of @e.
 *
 * Return: false if the machine lacks an event, or there is nothing to divide by.
 */
bool metrics_value(const struct metric_formula *f, const struct events *e, const uint64_t *counts,
                   double *value);

/** metrics_formula() - the one at @i; NULL behind the last */
const struct metric_formula *metrics_formula(size_t i);

/** metrics_group() - the group at @i, and what is in it; NULL behind the last */
const char *metrics_group(size_t i, const char **members);

#endif

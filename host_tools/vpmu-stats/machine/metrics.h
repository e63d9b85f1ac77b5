/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_METRICS_H
#define VPMU_STATS_METRICS_H

#include "machine/events.h"

#define METRICS_MAX 16u

/**
 * struct metric_formula - a metric that is the ratio of two events: @scale * @part / @whole
 * @name: the name of the metric. If perf has it for Arm, it is perf's name.
 * @part: the event in the numerator.
 * @whole: the event in the denominator.
 * @scale: the factor.
 * @unit: the unit of the value.
 * @description: an explanation for the user.
 */
struct metric_formula {
    const char *name;
    const char *part;
    const char *whole;
    double scale;
    const char *unit;
    const char *description;
};

/**
 * struct metrics - the metrics that the user wants
 * @metric: the metrics, without duplicates.
 * @n: the number of metrics.
 */
struct metrics {
    const struct metric_formula *metric[METRICS_MAX];
    size_t n;
};

/**
 * metrics_add() - parse a list of metrics and groups of metrics, and add them
 * @m: the metrics.
 * @list: the list, such as "ipc,mpki".
 *
 * Return: 0; or -1: ERROR_USAGE if there is no metric or group of that name.
 */
int metrics_add(struct metrics *m, const char *list, struct error *t);

/** metrics_events() - add the events that the metrics need, as optional events. Return: 0 or -1. */
int metrics_events(const struct metrics *m, struct events *e, struct error *t);

/**
 * metrics_value() - compute the value of a metric
 * @f: the metric.
 * @e: the events that were counted.
 * @counts: a count for each event.
 * @value: receives the value.
 *
 * Return: true; or false if an event is missing or the denominator is 0.
 */
bool metrics_value(const struct metric_formula *f, const struct events *e, const uint64_t *counts,
                   double *value);

/** metrics_formula() - get the metric with the index @i. Return: NULL behind the last one. */
const struct metric_formula *metrics_formula(size_t i);

/**
 * metrics_group() - get the name of the group with the index @i
 * @i: the index.
 * @members: receives the list of the metrics in the group.
 *
 * Return: the name; NULL behind the last group.
 */
const char *metrics_group(size_t i, const char **members);

#endif

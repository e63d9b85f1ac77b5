/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PROMETHEUS_H
#define VPMU_STATS_PROMETHEUS_H

#include <stdio.h>

#include "fleet/fleet.h"

/* Size of an event's metric name or label value, with the terminating zero. */
#define PROMETHEUS_SIZE 96

/**
 * prometheus_event() - derive the metric name and the label "context" of an event
 * @text: the event as the user writes it.
 * @name: receives the metric name, such as "vpmu_instructions_total". PROMETHEUS_SIZE bytes.
 * @context: receives the event's modifiers, or "all". PROMETHEUS_SIZE bytes.
 */
void prometheus_event(const char *text, char *name, char *context);

/**
 * prometheus_check() - check that no two events have the same metric name and context
 *
 * Return: 0, or -1 with ERROR_USAGE.
 */
int prometheus_check(const struct events *events, struct error *t);

/**
 * prometheus_print() - print a fleet's values in Prometheus's text format 0.0.4
 *
 * Source: prometheus.io/docs/instrumenting/exposition_formats.
 */
void prometheus_print(FILE *to, const struct fleet *f);

#endif

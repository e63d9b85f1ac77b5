/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PROMETHEUS_H
#define VPMU_STATS_PROMETHEUS_H

#include <stdio.h>

#include "fleet/fleet.h"

/* Room for a metric's name, or a label's value, of an event, with its end. */
#define PROMETHEUS_SIZE 96

/**
 * prometheus_event() - what an event's metric is called, and its label "context"
 * @text: as the user writes it.
 * @name: "vpmu_instructions_total"; PROMETHEUS_SIZE bytes.
 * @context: the modifiers, or "all"; PROMETHEUS_SIZE bytes.
 */
void prometheus_event(const char *text, char *name, char *context);

/**
 * prometheus_check() - do all events have different metrics?
 * Return: 0, or -1 with ERROR_USAGE.
 */
int prometheus_check(const struct events *events, struct error *t);

/**
 * prometheus_print() - a fleet's values in Prometheus's text format, version 0.0.4
 * Source: prometheus.io/docs/instrumenting/exposition_formats.
 */
void prometheus_print(FILE *to, const struct fleet *f);

#endif

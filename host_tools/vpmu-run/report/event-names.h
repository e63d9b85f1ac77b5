/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names that perf gives events. */
#ifndef VPMU_RUN_EVENT_NAMES_H
#define VPMU_RUN_EVENT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "failure.h"

/**
 * struct event_code - what the kernel is asked for
 * @type, @config: of struct perf_event_attr.
 * @machine: e_machine of the machines that have the event; EM_NONE: all.
 */
struct event_code {
    unsigned type, machine;
    unsigned long long config;
};

/**
 * event_find() - finds a hardware, software or cache event by its name, or rNNN
 * Return: false if there is none.
 */
bool event_find(const char *name, struct event_code *code);

/**
 * event_parse_pmu() - reads PMU/TERM,.../
 * Return: 0, or -1 with FAILURE_USAGE.
 */
int event_parse_pmu(const char *text, struct event_code *code, struct failure *f);

/**
 * event_includes() - what an event counts that its name does not say
 * Linux has no other event for perf's name on some CPUs.
 * @name: with modifiers.
 * @machine: e_machine.
 * @intel: the x86-64 CPU says that it is one of Intel's.
 *
 * Return: such as "loads and stores"; NULL if the name says all.
 */
const char *event_includes(const char *name, unsigned machine, bool intel);

/** event_suggest() - the name that is most like @name; NULL if none is like it */
const char *event_suggest(const char *name);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report of a run is a JSON object; docs/ci.md describes it. */
#ifndef VPMU_RUN_REPORT_H
#define VPMU_RUN_REPORT_H

#include <json-c/json.h>
#include <stdio.h>

#include "files/input.h"
#include "machine/emulator.h"
#include "report/result.h"

#define REPORT_SCHEMA "vpmu-run"
#define REPORT_VERSION 1

/* The longest name of an event in a report: "REGION/EVENT". */
#define REPORT_NAME_SIZE (RUN_REGION_NAME_MAX + 1 + EVENT_NAME_SIZE)

/** report_text() - a string of valid UTF-8, as JSON needs it */
struct json_object *report_text(const char *from);

/**
 * report_new() - makes the report of one or more runs
 * @in: the input that they had.
 * @results: @n of them, of the same command.
 *
 * Return: the object, which the caller puts; NULL if there is no memory.
 */
struct json_object *report_new(char *const *argv, const struct emulator *e, const struct input *in,
                               const struct events *events, const struct result *results, size_t n);

/** report_command() - the command as one line, to be freed; NULL if there is no memory */
char *report_command(struct json_object *report);

/**
 * report_value() - the count of an event, by its index in "events"
 * Return: false if it was not counted.
 */
bool report_value(struct json_object *report, size_t i, const char **name, uint64_t *value);

/** report_find() - the count of an event, by its name */
bool report_find(struct json_object *report, const char *name, uint64_t *value);

/** report_unit() - "ns" of an event that counts time, "" of all others; @name may have a region */
const char *report_unit(const char *name);

/** report_is_syscall() - does this event count a system call, "syscall:NAME"? */
bool report_is_syscall(const char *name);

/** report_events() - the number of events */
size_t report_events(struct json_object *report);

#endif

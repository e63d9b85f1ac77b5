/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The values of a report as a table. */
#ifndef VPMU_RUN_VALUES_H
#define VPMU_RUN_VALUES_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "failure.h"

/**
 * struct value - an event of a report
 * @name: in the report.
 * @part: it counts a region or a system call, not the whole program.
 * @counted: false if the machine could not count it.
 * @value: the median of the runs; @low, @high: the least and the most of them.
 */
struct value {
    const char *name;
    bool part, counted;
    uint64_t value, low, high;
};

/**
 * struct values - all events of a report, in its order
 * @by_name: the same, sorted.
 * @syscalls: system calls were counted by number. Others were not made.
 */
struct values {
    struct value *value;
    const struct value **by_name;
    size_t n;
    bool syscalls;
};

/** values_is_event() - Return: whether a value is an event of a report: a name, and null or a count
 */
bool values_is_event(struct json_object *event);

/**
 * values_read() - makes the table of a report
 * @path: the report's file, for messages.
 *
 * Return: 0, or -1 with FAILURE_USAGE if a value is not a count, or an event is there twice.
 * values_free() is needed either way.
 */
int values_read(struct values *v, struct json_object *report, const char *path, struct failure *f);
void values_free(struct values *v);

/** values_find() - Return: an event by its name; NULL if there is none */
const struct value *values_find(const struct values *v, const char *name, size_t length);

#endif

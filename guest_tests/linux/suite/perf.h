/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PERF_H
#define PERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "command.h"

/* Where sysfs has the PMU. */
#ifdef __x86_64__
#define PMU_DEVICE "/sys/bus/event_source/devices/cpu"
#else
#define PMU_DEVICE "/sys/bus/event_source/devices/armv[78]_*"
#endif

/* The name under which sysfs has the PMU: armv8_pmuv3 or armv8_pmuv3_0; cpu. */
const char *pmu_name(void);

/* What the first columns of perf stat's output are. */
enum row_shape {
    ROW_PLAIN,  /* the value */
    ROW_SCOPE,  /* a CPU, a thread or a time, then the value */
    ROW_REPEAT, /* the value; and after the event its standard deviation */
};

/**
 * struct stat_row - one line of perf stat
 * @scope: the CPU, thread or time.
 * @event: its name as perf prints it.
 * @counted: false if perf says <not counted> or <not supported>.
 * @supported: false if perf says <not supported>.
 * @value: the count; of a fraction (task-clock, in ms) the whole part.
 * @deviation: standard deviation, in per cent of the value, if @counted and ROW_REPEAT.
 * @percent: how much of the time the event was on the PMU; also of a group of metrics.
 * @metric, @metric_value: the metric after it and what perf printed for that; both may be empty.
 * @metric_percent: the metric's unit is per cent.
 */
struct stat_row {
    char scope[48];
    char event[64];
    bool counted;
    bool supported;
    uint64_t value;
    double deviation;
    double percent;
    char metric[96];
    char metric_value[24];
    bool metric_percent;
};

enum {
    STAT_MAX_ROWS = 400
};

struct stat_result {
    size_t count;
    struct stat_row rows[STAT_MAX_ROWS];
};

/**
 * perf_stat() - runs perf stat to its end and reads what it counted
 * @format: its arguments, as for printf and command_start().
 *
 * Return: true if it succeeded and printed at least one row; otherwise a failed test is reported.
 */
bool perf_stat(struct stat_result *result, enum row_shape shape, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The two halves of perf_stat(). */
bool perf_stat_start(struct command *perf, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The first half, for a perf that counts what already runs (-p, -t). Returns when perf counts. */
bool perf_stat_attach(struct command *perf, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The second half. Returns when what perf counts has ended. */
bool perf_stat_finish(struct command *perf, struct stat_result *result, enum row_shape shape);

/**
 * expect_perf_tests() - runs perf's own tests of some kind
 * @which: part of their names.
 * @expected: how many must end with Ok. A test that perf skips does not count, and none may fail.
 */
void expect_perf_tests(const char *which, unsigned expected);

/* Checks row i: counted, all the time, exactly this many. */
bool expect_row(const struct stat_result *result, size_t i, uint64_t expected);

enum {
    METRICS_MAX = 640,
    METRIC_NAME = 96
};

/**
 * metrics_list() - the metrics that perf list prints for this CPU
 * @names: is filled in, each name once; at most METRICS_MAX.
 *
 * Return: their number; 0 if perf list failed, which is reported as a failed test.
 */
size_t metrics_list(char names[METRICS_MAX][METRIC_NAME]);

/* Return: the row on which perf stat has printed a metric, or NULL. */
const struct stat_row *metrics_row(const struct stat_result *result, const char *name);

#endif

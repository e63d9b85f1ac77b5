/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_MEASURE_H
#define VPMU_STATS_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "session/measure-options.h"
#include "session/session.h"

struct measure;

/**
 * struct measure_ops - what a command measures
 * @read: takes a reading.
 * @begun: starts what is measured, after the first reading; may be NULL. Returns 0, or -1 with an
 *     error.
 * @report: prints the difference between @last and @now.
 * @free: frees what belongs to a reading; may be NULL.
 * @is_state: @report prints @now only. One reading is then enough, and without a time limit the
 *     measurement ends after it.
 */
struct measure_ops {
    int (*read)(struct measure *m, void *reading, struct error *t);
    int (*begun)(struct measure *m, struct error *t);
    void (*report)(struct measure *m);
    void (*free)(void *reading);
    bool is_state;
};

/**
 * struct measure - a measurement of one machine
 * @ops, @o, @s: set by the caller.
 * @size: size of a reading in bytes; set by the caller.
 * @opaque: for the caller.
 * @last: the reading at the last report, or the first reading. All 0 if ops.is_state is set.
 * @now: the last reading. A reading that fails does not change it.
 * @began: time of the first reading, from qmp_now().
 * @printed: time of @last.
 * @read: time of @now.
 * @reports: number of reports so far.
 *
 * The other fields are private.
 */
struct measure {
    const struct measure_ops *ops;
    const struct measure_options *o;
    struct session *s;
    size_t size;
    void *opaque;
    void *last;
    void *now;
    void *next;
    int64_t began;
    int64_t printed;
    int64_t read;
    long reports;
};

/**
 * measure_run() - take readings and report them until time is up or the user stops the program
 *
 * Without -I there is one report, at the end. If the machine ends, the last reading is reported
 * too. For this purpose the machine is read at least once a second, and when it announces its
 * shutdown.
 *
 * Return: 0, or -1 with an error: ERROR_ENDED if the machine ended, ERROR_STOPPED if the user
 * stopped the program before the first reading.
 */
int measure_run(struct measure *m, struct error *t);

/* Seconds from the beginning to the last reading, to the last report, and between these two. */
double measure_seconds(const struct measure *m);
double measure_seconds_printed(const struct measure *m);
double measure_seconds_between(const struct measure *m);

/**
 * measure_record() - make a JSON record for a report
 * @pmu: the vCPU's PMU with -A, otherwise NULL.
 *
 * Return: a record with "interval" if -I is used, and "cpu" if @pmu is not NULL.
 */
struct json_object *measure_record(const struct measure *m, const struct pmu *pmu);

#endif

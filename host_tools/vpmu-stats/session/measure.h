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
 * @report: prints what came from @last to @now.
 * @free: frees what belongs to a reading; NULL if nothing does.
 * @is_state: @report prints @now alone: one reading is enough, and the end if nothing else is said.
 */
struct measure_ops {
    int (*read)(struct measure *m, void *reading, struct error *t);
    void (*report)(struct measure *m);
    void (*free)(void *reading);
    bool is_state;
};

/**
 * struct measure - a measurement of one machine, for a while
 * @ops, @o, @s: set by the caller.
 * @size: of a reading, in bytes; set by the caller.
 * @opaque: the caller's.
 * @last: the reading at the last report, or in the beginning. All 0 with ops.is_state.
 * @now: the last reading. If reading fails it stays.
 * @began: when there was the first reading.
 * @printed: when there was @last.
 * @read: when there was @now.
 * @reports: printed so far.
 *
 * The rest is private.
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
 * measure_run() - reads, and reports when it is time, until time is up or the user has had enough
 *
 * Without -I there is one report, in the end. If the machine ends, what was read last is reported
 * as well. For that it is read once a second or more often, and when it says that it shuts down.
 *
 * Return: 0, or -1 with an error: ERROR_ENDED if the machine ended, ERROR_STOPPED if the user
 * wanted to end before there was a first reading.
 */
int measure_run(struct measure *m, struct error *t);

/* Seconds: since the beginning up to the last reading, up to the last report, and in between. */
double measure_seconds(const struct measure *m);
double measure_seconds_printed(const struct measure *m);
double measure_seconds_between(const struct measure *m);

/**
 * measure_record() - a record of a report, with "interval" in it if there is -I, and "cpu" with -A
 * @pmu: whose it is; NULL without -A.
 */
struct json_object *measure_record(const struct measure *m, const struct pmu *pmu);

#endif

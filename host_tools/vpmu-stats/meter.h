/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_METER_H
#define VPMU_STATS_METER_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "session.h"

/** struct meter_options - how long to measure, and how often to report; 0: until Ctrl-C, once */
struct meter_options {
    int duration;
    int interval;
};

/* Parses them: a child of a command's argp. */
extern const struct argp meter_argp;

/**
 * struct meter - a machine's meter, in use by one command
 * @was_on: it belongs to somebody else.
 * @maybe_on: it may have been switched on here.
 * @began, @printed: when it was, and when something was reported last.
 */
struct meter {
    const struct meter_options *o;
    struct session *s;
    bool was_on;
    bool maybe_on;
    int64_t began;
    int64_t printed;
};

/** meter_begin() - switches it on, unless it is. meter_end() is needed even if that fails. */
int meter_begin(struct meter *m, const struct meter_options *o, struct session *s,
                struct trouble *t);

/**
 * meter_run() - calls @report when it is time, and a last time if the user ends it
 *
 * Return: 0, or -1 with trouble.
 */
int meter_run(struct meter *m, int (*report)(void *opaque, struct trouble *t), void *opaque,
              struct trouble *t);

/** meter_end() - switches off what was switched on, whatever happened; keeps the trouble in @t */
void meter_end(struct meter *m, struct trouble *t);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_MEASURE_OPTIONS_H
#define VPMU_STATS_MEASURE_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "machine/events.h"
#include "session/options.h"

/* The options that say what to measure, for how long, and how to report it. */
enum measure_option {
    MEASURE_EVENT,         /* -e */
    MEASURE_INTERVAL,      /* -I */
    MEASURE_COUNT,         /* -n */
    MEASURE_TIMEOUT,       /* --timeout */
    MEASURE_PER_VCPU,      /* -A */
    MEASURE_WHILE_COUNTER, /* --while-counter */
    MEASURE_OPTIONS,
};

/**
 * struct measure_command - a command, and which of these options it takes
 * @arguments, @doc: as in struct argp.
 * @own: the options that only this command has, in groups from 2 on; NULL if there are none.
 * @instead: of options that it does not take, why, and what to use instead; NULL for the others.
 *     Such an option is not shown by --help, and ends the program in one line.
 * @min_interval: of -I, in milliseconds.
 * @repeats: it reports again and again even without -I, so that -n needs none.
 */
struct measure_command {
    const char *arguments;
    const char *doc;
    const struct argp *own;
    const char *instead[MEASURE_OPTIONS];
    int min_interval;
    bool repeats;
};

/**
 * struct measure_options - what the user said
 * @interval: in milliseconds; 0: one report, in the end.
 * @count: of reports; 0: no end.
 * @timeout: in milliseconds; 0: none.
 * @per_vcpu: one row for each vCPU, or one for each thing that there is of each.
 * @gate: a counter, or MACHINE_UNGATED.
 */
struct measure_options {
    struct events events;
    int interval;
    long count;
    int timeout;
    bool per_vcpu;
    int gate;
};

/* The least of -I. */
#define MEASURE_MIN_INTERVAL_MS 10

/* What these are if nothing is said. */
extern const struct measure_options measure_options_default;

/**
 * measure_parse() - parses what stands behind a command
 * @flags: of argp_parse().
 * @common, @to: are filled in; measure_options_free() is needed afterwards.
 * @own: input of command.own.
 *
 * Ends the program if that makes no sense. Return: 0, or an error with flags that forbid that.
 */
int measure_parse(const struct measure_command *command, int argc, char **argv, unsigned flags,
                  struct options *common, struct measure_options *to, void *own);

void measure_options_free(struct measure_options *o);

#endif

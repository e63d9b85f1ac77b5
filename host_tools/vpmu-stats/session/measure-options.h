/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_MEASURE_OPTIONS_H
#define VPMU_STATS_MEASURE_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "machine/events.h"
#include "session/options.h"

/* Options that say what to measure, for how long, and how to report it. */
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
 * struct measure_command - a command and which of these options it accepts
 * @arguments, @doc: as in struct argp.
 * @own: the options that only this command has, in groups from 2 on; or NULL.
 * @instead: for each option that the command does not accept, a message that says why and what to
 *     use instead; NULL for all others. --help hides such an option, and using it ends the program
 *     with the message.
 * @min_interval: minimum of -I, in milliseconds.
 * @repeats: the command reports repeatedly even without -I, so -n does not need -I.
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
 * struct measure_options - what to measure, for how long, and how to report it
 * @events: the events.
 * @interval: milliseconds between reports; 0 for one report at the end.
 * @count: number of reports; 0 for no limit.
 * @timeout: in milliseconds; 0 for no limit.
 * @per_vcpu: report each vCPU separately.
 * @gate: the number of a counter of the guest, or MACHINE_UNGATED.
 */
struct measure_options {
    struct events events;
    int interval;
    long count;
    int timeout;
    bool per_vcpu;
    int gate;
};

/* The minimum of -I. */
#define MEASURE_MIN_INTERVAL_MS 10

/* The default options. */
extern const struct measure_options measure_options_default;

/**
 * measure_parse() - parse the command line of a command
 * @flags: flags of argp_parse().
 * @common, @to: receive the options. Call measure_options_free() afterwards.
 * @own: the input of command.own.
 *
 * The function ends the program if the command line is wrong, unless @flags forbid that.
 *
 * Return: 0, or an error number.
 */
int measure_parse(const struct measure_command *command, int argc, char **argv, unsigned flags,
                  struct options *common, struct measure_options *to, void *own);

void measure_options_free(struct measure_options *o);

#endif

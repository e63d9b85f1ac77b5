/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_STAT_OPTIONS_H
#define VPMU_STATS_STAT_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "base/ranges.h"
#include "machine/machine.h"
#include "machine/metrics.h"

/**
 * struct stat_options - the options that only stat has
 * @detailed: how often -d was given.
 * @repeat: the number of runs; 0 without -r.
 * @delay: before counting, in milliseconds.
 * @list: -M list: only print the names of metrics.
 * @range: @ranges ranges of vCPUs to count on; without any, all are counted.
 * @command: the program to run on the host; NULL if there is none.
 */
struct stat_options {
    unsigned detailed;
    long repeat;
    int delay;
    struct metrics metrics;
    bool list;
    struct ranges cpus;
    char *const *command;
};

/* Parses these options into a struct stat_options; see measure_command.own. */
extern const struct argp stat_options_argp;

/** stat_options_split() - remove "-- COMMAND". Return: the number of arguments before it. */
int stat_options_split(struct stat_options *o, int argc, char **argv);

/** stat_options_events() - add the events that -d and -M need */
int stat_options_events(const struct stat_options *o, struct events *e, struct error *t);

/** stat_options_check() - Return: 0, or -1: ERROR_USAGE if the machine has no such vCPU as in -C */
int stat_options_check(const struct stat_options *o, const struct pmus *pmus, struct error *t);

#endif

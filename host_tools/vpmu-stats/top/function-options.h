/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_FUNCTION_OPTIONS_H
#define VPMU_STATS_FUNCTION_OPTIONS_H

#include "options/name-options.h"
#include "session/measure-options.h"

/**
 * struct function_options - the options of "top --symbols"
 * @common, @measure: as for other commands. @measure.events has one event.
 * @period: number of events between two samples; 0 to use @frequency.
 * @frequency: samples per second of each vCPU.
 * @delay: milliseconds between two frames.
 * @limit: maximum number of rows of a frame in batch mode.
 * @batch: print frames instead of using the terminal.
 * @zero: each frame shows its own samples only.
 * @names: where names come from.
 * @programs: those that the user has named.
 *
 * The other fields are private.
 */
struct function_options {
    struct options common;
    struct measure_options measure;
    uint64_t period;
    uint64_t frequency;
    int delay;
    long limit;
    bool batch;
    bool zero;
    struct name_options names;
    struct programs programs;
    const char *modifier;
};

/**
 * function_options_parse() - parse the command line
 *
 * A wrong option ends the program. Call function_options_free() afterwards in any case.
 *
 * Return: 0, or -1 with an error.
 */
int function_options_parse(struct function_options *o, int argc, char **argv, struct error *t);

void function_options_free(struct function_options *o);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PROFILE_OPTIONS_H
#define VPMU_STATS_PROFILE_OPTIONS_H

#include <argp.h>

#include "options/name-options.h"
#include "profile/sample-input.h"

/**
 * struct profile_options - options of all commands that read perf's file
 * @input: path of the file; "-" is the standard input.
 * @names: where names come from.
 * @output: path of the output, or NULL for the standard output.
 */
struct profile_options {
    const char *input;
    struct name_options names;
    const char *output;
};

/* The default options. */
extern const struct profile_options profile_options_default;

/* Parses the options into a struct profile_options, as a child of a command's argp. */
extern const struct argp profile_options_argp;

/* The same without @input, for commands that take files in another way. */
extern const struct argp profile_names_argp;

/**
 * profile_options_check_output() - check that the output would not replace a file that is read
 *
 * Return: 0, or -1 with ERROR_USAGE.
 */
int profile_options_check_output(const struct profile_options *o, struct error *t);

/**
 * profile_options_read_input() - read the file and print warnings about it on standard error
 * @g: the caller has set key, opaque and profile.
 *
 * Return: 0, or -1 with an error.
 */
int profile_options_read_input(const struct profile_options *o, struct sample_input *g, int stop_fd,
                               struct error *t);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PROFILE_OPTIONS_H
#define VPMU_STATS_PROFILE_OPTIONS_H

#include <argp.h>

#include "profile/sample-input.h"

/**
 * struct profile_options - what commands that read perf's file have in common
 * @input: its path; "-" is the standard input.
 * @kallsyms, @vmlinux: NULL if there is none.
 * @maps: @n_maps of them: COMM=FILE[@BASE], for programs_add().
 * @symfs: a directory with copies of the guest's files, or NULL.
 * @output: NULL: the standard output.
 */
struct profile_options {
    const char *input;
    const char *kallsyms;
    const char *vmlinux;
    const char *maps[PROGRAMS_MAX];
    size_t n_maps;
    const char *symfs;
    const char *output;
};

/* What these are if nothing is said. */
extern const struct profile_options profile_options_default;

/* Parses them into a struct profile_options: a child of each such command's argp. */
extern const struct argp profile_options_argp;

/* The same but for @input, for who takes files elsewhere. */
extern const struct argp profile_names_argp;

/**
 * profile_options_read_input() - reads the file, and says on standard error what was wrong with it
 * @g: key, opaque and profile are set by the caller.
 *
 * Return: 0, or -1 with an error.
 */
int profile_options_read_input(const struct profile_options *o, struct sample_input *g, int stop_fd,
                               struct error *t);

#endif

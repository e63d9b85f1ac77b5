/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_NAME_OPTIONS_H
#define VPMU_STATS_NAME_OPTIONS_H

#include <argp.h>
#include <stddef.h>

#include "symbols/programs.h"

/**
 * struct name_options - where the names of functions come from; all 0 at first
 * @kallsyms, @vmlinux: paths, or NULL.
 * @maps: programs as COMM=FILE[@BASE], for programs_add().
 * @n_maps: number of programs.
 * @symfs: a directory with copies of the guest's files, or NULL.
 * @debug_dir: a directory with what was stripped from them, or NULL.
 */
struct name_options {
    const char *kallsyms;
    const char *vmlinux;
    const char *maps[PROGRAMS_MAX];
    size_t n_maps;
    const char *symfs;
    const char *debug_dir;
};

/* Parses the options into a struct name_options, as a child of a command's argp. */
extern const struct argp name_options_argp;

/**
 * name_options_programs() - add the programs
 * @p: call programs_free() in any case.
 *
 * Return: 0, or -1 with an error.
 */
int name_options_programs(const struct name_options *o, struct programs *p, struct error *t);

#endif

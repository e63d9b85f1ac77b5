/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_RUN_BUILTIN_H
#define VPMU_RUN_BUILTIN_H

/* The commands. Each returns the exit status. */
int builtin_run(int argc, char **argv);
int builtin_cache(int argc, char **argv);
int builtin_compare(int argc, char **argv);
int builtin_show(int argc, char **argv);
int builtin_annotate(int argc, char **argv);
int builtin_exact(int argc, char **argv);
int builtin_record(int argc, char **argv);
int builtin_report(int argc, char **argv);
int builtin_flamegraph(int argc, char **argv);
int builtin_diff(int argc, char **argv);

/** DIFF_ARGUMENTS_MAX - the most arguments of builtin_diff(), with its name */
#define DIFF_ARGUMENTS_MAX 1000

#endif

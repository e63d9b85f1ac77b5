/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_KALLSYMS_FILE_H
#define VPMU_STATS_KALLSYMS_FILE_H

#include <stdio.h>

#include "base/error.h"

/**
 * kallsyms_file_write() - writes the kernel's functions that a file of perf's tells of as perf's
 * --kallsyms takes them
 * @input: its path; "-" is the standard input.
 *
 * Return: 0, or -1: ERROR_USAGE if it has none, or cannot be read.
 */
int kallsyms_file_write(const char *input, int stop_fd, FILE *to, struct error *t);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_KALLSYMS_FILE_H
#define VPMU_STATS_KALLSYMS_FILE_H

#include <stdio.h>

#include "base/error.h"

/**
 * kallsyms_file_write() - write the kernel functions that a file of perf contains, as a list for
 * perf's option --kallsyms
 * @input: path of the file; "-" is the standard input.
 *
 * Return: 0, or -1: ERROR_USAGE if it contains none, or cannot be read.
 */
int kallsyms_file_write(const char *input, int stop_fd, FILE *to, struct error *t);

#endif

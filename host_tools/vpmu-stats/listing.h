/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_LISTING_H
#define VPMU_STATS_LISTING_H

#include <stdio.h>

#include "trouble.h"

/**
 * listing_write() - writes the kernel's functions that a file of perf's tells of as perf's
 * --kallsyms takes them
 * @input: its path; "-" is the standard input.
 *
 * Return: 0, or -1: TROUBLE_USAGE if it has none, or cannot be read.
 */
int listing_write(const char *input, int stop_fd, FILE *to, struct trouble *t);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_SEEKABLE_H
#define VPMU_STATS_SEEKABLE_H

#include <stdio.h>

#include "base/error.h"

/**
 * seekable_open() - opens what can be read more than once: a file, or a copy of all that a pipe
 * brings
 * @path: "-" is the standard input.
 * @stop_fd: the signals that the user ends with (signalfd). The first is for who writes into the
 *     pipe: what comes is still read to its end. After the second it is ERROR_STOPPED.
 * @file: what the caller closes.
 *
 * Return: 0, or -1: ERROR_USAGE if it cannot be read, ERROR_OUTPUT if there is no room for the
 * copy.
 */
int seekable_open(const char *path, int stop_fd, FILE **file, struct error *t);

#endif

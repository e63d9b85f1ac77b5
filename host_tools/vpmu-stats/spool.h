/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_SPOOL_H
#define VPMU_STATS_SPOOL_H

#include <stdio.h>

#include "trouble.h"

/**
 * spool_open() - opens what can be read more than once: a file, or a copy of all that a pipe brings
 * @path: "-" is the standard input.
 * @stop_fd: the signals that the user ends with (signalfd). The first is for who writes into the
 *     pipe: what comes is still read to its end. After the second it is TROUBLE_STOPPED.
 * @file: what the caller closes.
 *
 * Return: 0, or -1: TROUBLE_USAGE if it cannot be read, TROUBLE_OUTPUT if there is no room for the
 * copy.
 */
int spool_open(const char *path, int stop_fd, FILE **file, struct trouble *t);

#endif

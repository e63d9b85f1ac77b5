/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_SEEKABLE_H
#define VPMU_STATS_SEEKABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

/** seekable_begins_fn() - whether a file of these first bytes is wanted as a whole */
typedef bool seekable_begins_fn(const char *start, size_t n);

/* The number of first bytes that the function gets. */
#define SEEKABLE_START 32u

/**
 * seekable_open() - open a file so that it can be read more than once
 *
 * Anything but a regular file, such as a pipe, is read to its end and copied to a temporary file.
 * If it is not wanted, the copy has only its beginning.
 *
 * @path: the name of the file; "-" for standard input.
 * @stop_fd: a signalfd of the signals that end the program. The first SIGINT is meant for the
 *     program that writes to the pipe, so the pipe is still read to its end. The second one, or
 *     any other signal, gives ERROR_STOPPED.
 * @begins: or NULL: all files are wanted.
 * @file: receives the stream, which the caller closes.
 *
 * Return: 0; or -1: ERROR_USAGE if the file cannot be read or is a terminal, ERROR_OUTPUT if the
 * copy cannot be written, or ERROR_STOPPED.
 */
int seekable_open(const char *path, int stop_fd, seekable_begins_fn *begins, FILE **file,
                  struct error *t);

#endif

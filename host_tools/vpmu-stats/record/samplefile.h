/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_SAMPLEFILE_H
#define VPMU_STATS_SAMPLEFILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

/**
 * struct samplefile - the file that samples are written to
 * @file: the open file. samplefile_check() reports its errors.
 * @pipe: the output is not a regular file that can be replaced. It may be read while it is written.
 * @path: name of the file, or NULL for the standard output.
 *
 * The other fields are private.
 */
struct samplefile {
    FILE *file;
    bool pipe;
    const char *path;
    char *temporary;
    int error; /* errno of the first write that failed */
};

/**
 * samplefile_open() - open the output
 * @path: name of the file; "-" is the standard output.
 *
 * An existing file stays until samplefile_close() replaces it.
 *
 * Return: 0, or -1 with ERROR_OUTPUT, or with ERROR_USAGE if the output is a terminal. Call
 * samplefile_close() only after success.
 */
int samplefile_open(struct samplefile *f, const char *path, struct error *t);

/**
 * samplefile_check() - check whether all data could be written so far
 *
 * Return: 0, or -1 with ERROR_OUTPUT.
 */
int samplefile_check(struct samplefile *f, struct error *t);

/**
 * samplefile_close() - close the output and replace the file at its path
 * @keep: there are samples to keep. Otherwise the file at the path stays as it was.
 *
 * If writing failed, the data written so far stay in a temporary file, which @t names. The file at
 * the path stays as it was.
 *
 * Return: 0, or -1 with ERROR_OUTPUT.
 */
int samplefile_close(struct samplefile *f, bool keep, struct error *t);

#endif

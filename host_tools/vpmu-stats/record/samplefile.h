/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_SAMPLEFILE_H
#define VPMU_STATS_SAMPLEFILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "base/replacement.h"

/**
 * struct samplefile - the file that samples are written to
 * @file: the open file. samplefile_check() reports its errors.
 * @pipe: the output is not a regular file that can be replaced. It may be read while it is written.
 * @path: name of the file, or NULL for the standard output.
 * @where: after samplefile_close(), name of the file that has the samples. It is @path, or the
 *     temporary file.
 *
 * The other fields are private.
 */
struct samplefile {
    FILE *file;
    bool pipe;
    const char *path;
    const char *where;
    struct replacement to;
    int error; /* errno of the first write that failed */
};

/** enum samplefile_end - how a recording ended */
enum samplefile_end {
    SAMPLEFILE_NOTHING, /* it has no samples: the file at the path stays as it was */
    SAMPLEFILE_PART,    /* it failed: the samples get the path only if it names no older file */
    SAMPLEFILE_WHOLE,   /* it is complete, and replaces the file at the path */
};

/**
 * samplefile_open() - open the output
 * @path: name of the file; "-" is the standard output.
 *
 * An existing file stays until samplefile_close() replaces it.
 *
 * Return: 0, or -1 with ERROR_OUTPUT, or with ERROR_USAGE if the output is a terminal. Call
 * samplefile_close() and samplefile_free() only after success.
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
 * @end: how the recording ended.
 * @t: the error of the recording, if it failed. The name of a temporary file that has the samples
 *     is added to it. It is replaced if writing failed.
 *
 * If writing failed, the data written so far stay in a temporary file. The file at the path stays
 * as it was.
 *
 * Return: 0, or -1 with ERROR_OUTPUT.
 */
int samplefile_close(struct samplefile *f, enum samplefile_end end, struct error *t);

/** samplefile_free() - release memory, after which samplefile.where is invalid */
void samplefile_free(struct samplefile *f);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_SAMPLEFILE_H
#define VPMU_STATS_SAMPLEFILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

/**
 * struct samplefile - where samples are written to
 * @file: what goes wrong with it is in it, for samplefile_check().
 * @pipe: it is no file that can be replaced: what is written is read while more comes.
 * @path: its name; NULL: the standard output.
 *
 * The rest is private.
 */
struct samplefile {
    FILE *file;
    bool pipe;
    const char *path;
    char *temporary;
    int error; /* of the first write that failed */
};

/**
 * samplefile_open() - opens it; what was there is replaced when there is something to replace it
 * with
 * @path: "-" is the standard output.
 *
 * Return: 0; or -1: ERROR_OUTPUT, or ERROR_USAGE if it is a terminal. samplefile_close() is
 * needed only after 0.
 */
int samplefile_open(struct samplefile *f, const char *path, struct error *t);

/** samplefile_check() - could all be written so far? Return: 0, or -1 with ERROR_OUTPUT. */
int samplefile_check(struct samplefile *f, struct error *t);

/**
 * samplefile_close() - makes it last
 * @keep: there is something in it.
 *
 * If not all could be written, what is on the disk stays in the temporary file, and @t says so;
 * what was at the path before stays as it was.
 *
 * Return: 0, or -1 with ERROR_OUTPUT.
 */
int samplefile_close(struct samplefile *f, bool keep, struct error *t);

#endif

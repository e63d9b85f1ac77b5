/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_RUN_OUTPUT_H
#define VPMU_RUN_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/replacement.h"
#include "failure.h"

/**
 * struct output - a file that is being written
 * @file: to write to.
 */
struct output {
    FILE *file;
    const char *path;
    struct replacement to;
};

/**
 * output_open() - starts to write a file
 * @path: the file, which appears as a whole; NULL for @standard.
 */
int output_open(struct output *o, const char *path, FILE *standard, struct failure *f);

/**
 * output_check() - says before a run what will prevent writing @path
 * @command: the program and its arguments, none of which may be that file.
 */
int output_check(const char *path, char *const *command, struct failure *f);

/**
 * output_clear() - removes an older file
 * Whoever reads it after a run that failed must not take an older report for a new one.
 */
int output_clear(const char *path, struct failure *f);

/**
 * output_check_recording() - refuses what a recording cannot be written to
 * A pipe is refused: the names of functions are at the end of a recording, and perf's format for
 * pipes has no place for those of programs.
 */
int output_check_recording(const char *path, struct failure *f);

/** output_open_recording() - output_open() for a recording, which only this user may read */
int output_open_recording(struct output *o, const char *path, struct failure *f);

/**
 * output_close() - ends it
 * @keep: false to write no file.
 *
 * Return: 0, or -1 with an error if something could not be written.
 */
int output_close(struct output *o, bool keep, struct failure *f);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_FILESYMBOLS_H
#define VPMU_STATS_FILESYMBOLS_H

#include <stdio.h>

#include "symbols/functions.h"

/*
 * Reads and writes functions in the feature that simpleperf uses for symbols, FEAT_FILE2. For each
 * file, the feature has a 32-bit size and a message FileFeature of
 * system/extras/simpleperf/record_file.proto. perf ignores it.
 */
#define FILESYMBOLS_FEATURE 132u

/**
 * struct filesymbols - functions of a file of a program
 * @path: the file's name in the recording.
 * @address, @offset: that offset in the file has this address.
 * @functions: the functions.
 * @used: for each function, whether to write it. Not used for reading.
 */
struct filesymbols {
    const char *path;
    uint64_t address;
    uint64_t offset;
    const struct functions *functions;
    const bool *used;
};

/**
 * filesymbols_program - a function that gets the functions of a program's file
 * @from: valid until the function returns.
 *
 * Return: 0, or -1 with an error.
 */
typedef int (*filesymbols_program)(void *opaque, const struct filesymbols *from, struct error *t);

/**
 * filesymbols_write() - write functions of a kernel
 * @used: for each function, whether to write it.
 * @file: errors are left in it for ferror().
 */
void filesymbols_write(const struct functions *functions, const bool *used, FILE *file);

/**
 * filesymbols_write_some() - write as many functions of a kernel as fit
 * @used: for each function, whether to write it.
 * @from: index of the first function to consider.
 * @most: maximum number of bytes to write, at least 1024, so that one function always fits.
 *
 * Return: the index of the first function that did not fit, or functions->n if all were written or
 * there is no memory.
 */
size_t filesymbols_write_some(const struct functions *functions, const bool *used, size_t from,
                              size_t most, FILE *file);

/** filesymbols_write_program() - write functions of a file of a program */
void filesymbols_write_program(const struct filesymbols *program, FILE *file);

/**
 * filesymbols_read() - read functions from the current position of a file
 * @functions: those of the kernel are added here; NULL to leave them out.
 * @size: size of the feature in bytes.
 * @program: gets the functions of other files; may be NULL.
 * @opaque: for @program.
 *
 * Damaged parts are left out.
 *
 * Return: 0, or -1 if there is no memory.
 */
int filesymbols_read(struct functions *functions, FILE *file, uint64_t size,
                     filesymbols_program program, void *opaque, struct error *t);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_FILESYMBOLS_H
#define VPMU_STATS_FILESYMBOLS_H

#include <stdio.h>

#include "symbols/functions.h"

/*
 * Functions in perf's file, in the feature that simpleperf has for it (FEAT_FILE2): a size of 32
 * bits, and a message FileFeature of system/extras/simpleperf/record_file.proto. perf skips it.
 */
#define FILESYMBOLS_FEATURE 132u

/**
 * filesymbols_write() - writes a kernel's functions
 * @used: of each whether it is to be written.
 */
void filesymbols_write(const struct functions *functions, const bool *used, FILE *file);

/**
 * filesymbols_write_some() - the same of some of them, from number @from on
 * @most: bytes at most, 1024 or more: so one has room in any case.
 *
 * Return: the number of the first that has found no room; functions->n if there is none, or no
 * memory.
 */
size_t filesymbols_write_some(const struct functions *functions, const bool *used, size_t from,
                              size_t most, FILE *file);

/**
 * filesymbols_read() - adds the functions of a kernel, from where @file is
 * @size: bytes of the feature.
 *
 * What is damaged is left out. Return: 0, or -1 if there is no memory.
 */
int filesymbols_read(struct functions *functions, FILE *file, uint64_t size, struct error *t);

#endif

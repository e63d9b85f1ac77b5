/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_ELFFILE_H
#define VPMU_STATS_ELFFILE_H

#include "symbols/functions.h"

/**
 * elffile_is() - check whether a file is an ELF file
 *
 * Return: 1 if it is, 0 if not; or -1: ERROR_USAGE if it cannot be read.
 */
int elffile_is(const char *path, struct error *t);

/**
 * elffile_functions() - add the functions of an ELF file to a list
 * @functions: the list, which is not sorted; functions_free() is needed in any case.
 * @path: the file. If it is stripped, its dynamic symbols are used.
 *
 * Return: 0; or -1: ERROR_USAGE if the file cannot be read or has no functions.
 */
int elffile_functions(struct functions *functions, const char *path, struct error *t);

/** elffile_take() - elffile_functions() for an open file, which error messages call @path */
int elffile_take(struct functions *functions, int fd, const char *path, struct error *t);

#endif

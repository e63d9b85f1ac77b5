/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_ELFFILE_H
#define VPMU_STATS_ELFFILE_H

#include "symbols/functions.h"

/** elffile_is() - is it an ELF file? Return: 0, 1, or -1: ERROR_USAGE if it cannot be read. */
int elffile_is(const char *path, struct error *t);

/**
 * elffile_functions() - adds the functions of an ELF file, of its dynamic symbols if others were
 * stripped
 * @functions: not sorted yet; functions_free() is needed in any case.
 *
 * Return: 0, or -1: ERROR_USAGE if it cannot be read, or has none.
 */
int elffile_functions(struct functions *functions, const char *path, struct error *t);

/** elffile_take() - the same of an open file; @path is what to call it */
int elffile_take(struct functions *functions, int fd, const char *path, struct error *t);

#endif

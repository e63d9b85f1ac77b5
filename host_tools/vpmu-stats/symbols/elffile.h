/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_ELFFILE_H
#define VPMU_STATS_ELFFILE_H

#include "symbols/debug-file.h"
#include "symbols/functions.h"

/**
 * elffile_is() - check whether a file is an ELF file
 *
 * Return: 1 if it is, 0 if not; or -1: ERROR_USAGE if it cannot be read.
 */
int elffile_is(const char *path, struct error *t);

/**
 * elffile_functions() - add the functions of an ELF file to a list, which is empty
 * @functions: the list, which is not sorted; functions_free() is needed in any case.
 * @debug_dir: see struct debug_dirs; or NULL.
 * @path: the file. If it is stripped, the symbols of debug_file_open() are used, else those of
 *     .gnu_debugdata, else its dynamic symbols. Functions without a symbol are those of
 *     frame_starts_add().
 *
 * Return: 0; or -1: ERROR_USAGE if the file cannot be read or has no functions.
 */
int elffile_functions(struct functions *functions, const char *debug_dir, const char *path,
                      struct error *t);

/**
 * elffile_add_called() - add functions of which only calls are known, as functions_add()
 * @called: their names and addresses. They are not sorted. None reaches beyond its section.
 * @path: the file.
 */
int elffile_add_called(struct functions *functions, const struct functions *called,
                       const char *path, struct error *t);

/** elffile_take() - elffile_functions() for an open file, which error messages call @path */
int elffile_take(struct functions *functions, const struct debug_dirs *dirs, int fd,
                 const char *path, struct error *t);

#endif

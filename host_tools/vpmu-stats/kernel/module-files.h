/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_MODULE_FILES_H
#define VPMU_STATS_MODULE_FILES_H

#include "symbols/programs.h"

/**
 * struct module_files - functions of kernel modules in files that the user has named
 * (--map [NAME]=FILE); all 0 at first
 * @in_file: of each function of the kernel, that of the file, or NULL.
 */
struct module_files {
    const struct functions *kernel;
    const struct programs *programs;
    const struct function **in_file;
};

/**
 * module_files_find() - find the functions of the kernel in the files
 * @kernel: is sorted, and must not change afterwards.
 *
 * A module can have several functions of one name, which cannot be told apart. They are not found.
 *
 * Return: 0, or -1 with an error.
 */
int module_files_find(struct module_files *m, const struct functions *kernel,
                      const struct programs *programs, struct error *t);

/**
 * module_files_path() - get the file of a function of the kernel, and the function there
 *
 * Return: its path; NULL if it is not known.
 */
const char *module_files_path(const struct module_files *m, const struct function *function,
                              const struct function **there);

void module_files_free(struct module_files *m);

#endif

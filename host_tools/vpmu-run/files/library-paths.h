/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where dynamic linkers look for libraries besides what a file says itself. */
#ifndef VPMU_RUN_LIBRARY_PATHS_H
#define VPMU_RUN_LIBRARY_PATHS_H

#include <stdbool.h>

/**
 * library_paths() - the directories that /etc/ld.so.conf names, and those that linkers know
 * @root: see struct tree.
 * @machine: e_machine.
 * @musl: the dynamic linker is musl's, which reads another file.
 *
 * Return: a list separated by colons, to be freed; NULL if there is no memory.
 */
char *library_paths(const char *root, unsigned machine, bool musl);

/** library_is_default() - does the dynamic linker find a library there without its cache? */
bool library_is_default(const char *library);

/** library_triplet() - the name of an architecture in paths: "x86_64-linux-gnu" */
const char *library_triplet(unsigned machine);

/** library_musl_file() - the file with the directories of musl's linker; of PATH_MAX bytes */
void library_musl_file(unsigned machine, char *path);

#endif

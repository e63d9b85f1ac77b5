/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Libraries of a program whose dynamic linker cannot be executed here. */
#ifndef VPMU_RUN_NEEDED_H
#define VPMU_RUN_NEEDED_H

#include "files/tree.h"

/**
 * needed_add() - adds the libraries that an ELF file needs, and those that they need
 * They are looked for in DT_RUNPATH or DT_RPATH, in LD_LIBRARY_PATH, and in the directories that
 * Debian's dynamic linkers search.
 * @path: in the root of @t.
 * @machine: e_machine.
 */
int needed_add(struct tree *t, const char *path, unsigned machine, struct failure *f);

#endif

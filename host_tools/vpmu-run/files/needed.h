/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Libraries that the dynamic linker loads, read from ELF files. No linker is executed here: it
 * would choose other libraries on another processor, and it may be any program.
 */
#ifndef VPMU_RUN_NEEDED_H
#define VPMU_RUN_NEEDED_H

#include "files/tree.h"

/**
 * needed_add() - adds the libraries that a program needs, and those that they need
 * They are looked for where the dynamic linker does, in its order: DT_RPATH of what needs them and
 * of what needs that, LD_LIBRARY_PATH, DT_RUNPATH, and the directories that are always searched.
 * @path: in the root of @t.
 * @interpreter: its dynamic linker.
 * @machine: e_machine.
 */
int needed_add(struct tree *t, const char *path, const char *interpreter, unsigned machine,
               struct failure *f);

/**
 * needed_add_modules() - does the same for all other ELF files in the tree, such as modules
 * Libraries that are missing are ignored: nobody may load the file.
 */
int needed_add_modules(struct tree *t, unsigned machine, struct failure *f);

#endif

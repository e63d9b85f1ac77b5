/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the files that a program needs to start. */
#ifndef VPMU_RUN_PROGRAM_H
#define VPMU_RUN_PROGRAM_H

#include "files/tree.h"

/**
 * program_find() - finds a command as a shell does
 * @root: directory that is "/" for the program; or "".
 * @name: with a slash it is a path; otherwise it is looked for in PATH.
 * @path: its absolute path, of PATH_MAX bytes.
 */
int program_find(const char *root, const char *name, char *path, struct failure *f);

/**
 * program_machine() - e_machine of a command, or of the interpreter of a script
 * Return: EM_NONE if it cannot be told, or the program is not a 64-bit one.
 */
unsigned program_machine(const char *root, const char *name);

/**
 * program_add() - adds a program, its interpreter, and the libraries that the dynamic linker loads
 * @machine: the architecture that the machine executes, as e_machine.
 */
int program_add(struct tree *t, const char *path, unsigned machine, struct failure *f);

#endif

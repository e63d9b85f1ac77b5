/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_RUN_PROGRAM_FILE_H
#define VPMU_RUN_PROGRAM_FILE_H

#include <limits.h>
#include <stdbool.h>

/* What a file is for execve(). */
enum program_kind {
    PROGRAM_OTHER,
    PROGRAM_ELF,
    PROGRAM_SCRIPT,
};

/**
 * struct program_file - the start of a file
 * @machine: e_machine of an ELF file.
 * @bits: 32 or 64.
 * @interpreter: the dynamic linker of an ELF file, or the interpreter of a script; "" if there is
 *     none.
 * @argument: the first word after the interpreter of a script.
 * @special: the file changes the user when it is executed.
 * @executable: some user may execute it.
 */
struct program_file {
    enum program_kind kind;
    unsigned machine, bits;
    bool special, executable;
    char interpreter[PATH_MAX];
    char argument[256];
};

/** program_inspect() - Return: 0, or -1 with errno. */
int program_inspect(const char *path, struct program_file *p);

/** program_machine_name() - "x86-64", or "another architecture" */
const char *program_machine_name(const struct program_file *p);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_OBJDUMP_H
#define VPMU_STATS_OBJDUMP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/error.h"

/* The default programs for Arm and for x86 files. Debian has both of them for all hosts. */
#define OBJDUMP_ARM "aarch64-linux-gnu-objdump"
#define OBJDUMP_X86 "x86_64-linux-gnu-objdump"

/**
 * struct objdump - a running objdump, which disassembles a part of a file
 * @line: the last line that was read, safe to print on a terminal.
 * @is_code: the line is an instruction.
 * @address: the address of the instruction.
 * @code: the text of the instruction.
 *
 * The other members are private.
 */
struct objdump {
    char *line;
    bool is_code;
    uint64_t address;
    const char *code;
    const char *program;
    bool begun;
    size_t room;
    FILE *file;
    pid_t pid;
};

/**
 * objdump_open() - start objdump
 * @o: is filled in.
 * @program: the name or path of objdump; NULL for the default for the file's machine.
 * @path: an ELF file.
 * @start: the first address to disassemble.
 * @end: the address behind the last one.
 * @source: include lines of source code, if the file has debug information.
 *
 * Return: 0, after which objdump_close() is needed; or -1: ERROR_USAGE if objdump cannot be run.
 */
int objdump_open(struct objdump *o, const char *program, const char *path, uint64_t start,
                 uint64_t end, bool source, struct error *t);

/** objdump_next() - read the next line. Return: false if there are no more. */
bool objdump_next(struct objdump *o);

/** objdump_close() - wait for objdump to end. Return: 0; or -1: ERROR_USAGE if it failed. */
int objdump_close(struct objdump *o, struct error *t);

#endif

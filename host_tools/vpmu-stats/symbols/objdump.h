/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_OBJDUMP_H
#define VPMU_STATS_OBJDUMP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/error.h"

/* The default by the machine of the file. Debian has these on all machines. */
#define OBJDUMP_ARM "aarch64-linux-gnu-objdump"
#define OBJDUMP_X86 "x86_64-linux-gnu-objdump"

/**
 * struct objdump - the disassembler of binutils, as it prints a part of a file
 * @line: the last one that objdump_next() has read, tame.
 * @address: of the instruction on it, if @is_code.
 * @code: the instruction, as text.
 *
 * The rest is private.
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
 * objdump_open() - starts it
 * @program: its name, or path; NULL: by the machine that the file is for.
 * @path: of an ELF file.
 * @start, @end: addresses in that; @end is behind what is wanted.
 * @source: with lines of the source, where the file tells them.
 *
 * Return: 0, after which objdump_close() is needed; or -1: ERROR_USAGE if it cannot be run.
 */
int objdump_open(struct objdump *o, const char *program, const char *path, uint64_t start,
                 uint64_t end, bool source, struct error *t);

/** objdump_next() - the next line; false behind the last */
bool objdump_next(struct objdump *o);

/** objdump_close() - Return: 0, or -1: ERROR_USAGE if it failed */
int objdump_close(struct objdump *o, struct error *t);

#endif

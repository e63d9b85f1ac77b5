/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_DISASSEMBLY_H
#define VPMU_STATS_DISASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/**
 * struct disassembly - the instructions of a part of an ELF file, by libcapstone
 * @line: what disassembly_next() found last, as objdump prints it.
 * @address: of the instruction.
 * @code: the instruction in @line.
 *
 * The rest is private.
 */
struct disassembly {
    char line[320];
    uint64_t address;
    const char *code;
    struct disassembly_state *state;
};

/**
 * disassembly_open() - reads the code
 * @path: of an ELF file for aarch64, arm, x86-64 or i386.
 * @start, @end: addresses in it; @end is behind the last instruction.
 *
 * Return: 0, after which disassembly_close() is needed; or -1: ERROR_USAGE if the file cannot be
 * read, has no code at @start, or is for another machine.
 */
int disassembly_open(struct disassembly *d, const char *path, uint64_t start, uint64_t end,
                     struct error *t);

/** disassembly_next() - finds the next instruction; false behind the last */
bool disassembly_next(struct disassembly *d);

void disassembly_close(struct disassembly *d);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_DISASSEMBLY_H
#define VPMU_STATS_DISASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/**
 * struct disassembly - the instructions in a part of an ELF file, decoded by libcapstone
 * @line: the last instruction, as objdump prints it.
 * @address: the address of that instruction.
 * @code: where the instruction starts in @line, behind the address.
 *
 * The other members are private.
 */
struct disassembly {
    char line[320];
    uint64_t address;
    const char *code;
    struct disassembly_state *state;
};

/**
 * disassembly_open() - start to disassemble a part of a file
 * @d: is filled in.
 * @path: an ELF file for aarch64, arm, x86-64 or i386.
 * @start: the address of the first instruction in the file. It is odd for Thumb code.
 * @end: the address behind the last instruction.
 *
 * Return: 0, after which disassembly_close() is needed; or -1: ERROR_USAGE if the file cannot be
 * read, has no code at @start, or is for another machine.
 */
int disassembly_open(struct disassembly *d, const char *path, uint64_t start, uint64_t end,
                     struct error *t);

/** disassembly_next() - decode the next instruction. Return: false if there are no more. */
bool disassembly_next(struct disassembly *d);

void disassembly_close(struct disassembly *d);

#endif

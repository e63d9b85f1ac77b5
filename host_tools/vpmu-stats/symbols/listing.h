/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_LISTING_H
#define VPMU_STATS_LISTING_H

#include "symbols/disassembly.h"
#include "symbols/objdump.h"

/**
 * struct listing - the lines of the disassembly of a part of a file
 * @line: the last line that was read.
 * @is_code: the line is an instruction.
 * @address: the address of the instruction.
 * @code: the text of the instruction.
 *
 * The other members are private.
 */
struct listing {
    const char *line;
    bool is_code;
    uint64_t address;
    const char *code;
    bool by_objdump;
    struct objdump objdump;
    struct disassembly own;
};

/**
 * listing_open() - start to disassemble a part of a file
 * @l: is filled in.
 * @objdump: the objdump program to use; NULL for libcapstone.
 * @path: see disassembly_open().
 * @start: see disassembly_open().
 * @end: see disassembly_open().
 * @source: with @objdump, include lines of source code.
 *
 * Return: 0, after which listing_close() is needed; or -1: ERROR_USAGE if the file cannot be
 * disassembled.
 */
int listing_open(struct listing *l, const char *objdump, const char *path, uint64_t start,
                 uint64_t end, bool source, struct error *t);

/** listing_next() - read the next line. Return: false if there are no more. */
bool listing_next(struct listing *l);

/** listing_close() - end the disassembly. Return: 0; or -1: ERROR_USAGE if objdump failed. */
int listing_close(struct listing *l, struct error *t);

#endif

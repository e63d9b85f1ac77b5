/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_LISTING_H
#define VPMU_STATS_LISTING_H

#include "symbols/disassembly.h"
#include "symbols/objdump.h"

/**
 * struct listing - the lines of a disassembled part of a file
 * @line: what listing_next() has read last.
 * @is_code: the line is an instruction, at @address. @code is its text.
 *
 * The rest is private.
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
 * listing_open() - starts to disassemble
 * @objdump: the program to do it; NULL for libcapstone, which has no lines of source. With @source
 *     it is the objdump of the file's machine.
 * @path, @start, @end: see disassembly_open().
 * @source: include lines of the source.
 *
 * Return: 0, after which listing_close() is needed; or -1: ERROR_USAGE if it cannot be done.
 */
int listing_open(struct listing *l, const char *objdump, const char *path, uint64_t start,
                 uint64_t end, bool source, struct error *t);

/** listing_next() - reads the next line; false behind the last */
bool listing_next(struct listing *l);

/** listing_close() - Return: 0, or -1: ERROR_USAGE if objdump failed */
int listing_close(struct listing *l, struct error *t);

#endif

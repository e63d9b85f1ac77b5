/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_DWARF_LINES_H
#define VPMU_STATS_DWARF_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most functions that are inlined into each other at one address. */
#define DWARF_LINES_FRAMES 32u

/**
 * struct dwarf_line - a line of the source at an address
 * @function: the inlined function that the line belongs to; NULL for the function of the symbol.
 * @file: the path of the source file, as the compiler recorded it.
 * @line: the number of the line; 0 if it is not known.
 */
struct dwarf_line {
    const char *function;
    const char *file;
    unsigned line;
};

struct dwarf_lines;

/** dwarf_lines_exist() - check whether an ELF file has debug information that can be used */
bool dwarf_lines_exist(int fd);

/**
 * dwarf_lines_open() - read the debug information of an ELF file
 *
 * libdw trusts the file. Call this and dwarf_lines_find() only in a process that may crash and that
 * has limits of memory and time.
 *
 * Return: NULL if there is none.
 */
struct dwarf_lines *dwarf_lines_open(int fd);

/**
 * dwarf_lines_find() - find the lines of the source at an address
 * @address: an address in the ELF file.
 * @inlined: find inlined functions, too, which takes much longer. Otherwise there is one line.
 * @line: DWARF_LINES_FRAMES lines. The first is that of the instruction. Each following one is
 *     where the function before it was inlined. The strings are valid until dwarf_lines_close().
 * @end: receives the address from which on another answer may be right.
 *
 * Return: the number of lines; 0 if nothing is known.
 */
size_t dwarf_lines_find(struct dwarf_lines *d, uint64_t address, bool inlined,
                        struct dwarf_line *line, uint64_t *end);

/**
 * dwarf_lines_close() - free the memory. @d may be NULL.
 *
 * The descriptor stays open, but for that of an object file.
 */
void dwarf_lines_close(struct dwarf_lines *d);

#endif

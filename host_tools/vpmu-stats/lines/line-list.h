/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_LINE_LIST_H
#define VPMU_STATS_LINE_LIST_H

#include <stdint.h>

#include "base/error.h"

/**
 * struct listed_line - a source line that has code, or a function that begins there
 * @function: the name that a linker sees; NULL for a line.
 * @address: where it begins in the ELF file.
 */
struct listed_line {
    const char *file;
    unsigned line;
    const char *function;
    uint64_t address;
};

/** line_list_sink - takes a line; returns 0, or -1 with an error */
typedef int (*line_list_sink)(void *opaque, const struct listed_line *line, struct error *t);

/**
 * line_list_read() - list the lines of an ELF file's debug information, executed or not
 * @fd: the file with the debug information, which the caller closes. A process without rights
 *     reads it.
 * @name: of the file, for errors.
 * @sink: gets lines in any order, some several times.
 *
 * Return: 0, or -1 with an error.
 */
int line_list_read(int fd, const char *name, line_list_sink sink, void *opaque, struct error *t);

#endif

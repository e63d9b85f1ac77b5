/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_SOURCE_LINES_H
#define VPMU_STATS_SOURCE_LINES_H

#include "symbols/debug-file.h"
#include "lines/dwarf-lines.h"

/* After this many files whose child took too much time, no other file is read. */
#define SOURCE_LINES_MAX_SLOW 2u

/**
 * struct source_lines - source lines and inlined functions of ELF files; all 0 at first
 * @dirs: where debug information is looked for.
 * @no_inline: do not look for inlined functions, which takes most of the time.
 * @slow: the number of files whose child took too much time.
 * @broken: the path of a file whose debug information could not be read; NULL if there is none.
 *
 * The other members are private.
 */
struct source_lines {
    struct debug_dirs dirs;
    bool no_inline;
    const char *broken;
    unsigned slow;
    void *files;
    size_t open;
    size_t cached;
};

/**
 * source_lines_find() - find the lines of the source at an address
 * @s: the files.
 * @path: the path of the ELF file. If it has no debug information, that of debug_file_open()
 *     is used.
 * @address: an address in the ELF file.
 * @line: see dwarf_lines_find(). The strings are valid until the next call. No control characters
 *     are in them. Names of files are not NULL, but can be empty.
 *
 * The files are read in child processes, because a guest may have made them. A file whose child
 * crashes or takes too much memory or time has no lines from then on. All its answers together may
 * take a minute of processor time.
 *
 * Return: the number of lines; 0 if nothing is known.
 */
size_t source_lines_find(struct source_lines *s, const char *path, uint64_t address,
                         struct dwarf_line *line);

/**
 * source_lines_open() - open the file with the debug information of an ELF file
 *
 * Return: a descriptor, perhaps of another file; -1 if there is none.
 */
int source_lines_open(const struct debug_dirs *dirs, const char *path);

void source_lines_free(struct source_lines *s);

#endif

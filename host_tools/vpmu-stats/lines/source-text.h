/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_SOURCE_TEXT_H
#define VPMU_STATS_SOURCE_TEXT_H

#include <stddef.h>

/* The size of a line's text, including the NUL. Longer lines are truncated. */
#define SOURCE_TEXT_SIZE 256u

/** struct source_text - the source file that was read last; all 0 at first. Private. */
struct source_text {
    char *path;
    char *text;
    size_t size;
};

/**
 * source_text_line() - get a line of a source file
 * @s: the file that was read last.
 * @path: the path of the file, which may come from a guest. Only regular files are read.
 * @line: the number of the line, from 1.
 * @to: receives the line, without control characters. Empty if there is no such line.
 */
void source_text_line(struct source_text *s, const char *path, unsigned line,
                      char to[SOURCE_TEXT_SIZE]);

void source_text_free(struct source_text *s);

#endif

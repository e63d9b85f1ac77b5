/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_VALGRIND_LINES_H
#define VPMU_STATS_VALGRIND_LINES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/* The most events of a file. */
#define VALGRIND_EVENTS_MAX 64u
/* What valgrind writes if a name is not known. */
#define VALGRIND_UNKNOWN "???"

/**
 * struct valgrind_line - a source line, and what it cost
 * @command: the program's command line; "" if the file does not tell.
 * @object, @function: what it is a part of.
 * @home: the source file of the function; VALGRIND_UNKNOWN if it is not known, as in files of
 *     cachegrind.
 * @file: the source file of the line, which is another than that of the function if a function was
 *     inlined; VALGRIND_UNKNOWN if it is not known.
 * @line: 0 if it is not known.
 * @value: for each event of the file.
 */
struct valgrind_line {
    const char *command;
    const char *object;
    const char *function;
    const char *home;
    const char *file;
    unsigned line;
    const uint64_t *value;
};

/** struct valgrind_call - a line that calls a function, and what the calls cost until they return
 */
struct valgrind_call {
    const char *object, *home, *function;
    const char *called_object, *called_home, *called;
    const uint64_t *value;
};

/**
 * struct valgrind_sink - what takes the contents; functions return 0, or -1 with an error
 * @events: comes first.
 * @line: comes several times for the same line.
 * @call: NULL, or comes for each line with calls.
 */
struct valgrind_sink {
    int (*events)(void *opaque, const char *const *name, unsigned n, struct error *t);
    int (*line)(void *opaque, const struct valgrind_line *line, struct error *t);
    int (*call)(void *opaque, const struct valgrind_call *call, struct error *t);
    void *opaque;
};

/** valgrind_numbered() - does a name look like one with a number, such as "(7) main"? */
bool valgrind_numbered(const char *name);

/** valgrind_begins() - does a file with these @n first bytes have that format? */
bool valgrind_begins(const char *start, size_t n);

/** valgrind_is() - does a file have the format of callgrind or cachegrind? Rewinds it. */
bool valgrind_is(FILE *file);

/**
 * valgrind_read() - read a file of callgrind or cachegrind
 * @name: of the file, for errors. Its contents are not trusted.
 *
 * Return: 0, or -1 with an error.
 */
int valgrind_read(FILE *file, const char *name, const struct valgrind_sink *sink, struct error *t);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_FXT_H
#define VPMU_STATS_FXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/string-table.h"

/**
 * struct fxt - a trace in Fuchsia's format that is being written; @file is set, all else 0 at first
 *
 * What goes wrong with the file is in it, for ferror(); what goes wrong here is in @error.
 *
 * Source: https://fuchsia.dev/fuchsia-src/reference/tracing/trace-format
 */
struct fxt {
    FILE *file;
    struct string_table strings;
    struct error error;
};

enum fxt_object {
    FXT_PROCESS = 1,
    FXT_THREAD = 2,
};

enum fxt_event {
    FXT_INSTANT = 0,
    FXT_COUNTER = 1,
    FXT_COMPLETE = 4,
};

/**
 * struct fxt_place - what an event is called, and where and when it was
 * @process, @thread: numbers that were named by fxt_name().
 * @time: in ticks.
 */
struct fxt_place {
    uint64_t process;
    uint64_t thread;
    uint64_t time;
    const char *category;
    const char *name;
};

/** struct fxt_argument - @text; or if that is NULL, @real, or if @is_real is not set, @number */
struct fxt_argument {
    const char *name;
    const char *text;
    uint64_t number;
    double real;
    bool is_real;
};

/* As many as a record has room for, if none of their texts has a number any more. */
#define FXT_MAX_ARGUMENTS 8u

/** fxt_begin() - writes what a trace begins with */
void fxt_begin(struct fxt *f, uint64_t ticks_per_second);

/** fxt_name() - an object, of @process if it is a thread, has this name */
void fxt_name(struct fxt *f, enum fxt_object type, uint64_t object, uint64_t process,
              const char *name);

/**
 * fxt_event() - writes an event
 * @n: at most FXT_MAX_ARGUMENTS.
 * @last: the number of the counter, or when what is complete ended.
 */
void fxt_event(struct fxt *f, enum fxt_event type, const struct fxt_place *place,
               const struct fxt_argument *argument, unsigned n, uint64_t last);

void fxt_free(struct fxt *f);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_FXT_H
#define VPMU_STATS_FXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "profile/string-table.h"

/**
 * struct fxt - a trace in Fuchsia's format that is being written; @file is set, all else is 0 at
 * first
 *
 * Errors of writing are left in @file for ferror(). Other errors are in @error.
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
 * struct fxt_place - the category and name of an event, and its thread and time
 * @process, @thread: numbers that fxt_name() has named.
 * @time: in ticks.
 */
struct fxt_place {
    uint64_t process;
    uint64_t thread;
    uint64_t time;
    const char *category;
    const char *name;
};

/**
 * struct fxt_argument - an argument: @text; or @real if @text is NULL and @is_real is set; or
 * @number
 */
struct fxt_argument {
    const char *name;
    const char *text;
    uint64_t number;
    double real;
    bool is_real;
};

/* The most arguments that fit in a record if all texts are inline. */
#define FXT_MAX_ARGUMENTS 8u

/** fxt_begin() - write the start of a trace */
void fxt_begin(struct fxt *f, uint64_t ticks_per_second);

/** fxt_name() - name a process, or a thread of @process */
void fxt_name(struct fxt *f, enum fxt_object type, uint64_t object, uint64_t process,
              const char *name);

/**
 * fxt_event() - write an event
 * @n: at most FXT_MAX_ARGUMENTS.
 * @last: the number of a counter, or the end of a complete event.
 */
void fxt_event(struct fxt *f, enum fxt_event type, const struct fxt_place *place,
               const struct fxt_argument *argument, unsigned n, uint64_t last);

void fxt_free(struct fxt *f);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-stats top --symbols: shows the functions of one machine, as perf top does. */
#include "top/function-top.h"

#include <stdio.h>
#include <string.h>

#include "top/function-rows.h"
#include "top/function-screen.h"

/* As long as argp accepts for an abbreviation. --sort and --separator begin in another way. */
bool function_top_is_wanted(int argc, char *const *argv)
{
    static const char option[] = "--symbols";

    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        size_t length = strlen(argv[i]);

        if (length >= 4 && length < sizeof(option) && strncmp(argv[i], option, length) == 0) {
            return true;
        }
    }
    return false;
}

static int64_t end_of(const struct live *l)
{
    int timeout = l->o->measure.timeout;

    return timeout ? l->began + (int64_t)timeout * 1000000 : INT64_MAX;
}

static int64_t next_frame(const struct live *l)
{
    int64_t next = l->looked + (int64_t)l->o->delay * 1000000;

    return end_of(l) < next ? end_of(l) : next;
}

static bool is_over(const struct live *l, long frames)
{
    return (l->o->measure.count && frames >= l->o->measure.count) || l->looked >= end_of(l);
}

static int print_frames(struct live *l, struct out *out, struct error *t)
{
    for (long n = 0; !is_over(l, n); n++) {
        if (live_wait(l, next_frame(l), -1, t) || live_frame(l, l->o->zero, t)) {
            return -1;
        }
        function_rows_print(l, (size_t)l->o->limit, out);
        if (out_flush(out, t)) {
            return -1;
        }
    }
    return 0;
}

static void run_batch(struct live *l, const struct function_options *o, int stop_fd,
                      struct error *t)
{
    struct out out = {.kind = o->common.kind, .separator = o->common.separator};
    struct error closing = {0};

    if (out_open(&out, o->common.output, true, o->common.color, t)) {
        return;
    }
    if (live_open(l, o, stop_fd, t) == 0) {
        print_frames(l, &out, t);
    }
    if (t->code == ERROR_STOPPED && l->looked > l->began) {
        *t = (struct error){0};
    }
    if (out_close(&out, t->code != ERROR_OUTPUT, &closing)) {
        *t = closing;
    }
}

int function_top(int argc, char **argv, int stop_fd)
{
    static struct function_options o;
    struct live l = {0};
    struct error t = {0};
    int status;

    if (function_options_parse(&o, argc, argv, &t) == 0) {
        if (o.batch) {
            run_batch(&l, &o, stop_fd, &t);
        } else {
            function_screen_run(&l, &o, stop_fd, &t);
        }
    }
    status = live_close(&l, &t);
    function_options_free(&o);
    return status;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-run compare: what changed between two reports. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "cli/builtin.h"
#include "report/compare.h"
#include "report/report.h"

struct options {
    const char *file[2];
    unsigned files;
    const char *events;
    double limit;
    bool limited;
};

static const struct argp_option options[] = {
    {"event", 'e', "LIST", 0, "compare only these events", 0},
    {"max-growth", 'g', "PERCENT", 0, "fail with status 9 if a count grew by more", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    char *end;

    switch (key) {
    case 'e':
        o->events = arg;
        return 0;
    case 'g':
        o->limit = strtod(arg, &end);
        o->limited = true;
        if (end == arg || !isfinite(o->limit) || o->limit < 0 || (*end && strcmp(end, "%") != 0)) {
            argp_error(state, "--max-growth takes a percentage such as 0.1%%, not '%s'", arg);
        }
        return 0;
    case ARGP_KEY_ARG:
        if (o->files == 2) {
            argp_error(state, "only two reports can be compared; remove '%s'", arg);
            return EINVAL;
        }
        o->file[o->files++] = arg;
        return 0;
    case ARGP_KEY_END:
        if (o->files != 2) {
            argp_error(state, "two reports are needed, of vpmu-run -o");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    options,
    parse,
    "BASE NOW",
    "Compares two reports that vpmu-run -o has written.\v"
    "Exit status:\n  0  success\n  2  invalid options, or a file is not a report\n"
    "  9  a count grew by more than --max-growth",
    0,
    0,
    0,
};

/* is_listed() - is an event in the list "A,B"? Without a list all are. */
static bool is_listed(const char *list, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strcspn(at, ",") == length && strncmp(at, name, length) == 0) {
            return true;
        }
    }
    return !list;
}

static void print_row(const char *name, uint64_t base, uint64_t now, bool beyond)
{
    char a[FORMAT_SIZE], b[FORMAT_SIZE], c[FORMAT_SIZE + 1], percent[32];
    double change = compare_change(base, now);

    c[0] = now < base ? '-' : now > base ? '+' : ' ';
    format_grouped(c + 1, now < base ? base - now : now - base);
    if (isinf(change)) {
        snprintf(percent, sizeof(percent), "new");
    } else {
        snprintf(percent, sizeof(percent), "%+.3f %%", change);
    }
    printf("%-24s %20s %20s %20s %12s%s\n", name, format_grouped(a, base), format_grouped(b, now),
           c, percent, beyond ? "  beyond the limit" : "");
}

/* warn() - says if the reports come from machines that are not the same */
static void warn(struct json_object *base, struct json_object *now)
{
    struct json_object *a = NULL, *b = NULL;

    json_object_object_get_ex(base, "machine", &a);
    json_object_object_get_ex(now, "machine", &b);
    if (!json_object_equal(a, b)) {
        fprintf(stderr,
                "vpmu-run: the reports are from different machines (kernel, CPU, memory, seed): "
                "compare events with :u only\n");
    }
}

/* find() - the count in a report; 0 for a system call that is not in a report with others */
static bool find(struct json_object *report, const char *name, uint64_t *value)
{
    if (report_find(report, name, value)) {
        return true;
    }
    *value = 0;
    return report_is_syscall(name) && report_has_syscalls(report);
}

/* compare() - prints a table. Return: whether a count is beyond the limit, or -1. */
static int compare(const struct options *o, struct json_object *base, struct json_object *now,
                   struct failure *f)
{
    unsigned rows = 0, grown = 0;
    size_t n = report_events(now);

    printf("%-24s %20s %20s %20s %12s\n", "event", "base", "now", "change", "");
    /* Those of @now, and then system calls that only @base has. */
    for (size_t i = 0; i < n + report_events(base); i++) {
        uint64_t before, after, ignored;
        const char *name;
        bool beyond, counted = i < n ? report_value(now, i, &name, &after)
                                     : report_value(base, i - n, &name, &before) &&
                                           !report_find(now, name, &ignored);

        if (!counted || !is_listed(o->events, name) || !find(base, name, &before) ||
            !find(now, name, &after)) {
            continue;
        }
        beyond = o->limited && compare_exceeds(before, after, o->limit);
        print_row(name, before, after, beyond);
        rows++;
        grown += beyond;
    }
    if (rows == 0) {
        return failure_set(f, FAILURE_USAGE, "the reports have no event in common");
    }
    if (grown) {
        failure_set(f, FAILURE_GREW, "%u of %u counts grew by more than %g %%", grown, rows,
                    o->limit);
        return -1;
    }
    return 0;
}

int builtin_compare(int argc, char **argv)
{
    struct options o = {0};
    struct failure f = {0};
    struct json_object *base, *now;

    argp_err_exit_status = FAILURE_USAGE;
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (report_read(o.file[0], &base, &f) != 0) {
        return failure_print(&f);
    }
    if (report_read(o.file[1], &now, &f) == 0) {
        warn(base, now);
        compare(&o, base, now, &f);
        json_object_put(now);
    }
    json_object_put(base);
    return failure_print(&f);
}

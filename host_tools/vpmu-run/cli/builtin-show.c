/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-run show: prints a report in another format. */
#include <argp.h>
#include <errno.h>

#include "cli/builtin.h"
#include "report/formats.h"
#include "report/reports.h"

struct options {
    const char *file;
    const char *output;
    format_fn *format;
};

static const struct argp_option options[] = {
    {"format", 'f', "FORMAT", 0, "text, json, github, bencher, csv or prometheus", 0},
    {"output", 'o', "FILE", 0, "write to FILE", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case 'f':
        o->format = format_find(arg);
        if (!o->format) {
            argp_error(state, "no format '%s'; known: %s", arg, formats_known);
        }
        return 0;
    case 'o':
        o->output = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (o->file) {
            argp_error(state, "only one report can be shown; remove '%s'", arg);
            return EINVAL;
        }
        o->file = arg;
        return 0;
    case ARGP_KEY_END:
        if (!o->file) {
            argp_error(state, "no report");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    options, parse, "FILE", "Prints the reports of a file that vpmu-run -o has written.", 0, 0, 0,
};

int builtin_show(int argc, char **argv)
{
    struct options o = {.format = format_find("text")};
    struct failure f = {0};
    struct reports reports = {0};

    argp_err_exit_status = FAILURE_USAGE;
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (reports_read(&reports, o.file, &f) == 0) {
        format_write(reports.report, reports.n, o.format, o.output, stdout, &f);
    }
    reports_free(&reports);
    return failure_print(&f);
}

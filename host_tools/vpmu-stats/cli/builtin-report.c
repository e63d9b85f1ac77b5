/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-stats report: summarizes a recording. */
#include "cli/builtin.h"
#include "cli/profile-options.h"
#include "cli/report-options.h"
#include "profile/report.h"

struct options_of_report {
    struct profile_options common;
    struct report_options rows;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options_of_report *o = state->input;

    (void)arg;
    if (key != ARGP_KEY_INIT) {
        return ARGP_ERR_UNKNOWN;
    }
    state->child_inputs[0] = &o->common;
    state->child_inputs[1] = &o->rows;
    return 0;
}

static const struct argp_child children[] = {
    {&profile_options_argp, 0, 0, 0}, {&report_options_argp, 0, 0, 0}, {0}};

static const struct argp argp = {
    0,
    parse,
    0,
    "Summarizes a file of vpmu-stats record or perf record, as perf report --stdio does: for each "
    "event, the share of each thread and function.\v"
    "Find the kernel functions that miss the cache:\n\n"
    "    vpmu-stats record -e cache-misses:k -c 1000 vm\n"
    "    vpmu-stats report\n\n"
    "Show the share of the machine's own guests, from a pipe:\n\n"
    "    vpmu-stats record -o - --duration 5 vm | vpmu-stats report -i - -s cgroup\n\n"
    "Name functions of firmware or of another ELF file:\n\n"
    "    vpmu-stats report --vmlinux firmware.elf",
    children,
    0,
    0,
};

static int print(const struct options_of_report *o, const struct report *r, struct profile *p,
                 struct error *t)
{
    struct out out = {.kind = o->rows.kind, .separator = o->rows.separator};

    if (out_open(&out, o->common.output, false, OUT_COLOR_NEVER, t)) {
        return -1;
    }
    report_print(r, p, (size_t)o->rows.limit, &out);
    return out_close(&out, true, t);
}

int builtin_report(int argc, char **argv, int stop_fd)
{
    struct options_of_report o = {.common = profile_options_default, .rows = {.sort = "comm,sym"}};
    struct report r = {0};
    struct profile p = {0};
    struct sample_input g = {.key = report_key, .opaque = &r, .profile = &p};
    struct error t = {0};

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (report_choose(&r, o.rows.sort, &t) == 0 &&
        profile_options_read_input(&o.common, &g, stop_fd, &t) == 0) {
        print(&o, &r, &p, &t);
    }
    profile_free(&p);
    error_print(&t);
    return (int)t.code;
}

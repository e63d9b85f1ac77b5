/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-stats report: what record wrote, summed up. */
#include "builtin.h"
#include "number.h"
#include "options.h"
#include "profile-options.h"
#include "report.h"

#define DEFAULT_SORT "comm,sym"
#define MAX_LIMIT 1000000000

struct report_options {
    struct profile_options common;
    const char *sort;
    long limit;
    enum out_kind kind;
    const char *separator;
};

static const struct argp_option table[] = {
    {"sort", 's', "LIST", 0,
     "Sum up by comm, sym, cgroup (who ran), cpu, pid, tid, ip, event (" DEFAULT_SORT ")", 1},
    {"limit", 'n', "N", 0, "The first N rows of each event", 1},
    {"json", 'j', 0, 0, "One JSON object a line; their members are in vpmu-stats(1)", 12},
    {"field-separator", 'x', "SEP", 0, "The same values with SEP in between", 12},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct report_options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->common;
        return 0;
    case 's':
        o->sort = arg;
        return 0;
    case 'n':
        if (!number_parse(arg, 1, MAX_LIMIT, &o->limit)) {
            argp_error(state, "'%s' is not a number of rows, 1 or more", arg);
        }
        return 0;
    default:
        return options_take_kind(key, arg, state, &o->kind, &o->separator);
    }
}

static const struct argp_child children[] = {{&profile_options_argp, 0, 0, 0}, {0}};

static const struct argp argp = {
    table,
    parse,
    0,
    "Sums up what vpmu-stats record, or perf record, wrote, as perf report --stdio does: for each "
    "event how much of it is whose.\v"
    "Which functions of a guest's kernel miss the cache:\n\n"
    "    vpmu-stats record -e cache-misses:k -c 1000 --kallsyms guest.kallsyms vm\n"
    "    vpmu-stats report --kallsyms guest.kallsyms\n\n"
    "What the machine's own guests have of it, from a pipe:\n\n"
    "    vpmu-stats record -o - --timeout 5000 vm | vpmu-stats report -i - -s cgroup\n\n"
    "Functions of firmware, or of anything else that is an ELF file:\n\n"
    "    nm firmware.elf >functions && vpmu-stats report --kallsyms functions",
    children,
    0,
    0,
};

static int print(const struct report_options *o, const struct report *r, struct profile *p,
                 struct trouble *t)
{
    struct out out = {.kind = o->kind, .separator = o->separator};

    if (out_open(&out, o->common.output, false, OUT_COLOR_NEVER, t)) {
        return -1;
    }
    report_print(r, p, (size_t)o->limit, &out);
    return out_close(&out, true, t);
}

int builtin_report(int argc, char **argv, int stop_fd)
{
    struct report_options o = {.common = profile_options_default, .sort = DEFAULT_SORT};
    struct report r = {0};
    struct profile p = {0};
    struct gather g = {.key = report_key, .opaque = &r, .profile = &p};
    struct trouble t = {0};

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (report_choose(&r, o.sort, &t) == 0 &&
        profile_options_gather(&o.common, &g, stop_fd, &t) == 0) {
        print(&o, &r, &p, &t);
    }
    profile_free(&p);
    trouble_tell(&t);
    return (int)t.code;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/report-options.h"

#include "base/number.h"
#include "session/options.h"

#define MAX_LIMIT 1000000000

enum {
    KEY_ADDRESSES = 0x400,
};

static const struct argp_option table[] = {
    {"sort", 's', "LIST", 0,
     "Group samples by these keys, separated by commas: comm, dso (file), sym, cgroup (host or "
     "guest), cpu, pid, tid, ip, srcline (file and line), event (report: comm,sym; diff: sym)",
     1},
    {"addresses", KEY_ADDRESSES, 0, 0,
     "Show the address of each sample without a function, not one row per file", 1},
    {"limit", 'n', "N", 0, "Print at most N rows per event", 1},
    {"json", 'j', 0, 0, "Print one JSON object per line; vpmu-stats(1) lists the members", 12},
    {"field-separator", 'x', "SEP", 0, "Print only values, separated by SEP", 12},
    {0, 't', 0, OPTION_ALIAS, 0, 12},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct report_options *o = state->input;

    switch (key) {
    case 's':
        o->sort = arg;
        return 0;
    case 'n':
        if (!number_parse(arg, 1, MAX_LIMIT, &o->limit)) {
            argp_error(state, "'%s' is not a number of rows, 1 or more", arg);
        }
        return 0;
    case KEY_ADDRESSES:
        o->addresses = true;
        return 0;
    default:
        /* perf report has -t for -x. */
        return options_take_kind(key == 't' ? 'x' : key, arg, state, &o->kind, &o->separator);
    }
}

const struct argp report_options_argp = {table, parse, 0, 0, 0, 0, 0};

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/filter-options.h"

#define MAX_CPU 65535

enum {
    KEY_COMMS = 0x500,
    KEY_PID,
    KEY_TID,
};

static const struct argp_option table[] = {
    {"comms", KEY_COMMS, "LIST", 0, "Show only threads with these names", 3},
    {"comm", KEY_COMMS, 0, OPTION_ALIAS, 0, 3},
    {"pid", KEY_PID, "LIST", 0, "Show only these processes", 3},
    {"tid", KEY_TID, "LIST", 0, "Show only these threads", 3},
    {"cpu", 'C', "LIST", 0, "Show only samples of these vCPUs: 0,2-3", 3},
    {"dsos", 'd', "LIST", 0, "Show only samples in these files", 3},
    {"dso", 'd', 0, OPTION_ALIAS, 0, 3},
    {"symbols", 'S', "LIST", 0, "Show only samples in these functions", 3},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct sample_filter *filter = state->input;

    switch (key) {
    case KEY_COMMS:
        filter->comms = arg;
        return 0;
    case KEY_PID:
        filter->pids = arg;
        return 0;
    case KEY_TID:
        filter->tids = arg;
        return 0;
    case 'C':
        if (!ranges_add(&filter->cpus, arg, MAX_CPU)) {
            argp_error(state, "'%s' is not a list of vCPUs such as 0,2-3", arg);
        }
        return 0;
    case 'd':
        filter->dsos = arg;
        return 0;
    case 'S':
        filter->symbols = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp filter_options_argp = {table, parse, 0, 0, 0, 0, 0};

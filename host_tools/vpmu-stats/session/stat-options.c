/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/stat-options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "session/options.h"

#define MAX_REPEAT 1000000
#define MAX_CPU 65535

enum {
    KEY_DETAILED = 'd',
    KEY_REPEAT = 'r',
    KEY_DELAY = 'D',
    KEY_METRICS = 'M',
    KEY_ALL = 'a',
    KEY_CPUS = 'C',
};

static const struct argp_option table[] = {
    {"detailed", KEY_DETAILED, 0, 0,
     "Also count cache accesses; given twice, also instruction caches and TLBs", 2},
    {"repeat", KEY_REPEAT, "N", 0, "Measure N times; print the mean and its standard error", 2},
    {"delay", KEY_DELAY, "MS", 0, "Wait MS milliseconds before counting", 2},
    {"metrics", KEY_METRICS, "LIST", 0, "Compute metrics, such as ipc,mpki; -M list shows all", 2},
    {"all-cpus", KEY_ALL, 0, 0, "Count on all vCPUs (the default)", 2},
    {"cpu", KEY_CPUS, "LIST", 0, "Count on these vCPUs only: 0,2-3", 2},
    {0},
};

static void take_metrics(struct stat_options *o, const char *list, struct argp_state *state)
{
    struct error t = {0};

    if (strcmp(list, "list") == 0) {
        o->list = true;
    } else if (metrics_add(&o->metrics, list, &t)) {
        argp_error(state, "%s", t.text);
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct stat_options *o = state->input;

    switch (key) {
    case KEY_DETAILED:
        o->detailed++;
        return 0;
    case KEY_REPEAT:
        if (!number_parse(arg, 1, MAX_REPEAT, &o->repeat)) {
            argp_error(state, "'%s' is not a number of runs, 1 to %d", arg, MAX_REPEAT);
        }
        return 0;
    case KEY_DELAY:
        o->delay = options_ms(state, arg, 0);
        return 0;
    case KEY_METRICS:
        take_metrics(o, arg, state);
        return 0;
    case KEY_ALL:
        return 0;
    case KEY_CPUS:
        if (!ranges_add(&o->cpus, arg, MAX_CPU)) {
            argp_error(state, "'%s' is not a list of vCPUs such as 0,2-3", arg);
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp stat_options_argp = {table, parse, 0, 0, 0, 0, 0};

int stat_options_split(struct stat_options *o, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0) {
            argv[i] = NULL;
            o->command = i + 1 < argc ? &argv[i + 1] : NULL;
            return i;
        }
    }
    return argc;
}

int stat_options_events(const struct stat_options *o, struct events *e, struct error *t)
{
    static const char *const caches[] = {"L1-dcache-loads", "L1-dcache-load-misses", "LLC-loads",
                                         "LLC-load-misses"};
    static const char *const more[] = {"L1-icache-loads", "L1-icache-load-misses",
                                       "dTLB-loads",      "dTLB-load-misses",
                                       "iTLB-loads",      "iTLB-load-misses"};

    if (o->detailed > 0 && events_add_optional(e, caches, 4, t)) {
        return -1;
    }
    if (o->detailed > 1 && events_add_optional(e, more, 6, t)) {
        return -1;
    }
    return metrics_events(&o->metrics, e, t);
}

static bool has_cpu(const struct pmus *pmus, unsigned cpu)
{
    for (size_t i = 0; i < pmus->n; i++) {
        if (pmus->pmu[i].cpu == cpu) {
            return true;
        }
    }
    return false;
}

int stat_options_check(const struct stat_options *o, const struct pmus *pmus, struct error *t)
{
    for (size_t i = 0; i < o->cpus.n; i++) {
        for (unsigned cpu = o->cpus.range[i].first; cpu <= o->cpus.range[i].last; cpu++) {
            if (!has_cpu(pmus, cpu)) {
                return error_set(t, ERROR_USAGE, "-C: the machine has no vCPU %u", cpu);
            }
        }
    }
    return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of sessions: they say what perf's options of record can say as well, in other words. */
#include "cli/category-options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "vpmu/arm/observer.h"

/* cpuperf's, which are MiB. */
#define DEFAULT_BUFFER_MB 16
#define MAX_BUFFER_MB (RECORD_MAX_BUFFER_KIB >> 10)

/* Those of record itself are below: see record-options.c. */
enum {
    KEY_CATEGORY = 0x280,
    KEY_BUFFER_SIZE,
};

static const struct argp_option table[] = {
    {0, 0, 0, 0, "Sessions of categories, as Fuchsia's cpuperf has them, into a trace:", 3},
    {"category", KEY_CATEGORY, "LIST", 0,
     "What to count, how often to sample it (cpu:sample:N, cpu:tally), where (cpu:os, cpu:user); "
     "'help' lists what there is",
     3},
    {"categories", 0, 0, OPTION_ALIAS, 0, 3},
    {"buffer-size", KEY_BUFFER_SIZE, "MB", 0,
     "MB for samples of each vCPU not taken yet, 1 to 256 (16); it ends when a buffer is full", 3},
    {0},
};

/* One a line, its name first. */
static void list_categories(void)
{
    const struct category *category;

    for (size_t i = 0; (category = categories_get(i)); i++) {
        printf("cpu:%-40s", category->name);
        for (const struct category_event *e = category->event; e->name; e++) {
            printf(strcmp(e->name, e->event) == 0 ? " %s" : " %s (%s)", e->name, e->event);
        }
        putchar('\n');
    }
    for (size_t i = 0; (category = categories_get(i)); i++) {
        if (category->fixed) {
            printf("cpu:timebase:%-31s all are read when it is sampled\n", category->name);
        }
    }
    printf("cpu:%-40s a sample each N events\n", "sample:N");
    printf("cpu:%-40s totals only, in the end\n", "tally");
    printf("cpu:%-40s above EL0; both, if this and cpu:user are not there\n", "os");
    printf("cpu:%-40s at EL0\n", "user");
    printf("cpu:%-40s samples say where\n", "pc");
}

static void take_categories(struct record_options *o, const char *list,
                            const struct argp_state *state)
{
    if (strcmp(list, "help") == 0) {
        list_categories();
        if (!(state->flags & ARGP_NO_EXIT)) {
            exit(0);
        }
    } else if (o->error.code == ERROR_NONE) {
        cpuperf_add(&o->session, list, &o->error);
    }
    o->by_category = true;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct record_options *o = state->input;

    switch (key) {
    case KEY_CATEGORY:
        take_categories(o, arg, state);
        return 0;
    case KEY_BUFFER_SIZE:
        o->buffer_is_asked = true;
        if (!number_parse(arg, 1, MAX_BUFFER_MB, &o->buffer_mb)) {
            argp_error(state, "'%s' is not a number of MB, 1 to %d", arg, MAX_BUFFER_MB);
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp category_options_argp = {table, parse, 0, 0, 0, 0, 0};

/* What perf's way of saying it is among the categories, or is not there. */
static int check_mixed(const struct record_options *o, const struct options *common,
                       const struct measure_options *measure, struct error *t)
{
    const struct {
        bool is_there;
        const char *option;
        const char *instead;
    } rows[] = {
        {measure->events.n, "-e", "categories say what is counted; --category help lists them"},
        {o->count || common->count, "-c", "cpu:sample:N says how often"},
        {o->hz, "-F", "cpu:sample:N says how often"},
        {o->group, "--group", "cpu:timebase:fixed:cycle_counter has all read at its samples"},
        {o->chains, "-g", "a trace has no call chains; cpu:pc says where samples are"},
        {o->blackout, "--blackout", "record it with -e, and convert --to fxt"},
        {o->kallsyms || o->vmlinux, "--kallsyms", "a trace has addresses only"},
        {o->n_maps, "--map", "a trace has addresses only"},
        {o->symfs, "--symfs", "a trace has addresses only"},
        {o->buffer, "--buffer", "--buffer-size says it in MB"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].is_there) {
            return error_set(t, ERROR_USAGE, "%s and --category exclude each other: %s",
                             rows[i].option, rows[i].instead);
        }
    }
    return 0;
}

int category_options_take(struct record_options *o, const struct options *common,
                          struct measure_options *measure, struct error *t)
{
    if (check_mixed(o, common, measure, t)) {
        return -1;
    }
    if (o->error.code != ERROR_NONE) {
        *t = o->error;
        return -1;
    }
    if (cpuperf_end(&o->session, &measure->events, t)) {
        return -1;
    }
    /* No count comes as far as that: there is no sample. */
    o->period = o->session.tally ? VPMU_PERIOD_MAX : o->session.rate;
    o->group = o->session.timebase;
    o->full = o->full ? o->full : "stop";
    o->buffer = (o->buffer_mb ? o->buffer_mb : DEFAULT_BUFFER_MB) << 10;
    return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of a cpuperf session. They correspond to other options of record that perf has, too. */
#include "options/category-options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "vpmu/arm/observer.h"

/* The default of cpuperf, in MiB. */
#define DEFAULT_BUFFER_MB 16
#define MAX_BUFFER_MB (START_MAX_BUFFER_KIB >> 10)

/* Keys of record's own options are smaller: see record-options.c. */
enum {
    KEY_CATEGORY = 0x280,
    KEY_BUFFER_SIZE,
};

static const struct argp_option table[] = {
    {0, 0, 0, 0, "Fuchsia cpuperf sessions, written as a trace:", 3},
    {"category", KEY_CATEGORY, "LIST", 0,
     "Categories: what to count, how often to sample (cpu:sample:N, cpu:tally), and where (cpu:os, "
     "cpu:user); 'help' lists them",
     3},
    {"categories", 0, 0, OPTION_ALIAS, 0, 3},
    {"buffer-size", KEY_BUFFER_SIZE, "MB", 0,
     "Size of each vCPU's sample buffer in MB, 1 to 256 (16); recording stops when a buffer is "
     "full",
     3},
    {0},
};

/* Prints one category per line, its name first. */
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
            printf("cpu:timebase:%-31s each sample of it also reads all other events\n",
                   category->name);
        }
    }
    printf("cpu:%-40s take a sample every N events\n", "sample:N");
    printf("cpu:%-40s print totals at the end, without samples\n", "tally");
    printf("cpu:%-40s count above EL0; without this and cpu:user, count both\n", "os");
    printf("cpu:%-40s count at EL0\n", "user");
    printf("cpu:%-40s record the address of each sample\n", "pc");
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

/* Refuses options that have an equivalent among the categories or that have no effect with them. */
static int check_mixed(const struct record_options *o, const struct measure_options *measure,
                       struct error *t)
{
    const struct {
        bool is_there;
        const char *option;
        const char *instead;
    } rows[] = {
        {measure->events.n, "-e", "categories select the events; --category help lists them"},
        {o->count, "-c", "use cpu:sample:N"},
        {o->hz, "-F", "use cpu:sample:N"},
        {o->group, "--group", "use cpu:timebase:fixed:cycle_counter"},
        {o->branches, "-b", "a trace has no branches"},
        {o->chains, "-g", "a trace has no call chains; cpu:pc records addresses"},
        {o->blackout, "--blackout", "use record -e and convert --to fxt"},
        {o->kallsyms || o->vmlinux, "--kallsyms", "a trace contains only addresses"},
        {o->n_maps, "--map", "a trace contains only addresses"},
        {o->symfs, "--symfs", "a trace contains only addresses"},
        {o->buffer, "--buffer", "use --buffer-size, in MB"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].is_there) {
            return error_set(t, ERROR_USAGE, "%s and --category exclude each other: %s",
                             rows[i].option, rows[i].instead);
        }
    }
    return 0;
}

int category_options_take(struct record_options *o, struct measure_options *measure,
                          struct error *t)
{
    if (check_mixed(o, measure, t)) {
        return -1;
    }
    if (o->error.code != ERROR_NONE) {
        *t = o->error;
        return -1;
    }
    if (cpuperf_end(&o->session, &measure->events, t)) {
        return -1;
    }
    /* No count reaches this period, so there are no samples. */
    o->period = o->session.tally ? VPMU_PERIOD_MAX : o->session.rate;
    o->group = o->session.timebase;
    o->full = o->full ? o->full : "stop";
    o->buffer = (o->buffer_mb ? o->buffer_mb : DEFAULT_BUFFER_MB) << 10;
    return 0;
}

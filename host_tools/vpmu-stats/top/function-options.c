/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "top/function-options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "top/delay.h"
#include "vpmu/frequency.h"

#define DEFAULT_EVENT "cycles"
#define DEFAULT_FREQUENCY 4000
#define DEFAULT_LIMIT 20
#define MAX_LIMIT 1000000000

enum {
    KEY_SYMBOLS = 0x200,
};

static const struct argp_option table[] = {
    {"symbols", KEY_SYMBOLS, 0, 0,
     "Show the functions of one machine; those of its kernel are found in its memory", 2},
    {"batch", 'b', 0, 0, "Print one table after another; implied by -j, -x and -o", 2},
    {"stdio", 'b', 0, OPTION_ALIAS, 0, 2},
    {"delay", 'd', "SECONDS", 0, "Update every SECONDS seconds (2)", 2},
    {"limit", 'E', "N", 0, "With -b, print at most N functions per table (20)", 2},
    {"entries", 'E', 0, OPTION_ALIAS, 0, 2},
    {"count", 'c', "N", 0, "Take a sample every N events", 2},
    {"freq", 'F', "HZ", 0, "Take HZ samples per second of each vCPU (4000)", 2},
    {"zero", 'z', 0, 0, "Show only the samples since the last update", 2},
    {"kernel", 'U', 0, 0, "Sample kernels only", 2},
    {"user", 'K', 0, 0, "Sample programs only", 2},
    {0},
};

static void take_modifier(struct function_options *o, const char *modifier,
                          struct argp_state *state)
{
    if (o->modifier && strcmp(o->modifier, modifier) != 0) {
        argp_error(state, "--kernel and --user exclude each other");
    }
    o->modifier = modifier;
}

static uint64_t take_number(struct argp_state *state, const char *text, long max, const char *what)
{
    long number = 1;

    if (!number_parse(text, 1, max, &number)) {
        argp_error(state, "'%s' is not a number of %s, 1 to %ld", text, what, max);
    }
    return (uint64_t)number;
}

static void check_options(struct function_options *o, struct argp_state *state)
{
    if (o->period && o->frequency) {
        argp_error(state, "-c and -F exclude each other");
    }
    if (o->names.kallsyms && o->names.vmlinux) {
        argp_error(state, "--kallsyms and --vmlinux exclude each other");
    }
    if (o->common.n > 1) {
        argp_error(state, "--symbols shows one machine");
    }
    o->delay = delay_choose(state, o->delay, o->measure.interval);
    o->frequency = o->period || o->frequency ? o->frequency : DEFAULT_FREQUENCY;
    o->batch |= o->common.kind != OUT_TEXT || o->common.output;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct function_options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->names;
        return 0;
    case KEY_SYMBOLS:
        return 0;
    case 'b':
        o->batch = true;
        return 0;
    case 'd':
        o->delay = delay_parse(state, arg);
        return 0;
    case 'c':
        o->period = take_number(state, arg, LONG_MAX, "events");
        return 0;
    case 'F':
        o->frequency = take_number(state, arg, VPMU_FREQUENCY_MAX, "samples per second");
        return 0;
    case 'z':
        o->zero = true;
        return 0;
    case 'E':
        o->limit = (long)take_number(state, arg, MAX_LIMIT, "functions");
        return 0;
    case 'U':
        take_modifier(o, "k", state);
        return 0;
    case 'K':
        take_modifier(o, "u", state);
        return 0;
    case ARGP_KEY_END:
        check_options(o, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&name_options_argp, 0, "Function names:", 3}, {0}};
static const struct argp own = {.options = table, .parser = parse, .children = children};
static const struct measure_command command = {
    .arguments = "--symbols [MACHINE]",
    .doc =
        "Samples one machine and shows the functions that it runs, as perf top does. Old samples "
        "count less: each update multiplies them by 7/8.\v"
        "Keys:\n\n"
        "  up, down, page up, page down, home\n"
        "                 select a function\n"
        "  Enter          show the instructions of the function and their samples;\n"
        "                 q or left leaves them\n"
        "  z              discard the samples so far\n"
        "  + -            update less or more often\n"
        "  space          update now\n"
        "  h, q           show the keys; quit\n\n"
        "Show where a guest spends its time:\n\n"
        "    vpmu-stats top --symbols vm\n\n"
        "Print one table of the kernel functions that miss the cache:\n\n"
        "    vpmu-stats top --symbols -b -n 1 -e cache-misses --kernel vm",
    .own = &own,
    .instead =
        {
            [MEASURE_PER_VCPU] = "all vCPUs are shown together: use vpmu-stats record and report "
                                 "--sort cpu,sym",
            [MEASURE_WHILE_COUNTER] = "sampling does not use the guest's counters",
        },
    .min_interval = DELAY_MIN_MS,
    .repeats = true,
};

/* Adds the default event, and the modifier of --kernel or --user to an event without levels. */
static int take_event(struct function_options *o, struct error *t)
{
    struct events *events = &o->measure.events;
    struct event *event = &events->event[0];
    const char *colon;
    char *text;

    if (events->n == 0 && events_add(events, DEFAULT_EVENT, t)) {
        return -1;
    }
    if (events->n > 1) {
        return error_set(t, ERROR_USAGE, "-e: --symbols shows one event");
    }
    colon = strchr(event->text, ':');
    if (!o->modifier || (colon && strpbrk(colon, "ukh"))) {
        return 0;
    }
    if (asprintf(&text, "%s%s%s", event->text, colon ? "" : ":", o->modifier) < 0) {
        return error_memory(t);
    }
    free(event->text);
    event->text = text;
    return 0;
}

int function_options_parse(struct function_options *o, int argc, char **argv, struct error *t)
{
    *o = (struct function_options){
        .common = options_default, .measure = measure_options_default, .limit = DEFAULT_LIMIT};
    measure_parse(&command, argc, argv, 0, &o->common, &o->measure, o);
    return take_event(o, t) || name_options_programs(&o->names, &o->programs, t) ? -1 : 0;
}

void function_options_free(struct function_options *o)
{
    measure_options_free(&o->measure);
    programs_free(&o->programs);
}

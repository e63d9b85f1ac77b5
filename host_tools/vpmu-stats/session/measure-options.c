/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options that say what to measure, for how long, and how to report it. One table defines them,
 * so that they are the same in all commands.
 */
#include "session/measure-options.h"
#include "base/number.h"

#include <errno.h>

#define MIN_TIMEOUT_MS 10
#define MAX_DURATION_S 86400
#define MAX_COUNT 1000000000

/* Keys of options without a letter. Commands use keys from 0x200 on; see options.c. */
enum {
    KEY_TIMEOUT = 0x180,
    KEY_DURATION,
    KEY_WHILE_COUNTER,
};

const struct measure_options measure_options_default = {.gate = MACHINE_UNGATED};

/* Rows of argp's table. An alias follows the option that it stands for. */
static const struct {
    enum measure_option option;
    struct argp_option row;
} rows[] = {
    {MEASURE_EVENT,
     {"event", 'e', "EVENTS", 0,
      "Events, separated by commas: perf's generic names, the architecture's names, or rHEX. "
      "Modifiers after a colon: u user, k kernel, h hypervisor, G guests of the machine's own "
      "hypervisor, H everything else",
      1}},
    {MEASURE_INTERVAL, {"interval-print", 'I', "MS", 0, "Print a report every MS milliseconds", 1}},
    {MEASURE_COUNT, {"interval-count", 'n', "N", 0, "Stop after N reports of -I", 1}},
    {MEASURE_COUNT, {"iterations", 0, 0, OPTION_ALIAS, 0, 1}},
    {MEASURE_TIMEOUT, {"timeout", KEY_TIMEOUT, "MS", 0, "Stop after MS milliseconds", 1}},
    {MEASURE_TIMEOUT, {"duration", KEY_DURATION, "S", 0, "Stop after S seconds", 1}},
    {MEASURE_PER_VCPU, {"per-vcpu", 'A', 0, 0, "Report each vCPU separately", 1}},
    {MEASURE_PER_VCPU, {"per-cpu", 0, 0, OPTION_ALIAS, 0, 1}},
    {MEASURE_PER_VCPU, {"no-aggr", 0, 0, OPTION_ALIAS, 0, 1}},
    {MEASURE_WHILE_COUNTER,
     {"while-counter", KEY_WHILE_COUNTER, "N", 0,
      "Count only while the guest's kernel has counter N enabled, as its own perf does", 1}},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* The input of the parser. */
struct parser {
    const struct measure_command *command;
    struct measure_options *to;
};

/* Returns the message for an option that the command does not accept, or NULL. */
static const char *refused(const struct measure_command *command, int key)
{
    for (size_t i = 0; i < ROWS; i++) {
        if (rows[i].row.key == key && key) {
            return command->instead[rows[i].option];
        }
    }
    return NULL;
}

static void refuse(struct argp_state *state, int key, const char *why)
{
    static const char *const names[] = {
        [KEY_TIMEOUT - KEY_TIMEOUT] = "timeout",
        [KEY_DURATION - KEY_TIMEOUT] = "duration",
        [KEY_WHILE_COUNTER - KEY_TIMEOUT] = "while-counter",
    };

    if (key >= KEY_TIMEOUT) {
        argp_failure(state, argp_err_exit_status, 0, "--%s: %s", names[key - KEY_TIMEOUT], why);
    } else {
        argp_failure(state, argp_err_exit_status, 0, "-%c: %s", key, why);
    }
}

static void take_events(struct measure_options *o, const char *list, struct argp_state *state)
{
    struct error t = {0};

    if (events_add(&o->events, list, &t)) {
        argp_error(state, "%s", t.text);
    }
}

static void take_number(struct argp_state *state, const char *text, long min, long max,
                        const char *what, long *value)
{
    if (!number_parse(text, min, max, value)) {
        argp_error(state, "'%s' is not a %s, %ld to %ld", text, what, min, max);
    }
}

static void check(const struct parser *p, struct argp_state *state)
{
    if (p->to->count && !p->to->interval && !p->command->repeats) {
        argp_error(state, "-n needs -I: it counts intervals");
    }
}

static error_t take(const struct parser *p, int key, char *arg, struct argp_state *state)
{
    struct measure_options *o = p->to;
    long number = o->gate;

    switch (key) {
    case 'e':
        take_events(o, arg, state);
        return 0;
    case 'I':
        o->interval = options_ms(state, arg, p->command->min_interval);
        return 0;
    case 'n':
        take_number(state, arg, 1, MAX_COUNT, "number of reports", &o->count);
        return 0;
    case KEY_TIMEOUT:
        o->timeout = options_ms(state, arg, MIN_TIMEOUT_MS);
        return 0;
    case KEY_DURATION:
        take_number(state, arg, 1, MAX_DURATION_S, "number of seconds", &number);
        o->timeout = (int)number * 1000;
        return 0;
    case 'A':
        o->per_vcpu = true;
        return 0;
    case KEY_WHILE_COUNTER:
        take_number(state, arg, 0, MACHINE_CYCLE_COUNTER, "counter's number", &number);
        o->gate = (int)number;
        return 0;
    case ARGP_KEY_END:
        check(p, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    const struct parser *p = state->input;
    const char *why = refused(p->command, key);

    if (why) {
        refuse(state, key, why);
        return EINVAL;
    }
    return take(p, key, arg, state);
}

struct inputs {
    struct options *common;
    struct parser *measure;
    void *own;
};

static error_t hand_on(int key, char *arg, struct argp_state *state)
{
    const struct inputs *in = state->input;

    (void)arg;
    if (key != ARGP_KEY_INIT) {
        return ARGP_ERR_UNKNOWN;
    }
    state->child_inputs[0] = in->common;
    state->child_inputs[1] = in->measure;
    if (in->own) {
        state->child_inputs[2] = in->own;
    }
    return 0;
}

/* Options that the command does not accept are parsed, so that they can be refused, but hidden. */
static void make_table(const struct measure_command *command, struct argp_option *table)
{
    for (size_t i = 0; i < ROWS; i++) {
        table[i] = rows[i].row;
        table[i].flags |= command->instead[rows[i].option] ? OPTION_HIDDEN : 0;
    }
    table[ROWS] = (struct argp_option){0};
}

int measure_parse(const struct measure_command *command, int argc, char **argv, unsigned flags,
                  struct options *common, struct measure_options *to, void *own)
{
    struct argp_option table[ROWS + 1];
    const struct argp measure = {.options = table, .parser = parse};
    const struct argp_child children[] = {
        {&options_argp, 0, 0, 0}, {&measure, 0, 0, 0}, {command->own, 0, 0, 0}, {0}};
    const struct argp argp = {0, hand_on, command->arguments, command->doc, children, 0, 0};
    struct parser p = {command, to};
    struct inputs in = {common, &p, own};

    make_table(command, table);
    return argp_parse(&argp, argc, argv, flags, NULL, &in);
}

void measure_options_free(struct measure_options *o)
{
    events_free(&o->events);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-stats script: prints the samples of a recording, one by one. */
#include <stdlib.h>

#include "base/number.h"
#include "base/pager.h"
#include "cli/builtin.h"
#include "options/filter-options.h"
#include "options/profile-options.h"
#include "profile/script.h"
#include "session/options.h"

#define MAX_STACK 1000000

enum {
    KEY_NS = 0x200,
    KEY_MAX_STACK,
    KEY_NO_PAGER,
};

struct options_of_script {
    struct profile_options common;
    struct script_options what;
    const char *fields;
    enum out_kind kind;
    const char *separator;
    bool no_pager;
};

static const struct argp_option table[] = {
    {"fields", 'F', "LIST", 0,
     "Print these fields, separated by commas: comm, pid, tid, cpu, time, period, event, weight, "
     "ip, sym, symoff, dso, cgroup; +FIELD and -FIELD change the default",
     1},
    {"ns", KEY_NS, 0, 0, "Print times with nine digits after the point", 1},
    {"hide-call-graph", 'G', 0, 0, "Print the address of each sample, not its call chain", 1},
    {"max-stack", KEY_MAX_STACK, "N", 0, "Print at most N frames of a call chain", 1},
    {"json", 'j', 0, 0, "Print one JSON object per line; vpmu-stats(1) lists the members", 12},
    {"field-separator", 'x', "SEP", 0, "Print only values, separated by SEP", 12},
    {"no-pager", KEY_NO_PAGER, 0, 0, "In a terminal, print without $PAGER or less", 12},
    {0},
};

static void take_max_stack(struct options_of_script *o, const char *text, struct argp_state *state)
{
    long frames = 0;

    if (!number_parse(text, 1, MAX_STACK, &frames)) {
        argp_error(state, "'%s' is not a number of frames, 1 or more", text);
    }
    o->what.max_stack = (unsigned)frames;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options_of_script *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->common;
        state->child_inputs[1] = &o->what.filter;
        return 0;
    case 'F':
        o->fields = arg;
        return 0;
    case KEY_NS:
        o->what.nanoseconds = true;
        return 0;
    case 'G':
        o->what.no_chains = true;
        return 0;
    case KEY_MAX_STACK:
        take_max_stack(o, arg, state);
        return 0;
    case KEY_NO_PAGER:
        o->no_pager = true;
        return 0;
    default:
        return options_take_kind(key, arg, state, &o->kind, &o->separator);
    }
}

static const struct argp_child children[] = {
    {&profile_options_argp, 0, 0, 0}, {&filter_options_argp, 0, 0, 0}, {0}};

static const struct argp argp = {
    table,
    parse,
    0,
    "Prints the samples of a file of vpmu-stats record or perf record, ordered by time, as perf "
    "script does.\v"
    "Show the function of each sample, by vCPU and time:\n\n"
    "    vpmu-stats script -F cpu,time,event,ip,sym\n\n"
    "Count samples by thread with another program:\n\n"
    "    vpmu-stats script --json | jq -r .comm | sort | uniq -c",
    children,
    0,
    0,
};

/* Writes all printed samples to the output. */
static int print(const struct options_of_script *o, struct script *c, const char *text, int stop_fd,
                 struct error *t)
{
    struct out out = {.kind = o->kind, .separator = o->separator};
    struct pager pager = {0};
    bool in_pager;
    int err;

    if (out_open(&out, o->common.output, false, OUT_COLOR_NEVER, t)) {
        return -1;
    }
    if (!o->common.output && !o->no_pager && o->kind == OUT_TEXT) {
        pager_start(&pager, stop_fd);
    }
    in_pager = pager.pid != 0;
    err = out_end(&out, script_write(c, text, &out, t), t);
    pager_end(&pager);
    if (in_pager && t->code == ERROR_PIPE) {
        *t = (struct error){0};
    }
    return err;
}

static void run(struct options_of_script *o, int stop_fd, struct error *t)
{
    struct profile p = {0};
    struct script c = {.o = &o->what, .out = {.kind = o->kind, .separator = o->separator}};
    struct sample_input g = {.each = script_sample, .sink = &c, .profile = &p};
    char *text = NULL;
    size_t size;

    c.out.text = open_memstream(&text, &size);
    if (!c.out.text) {
        error_memory(t);
        return;
    }
    if (profile_options_read_input(&o->common, &g, stop_fd, t) == 0 &&
        (fflush(c.out.text) == 0 || error_memory(t))) {
        print(o, &c, text, stop_fd, t);
    }
    fclose(c.out.text);
    free(text);
    script_free(&c);
    profile_free(&p);
}

int builtin_script(int argc, char **argv, int stop_fd)
{
    struct options_of_script o = {.common = profile_options_default,
                                  .what = {.fields = SCRIPT_DEFAULT}};
    struct error t = {0};

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (!o.fields || script_choose(&o.what.fields, o.fields, &t) == 0) {
        run(&o, stop_fd, &t);
    }
    error_print(&t);
    return (int)t.code;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/run-options.h"

#include <argp.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEY_ARCH = 0x100,
    KEY_BIND,
    KEY_CPUS,
    KEY_COPY,
    KEY_CPU,
    KEY_EMULATOR,
    KEY_ENV,
    KEY_ENV_ALL,
    KEY_FAST,
    KEY_FILES,
    KEY_FORMAT,
    KEY_KERNEL,
    KEY_LIST_FILES,
    KEY_LIVE,
    KEY_LOCKED,
    KEY_MACHINE,
    KEY_MEMORY,
    KEY_NET,
    KEY_NO_LEARN,
    KEY_OUT,
    KEY_PROGRAM,
    KEY_ROOT,
    KEY_SEED,
    KEY_SYSCALLS,
    KEY_TIMEOUT,
    KEY_VARY,
};

static const struct argp_option shared[] = {
    {0, 0, 0, 0, "What the program sees:", 3},
    {"copy", KEY_COPY, "PATH", 0, "copy this file or directory into the machine", 0},
    {"bind", KEY_BIND, "SOURCE:PATH", 0, "copy SOURCE, and give it this path in the machine", 0},
    {"program", KEY_PROGRAM, "NAME", 0,
     "copy a program that the command starts, with its libraries", 0},
    {"out", KEY_OUT, "PATH", 0, "bring back what the program writes at this path", 0},
    {"no-learn", KEY_NO_LEARN, 0, 0, "copy no file that nobody named", 0},
    {"list-files", KEY_LIST_FILES, 0, 0, "print the files that nobody named and that are copied",
     0},
    {"files", KEY_FILES, "FILE", 0, "take that list from FILE", 0},
    {"locked", KEY_LOCKED, 0, 0, "fail if the program looks for other files", 0},
    {"root", KEY_ROOT, "DIR", 0, "take the program and its files from DIR, which is / for it", 0},
    {"env", KEY_ENV, "NAME[=VALUE]", 0, "set this variable, or pass on its present value", 0},
    {"env-all", KEY_ENV_ALL, 0, 0, "pass all variables on", 0},
    {"live-input", KEY_LIVE, 0, 0, "pass standard input on while the program runs", 0},
    {"net", KEY_NET, "user", 0, "give the machine QEMU's user network; counts then vary", 0},
    {"timeout", KEY_TIMEOUT, "SECONDS", 0, "end the command after this time, such as 2.5", 0},
    {0, 0, 0, 0, "The machine:", 4},
    {"arch", KEY_ARCH, "NAME", 0, "amd64 or arm64; that of the program by default", 0},
    {"cpu", KEY_CPU, "NAME", 0, "max, or skylake for x86-64: the CPU of record -b", 0},
    {"seed", KEY_SEED, "N", 0, "choose the memory layout and all random numbers", 0},
    {"smp", KEY_CPUS, "N", 0, "number of CPUs", 0},
    {"fast", KEY_FAST, 0, 0, "use host threads and the host's clock; counts then vary", 0},
    {"memory", KEY_MEMORY, "MIB", 0, "size of the machine's memory", 0},
    {"kernel", KEY_KERNEL, "FILE", 0, "boot this kernel", 0},
    {"emulator", KEY_EMULATOR, "FILE", 0, "use this QEMU with vpmu", 0},
    {0},
};

static const struct argp_option options[] = {
    {0, 0, 0, 0, "What is counted:", 1},
    {"event", 'e', "LIST", 0, "count these events, as perf stat -e names them", 0},
    {"syscalls", KEY_SYSCALLS, 0, 0, "also count system calls by number", 0},
    {"machine", KEY_MACHINE, 0, 0, "count everything that the machine does while the program runs",
     0},
    {"repeat", 'r', "N", 0, "run the command N times, report the median", 0},
    {"vary", KEY_VARY, 0, 0, "use another memory layout in each run", 0},
    {0, 0, 0, 0, "The report:", 2},
    {"output", 'o', "FILE", 0, "write the report to FILE, as JSON", 0},
    {"json", 'j', 0, 0, "the same as --format json", 0},
    {"format", KEY_FORMAT, "FORMAT", 0, "text, json, github, bencher, csv or prometheus", 0},
    {0},
};

unsigned long long run_options_number(struct argp_state *state, const char *text,
                                      const char *option, unsigned long long low,
                                      unsigned long long high)
{
    char *end;
    unsigned long long value;

    errno = 0;
    value = strtoull(text, &end, 10);
    if (*end || end == text || text[0] == '-' || errno || value < low || value > high) {
        argp_error(state, "%s takes a number from %llu to %llu, not '%s'", option, low, high, text);
    }
    return value;
}

static void append(struct argp_state *state, const char **list, size_t *n, size_t max,
                   const char *text)
{
    if (*n == max) {
        argp_error(state, "an option can be given at most %zu times; remove '%s'", max, text);
        return;
    }
    list[(*n)++] = text;
}

static error_t parse_machine(int key, char *arg, struct argp_state *state, struct run_options *o)
{
    switch (key) {
    case KEY_ARCH:
        o->emulator.machine = emulator_machine(arg);
        if (o->emulator.machine == EM_NONE) {
            argp_error(state, "--arch takes amd64 or arm64, not '%s'", arg);
        }
        return 0;
    case KEY_CPU:
        o->cpu = arg;
        return 0;
    case KEY_SEED:
        o->emulator.seed = run_options_number(state, arg, "--seed", 1, UINT32_MAX);
        o->emulator.random = true;
        return 0;
    case KEY_CPUS:
        o->emulator.cpus = (unsigned)run_options_number(state, arg, "--smp", 1, 64);
        return 0;
    case KEY_FAST:
        o->emulator.fast = true;
        return 0;
    case KEY_NET:
        if (strcmp(arg, "user") != 0) {
            argp_error(state, "--net takes user, not '%s'", arg);
        }
        o->emulator.net = true;
        return 0;
    case KEY_MEMORY:
        o->memory = (unsigned)run_options_number(state, arg, "--memory", 256, 65536);
        return 0;
    case KEY_KERNEL:
        o->kernel = arg;
        return 0;
    case KEY_EMULATOR:
        o->qemu = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* read_timeout() - seconds, which may have a fraction. Return: nanoseconds. */
static long long read_timeout(struct argp_state *state, const char *text)
{
    char *end;
    double seconds = strtod(text, &end);

    if (end == text || *end || !(seconds >= 0.001 && seconds <= 1e6)) {
        argp_error(state, "--timeout takes seconds from 0.001 to 1000000, not '%s'", text);
    }
    return (long long)(seconds * 1e9);
}

static error_t parse_program(int key, char *arg, struct argp_state *state)
{
    struct run_options *o = state->input;
    struct job *job = &o->job;

    switch (key) {
    case KEY_COPY:
        append(state, job->copies, &job->n_copies, JOB_COPIES_MAX, arg);
        return 0;
    case KEY_BIND:
        append(state, job->binds, &job->n_binds, JOB_COPIES_MAX, arg);
        return 0;
    case KEY_PROGRAM:
        append(state, job->programs, &job->n_programs, JOB_COPIES_MAX, arg);
        return 0;
    case KEY_OUT:
        append(state, o->outs, &o->n_outs, RUN_OUTS_MAX, arg);
        return 0;
    case KEY_NO_LEARN:
        o->no_learn = true;
        return 0;
    case KEY_LIST_FILES:
        o->list_files = true;
        return 0;
    case KEY_FILES:
        o->files = arg;
        return 0;
    case KEY_LOCKED:
        o->locked = true;
        return 0;
    case KEY_ROOT:
        job->root = strcmp(arg, "/") == 0 ? "" : arg;
        return 0;
    case KEY_ENV:
        if (!arg[0] || arg[0] == '=') {
            argp_error(state, "--env takes NAME or NAME=VALUE, not '%s'", arg);
        }
        append(state, job->env, &job->n_env, JOB_ENV_MAX, arg);
        return 0;
    case KEY_ENV_ALL:
        job->all_env = true;
        return 0;
    case KEY_LIVE:
        o->live = true;
        return 0;
    case KEY_TIMEOUT:
        o->timeout = read_timeout(state, arg);
        return 0;
    case ARGP_KEY_ARG:
        job->argv = state->argv + state->next - 1;
        state->next = state->argc;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no command to run; for example: vpmu-run ls");
        return EINVAL;
    default:
        return parse_machine(key, arg, state, o);
    }
}

const struct argp run_options_shared = {shared, parse_program, 0, 0, 0, 0, 0};

void run_options_event(struct run_options *o, struct argp_state *state, const char *list)
{
    struct failure f;

    if (events_add(&o->job.events, list, &f) != 0) {
        argp_error(state, "%s", f.text);
    }
}

void run_options_init(struct run_options *o)
{
    memset(o, 0, sizeof(*o));
    o->job.root = "";
    o->emulator.cpus = 1;
    o->emulator.seed = 1;
    o->runs = 1;
    argp_err_exit_status = FAILURE_RUN;
}

static void set_format(struct argp_state *state, struct run_options *o, const char *name)
{
    o->format = format_find(name);
    if (!o->format) {
        argp_error(state, "no format '%s'; known: %s", name, formats_known);
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct run_options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = o;
        return 0;
    case 'e':
        run_options_event(o, state, arg);
        return 0;
    case KEY_MACHINE:
        o->job.machine = true;
        return 0;
    case KEY_SYSCALLS:
        o->job.syscalls = true;
        return 0;
    case 'r':
        o->runs = (unsigned)run_options_number(state, arg, "--repeat", 1, RUNS_MAX);
        return 0;
    case KEY_VARY:
        o->vary = true;
        return 0;
    case 'o':
        if (!arg[0]) {
            argp_error(state, "-o takes the name of a file");
        }
        o->output = arg;
        return 0;
    case 'j':
        set_format(state, o, "json");
        return 0;
    case KEY_FORMAT:
        set_format(state, o, arg);
        return 0;
    case ARGP_KEY_END:
        if (o->vary && o->runs == 1) {
            argp_error(state, "--vary needs several runs: add -r N");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&run_options_shared, 0, 0, 0}, {0}};

static const struct argp argp = {
    options,
    parse,
    "COMMAND [ARGUMENT...]\ncompare [--max-growth LIMIT] BASE NOW\n"
    "show FILE [--format FORMAT]\nrecord [-g] COMMAND [ARGUMENT...]\nreport\nflamegraph\n"
    "profile COMMAND [ARGUMENT...]\nannotate [FUNCTION...]\n"
    "diff BEFORE AFTER\ncache [clean]",
    "Runs a program in a small machine of its own and counts what it does, exactly and repeatably. "
    "The computer needs no PMU.\v"
    "The machine contains the program, the libraries that it loads, the files that its arguments "
    "name, and those that it looks for. --copy and --bind add other files. The counts go to "
    "standard error.\n\n"
    "    vpmu-run sort words.txt\n"
    "    vpmu-run -e instructions:u -o now.json ./bench\n"
    "    vpmu-run compare --max-growth 0.1% base.json now.json\n"
    "    vpmu-run record -g ./bench; vpmu-run report\n\n"
    "Exit status: that of the program, 128 and the number of the signal that ended it, or\n"
    "  124  --timeout has passed\n"
    "  125  vpmu-run failed\n"
    "  126  the program cannot be executed\n"
    "  127  there is no such program",
    children,
    0,
    0,
};

/* names_option() - is @word this option, which may be shortened? */
static bool names_option(const struct argp_option *option, const char *word)
{
    if (word[1] != '-') {
        return word[1] == option->key && !word[2];
    }
    return option->name && word[2] && strncmp(option->name, word + 2, strlen(word + 2)) == 0;
}

bool run_options_take_value(const char *word)
{
    const struct argp_option *const tables[] = {options, shared};
    bool exact = false, valued = false;

    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        for (const struct argp_option *o = tables[i]; o->name || o->key || o->doc; o++) {
            bool whole = o->name && word[1] == '-' && strcmp(o->name, word + 2) == 0;

            /* "--env" is an option, and the start of another one. */
            if (names_option(o, word) && (whole || !exact)) {
                exact |= whole;
                valued = o->arg != NULL;
            }
        }
    }
    return valued;
}

void run_options_parse(struct run_options *o, int argc, char **argv)
{
    struct failure f;

    run_options_init(o);
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, o);
    if (o->job.events.n == 0) {
        events_add(&o->job.events, events_default, &f);
    }
    o->emulator.random |= o->vary;
    if (!o->format) {
        o->format = format_find(o->output ? "json" : "text");
    }
}

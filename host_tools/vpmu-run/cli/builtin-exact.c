/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-run profile COMMAND: counts how often each line of a program is executed. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/format.h"
#include "cli/builtin.h"
#include "cli/learn.h"
#include "cli/run-once.h"
#include "machine/process.h"
#include "record/recorded.h"
#include "report/output.h"

#define FILE_NAME "vpmu.out"
/* The kernel describes mappings for an event that is sampled. No program gets this far. */
#define NEVER (1ull << 45)

static const char *const formats[] = {"callgrind", "cachegrind", "lcov", "pprof",
                                      "folded",    "flamegraph", "perf", NULL};

/** struct exact_options - the command line */
struct exact_options {
    struct run_options run;
    const char *format;
    bool no_calls, caches, branches, instructions;
};

enum {
    KEY_NO_CALLS = 0x300,
    KEY_BRANCH_SIM,
    KEY_CACHE_SIM,
    KEY_DUMP_INSTR
};

static const struct argp_option options[] = {
    {"format", 'f', "FORMAT", 0,
     "callgrind (for callgrind_annotate and kcachegrind), cachegrind (for cg_annotate), lcov (how "
     "often each line was executed, for genhtml), pprof, folded, flamegraph, or perf (for vpmu-run "
     "report, vpmu-stats annotate, perf report)",
     1},
    {"branch-sim", KEY_BRANCH_SIM, "yes|no", OPTION_ARG_OPTIONAL,
     "also count branches and mispredictions: conditional (Bc, Bcm), indirect (Bi, Bim), and "
     "returns (Br, Brm)",
     1},
    {"cache-sim", KEY_CACHE_SIM, "yes|no", OPTION_ARG_OPTIONAL,
     "also count reads and writes of memory (Dr, Dw) and misses of the first and last level (I1mr, "
     "D1mr, D1mw, ILmr, DLmr, DLmw)",
     1},
    {"dump-instr", KEY_DUMP_INSTR, "yes|no", OPTION_ARG_OPTIONAL,
     "write a line for each instruction, with its address, for kcachegrind's assembly code", 1},
    {"no-calls", KEY_NO_CALLS, 0, 0, "do not count calls, which takes less time", 1},
    {"output", 'o', "FILE", 0, "write to FILE (" FILE_NAME ")", 1},
    {0},
};

static const char *find_format(struct argp_state *state, const char *name)
{
    for (size_t i = 0; formats[i]; i++) {
        if (strcmp(name, formats[i]) == 0) {
            return formats[i];
        }
    }
    argp_error(state,
               "no format '%s'; known: callgrind, cachegrind, lcov, pprof, folded, "
               "flamegraph, perf",
               name);
    return NULL;
}

static bool has_columns(const char *format)
{
    return strcmp(format, "callgrind") == 0 || strcmp(format, "cachegrind") == 0 ||
           strcmp(format, "perf") == 0;
}

/* take_choice() - of an option with yes, no, or nothing for yes */
static void take_choice(const char *text, bool *choice, struct argp_state *state)
{
    if (!costs_parse_choice(text, choice)) {
        argp_error(state, "'%s' is neither yes nor no", text);
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct exact_options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->run;
        return 0;
    case 'f':
        o->format = find_format(state, arg);
        return 0;
    case KEY_BRANCH_SIM:
        take_choice(arg, &o->branches, state);
        return 0;
    case KEY_CACHE_SIM:
        take_choice(arg, &o->caches, state);
        return 0;
    case KEY_DUMP_INSTR:
        take_choice(arg, &o->instructions, state);
        return 0;
    case KEY_NO_CALLS:
        o->no_calls = true;
        return 0;
    case 'o':
        o->run.output = arg;
        return 0;
    case ARGP_KEY_END:
        if ((o->caches || o->branches) && !has_columns(o->format)) {
            argp_error(state, "--format %s has no columns for --branch-sim and --cache-sim",
                       o->format);
        }
        if (o->instructions && strcmp(o->format, "callgrind") != 0) {
            argp_error(state, "--format %s has no addresses for --dump-instr", o->format);
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
    "COMMAND [ARGUMENT...]",
    "Runs a program in a small machine of its own, and counts how often the program and its "
    "children execute each instruction. Two runs of the same files give the same file.\v"
    "    vpmu-run profile ./bench\n"
    "    callgrind_annotate " FILE_NAME "\n\n"
    "The sum of all lines is the count of instructions:u. The kernel's instructions are not in the "
    "file.",
    children,
    0,
    0,
};

/* make_command() - the command line as one line, to be freed; NULL if there is no memory */
static char *make_command(char *const *argv)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    for (size_t i = 0; to && argv[i]; i++) {
        fprintf(to, "%s%s", i ? " " : "", argv[i]);
    }
    if (!to || fclose(to) != 0) {
        return NULL;
    }
    format_tame(text);
    return text;
}

static void become_converter(const struct exact_options *o, const char *from, const char *command)
    __attribute__((noreturn));
static void become_converter(const struct exact_options *o, const char *from, const char *command)
{
    char path[PATH_MAX];

    if (emulator_beside("vpmu-stats", path, sizeof(path))) {
        execl(path, "vpmu-stats", "convert", "--to", o->format, "--command", command, "-i", from,
              "-o", o->run.output, o->instructions ? "--dump-instr" : (char *)NULL, (char *)NULL);
    }
    fprintf(stderr, "vpmu-run: cannot execute vpmu-stats: %s\n", strerror(errno));
    _exit(FAILURE_RUN);
}

/* convert() - vpmu-stats knows source lines and the formats of valgrind */
static int convert(const struct exact_options *o, const char *from, struct failure *f)
{
    char *command = make_command(o->run.job.argv);
    int status = -1;
    pid_t child;

    if (!command) {
        return failure_memory(f);
    }
    child = fork();
    if (child == 0) {
        become_converter(o, from, command);
    }
    free(command);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    /* vpmu-stats has said what is wrong. */
    return child > 0 && status == 0 ? 0 : failure_set(f, FAILURE_RUN, "%s", "");
}

/* write_converted() - by way of a recording in a directory of its own */
static int write_converted(const struct exact_options *o, const struct recorded *recorded,
                           struct failure *f)
{
    char directory[] = "/tmp/vpmu-run-XXXXXX", path[sizeof(directory) + 16];
    uint64_t samples[EVENTS_MAX], lost, bare;
    int err;

    if (!mkdtemp(directory)) {
        return failure_set(f, FAILURE_RUN, "cannot create a directory in /tmp: %s",
                           strerror(errno));
    }
    snprintf(path, sizeof(path), "%s/perf.data", directory);
    err = recorded_write(recorded, path, samples, &lost, &bare, f) != 0 || convert(o, path, f) != 0;
    unlink(path);
    rmdir(directory);
    return err ? -1 : 0;
}

static int write_profile(const struct exact_options *o, const struct recorded *recorded,
                         struct failure *f)
{
    uint64_t samples[EVENTS_MAX], lost, bare;
    char number[FORMAT_SIZE];
    int err;

    if (!recorded->result->count[0].counted) {
        return failure_set(f, FAILURE_RUN, "the machine cannot count instructions: %s",
                           strerror(recorded->result->count[0].error));
    }
    err = strcmp(o->format, "perf") == 0
              ? recorded_write(recorded, o->run.output, samples, &lost, &bare, f)
              : write_converted(o, recorded, f);
    if (!err) {
        fprintf(stderr, "[ vpmu-run profile: %s instructions; %s ]\n",
                format_grouped(number, recorded->result->count[0].value), o->run.output);
    }
    return err;
}

/* run() - Return: the program's status, or -1 with an error. */
static int run(struct exact_options *o, struct recorded *recorded, struct input *in,
               struct failure *f)
{
    static struct result r;
    int err;

    recorded->fd = process_file("vpmu-run-record", f);
    recorded->exact = process_file("vpmu-run-profile", f);
    if (recorded->fd < 0 || recorded->exact < 0) {
        return -1;
    }
    recorded->calls = !o->no_calls && strcmp(o->format, "callgrind") == 0;
    o->run.emulator.profile = recorded->exact;
    o->run.emulator.calls = recorded->calls;
    o->run.emulator.costs = costs_names(o->caches, o->branches, o->run.emulator.cost);
    recorded->cost = o->run.emulator.cost;
    recorded->costs = o->run.emulator.costs;
    if (run_once(&o->run, in, recorded->fd, &r, f) != 0) {
        return -1;
    }
    recorded->result = &r;
    recorded->machine = o->run.emulator.machine;
    recorded->cpus = o->run.emulator.cpus;
    err = write_profile(o, recorded, f) != 0 ? -1 : result_exit_status(&r);
    close(recorded->fd);
    close(recorded->exact);
    result_free(&r);
    return err;
}

/* check_converter() - before the run, as everything that can be checked then */
static int check_converter(const struct exact_options *o, struct failure *f)
{
    char path[PATH_MAX];

    return strcmp(o->format, "perf") != 0 && !emulator_beside("vpmu-stats", path, sizeof(path))
               ? failure_set(f, FAILURE_RUN,
                             "there is no vpmu-stats, which writes this format: install it (make "
                             "install-tools), or use --format perf")
               : 0;
}

static int profile(struct exact_options *o, char **argv, int argc, struct failure *f)
{
    struct recorded recorded = {.job = &o->run.job, .command = argv, .words = argc};
    bool recording = strcmp(o->format, "perf") == 0;
    struct input in;
    int status;

    if (check_converter(o, f) != 0 ||
        (recording && output_check_recording(o->run.output, f) != 0) ||
        run_prepare(&o->run, f) != 0 ||
        input_open(&in, run_files_max(&o->run), o->run.live, f) != 0) {
        return -1;
    }
    status = learn(&o->run, &in, f);
    if (status == 0 && o->run.list_files) {
        learned_print(&o->run.learned, stdout);
    } else if (status == 0) {
        status = run(o, &recorded, &in, f);
    }
    input_close(&in);
    return status;
}

int builtin_exact(int argc, char **argv)
{
    static struct exact_options o;
    struct failure f = {0};
    int status;

    run_options_init(&o.run);
    o.format = formats[0];
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &o);
    events_add(&o.run.job.events, "instructions:u", &f);
    o.run.job.record.on = true;
    o.run.job.record.period = NEVER;
    o.run.default_output = !o.run.output;
    o.run.output = o.run.output ? o.run.output : FILE_NAME;
    status = profile(&o, argv, argc, &f);
    return status < 0 ? failure_print(&f) : status;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-run record COMMAND: samples a program and writes a file of perf's. */
#include <argp.h>
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/format.h"
#include "cli/builtin.h"
#include "cli/learn.h"
#include "cli/run-once.h"
#include "machine/process.h"
#include "record/recorded.h"
#include "report/output.h"
#include "vpmu/record.h"

/* The kernel's least period. */
#define PERIOD_MIN 2
#define FILE_NAME "perf.data"
#define DEFAULT_EVENT "cycles"
#define DEFAULT_FREQUENCY 4000
/* Bytes of the stack in each sample, as vpmu-stats record has them. */
#define STACK_DEFAULT 16384
/*
 * The least period of events that count in the kernel. An interrupt takes each sample, and the
 * kernel executes about 600 instructions for it that such events count. A period that ends in each
 * interrupt leaves no time for the program.
 */
#define KERNEL_PERIOD_MIN 1000

enum {
    KEY_CALL_GRAPH = 0x300
};

static const struct argp_option options[] = {
    {"event", 'e', "LIST", 0, "sample these events, as vpmu-run -e names them (" DEFAULT_EVENT ")",
     1},
    {"count", 'c', "N", 0, "take a sample every N events", 1},
    {"freq", 'F', "HZ", 0, "take HZ samples per second of the machine's time (4000)", 1},
    {0, 'g', 0, 0, "record call chains, as --call-graph dwarf", 1},
    {"call-graph", KEY_CALL_GRAPH, "METHOD", 0,
     "record call chains: dwarf[,SIZE] finds them in a copy of SIZE bytes of the stack (16384), by "
     "the unwind tables of the files; fp follows frame pointers",
     1},
    {"branch-any", 'b', 0, 0, "record the last branches with each sample", 1},
    {"output", 'o', "FILE", 0, "write to FILE (" FILE_NAME ")", 1},
    {0},
};

/* take_method() - of perf: "fp" or "dwarf[,SIZE]" */
static void take_method(struct run_options *o, const char *text, struct argp_state *state)
{
    static const char dwarf[] = "dwarf";
    const char *size = text + sizeof(dwarf) - 1;
    unsigned long long bytes = STACK_DEFAULT;

    o->job.record.chains = true;
    o->job.record.stack = 0;
    if (strcmp(text, "fp") == 0) {
        return;
    }
    if (strncmp(text, dwarf, sizeof(dwarf) - 1) != 0 || (*size && *size != ',')) {
        argp_error(state,
                   "--call-graph %s: only fp, frame pointers, and dwarf[,SIZE] are supported",
                   text);
        return;
    }
    if (*size) {
        bytes = run_options_number(state, size + 1, "--call-graph dwarf", 1, VPMU_RECORD_STACK_MAX);
    }
    o->job.record.stack = (unsigned)((bytes + 7) & ~7ull);
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
    case 'c':
        o->job.record.period = run_options_number(state, arg, "-c", PERIOD_MIN, INT64_MAX >> 17);
        return 0;
    case 'F':
        o->job.record.frequency = run_options_number(state, arg, "-F", 1, 100000);
        return 0;
    case 'g':
        take_method(o, "dwarf", state);
        return 0;
    case KEY_CALL_GRAPH:
        take_method(o, arg, state);
        return 0;
    case 'b':
        o->job.record.branches = o->emulator.branches = true;
        return 0;
    case 'o':
        o->output = arg;
        return 0;
    case ARGP_KEY_END:
        if (o->job.record.period && o->job.record.frequency) {
            argp_error(state, "-c and -F exclude each other");
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
    "Runs a program in a small machine of its own, and samples the program, its children and what "
    "the kernel does for them. Two runs of the same files give the same recording.\v"
    "    vpmu-run record -g ./bench\n"
    "    vpmu-run report\n"
    "    vpmu-run flamegraph -o bench.svg\n\n"
    "perf report and vpmu-stats read the file, too.",
    children,
    0,
    0,
};

static void say_samples(const struct run_options *o, const struct result *r,
                        const uint64_t *samples, uint64_t lost)
{
    char number[FORMAT_SIZE], count[FORMAT_SIZE];

    for (size_t i = 0; i < o->job.events.n; i++) {
        fprintf(stderr, "[ vpmu-run record: %s samples of %s %s; %s ]\n",
                format_grouped(number, samples[i]), format_grouped(count, r->count[i].value),
                o->job.events.event[i].name, o->output);
    }
    if (lost) {
        fprintf(stderr, "[ vpmu-run record: %s samples were lost: use a larger -c ]\n",
                format_grouped(number, lost));
    }
}

/* say_bare() - a few samples have no stack because it could not be read */
static void say_bare(uint64_t bare)
{
    char number[FORMAT_SIZE];

    if (bare >= 100) {
        fprintf(stderr,
                "[ vpmu-run record: the stacks of %s samples were too large to keep: their call "
                "chains follow frame pointers; use a larger -c or --call-graph dwarf,8192 ]\n",
                format_grouped(number, bare));
    }
}

/* check_period() - a short one is only for events of programs */
static int check_period(const struct run_options *o, struct failure *f)
{
    for (size_t i = 0; i < o->job.events.n && o->job.record.period; i++) {
        const struct event *e = &o->job.events.event[i];

        if (e->hardware && !e->user && o->job.record.period < KERNEL_PERIOD_MIN) {
            return failure_set(f, FAILURE_RUN,
                               "-c: a period below %d is for events with :u, not %s",
                               KERNEL_PERIOD_MIN, e->name);
        }
    }
    return 0;
}

static int check_counted(const struct run_options *o, const struct result *r, struct failure *f)
{
    for (size_t i = 0; i < o->job.events.n; i++) {
        if (r->count[i].error == EOPNOTSUPP && o->job.record.branches) {
            return failure_set(f, FAILURE_RUN,
                               "-b needs a kernel with a driver for branch records: "
                               "name one of Linux 6.17 or later with --kernel");
        }
        if (!r->count[i].counted) {
            return failure_set(f, FAILURE_RUN, "the machine cannot sample %s: %s",
                               o->job.events.event[i].name, strerror(r->count[i].error));
        }
    }
    return 0;
}

/* record() - Return: the program's status, or -1 with an error. */
static int record(struct run_options *o, char **argv, int argc, struct failure *f)
{
    uint64_t samples[EVENTS_MAX], lost, bare;
    struct recorded recorded = {.job = &o->job, .exact = -1, .command = argv, .words = argc};
    static struct result r;
    struct input in;
    int err = check_period(o, f) != 0 || output_check_recording(o->output, f) != 0 ||
              run_prepare(o, f) != 0;

    if (err || input_open(&in, run_files_max(o), o->live, f) != 0) {
        return -1;
    }
    if (learn(o, &in, f) != 0) {
        input_close(&in);
        return -1;
    }
    if (o->list_files) {
        input_close(&in);
        learned_print(&o->learned, stdout);
        return 0;
    }
    o->job.record.registers =
        o->emulator.machine == EM_X86_64 ? VPMU_RECORD_REGS_X86 : VPMU_RECORD_REGS_ARM;
    recorded.fd = process_file("vpmu-run-record", f);
    err = recorded.fd < 0 ? -1 : run_once(o, &in, recorded.fd, &r, f);
    input_close(&in);
    if (err) {
        return -1;
    }
    recorded.result = &r;
    recorded.machine = o->emulator.machine;
    recorded.cpus = o->emulator.cpus;
    err = check_counted(o, &r, f) != 0 ||
          recorded_write(&recorded, o->output, samples, &lost, &bare, f) != 0;
    if (!err) {
        say_samples(o, &r, samples, lost);
        say_bare(bare);
    }
    err = err ? -1 : result_exit_status(&r);
    close(recorded.fd);
    result_free(&r);
    return err;
}

int builtin_record(int argc, char **argv)
{
    static struct run_options o;
    struct failure f = {0};
    int status;

    run_options_init(&o);
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &o);
    if (o.job.events.n == 0) {
        events_add(&o.job.events, DEFAULT_EVENT, &f);
    }
    if (!o.job.record.period && !o.job.record.frequency) {
        o.job.record.frequency = DEFAULT_FREQUENCY;
    }
    o.job.record.on = true;
    o.default_output = !o.output;
    o.output = o.output ? o.output : FILE_NAME;
    status = record(&o, argv, argc, &f);
    return status < 0 ? failure_print(&f) : status;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What vpmu-stats record is told: what is sampled, how often, and what comes with a sample. */
#include "cli/record-options.h"

#include <string.h>

#include "cli/category-options.h"
#include "base/number.h"
#include "vpmu/frequency.h"
#include "vpmu/record.h"

#define DEFAULT_EVENT "cycles"
#define DEFAULT_FREQUENCY 4000
#define MAX_FRAMES ((int)VPMU_RECORD_CHAIN - 1)
/* As vpmu-record-start has it. */
#define MIN_BUFFER_KIB 64

enum {
    KEY_COUNT = 0x200,
    KEY_KALLSYMS,
    KEY_VMLINUX,
    KEY_NO_NAMES,
    KEY_MAP,
    KEY_SYMFS,
    KEY_GROUP,
    KEY_BLACKOUT,
    KEY_BUFFER,
    KEY_ONE_SHOT,
    KEY_LOSSLESS,
    KEY_MAX_STACK,
};

static const struct argp_option own_table[] = {
    {"count", KEY_COUNT, "N", 0, "A sample each time an event has happened N times; also -c N", 2},
    {"freq", 'F', "HZ", 0,
     "So many samples a second of each vCPU, by counts that change with how often the event "
     "happens (4000)",
     2},
    {"call-graph", 'g', 0, 0, "Record call chains, by frame pointers", 2},
    {"max-stack", KEY_MAX_STACK, "N", 0, "Call chains of at most N frames, 1 to 127 (127)", 2},
    {"group", KEY_GROUP, 0, 0, "Sample the first event only, and read all with each sample", 2},
    {"blackout", KEY_BLACKOUT, 0, 0,
     "Record as well what a hypervisor in the machine loses between host and guest: each window "
     "is a sample",
     2},
    {"kallsyms", KEY_KALLSYMS, "FILE", 0,
     "The guest's /proc/kallsyms or System.map: where its kernel lies, and its functions; "
     "otherwise that is looked for in the guest's memory",
     2},
    {"vmlinux", KEY_VMLINUX, "FILE", 0,
     "The guest's vmlinux or /sys/kernel/btf/vmlinux: with --kallsyms, names of its threads", 2},
    {"map", KEY_MAP, "COMM=ELF[@BASE]", 0,
     "Tell perf the program of threads that are called COMM: its ELF file, which was loaded to "
     "BASE "
     "(hexadecimal) if it is position-independent; may be repeated",
     2},
    {"symfs", KEY_SYMFS, "DIR", 0,
     "Where copies of the guest's files are, for build IDs that are not in its memory", 2},
    {"no-names", KEY_NO_NAMES, 0, 0, "Look for no names in the guest's memory", 2},
    {"buffer", KEY_BUFFER, "KIB", 0, "KiB for samples of each vCPU not taken yet (1024)", 2},
    {"one-shot", KEY_ONE_SHOT, 0, 0, "End when a buffer is full; else samples are lost then", 2},
    {"lossless", KEY_LOSSLESS, 0, 0,
     "Let the machine wait when a buffer is full, with its clock: no sample is lost", 2},
    {0},
};

/* What becomes of samples when a buffer is full can be said once. */
static void take_full(struct record_options *o, const char *full, struct argp_state *state)
{
    if (o->full && strcmp(o->full, full) != 0) {
        argp_error(state, "--one-shot and --lossless exclude each other: a machine ends the "
                          "recording, or waits");
    }
    o->full = full;
}

static void add_map(struct record_options *o, const char *text, struct argp_state *state)
{
    if (o->n_maps == PROGRAMS_MAX) {
        argp_error(state, "no more than %u programs", PROGRAMS_MAX);
        return;
    }
    o->maps[o->n_maps++] = text;
}

/* What says where names are. */
static error_t parse_names(int key, char *arg, struct argp_state *state)
{
    struct record_options *o = state->input;

    switch (key) {
    case KEY_KALLSYMS:
        o->kallsyms = arg;
        return 0;
    case KEY_VMLINUX:
        o->vmlinux = arg;
        return 0;
    case KEY_MAP:
        add_map(o, arg, state);
        return 0;
    case KEY_SYMFS:
        o->symfs = arg;
        return 0;
    case KEY_NO_NAMES:
        o->no_names = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_own(int key, char *arg, struct argp_state *state)
{
    struct record_options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = o;
        return 0;
    case KEY_COUNT:
        o->count = arg;
        return 0;
    case 'F':
        o->hz = arg;
        return 0;
    case 'g':
        o->chains = true;
        return 0;
    case KEY_MAX_STACK:
        o->chains = true;
        if (!number_parse(arg, 1, MAX_FRAMES, &o->frames)) {
            argp_error(state, "'%s' is not a number of frames, 1 to %d", arg, MAX_FRAMES);
        }
        return 0;
    case KEY_GROUP:
        o->group = true;
        return 0;
    case KEY_ONE_SHOT:
        take_full(o, "stop", state);
        return 0;
    case KEY_LOSSLESS:
        take_full(o, "wait", state);
        return 0;
    case KEY_BLACKOUT:
        o->blackout = true;
        return 0;
    case KEY_BUFFER:
        o->buffer_is_asked = true;
        if (!number_parse(arg, MIN_BUFFER_KIB, RECORD_MAX_BUFFER_KIB, &o->buffer)) {
            argp_error(state, "'%s' is not a number of KiB, %d to %d", arg, MIN_BUFFER_KIB,
                       RECORD_MAX_BUFFER_KIB);
        }
        return 0;
    default:
        return parse_names(key, arg, state);
    }
}

static const struct argp_child children[] = {{&category_options_argp, 0, 0, 0}, {0}};

static const struct argp own = {own_table, parse_own, 0, 0, children, 0, 0};

static const char at_end[] = "there is one file, in the end; perf script shows samples in order";

static const struct measure_command command = {
    .arguments = "[MACHINE]",
    .doc = "Samples a machine until Ctrl-C, from outside: at the very instruction that makes an "
           "event happen for the Nth time, whatever runs there, without perf in the guest.\v"
           "What a guest spends its time on, with the functions that called:\n\n"
           "    vpmu-stats record -g vm\n"
           "    vpmu-stats report\n\n"
           "Where a guest's kernel misses the cache:\n\n"
           "    vpmu-stats record -e cache-misses:k -c 1000 vm\n"
           "    vpmu-stats convert --to kallsyms -o guest.kallsyms\n"
           "    perf report --kallsyms guest.kallsyms\n\n"
           "What a guest's caches miss in two seconds, for ui.perfetto.dev:\n\n"
           "    vpmu-stats record --category cpu:arch:l1_data,cpu:sample:10000 --duration 2 vm\n\n"
           "Without -e: " DEFAULT_EVENT ". Without -o: " RECORD_FILE ", or " RECORD_TRACE
           " of --category; -o - is for a pipe to perf report -i -.",
    .own = &own,
    .instead =
        {
            [MEASURE_INTERVAL] = at_end,
            [MEASURE_COUNT] = at_end,
            [MEASURE_PER_VCPU] = "samples say their vCPU: perf report --sort cpu",
            [MEASURE_WHILE_COUNTER] = "samples do not depend on counters of the guest's",
        },
};

/* Either -c or -F says when samples are taken. */
static int take_when(struct record_options *o, const struct options *common, struct error *t)
{
    const char *count = o->count ? o->count : common->count;
    const char *frequency = o->hz;
    long number = DEFAULT_FREQUENCY;

    if (count && frequency) {
        return error_set(t, ERROR_USAGE,
                         "-c and -F exclude each other: samples by count, or by time");
    }
    if (count && !number_parse(count, 1, INT64_MAX >> 4, &number)) {
        return error_set(t, ERROR_USAGE, "-c: '%s' is not a number of events, 1 or more", count);
    }
    if (frequency && !number_parse(frequency, 1, VPMU_FREQUENCY_MAX, &number)) {
        return error_set(t, ERROR_USAGE, "-F: '%s' is not a number of samples a second, 1 to %u",
                         frequency, VPMU_FREQUENCY_MAX);
    }
    *(count ? &o->period : &o->frequency) = (uint64_t)number;
    return 0;
}

/* What the meter finds. */
static int add_spans(struct record_options *o, struct events *events, struct error *t)
{
    size_t before = events->n;

    if (!o->blackout) {
        return 0;
    }
    if (o->group) {
        return error_set(t, ERROR_USAGE,
                         "--blackout and --group exclude each other: windows read no events");
    }
    if (events_add(events,
                   "blackout-entry,blackout-exit,blackout-inside,blackout-aborted,leak-host,"
                   "leak-guest",
                   t)) {
        return -1;
    }
    o->spans = events->n - before;
    return 0;
}

/* As perf record. */
static int take_events(struct record_options *o, const struct options *common,
                       struct events *events, struct error *t)
{
    if (o->buffer_mb) {
        return error_set(t, ERROR_USAGE,
                         "--buffer-size is for sessions of --category; --buffer says it in KiB");
    }
    if (take_when(o, common, t) || (events->n == 0 && events_add(events, DEFAULT_EVENT, t))) {
        return -1;
    }
    return add_spans(o, events, t);
}

int record_options_parse(struct record_options *o, int argc, char **argv, struct options *common,
                         struct measure_options *measure, struct error *t)
{
    *o = (struct record_options){.frames = MAX_FRAMES};
    common->takes_count = true;
    measure_parse(&command, argc, argv, 0, common, measure, o);
    return o->by_category ? category_options_take(o, common, measure, t)
                          : take_events(o, common, &measure->events, t);
}

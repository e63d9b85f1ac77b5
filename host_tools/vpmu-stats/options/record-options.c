/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of vpmu-stats record: what is sampled, how often, and what a sample contains. */
#include "options/record-options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/category-options.h"
#include "base/number.h"
#include "perfdata/costs.h"
#include "vpmu/frequency.h"
#include "vpmu/record.h"

#define DEFAULT_EVENT "cycles"
#define EXACT_EVENT "instructions"
#define MEMORY_EVENTS "mem-loads,mem-stores"
#define DEFAULT_FREQUENCY 4000
/* Bytes of the stack: the chains of most of Debian's programs are complete with these. */
#define DEFAULT_STACK 16384
#define MAX_FRAMES ((int)VPMU_RECORD_CHAIN - 1)
/* The minimum of vpmu-record-start. */
#define MIN_BUFFER_KIB 64

enum {
    KEY_KALLSYMS = 0x200,
    KEY_VMLINUX,
    KEY_NO_NAMES,
    KEY_MAP,
    KEY_SYMFS,
    KEY_GROUP,
    KEY_BLACKOUT,
    KEY_BUFFER,
    KEY_ONE_SHOT,
    KEY_LOSSLESS,
    KEY_KEEP_STACKS,
    KEY_MAX_STACK,
    KEY_MAX_PERCENT,
    KEY_BRANCH_FILTER,
    KEY_MEM,
    KEY_LDLAT,
    KEY_COMM,
    KEY_GUEST,
    KEY_KERNEL,
    KEY_USER,
    KEY_EXACT,
    KEY_CALLS,
    KEY_BRANCH_SIM,
    KEY_CACHE_SIM,
};

static const struct argp_option own_table[] = {
    {"count", 'c', "N", 0, "Take a sample every N events", 2},
    {"freq", 'F', "HZ", 0,
     "Take HZ samples per second of each vCPU; the period adapts to the rate of the event (4000)",
     2},
    {"exact", KEY_EXACT, 0, 0,
     "Exact profile: count how often each instruction is executed, instead of taking samples "
     "(-e instructions)",
     2},
    {"calls", KEY_CALLS, 0, 0,
     "Exact profiles: also count who calls whom, and the instructions until calls return", 2},
    {"branch-sim", KEY_BRANCH_SIM, "yes|no", OPTION_ARG_OPTIONAL,
     "Exact profiles: also count branches and mispredictions: conditional (Bc, Bcm), indirect (Bi, "
     "Bim), and returns (Br, Brm)",
     2},
    {"cache-sim", KEY_CACHE_SIM, "yes|no", OPTION_ARG_OPTIONAL,
     "Exact profiles: also count reads and writes of memory (Dr, Dw) and misses of the first and "
     "last level (I1mr, D1mr, D1mw, ILmr, DLmr, DLmw)",
     2},
    {"max-percent", KEY_MAX_PERCENT, "N", 0,
     "With -F: take fewer samples if they would take more than N percent of a vCPU's time, 1 to 95 "
     "(25)",
     2},
    {"call-graph", 'g', 0, 0,
     "Record call chains by frame pointers, in x86-64 kernels by their ORC tables; perf's "
     "--call-graph fp is the same. --call-graph "
     "dwarf[,SIZE] copies SIZE bytes of the stack of programs with each sample (16384), and finds "
     "chains without frame pointers by the unwind tables of their files",
     2},
    {"branch-any", 'b', 0, 0, "Record the last 32 branches with each sample", 2},
    {"branch-filter", KEY_BRANCH_FILTER, "LIST", 0,
     "Record only branches of these kinds with each sample: any, any_call, any_ret, call, "
     "ind_call, "
     "ind_jmp, cond; u, "
     "k. Also record with each branch: flags (mispredictions), cycles",
     2},
    {"mem", KEY_MEM, 0, 0,
     "Record with each sample the access to memory that ended the period: the address of the data, "
     "the cache level that had it, and the latency; the default events are " MEMORY_EVENTS,
     2},
    {"ldlat", KEY_LDLAT, "N", 0, "Keep only accesses to memory that took at least N cycles", 2},
    {"all-cpus", 'a', 0, 0, "Sample all vCPUs (the default)", 2},
    {"pid", 'p', "LIST", 0, "Keep only samples of these processes of the guest", 2},
    {"tid", 't', "LIST", 0, "Keep only samples of these threads of the guest", 2},
    {"comm", KEY_COMM, "NAME", 0, "Keep only samples of threads with this name; may be repeated",
     2},
    {"guest", KEY_GUEST, "LIST", 0,
     "Keep only samples of these guests of the machine's own hypervisor: vmid-1,vmid-7; on "
     "x86-64: svm-1",
     2},
    {"kernel", KEY_KERNEL, 0, 0, "Sample kernels only: events without modifiers get :k", 2},
    {"all-kernel", 0, 0, OPTION_ALIAS, 0, 2},
    {"user", KEY_USER, 0, 0, "Sample programs only: events without modifiers get :u", 2},
    {"all-user", 0, 0, OPTION_ALIAS, 0, 2},
    {"keep-stacks", KEY_KEEP_STACKS, 0, 0,
     "With --call-graph dwarf: write the registers and the stacks of programs, from which perf and "
     "others find the chains, and not these chains",
     2},
    {"max-stack", KEY_MAX_STACK, "N", 0, "Limit call chains to N frames, 1 to 127 (127)", 2},
    {"group", KEY_GROUP, 0, 0, "Sample the first event and read all events with each sample", 2},
    {"blackout", KEY_BLACKOUT, 0, 0,
     "Also record each blackout window of the machine's own hypervisor as a sample", 2},
    {"kallsyms", KEY_KALLSYMS, "FILE", 0,
     "Take kernel symbols from a copy of the guest's /proc/kallsyms or its System.map instead of "
     "from the guest's memory",
     2},
    {"vmlinux", KEY_VMLINUX, "FILE", 0,
     "With --kallsyms: find thread names using the guest's vmlinux or a copy of its "
     "/sys/kernel/btf/vmlinux",
     2},
    {"map", KEY_MAP, "COMM=ELF[@BASE]", 0,
     "Threads named COMM run the program ELF, loaded at BASE (hexadecimal) if it is "
     "position-independent; may be repeated",
     2},
    {"symfs", KEY_SYMFS, "DIR", 0,
     "Take build IDs that are not in the guest's memory from copies of its files in DIR", 2},
    {"no-names", KEY_NO_NAMES, 0, 0, "Do not search the guest's memory for names", 2},
    {"buffer", KEY_BUFFER, "KIB", 0, "Size of each vCPU's sample buffer in KiB (1024)", 2},
    {"one-shot", KEY_ONE_SHOT, 0, 0,
     "Stop recording when a buffer is full, instead of losing samples", 2},
    {"lossless", KEY_LOSSLESS, 0, 0,
     "Stop the machine and its clock while a buffer is half full, so that no sample is lost", 2},
    {0},
};

/* --one-shot and --lossless both say what happens when a buffer is full. */
static void take_full(struct record_options *o, const char *full, struct argp_state *state)
{
    if (o->full && strcmp(o->full, full) != 0) {
        argp_error(state, "--one-shot and --lossless exclude each other: a full buffer ends the "
                          "recording or stops the machine");
    }
    o->full = full;
}

static void add_map(struct record_options *o, const char *text, struct argp_state *state)
{
    if (o->n_maps == PROGRAMS_MAX) {
        argp_error(state, "--map can be given at most %u times", PROGRAMS_MAX);
        return;
    }
    o->maps[o->n_maps++] = text;
}

/* Parses the options that say where to find names. */
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

static void check(struct argp_state *state, int err, const struct error *t)
{
    if (err) {
        argp_error(state, "%s", t->text);
    }
}

static void take_modifier(struct record_options *o, const char *modifier, struct argp_state *state)
{
    if (o->modifier && strcmp(o->modifier, modifier) != 0) {
        argp_error(state, "--kernel and --user exclude each other");
    }
    o->modifier = modifier;
}

/* Options that choose what of the guest is kept. */
static error_t parse_filter(int key, char *arg, struct argp_state *state)
{
    struct record_options *o = state->input;
    struct thread_filter *f = &o->filter;
    struct error t = {0};

    switch (key) {
    case 'a':
        return 0;
    case 'p':
        check(state, thread_filter_numbers(f->pid, &f->pids, arg, &t), &t);
        return 0;
    case 't':
        check(state, thread_filter_numbers(f->tid, &f->tids, arg, &t), &t);
        return 0;
    case KEY_COMM:
        check(state, thread_filter_comm(f, arg, &t), &t);
        return 0;
    case KEY_GUEST:
        check(state, thread_filter_guests(f, arg, &t), &t);
        return 0;
    case KEY_KERNEL:
        take_modifier(o, "k", state);
        return 0;
    case KEY_USER:
        take_modifier(o, "u", state);
        return 0;
    default:
        return parse_names(key, arg, state);
    }
}

/* The methods of perf to find callers. vpmu-stats supports two of them. */
static bool is_method(const char *text)
{
    return strcmp(text, "fp") == 0 || strncmp(text, "dwarf", 5) == 0 || strcmp(text, "lbr") == 0;
}

/* Takes a method of perf: "fp" or "dwarf[,SIZE]". */
static int take_method(struct record_options *o, const char *text, struct error *t)
{
    static const char dwarf[] = "dwarf";
    const char *size = text + sizeof(dwarf) - 1;

    o->chains = true;
    o->stack = 0;
    if (strcmp(text, "fp") == 0) {
        return 0;
    }
    if (strncmp(text, dwarf, sizeof(dwarf) - 1) != 0 || (*size && *size != ',')) {
        return error_set(t, ERROR_USAGE,
                         "--call-graph %s: only fp, frame pointers, and dwarf[,SIZE] are supported",
                         text);
    }
    o->stack = DEFAULT_STACK;
    if (*size && !number_parse(size + 1, 1, VPMU_RECORD_STACK_MAX, &o->stack)) {
        return error_set(t, ERROR_USAGE,
                         "--call-graph: '%s' is not a number of bytes of the stack, 1 to %u",
                         size + 1, VPMU_RECORD_STACK_MAX);
    }
    o->stack = (o->stack + 7) & -8l;
    return 0;
}

/* perf writes "--call-graph fp". Without an argument, "--call-graph" is the same as -g. */
static void take_call_graph(struct record_options *o, struct argp_state *state)
{
    struct error t = {0};
    bool is_long = state->next > 0 && strcmp(state->argv[state->next - 1], "--call-graph") == 0;
    const char *next = state->next < state->argc ? state->argv[state->next] : "";

    o->chains = true;
    if (!is_long || !is_method(next)) {
        return;
    }
    if (take_method(o, next, &t)) {
        argp_error(state, "%s", t.text);
    }
    state->next++;
}

static void take_branches(struct record_options *o, const char *filter, struct argp_state *state)
{
    const char *why;

    if (vpmu_branch_filter_parse(&o->filtered, filter, &why)) {
        argp_error(state, "--branch-filter: '%s': %s", filter, why);
        return;
    }
    o->branches = filter;
}

/* Options of buffers. */
static error_t parse_buffer(int key, char *arg, struct argp_state *state)
{
    struct record_options *o = state->input;

    switch (key) {
    case KEY_ONE_SHOT:
        take_full(o, "stop", state);
        return 0;
    case KEY_LOSSLESS:
        take_full(o, "wait", state);
        return 0;
    case KEY_BUFFER:
        o->buffer_is_asked = true;
        if (!number_parse(arg, MIN_BUFFER_KIB, START_MAX_BUFFER_KIB, &o->buffer)) {
            argp_error(state, "'%s' is not a number of KiB, %d to %d", arg, MIN_BUFFER_KIB,
                       START_MAX_BUFFER_KIB);
        }
        return 0;
    default:
        return parse_filter(key, arg, state);
    }
}

static void take_percent(struct record_options *o, const char *arg, struct argp_state *state)
{
    if (!number_parse(arg, 1, VPMU_FREQUENCY_PERCENT_MAX, &o->percent)) {
        argp_error(state, "'%s' is not a number of percent, 1 to %u", arg,
                   VPMU_FREQUENCY_PERCENT_MAX);
    }
}

/* Options of memory samples. */
static error_t parse_memory(int key, char *arg, struct argp_state *state)
{
    struct record_options *o = state->input;

    switch (key) {
    case KEY_MEM:
        o->memory = true;
        return 0;
    case KEY_LDLAT:
        if (!number_parse(arg, 0, UINT16_MAX, &o->latency)) {
            argp_error(state, "'%s' is not a number of cycles, 0 to %d", arg, UINT16_MAX);
        }
        return 0;
    default:
        return parse_buffer(key, arg, state);
    }
}

static error_t parse_own(int key, char *arg, struct argp_state *state)
{
    struct record_options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = o;
        return 0;
    case 'c':
        o->count = arg;
        return 0;
    case 'F':
        o->hz = arg;
        return 0;
    case 'g':
        take_call_graph(o, state);
        return 0;
    case KEY_KEEP_STACKS:
        o->keeps_stacks = true;
        return 0;
    case KEY_MAX_STACK:
        o->chains = true;
        if (!number_parse(arg, 1, MAX_FRAMES, &o->frames)) {
            argp_error(state, "'%s' is not a number of frames, 1 to %d", arg, MAX_FRAMES);
        }
        return 0;
    case KEY_MAX_PERCENT:
        take_percent(o, arg, state);
        return 0;
    case 'b':
        if (!o->branches) {
            take_branches(o, "any", state);
        }
        return 0;
    case KEY_BRANCH_FILTER:
        take_branches(o, arg, state);
        return 0;
    case KEY_GROUP:
        o->group = true;
        return 0;
    case KEY_BLACKOUT:
        o->blackout = true;
        return 0;
    case KEY_EXACT:
        o->exact = true;
        return 0;
    case KEY_CALLS:
        o->calls = true;
        return 0;
    case KEY_BRANCH_SIM:
    case KEY_CACHE_SIM:
        if (!costs_parse_choice(arg, key == KEY_CACHE_SIM ? &o->caches : &o->costs_branches)) {
            argp_error(state, "'%s' is neither yes nor no", arg);
        }
        return 0;
    default:
        return parse_memory(key, arg, state);
    }
}

static const struct argp_child children[] = {{&category_options_argp, 0, 0, 0}, {0}};

static const struct argp own = {own_table, parse_own, 0, 0, children, 0, 0};

static const char at_end[] = "record writes one file at the end; perf script lists its samples";

static const struct measure_command command = {
    .arguments = "[MACHINE]",
    .doc = "Samples a machine from outside until Ctrl-C and writes a perf.data file. A sample is "
           "taken at the instruction that causes the Nth event. The guest needs no perf.\v"
           "Find where a guest spends its time, with call chains:\n\n"
           "    vpmu-stats record -g vm\n"
           "    vpmu-stats report\n\n"
           "Find where a guest's kernel misses the cache, and read the file with perf:\n\n"
           "    vpmu-stats record -e cache-misses:k -c 1000 vm\n"
           "    vpmu-stats convert --to kallsyms -o perf.kallsyms\n"
           "    perf report --kallsyms perf.kallsyms\n\n"
           "Record the branches of programs, for BOLT and AutoFDO:\n\n"
           "    vpmu-stats record --branch-filter any,u -e instructions:u -c 10007 vm\n"
           "    perf2bolt -p perf.data -o program.fdata program\n\n"
           "Record loads and stores, and show what they accessed:\n\n"
           "    vpmu-stats record --mem vm\n"
           "    vpmu-stats report --mem\n\n"
           "Record cache misses as a timeline for ui.perfetto.dev:\n\n"
           "    vpmu-stats record --category cpu:arch:l1_data,cpu:sample:10000 vm\n\n"
           "Default event: " DEFAULT_EVENT ". Default file: " RECORD_FILE ", or " RECORD_TRACE
           " with --category; -o - writes to the standard output for perf report -i -.",
    .own = &own,
    .instead =
        {
            [MEASURE_INTERVAL] = at_end,
            [MEASURE_COUNT] = at_end,
            [MEASURE_PER_VCPU] = "samples contain their vCPU: use report --sort cpu",
            [MEASURE_WHILE_COUNTER] = "sampling does not use the guest's counters",
        },
};

/* Reads -c or -F. They exclude each other. */
static int take_when(struct record_options *o, struct error *t)
{
    const char *count = o->count;
    const char *frequency = o->hz;
    long number = DEFAULT_FREQUENCY;

    if (count && frequency) {
        return error_set(t, ERROR_USAGE, "-c and -F exclude each other");
    }
    if (count && !number_parse(count, 1, INT64_MAX >> 4, &number)) {
        return error_set(t, ERROR_USAGE, "-c: '%s' is not a number of events, 1 or more", count);
    }
    if (frequency && !number_parse(frequency, 1, VPMU_FREQUENCY_MAX, &number)) {
        return error_set(t, ERROR_USAGE, "-F: '%s' is not a number of samples a second, 1 to %u",
                         frequency, VPMU_FREQUENCY_MAX);
    }
    if (count && o->percent) {
        return error_set(t, ERROR_USAGE, "--max-percent limits -F, not -c");
    }
    *(count ? &o->period : &o->frequency) = (uint64_t)number;
    return 0;
}

/* Adds the events for blackout windows. */
static int add_spans(struct record_options *o, struct events *events, struct error *t)
{
    size_t before = events->n;

    if (!o->blackout) {
        return 0;
    }
    if (o->group) {
        return error_set(
            t, ERROR_USAGE,
            "--blackout and --group exclude each other: a window does not read events");
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

/* Adds the modifier of --kernel or --user to events that do not choose levels themselves. */
static int add_modifier(const char *modifier, struct events *events, struct error *t)
{
    for (size_t i = 0; modifier && i < events->n; i++) {
        struct event *event = &events->event[i];
        const char *colon = strchr(event->text, ':');
        char *text = NULL;

        if (colon && strpbrk(colon, "ukh")) {
            continue;
        }
        if (asprintf(&text, "%s%s%s", event->text, colon ? "" : ":", modifier) < 0) {
            return error_memory(t);
        }
        free(event->text);
        event->text = text;
    }
    return 0;
}

/* Adds the costs of an exact profile, with the modifiers of its event. */
static int add_costs(const struct record_options *o, struct events *events, struct error *t)
{
    const char *names[COSTS_MAX];
    size_t n = costs_names(o->caches, o->costs_branches, names);
    char text[sizeof("D1mr") + EVENTS_MODIFIERS_SIZE];

    for (size_t i = 0; i < n; i++) {
        const char *first = events->event[0].text;

        snprintf(text, sizeof(text), "%s%s", names[i], first + strcspn(first, ":"));
        if (events_add(events, text, t)) {
            return -1;
        }
    }
    return 0;
}

static const char *default_events(const struct record_options *o)
{
    return o->memory ? MEMORY_EVENTS : o->exact ? EXACT_EVENT : DEFAULT_EVENT;
}

/* Handles the options that perf record has, too. */
static int take_events(struct record_options *o, struct events *events, struct error *t)
{
    if (o->buffer_mb) {
        return error_set(t, ERROR_USAGE,
                         "--buffer-size needs --category; without it, use --buffer, in KiB");
    }
    if (take_when(o, t) || (events->n == 0 && events_add(events, default_events(o), t)) ||
        add_modifier(o->modifier, events, t)) {
        return -1;
    }
    if (o->exact && events->n > 1) {
        return error_set(t, ERROR_USAGE, "--exact takes one event, such as instructions:u");
    }
    return add_costs(o, events, t) || add_spans(o, events, t) ? -1 : 0;
}

/* "--call-graph=fp" becomes "--call-graph": argp allows no argument of an option that has none. */
static int split_call_graph(struct record_options *o, int argc, char **argv, struct error *t)
{
    static const char option[] = "--call-graph=";

    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], option, sizeof(option) - 1) != 0) {
            continue;
        }
        if (take_method(o, argv[i] + sizeof(option) - 1, t)) {
            return -1;
        }
        argv[i][sizeof(option) - 2] = '\0';
    }
    return 0;
}

static int check_filter(const struct record_options *o, struct error *t)
{
    if (o->by_category && (o->modifier || !thread_filter_is_empty(&o->filter))) {
        return error_set(t, ERROR_USAGE,
                         "-p, -t, --comm, --guest, --kernel and --user exclude --category");
    }
    return o->group && !thread_filter_is_empty(&o->filter)
               ? error_set(t, ERROR_USAGE,
                           "--group excludes -p, -t, --comm and --guest: each sample has what was "
                           "counted "
                           "since the one before")
               : 0;
}

static int check_memory(const struct record_options *o, struct error *t)
{
    if (o->latency && !o->memory) {
        return error_set(t, ERROR_USAGE, "--ldlat needs --mem");
    }
    if (o->memory && (o->by_category || o->blackout)) {
        return error_set(t, ERROR_USAGE,
                         "--mem excludes --category and --blackout, which record no accesses");
    }
    return o->latency && o->group ? error_set(t, ERROR_USAGE,
                                              "--ldlat excludes --group: each sample has what was "
                                              "counted since the one before")
                                  : 0;
}

/* A profile has no moments, and code that several programs share has one count for all of them. */
static int check_exact(const struct record_options *o, struct error *t)
{
    const struct {
        bool given;
        const char *option;
    } excluded[] = {
        {o->count, "-c"},
        {o->hz, "-F"},
        {o->chains, "-g"},
        {o->branches, "-b"},
        {o->memory, "--mem"},
        {o->group, "--group"},
        {o->blackout, "--blackout"},
        {o->by_category, "--category"},
        {!thread_filter_is_empty(&o->filter), "-p, -t, --comm and --guest"},
    };

    if (o->calls && !o->exact) {
        return error_set(t, ERROR_USAGE, "--calls needs --exact");
    }
    if ((o->caches || o->costs_branches) && !o->exact) {
        return error_set(t, ERROR_USAGE, "--branch-sim and --cache-sim need --exact");
    }
    for (size_t i = 0; o->exact && i < sizeof(excluded) / sizeof(excluded[0]); i++) {
        if (excluded[i].given) {
            return error_set(t, ERROR_USAGE, "--exact excludes %s: it counts each instruction",
                             excluded[i].option);
        }
    }
    return 0;
}

static int check_stacks(const struct record_options *o, struct error *t)
{
    return o->keeps_stacks && !o->stack
               ? error_set(t, ERROR_USAGE, "--keep-stacks needs --call-graph dwarf")
               : 0;
}

int record_options_parse(struct record_options *o, int argc, char **argv, struct options *common,
                         struct measure_options *measure, struct error *t)
{
    *o = (struct record_options){.frames = MAX_FRAMES};
    if (split_call_graph(o, argc, argv, t)) {
        return -1;
    }
    measure_parse(&command, argc, argv, 0, common, measure, o);
    if (check_exact(o, t) || check_filter(o, t) || check_memory(o, t) || check_stacks(o, t)) {
        return -1;
    }
    return o->by_category ? category_options_take(o, measure, t)
                          : take_events(o, &measure->events, t);
}

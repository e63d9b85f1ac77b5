/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-stats record: samples a machine and writes a file that perf reads. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/builtin.h"
#include "cpuperf/cpuperf-trace.h"
#include "base/format.h"
#include "session/meter.h"
#include "options/record-options.h"
#include "perfdata/perfbranch.h"
#include "record/recording.h"
#include "record/sampling.h"
#include "record/start-arguments.h"
#include "kernel/thread-places.h"
#include "session/session.h"

#define COMMAND "vpmu-stats record"
/* The default of vpmu-record-start. */
#define DEFAULT_PERCENT 25l

/**
 * struct record - a recording
 * @command: for messages. Another command than COMMAND converts the file and removes it.
 * @r: writes samples to a file in perf's format.
 * @trace: writes samples to a trace; used with --category instead of @r.
 * @totals: the totals of @r or @trace, whichever is used.
 */
struct record {
    const char *command;
    const struct options *common;
    const struct measure_options *o;
    const struct record_options *own;
    struct session *s;
    struct recording *r;
    struct cpuperf_trace *trace;
    const struct event_totals *totals;
    struct program_maps mapped;
    bool with_kvm;
    struct machine_memory memory;
    struct guest_places places;
    struct meter meter; /* used with own.blackout */
    struct samplefile file;
    struct sampling sampling;
};

static struct start_arguments start_of(const struct record *c)
{
    return (struct start_arguments){.events = &c->o->events,
                                    .period = c->own->period,
                                    .frequency = c->own->frequency,
                                    .exact = c->own->exact,
                                    .calls = c->own->calls,
                                    .spans = c->own->spans,
                                    .group = c->own->group,
                                    .chains = c->own->chains,
                                    .frames = c->own->frames,
                                    .stack = c->own->stack,
                                    .branches = c->own->branches,
                                    .accesses = c->own->memory,
                                    .names = &c->r->names,
                                    .buffer = c->own->buffer,
                                    .cpus = c->s->pmus.n,
                                    .full = c->own->full,
                                    .percent = c->own->percent};
}

/* Reporting the result */

static uint64_t period_of(const struct record *c, const struct vpmu_record_event *event)
{
    return c->own->session.tally ? 0 : event->period;
}

static const char *name_of(const struct record *c, size_t event)
{
    return c->own->by_category ? c->own->session.event[event]->name
                               : c->totals->stream->event[event].name;
}

static void print_records(struct record *c)
{
    const struct stream *stream = c->totals->stream;
    unsigned n = stream->start.events;

    for (size_t i = 0; i < event_totals_size(c->totals); i++) {
        const struct event_totals_row *row = &c->totals->rows[i];
        const struct vpmu_record_event *event = &stream->event[i % n];
        struct json_object *record = json_object_new_object();

        if (!row->counted) {
            json_object_put(record);
            continue;
        }
        record_u64(record, "cpu", i / n);
        record_string(record, "event", name_of(c, i % n));
        if (event->frequency) {
            record_u64(record, "frequency", event->frequency);
        } else {
            record_u64(record, "period", period_of(c, event));
        }
        record_u64(record, "counter-value", row->count);
        record_u64(record, "samples", row->samples);
        record_u64(record, "lost", row->lost);
        if (row->hosts) {
            record_u64(record, "enabled", row->enabled);
            record_u64(record, "running", row->running);
            record_u64(record, "elsewhere", row->elsewhere);
            record_u64(record, "throttled", row->throttled);
        }
        out_record(&c->s->out, record);
    }
}

/* The totals are the result of a session without samples. */
static void print_totals(struct record *c)
{
    unsigned n = c->totals->stream->start.events;
    char number[FORMAT_SIZE];

    for (unsigned event = 0; event < n; event++) {
        uint64_t sum = 0;

        for (size_t i = event; i < event_totals_size(c->totals); i += n) {
            sum += c->totals->rows[i].count;
        }
        fprintf(c->s->out.text, "%20s  %s\n", format_grouped(number, sum), name_of(c, event));
    }
}

/* Suggests frame pointers if most samples of programs have no caller. */
static void say_short(const struct record *c)
{
    const struct recording *r = c->r;

    if (!c->own->by_category && r->file.chains && r->programs >= 100 &&
        r->alone > r->programs / 2) {
        fprintf(stderr, "[ %" PRIu64 "%% of the samples in programs have no call chain: %s ]\n",
                100 * r->alone / r->programs,
                c->own->stack ? "record needs the files of programs (--symfs)"
                              : "use --call-graph dwarf, or build programs with "
                                "-fno-omit-frame-pointer");
    }
}

static void say_samples(const struct record *c, uint64_t samples)
{
    char number[FORMAT_SIZE];
    char all[FORMAT_SIZE];

    if (thread_filter_is_empty(&c->own->filter) && !c->own->latency) {
        fprintf(stderr, "[ %s: %s samples", c->command, format_grouped(number, samples));
    } else {
        fprintf(stderr, "[ %s: kept %s of %s samples", c->command,
                format_grouped(number, samples - c->r->dropped), format_grouped(all, samples));
    }
}

/* Reports that the filter has kept no sample, although threads of the guest may match. */
static void say_unknown_threads(const struct record *c, uint64_t samples)
{
    const struct thread_filter *f = &c->own->filter;

    if ((f->pids || f->tids) && samples && samples == c->r->dropped && !c->r->names.has_threads &&
        pmus_of_x86(&c->s->pmus)) {
        fprintf(stderr,
                "[ the guest's threads are not known: use the numbers that report shows, such as "
                "20702 for :20702 ]\n");
    }
}

/* Reports that samples did not come as often as requested. */
static void say_limited(const struct record *c)
{
    uint64_t limited = 0;
    uint64_t samples = 0;

    for (size_t i = 0; i < event_totals_size(c->totals); i++) {
        limited += c->totals->rows[i].limited;
        samples += c->totals->rows[i].samples;
    }
    /* A single sample that takes long delays a few others. */
    if (limited > samples / 10) {
        fprintf(stderr,
                "[ there are fewer than %" PRIu64
                " samples per second: more would take over %ld%% of a vCPU's time; use a smaller "
                "-F, or --max-percent ]\n",
                c->own->frequency, c->own->percent ? c->own->percent : DEFAULT_PERCENT);
    }
}

static void say_nameless_guests(const struct record *c)
{
    size_t n = nested_guests_nameless(&c->r->nested);

    if (n) {
        fprintf(
            stderr,
            "[ function names are not available for %zu guest%s of the machine's hypervisor: no "
            "Linux kernel with a symbol table was found in %s memory ]\n",
            n, n == 1 ? "" : "s", n == 1 ? "its" : "their");
    }
}

static void say_threadless_guests(const struct record *c)
{
    const struct error *why = &c->places.error;

    if (why->code != ERROR_NONE) {
        fprintf(stderr,
                "[ thread names are not available for guests of the machine's hypervisor: %s ]\n",
                why->code == ERROR_NO_VPMU ? "this QEMU is too old" : why->text);
    }
}

static void say(const struct record *c)
{
    const struct stream *stream = c->totals->stream;
    char number[FORMAT_SIZE];
    uint64_t samples = 0;
    uint64_t lost = 0;

    for (size_t i = 0; i < event_totals_size(c->totals); i++) {
        const struct event_totals_row *row = &c->totals->rows[i];

        samples += row->samples;
        lost += row->lost > row->reported ? row->lost : row->reported;
    }
    /* The terminal has printed ^C without a newline. */
    if (c->sampling.by_user && isatty(STDERR_FILENO)) {
        fputc('\n', stderr);
    }
    if (c->own->session.tally) {
        fprintf(stderr, "[ %s: totals of %u event%s", c->command, stream->start.events,
                stream->start.events == 1 ? "" : "s");
    } else {
        say_samples(c, samples);
    }
    if (stream->ended && stream->end.why == VPMU_RECORD_FULL) {
        fprintf(stderr, ", until a buffer was full; use %s",
                c->own->by_category ? "a larger cpu:sample or --buffer-size"
                                    : "a larger -c or --buffer");
    } else if (lost) {
        /* A KVM guest cannot wait for the reader. */
        fprintf(stderr, ", %s lost; use a larger -c or --buffer%s", format_grouped(number, lost),
                c->with_kvm ? "" : ", or --lossless");
    }
    fprintf(stderr, c->file.where && strcmp(c->command, COMMAND) == 0 ? "; %s ]\n" : " ]\n",
            c->file.where);
    say_limited(c);
    say_short(c);
    say_nameless_guests(c);
    say_threadless_guests(c);
    say_unknown_threads(c, samples);
}

/* The output file */

static int open_file(struct record *c, struct error *t)
{
    const char *path = c->common->output     ? c->common->output
                       : c->own->by_category ? RECORD_TRACE
                                             : RECORD_FILE;
    int err = samplefile_open(&c->file, path, t);

    c->r->file.host = c->s->name;
    c->r->file.pipe = c->file.pipe;
    c->r->file.file = c->trace->fxt.file = c->file.file;
    return err;
}

static int end_file(struct record *c, struct error *t)
{
    return c->own->by_category ? cpuperf_trace_finish(c->trace, t) : recording_finish(c->r, t);
}

/*
 * Reports lost samples without the guest's address. A kernel that never has it lacks
 * CONFIG_GUEST_PERF_EVENTS, which x86 kernels with KVM always have. Otherwise the interrupt came
 * when the vCPU had left the guest.
 */
static void say_elsewhere(const struct event_totals *totals)
{
    bool has_addresses = totals->stream->start.flags & VPMU_RECORD_X86;
    uint64_t elsewhere = 0;

    for (size_t i = 0; i < event_totals_size(totals); i++) {
        elsewhere += totals->rows[i].elsewhere;
        has_addresses |= totals->rows[i].samples != 0;
    }
    if (elsewhere) {
        fprintf(stderr, "[ %" PRIu64 " of the lost samples have no guest address: %s ]\n",
                elsewhere,
                has_addresses ? "they arrived after the vCPU had left the guest"
                              : "the host's kernel needs CONFIG_GUEST_PERF_EVENTS");
    }
}

/* Reports what the host's PMU and kernel could not do. */
static void say_of_host(const struct event_totals *totals)
{
    double share = 1;
    uint64_t throttled = 0;

    for (size_t i = 0; i < event_totals_size(totals); i++) {
        const struct event_totals_row *row = &totals->rows[i];

        if (row->running < row->enabled) {
            double own = (double)row->running / (double)row->enabled;

            share = own < share ? own : share;
        }
        throttled += row->throttled;
    }
    if (share < 1) {
        fprintf(stderr,
                "[ an event had a counter of the host's PMU for only %.1f%% of the time and was "
                "counted for that part: record fewer events, or give the guest fewer counters "
                "(-cpu host,num-pmu-counters=N) ]\n",
                share * 100);
    }
    say_elsewhere(totals);
    if (throttled) {
        fprintf(stderr,
                "[ the host's kernel stopped counting %" PRIu64
                " times because of too many samples: use a larger -c or a smaller -F ]\n",
                throttled);
    }
}

/* Tests whether there is a result. A machine sends the counts of an exact profile at its end. */
static bool has_samples(const struct record *c, const struct error *t)
{
    return c->totals->rows && !(c->own->exact && t->code == ERROR_ENDED);
}

/* Keeps the samples that were taken before an error. */
static void close_file(struct record *c, struct error *t)
{
    enum samplefile_end end = !has_samples(c, t)      ? SAMPLEFILE_NOTHING
                              : t->code != ERROR_NONE ? SAMPLEFILE_PART
                                                      : SAMPLEFILE_WHOLE;

    samplefile_close(&c->file, end, t);
}

static void finish(struct record *c, struct error *t)
{
    struct error closing = {0};

    if (end_file(c, &closing) && t->code == ERROR_NONE) {
        *t = closing;
    }
    if (c->own->exact && t->code == ERROR_ENDED) {
        error_set(t, ERROR_ENDED, "the machine ended before it sent its counts");
    }
    close_file(c, t);
    if (has_samples(c, t) && t->code != ERROR_OUTPUT && t->code != ERROR_PIPE) {
        say(c);
        say_of_host(c->totals);
        if (c->s->out.kind != OUT_TEXT) {
            print_records(c);
        } else if (c->own->session.tally) {
            print_totals(c);
        }
    }
    samplefile_free(&c->file);
}

/* Names and options */

static void tell_nameless(const struct guest_names *names)
{
    const char *why = guest_names_why(names);

    if (why) {
        fprintf(stderr, "[ " COMMAND ": function names are not available: %s ]\n", why);
    }
}

static int take_maps(struct record *c, struct error *t)
{
    for (size_t i = 0; i < c->own->n_maps; i++) {
        if (program_maps_add(&c->mapped, c->own->maps[i], t)) {
            return -1;
        }
    }
    c->r->mapped = &c->mapped;
    c->r->symfs = c->own->symfs;
    return 0;
}

static int take_names(struct record *c, struct error *t)
{
    if (c->own->by_category) {
        return 0;
    }
    if (!c->own->no_names && !c->with_kvm) {
        c->memory = machine_memory(c->s->q);
        c->r->nested.memory = c->r->memory = &c->memory.memory;
        c->places.q = c->s->q;
        c->r->nested.found = guest_places_pass;
        c->r->nested.opaque = &c->places;
    }
    if (take_maps(c, t)) {
        return -1;
    }
    if (c->own->kallsyms || c->own->vmlinux) {
        return guest_names_read(&c->r->names, c->own->kallsyms, c->own->vmlinux, t);
    }
    if (c->own->no_names || guest_names_find(&c->r->names, c->s->q, c->with_kvm, t)) {
        return c->own->no_names ? 0 : -1;
    }
    c->r->file.release = c->r->names.release[0] ? c->r->names.release : NULL;
    return 0;
}

/*
 * A buffer size that the user requested must be possible. The default size is reduced if there are
 * many vCPUs.
 */
static int check_buffer(const struct record *c, struct error *t)
{
    struct start_arguments start = start_of(c);
    long most = start_arguments_buffer(&start);

    return c->own->buffer_is_asked && most < c->own->buffer
               ? error_set(t, ERROR_USAGE,
                           "%zu vCPUs can have at most %ld MB of buffers each (1 GiB in total)",
                           c->s->pmus.n, most >> 10)
               : 0;
}

static int prepare(struct record *c, struct error *t)
{
    struct options report = *c->common;
    bool to_pipe = report.output && strcmp(report.output, "-") == 0;

    if (to_pipe && report.kind != OUT_TEXT) {
        return error_set(
            t, ERROR_USAGE,
            "-j and -x cannot be combined with -o -: both write to the standard output");
    }
    if (check_buffer(c, t) || take_names(c, t)) {
        return -1;
    }
    report.output = NULL;
    return session_out(c->s, &report, false, t);
}

/* Writes what the machine records, until it ends. */
static void receive(struct record *c, struct error *t)
{
    struct sampling *s = &c->sampling;
    int err = 0;

    while (!err && sampling_next(s, t) == SAMPLING_DATA) {
        err = c->own->by_category ? cpuperf_trace_take(c->trace, s->data, s->size, t)
                                  : recording_take(c->r, s->data, s->size, t);
    }
    if (err) {
        sampling_end(s);
    }
}

static void sample(struct record *c, struct error *t)
{
    const struct start_arguments start = start_of(c);

    c->sampling.q = c->s->q;
    c->sampling.file = &c->file;
    c->sampling.patience = c->common->patience;
    if ((!c->own->blackout || meter_begin(&c->meter, c->s, t) == 0) &&
        start_arguments_begin(&start, &c->sampling, t) == 0) {
        tell_nameless(&c->r->names);
        c->sampling.until = c->o->timeout ? qmp_after(c->o->timeout) : INT64_MAX;
        receive(c, t);
    }
    meter_end(&c->meter, c->s, t);
    finish(c, t);
}

/* Reports an error if an option needs what x86 machines lack. */
static int check_x86(const struct record *c, struct error *t)
{
    const char *why = c->own->by_category ? "categories stand for events of Arm machines"
                      : c->own->blackout  ? "only the hypervisors of Arm machines are measured"
                                          : NULL;

    return why && pmus_of_x86(&c->s->pmus)
               ? error_set(t, ERROR_NO_VPMU, "%s is an x86 machine: %s", c->s->name, why)
               : 0;
}

/* Reports an error if an option needs what machines with KVM lack. */
static int check_kvm(const struct record *c, struct error *t)
{
    const char *why = c->own->blackout  ? "losses are measured per exit: use vpmu-stats exits"
                      : c->own->vmlinux ? "the names of threads are not available"
                                        : NULL;

    return why ? error_set(t, ERROR_USAGE, "--%s: %s runs with KVM, where %s",
                           c->own->blackout ? "blackout" : "vmlinux", c->s->name, why)
               : 0;
}

/* With KVM the host's PMU takes the samples, so the guest does not need a PMU. */
static int reach(struct record *c, const struct target *target, struct error *t)
{
    struct session *s = c->s;
    const char *accelerator;

    if (session_reach(s, c->common, target, c->sampling.stop_fd, t) ||
        machine_accelerator(s->q, &accelerator, t)) {
        return -1;
    }
    c->with_kvm = strcmp(accelerator, "kvm") == 0;
    if (c->with_kvm) {
        return check_kvm(c, t);
    }
    return machine_pmus(s->q, &s->pmus, t) ? -1 : check_x86(c, t);
}

static void record(struct record *c, struct error *t)
{
    struct targets targets = {0};
    int err = options_target(c->common, c->sampling.stop_fd, &targets, t);

    if (!err) {
        err = reach(c, &targets.target[0], t);
    }
    targets_free(&targets);
    if (err || prepare(c, t) || open_file(c, t)) {
        return;
    }
    sample(c, t);
}

/* Initializes both kinds of output. Only one is used. */
static int make(struct record *c, char **words, int n, struct error *t)
{
    c->r = calloc(1, sizeof(*c->r));
    c->trace = calloc(1, sizeof(*c->trace));
    if (!c->r || !c->trace) {
        return error_memory(t);
    }
    c->r->file.group = c->own->group;
    c->r->filter = &c->own->filter;
    c->r->file.chains = c->own->chains;
    c->r->stack = (uint32_t)c->own->stack;
    c->r->keeps_stacks = c->own->keeps_stacks;
    c->r->frames = (size_t)c->own->frames;
    c->r->calls = c->own->calls;
    c->r->file.spans = c->own->blackout;
    c->r->file.branches = c->own->branches ? perfbranch_filter(&c->own->filtered) : 0;
    c->r->file.accesses = c->own->memory;
    c->r->latency = (unsigned)c->own->latency;
    c->r->names.functions.data = c->own->memory;
    c->r->file.command = words;
    c->r->file.words = n;
    c->trace->session = &c->own->session;
    c->totals = c->own->by_category ? &c->trace->totals : &c->r->totals;
    return 0;
}

static void unmake(struct record *c)
{
    program_maps_free(&c->mapped);
    if (c->r) {
        recording_free(c->r);
    }
    if (c->trace) {
        cpuperf_trace_free(c->trace);
    }
    free(c->r);
    free(c->trace);
}

int builtin_record(int argc, char **argv, int stop_fd)
{
    struct options common = options_default;
    struct measure_options o = measure_options_default;
    struct record_options own;
    struct session s = {0};
    struct record c = {.command = argv[0],
                       .common = &common,
                       .o = &o,
                       .own = &own,
                       .s = &s,
                       .sampling.stop_fd = stop_fd};
    struct error t = {0};
    int status;

    if (record_options_parse(&own, argc, argv, &common, &o, &t) == 0 &&
        make(&c, argv, argc, &t) == 0) {
        record(&c, &t);
    }
    unmake(&c);
    status = session_close(&s, &t);
    measure_options_free(&o);
    return status;
}

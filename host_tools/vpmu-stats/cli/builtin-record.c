/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-stats record: samples a machine and writes a file that perf reads. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/builtin.h"
#include "record/cpuperf-trace.h"
#include "base/format.h"
#include "base/progress.h"
#include "kernel/kernel.h"
#include "kernel/btf.h"
#include "machine/suggest.h"
#include "session/meter.h"
#include "cli/record-options.h"
#include "record/recording.h"
#include "record/sampling.h"
#include "session/session.h"

/**
 * struct record - a recording
 * @r: writes samples to a file in perf's format.
 * @trace: writes samples to a trace; used with --category instead of @r.
 * @totals: the totals of @r or @trace, whichever is used.
 */
struct record {
    const struct options *common;
    const struct measure_options *o;
    const struct record_options *own;
    struct session *s;
    struct recording *r;
    struct cpuperf_trace *trace;
    const struct event_totals *totals;
    struct program_maps mapped;
    struct task_layout layout; /* valid if @has_threads is set */
    bool has_threads;
    bool with_kvm;
    char release[sizeof(((struct kernel *)0)->release)];
    struct error nameless; /* why names are not available, if they were searched for */
    struct meter meter;    /* used with own.blackout */
    struct samplefile file;
    struct sampling sampling;
};

/* Starting the recording in the machine */

/* Makes an object with the places of fields in the guest's structures for threads. */
static struct json_object *make_places(const uint32_t *place, size_t n,
                                       const char *(*name_of_place)(size_t i))
{
    struct json_object *places = json_object_new_object();

    for (size_t i = 0; i < n; i++) {
        json_object_object_add(places, name_of_place(i), json_object_new_int64(place[i]));
    }
    return places;
}

static struct json_object *make_threads(const struct record *c)
{
    struct json_object *threads = json_object_new_object();

    json_object_object_add(threads, "current", json_object_new_uint64(c->r->kernel.current));
    json_object_object_add(threads, "hidden", json_object_new_int64(c->r->kernel.hidden));
    json_object_object_add(threads, "pid", json_object_new_int64(c->layout.pid));
    json_object_object_add(threads, "tgid", json_object_new_int64(c->layout.tgid));
    json_object_object_add(threads, "comm", json_object_new_int64(c->layout.comm));
    if (c->layout.has_maps) {
        json_object_object_add(threads, "maps",
                               make_places(c->layout.maps, TASK_MAPS, task_map_name));
    }
    if (c->layout.has_entry) {
        json_object_object_add(threads, "entry",
                               make_places(c->layout.entry, TASK_ENTRY, task_entry_name));
    }
    return threads;
}

/*
 * Returns the name of the property that says how often to sample an event, and its value. Returns
 * NULL if the event is only read with the samples of another one.
 */
static const char *make_when(const struct record *c, size_t event, uint64_t *value)
{
    if (event >= c->o->events.n - c->own->spans) {
        *value = 1;
        return "period";
    }
    *value = c->own->period ? c->own->period : c->own->frequency;
    return event > 0 && c->own->group ? NULL : c->own->period ? "period" : "frequency";
}

/*
 * Returns the size of each vCPU's buffer in KiB: the requested size, or the largest that all vCPUs
 * can have.
 */
static long buffer_of(const struct record *c)
{
    long most = RECORD_MAX_BUFFER_KIB;

    /* The limit must be a power of two, because the machine rounds sizes up to one. */
    while (most * (long)c->s->pmus.n > RECORD_MAX_BUFFERS_KIB) {
        most /= 2;
    }
    return c->own->buffer < most ? c->own->buffer : most;
}

static struct json_object *make_start(const struct record *c)
{
    struct json_object *arguments = json_object_new_object();
    struct json_object *events = json_object_new_array();

    for (size_t i = 0; i < c->o->events.n; i++) {
        struct json_object *event = json_object_new_object();
        uint64_t value;
        const char *when = make_when(c, i, &value);

        json_object_object_add(event, "event", json_object_new_string(c->o->events.event[i].text));
        if (when) {
            json_object_object_add(event, when, json_object_new_uint64(value));
        }
        json_object_array_add(events, event);
    }
    json_object_object_add(arguments, "events", events);
    json_object_object_add(arguments, "values", json_object_new_boolean(c->own->group));
    if (c->own->chains) {
        json_object_object_add(arguments, "frames", json_object_new_int64(c->own->frames));
    }
    if (c->has_threads) {
        json_object_object_add(arguments, "threads", make_threads(c));
    }
    if (c->own->buffer) {
        json_object_object_add(arguments, "buffer", json_object_new_int64(buffer_of(c) << 10));
    }
    if (c->own->full) {
        json_object_object_add(arguments, "full", json_object_new_string(c->own->full));
    }
    return arguments;
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
        fprintf(stderr,
                "[ %" PRIu64 "%% of the samples in programs have no call chain: build programs "
                "with -fno-omit-frame-pointer ]\n",
                100 * r->alone / r->programs);
    }
}

static void say_samples(const struct record *c, uint64_t samples)
{
    char number[FORMAT_SIZE];
    char all[FORMAT_SIZE];

    if (thread_filter_is_empty(&c->own->filter)) {
        fprintf(stderr, "[ vpmu-stats record: %s samples", format_grouped(number, samples));
    } else {
        fprintf(stderr, "[ vpmu-stats record: kept %s of %s samples",
                format_grouped(number, samples - c->r->dropped), format_grouped(all, samples));
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
        fprintf(stderr, "[ vpmu-stats record: totals of %u event%s", stream->start.events,
                stream->start.events == 1 ? "" : "s");
    } else {
        say_samples(c, samples);
    }
    if (stream->ended && stream->end.why == VPMU_RECORD_FULL) {
        fprintf(stderr, ", until a buffer was full; use %s",
                c->own->by_category ? "a larger cpu:sample or --buffer-size"
                                    : "a larger -c or --buffer");
    } else if (lost) {
        fprintf(stderr, ", %s lost; use a larger -c or --buffer, or --lossless",
                format_grouped(number, lost));
    }
    fprintf(stderr, c->file.path ? "; %s ]\n" : " ]\n", c->file.path);
    say_short(c);
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

/* Reports what the host's PMU and kernel could not do. */
static void say_of_host(const struct event_totals *totals)
{
    double share = 1;
    uint64_t elsewhere = 0;
    uint64_t throttled = 0;

    for (size_t i = 0; i < event_totals_size(totals); i++) {
        const struct event_totals_row *row = &totals->rows[i];

        if (row->running < row->enabled) {
            double own = (double)row->running / (double)row->enabled;

            share = own < share ? own : share;
        }
        elsewhere += row->elsewhere;
        throttled += row->throttled;
    }
    if (share < 1) {
        fprintf(stderr,
                "[ an event had a counter of the host's PMU for only %.1f%% of the time and was "
                "counted for that part: record fewer events, or give the guest fewer counters "
                "(-cpu host,num-pmu-counters=N) ]\n",
                share * 100);
    }
    if (elsewhere) {
        fprintf(stderr,
                "[ %" PRIu64 " of the lost samples have no guest address: the host's kernel needs "
                "CONFIG_GUEST_PERF_EVENTS ]\n",
                elsewhere);
    }
    if (throttled) {
        fprintf(stderr,
                "[ the host's kernel stopped counting %" PRIu64
                " times because of too many samples: use a larger -c or a smaller -F ]\n",
                throttled);
    }
}

/* Keeps the samples that were taken before an error. */
static void finish(struct record *c, struct error *t)
{
    struct error closing = {0};
    bool keep;

    if (end_file(c, &closing) && t->code == ERROR_NONE) {
        *t = closing;
    }
    keep = c->totals->rows != NULL;
    closing = (struct error){0};
    if (samplefile_close(&c->file, keep, &closing)) {
        *t = closing;
    }
    if (keep && t->code != ERROR_OUTPUT) {
        say(c);
        say_of_host(c->totals);
        if (c->s->out.kind != OUT_TEXT) {
            print_records(c);
        } else if (c->own->session.tally) {
            print_totals(c);
        }
    }
}

/* Names and options */

/*
 * Reads how to find thread names. vmlinux has the places of the fields, kallsyms the place of the
 * current thread.
 */
static int take_types(struct record *c, struct error *t)
{
    if (!c->own->vmlinux) {
        return 0;
    }
    if (pmus_of_x86(&c->s->pmus)) {
        return error_set(t, ERROR_USAGE, "--vmlinux: thread names are not available on x86 guests");
    }
    if (!c->own->kallsyms) {
        return error_set(t, ERROR_USAGE,
                         "--vmlinux needs --kallsyms: both are used to find thread names");
    }
    if (!c->r->kernel.current) {
        return error_set(t, ERROR_USAGE,
                         "%s has no address of __entry_task, which is needed for thread names: use "
                         "the guest's complete /proc/kallsyms as read by root",
                         c->own->kallsyms);
    }
    c->has_threads = true;
    return btf_read(&c->layout, c->own->vmlinux, t);
}

static int take_symbols(struct record *c, struct error *t)
{
    const char *path = c->own->kallsyms;

    return symbols_read(&c->r->kernel, path, t) || symbols_functions(&c->r->functions, path, t) ||
                   functions_sort(&c->r->functions, t)
               ? -1
               : 0;
}

static void use_kernel(struct record *c, struct kernel *k)
{
    c->r->kernel = k->symbols;
    c->r->functions = k->functions;
    c->layout = k->layout;
    /* Samples that the host takes have no thread records. */
    c->has_threads = k->has_layout && !c->with_kvm;
    strcpy(c->release, k->release);
    c->r->file.release = c->release;
}

/*
 * Finds names in the guest's memory. A machine that does not run Linux can also be sampled, so this
 * is only a note.
 */
static int take_memory(struct record *c, struct error *t)
{
    struct machine_memory memory = machine_memory(c->s->q);
    struct kernel kernel = {0};
    struct error *why = &c->nameless;
    struct progress progress;
    int err;

    progress_start(&progress, "looking for names in the guest's memory");
    err = kernel_find(&kernel, &memory.memory, why);
    progress_stop(&progress);
    if (err == 0) {
        use_kernel(c, &kernel);
        return 0;
    }
    kernel_free(&kernel);
    if (why->code != ERROR_USAGE && why->code != ERROR_TALK && why->code != ERROR_NO_VPMU) {
        *t = *why;
        return -1;
    }
    return 0;
}

static void tell_nameless(const struct error *why)
{
    if (why->code != ERROR_NONE) {
        fprintf(stderr, "[ vpmu-stats record: function names are not available: %s ]\n",
                why->code == ERROR_NO_VPMU ? "this QEMU is too old" : why->text);
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
    if (take_maps(c, t)) {
        return -1;
    }
    if (c->own->kallsyms || c->own->vmlinux) {
        return (c->own->kallsyms && take_symbols(c, t)) || take_types(c, t) ? -1 : 0;
    }
    return c->own->no_names ? 0 : take_memory(c, t);
}

/*
 * A buffer size that the user requested must be possible. The default size is reduced if there are
 * many vCPUs.
 */
static int check_buffer(const struct record *c, struct error *t)
{
    return c->own->buffer_is_asked && buffer_of(c) < c->own->buffer
               ? error_set(t, ERROR_USAGE,
                           "%zu vCPUs can have at most %ld MB of buffers each (1 GiB in total)",
                           c->s->pmus.n, buffer_of(c) >> 10)
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

/*
 * Starts the recording. An older QEMU does not know "maps" and "entry" of threads; it can record
 * everything else.
 */
static int start(struct record *c, struct error *t)
{
    if (sampling_start(&c->sampling, make_start(c), t) == 0) {
        return 0;
    }
    suggest_event(c->s->q, t);
    if (!c->has_threads || !strstr(t->text, "threads.") || !strstr(t->text, "unexpected")) {
        return -1;
    }
    c->layout.has_maps = false;
    c->layout.has_entry = false;
    *t = (struct error){0};
    return sampling_start(&c->sampling, make_start(c), t);
}

static void sample(struct record *c, struct error *t)
{
    c->sampling.q = c->s->q;
    c->sampling.file = &c->file;
    c->sampling.patience = c->common->patience;
    if ((!c->own->blackout || meter_begin(&c->meter, c->s, t) == 0) && start(c, t) == 0) {
        tell_nameless(&c->nameless);
        c->sampling.until = c->o->timeout ? qmp_after(c->o->timeout) : INT64_MAX;
        sampling_receive(&c->sampling, t);
    }
    meter_end(&c->meter, c->s, t);
    finish(c, t);
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
    if (!c->with_kvm) {
        return machine_pmus(s->q, &s->pmus, t);
    }
    return c->own->blackout ? error_set(t, ERROR_USAGE,
                                        "--blackout: %s runs with KVM, where losses are measured "
                                        "per exit: use vpmu-stats exits",
                                        s->name)
                            : 0;
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
    recording_init(c->r);
    c->r->file.group = c->own->group;
    c->r->filter = &c->own->filter;
    c->r->file.chains = c->own->chains;
    c->r->file.spans = c->own->blackout;
    c->r->file.command = words;
    c->r->file.words = n;
    cpuperf_trace_init(c->trace);
    c->trace->session = &c->own->session;
    c->totals = c->own->by_category ? &c->trace->totals : &c->r->totals;
    c->sampling.stream = c->own->by_category ? &c->trace->stream : &c->r->stream;
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
    struct record c = {
        .common = &common, .o = &o, .own = &own, .s = &s, .sampling.stop_fd = stop_fd};
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-stats record: samples what a machine does, into a file that perf reads. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtin.h"
#include "format.h"
#include "layout.h"
#include "meter.h"
#include "record-options.h"
#include "recording.h"
#include "session.h"

#define PIPE_SIZE (1 << 20)
/* How often events of the monitor are taken, so that it can go on. */
#define LOOK_MS 1000

/**
 * struct record - one recording
 * @path: of the file, NULL for the standard output; @temporary: its name until it is complete, NULL
 *     where nothing can be replaced.
 * @samples: where these come from.
 * @until: when to stop, as qmp_now() has it.
 */
struct record {
    const struct options *common;
    const struct measure_options *o;
    const struct record_options *own;
    struct session *s;
    struct recording *r;
    struct layout layout; /* with own.vmlinux */
    struct meter meter;   /* with own.blackout */
    const char *path;
    char *temporary;
    int samples;
    int64_t until;
    int stop_fd;
};

/*
 * The file
 */

static int cannot_write(const struct record *c, struct trouble *t)
{
    return trouble_set(t, TROUBLE_OUTPUT, "cannot write %s: %s",
                       c->path ? c->path : "the standard output", strerror(errno));
}

static int open_pipe(struct record *c, struct trouble *t)
{
    int fd =
        c->path ? open(c->path, O_WRONLY | O_CLOEXEC) : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);

    if (fd >= 0 && isatty(fd)) {
        close(fd);
        return trouble_set(t, TROUBLE_USAGE,
                           "samples are nothing for a terminal: -o - is for a "
                           "pipe");
    }
    c->r->file.pipe = true;
    c->r->file.file = fd < 0 ? NULL : fdopen(fd, "w");
    return c->r->file.file ? 0 : cannot_write(c, t);
}

/* What was there is replaced when there is something to replace it with. */
static int open_file(struct record *c, struct trouble *t)
{
    const char *path = c->common->output ? c->common->output : RECORD_FILE;
    int fd;

    c->path = strcmp(path, "-") == 0 ? NULL : path;
    if (!c->path || !out_is_replaceable(path)) {
        return open_pipe(c, t);
    }
    fd = out_temporary(path, &c->temporary);
    c->r->file.file = fd < 0 ? NULL : fdopen(fd, "w");
    return c->r->file.file ? 0 : cannot_write(c, t);
}

/* @keep: there is something in it. */
static int close_file(struct record *c, bool keep, struct trouble *t)
{
    FILE *file = c->r->file.file;
    bool failed = file && ferror(file);
    int err = 0;

    failed |= file && fclose(file);
    if (failed && keep) {
        err = cannot_write(c, t);
    }
    if (c->temporary && keep && !err && rename(c->temporary, c->path)) {
        err = cannot_write(c, t);
    }
    if (c->temporary && (!keep || err)) {
        unlink(c->temporary);
    }
    free(c->temporary);
    return err;
}

/*
 * The machine
 */

/* Where the guest has what it knows of its threads. */
static struct json_object *make_threads(const struct record *c)
{
    struct json_object *threads = json_object_new_object();

    json_object_object_add(threads, "current", json_object_new_uint64(c->r->kernel.current));
    json_object_object_add(threads, "hidden", json_object_new_int64(c->r->kernel.hidden));
    json_object_object_add(threads, "pid", json_object_new_int64(c->layout.pid));
    json_object_object_add(threads, "tgid", json_object_new_int64(c->layout.tgid));
    json_object_object_add(threads, "comm", json_object_new_int64(c->layout.comm));
    return threads;
}

/* How often the event is sampled: a property's name, and its value; NULL if it is only read. */
static const char *make_when(const struct record *c, size_t event, uint64_t *value)
{
    if (event >= c->o->events.n - c->own->spans) {
        *value = 1;
        return "period";
    }
    *value = c->own->period ? c->own->period : c->own->frequency;
    return event > 0 && c->own->group ? NULL : c->own->period ? "period" : "frequency";
}

static struct json_object *make_start(const struct record *c, const char *fd)
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
    json_object_object_add(arguments, "fd", json_object_new_string(fd));
    json_object_object_add(arguments, "events", events);
    json_object_object_add(arguments, "values", json_object_new_boolean(c->own->group));
    if (c->own->chains) {
        json_object_object_add(arguments, "frames", json_object_new_int64(c->own->frames));
    }
    if (c->own->vmlinux) {
        json_object_object_add(arguments, "threads", make_threads(c));
    }
    if (c->own->buffer) {
        json_object_object_add(arguments, "buffer", json_object_new_int64(c->own->buffer << 10));
    }
    if (c->own->full) {
        json_object_object_add(arguments, "full", json_object_new_string(c->own->full));
    }
    return arguments;
}

static int tell_start(struct record *c, int fd, struct trouble *t)
{
    struct trouble ignored = {0};
    struct json_object *arguments;
    char name[32];

    snprintf(name, sizeof(name), "vpmu-stats.%d", (int)getpid());
    if (qmp_give(c->s->q, fd, name, t)) {
        return -1;
    }
    if (qmp_call(c->s->q, "vpmu-record-start", make_start(c, name), NULL, t) == 0) {
        return 0;
    }
    if (t->code == TROUBLE_TALK && strstr(t->text, "cannot record")) {
        t->code = TROUBLE_USAGE;
    }
    arguments = json_object_new_object();
    json_object_object_add(arguments, "fdname", json_object_new_string(name));
    qmp_call(c->s->q, "closefd", arguments, NULL, &ignored);
    return -1;
}

static int start(struct record *c, struct trouble *t)
{
    int ends[2];
    int err;

    if (pipe2(ends, O_CLOEXEC)) {
        return trouble_set(t, TROUBLE_TALK, "cannot make a pipe: %s", strerror(errno));
    }
    /* The larger the seldomer somebody has to wake up. A user may have too many pipes for it. */
    fcntl(ends[1], F_SETPIPE_SZ, PIPE_SIZE);
    err = tell_start(c, ends[1], t);
    close(ends[1]);
    if (err) {
        close(ends[0]);
        return -1;
    }
    c->samples = ends[0];
    return 0;
}

/* Once; a machine that has stopped by itself says no, and one that has ended says nothing. */
static void stop(struct record *c)
{
    struct trouble ignored = {0};

    qmp_hurry(c->s->q);
    qmp_call(c->s->q, "vpmu-record-stop", NULL, NULL, &ignored);
    c->stop_fd = -1;
    c->until = INT64_MAX;
}

/* 1 if something came, 0 if nothing more does. */
static int take_some(struct record *c, struct trouble *t)
{
    static unsigned char buf[1 << 16];
    ssize_t n = read(c->samples, buf, sizeof(buf));

    if (n < 0 && errno != EINTR && errno != EAGAIN) {
        return trouble_set(t, TROUBLE_TALK, "cannot read samples: %s", strerror(errno));
    }
    if (n > 0 && recording_take(c->r, buf, (size_t)n, t)) {
        return -1;
    }
    if (ferror(c->r->file.file)) {
        return cannot_write(c, t);
    }
    return n != 0;
}

static int ms_until(int64_t until)
{
    int64_t left = (until - qmp_now()) / 1000000 + 1;

    return left < 0 ? 0 : left < LOOK_MS ? (int)left : LOOK_MS;
}

/* Samples in, until no more come. After the stop they have so long to come to an end. */
static int receive(struct record *c, struct trouble *t)
{
    int64_t patience = INT64_MAX;
    int64_t looked = qmp_now();
    int got = 1;

    while (got > 0) {
        struct pollfd fds[] = {{.fd = c->samples, .events = POLLIN},
                               {.fd = c->stop_fd, .events = POLLIN}};
        struct trouble ignored = {0};
        int ready = poll(fds, 2, ms_until(c->until));

        if ((ready > 0 && fds[1].revents) || qmp_now() >= c->until) {
            stop(c);
            patience = qmp_after(c->common->patience);
        }
        if (ready > 0 && fds[0].revents) {
            got = take_some(c, t);
            patience = patience == INT64_MAX ? patience : qmp_after(c->common->patience);
        } else if (qmp_now() >= patience) {
            return trouble_set(t, TROUBLE_TALK, "the machine does not end the recording");
        }
        if (c->stop_fd >= 0 && qmp_now() - looked > LOOK_MS * 1000000ll) {
            looked = qmp_now();
            qmp_wait(c->s->q, qmp_after(1), &ignored);
        }
    }
    return got;
}

/*
 * What came of it
 */

static void print_records(struct record *c)
{
    const struct recording *r = c->r;
    unsigned n = r->stream.start.events;

    for (uint32_t i = 0; i < r->stream.start.cpus * n; i++) {
        const struct recording_count *count = &r->counts[i];
        struct json_object *record = json_object_new_object();

        if (!count->counted) {
            json_object_put(record);
            continue;
        }
        record_u64(record, "cpu", i / n);
        record_string(record, "event", r->event[i % n].name);
        if (r->event[i % n].frequency) {
            record_u64(record, "frequency", r->event[i % n].frequency);
        } else {
            record_u64(record, "period", r->event[i % n].period);
        }
        record_u64(record, "counter-value", count->count);
        record_u64(record, "samples", count->samples);
        record_u64(record, "lost", count->lost);
        out_record(&c->s->out, record);
    }
}

static void say(const struct record *c)
{
    const struct recording *r = c->r;
    char samples[FORMAT_SIZE];
    char number[FORMAT_SIZE];
    uint64_t lost = 0;

    for (uint32_t i = 0; i < r->stream.start.cpus * r->stream.start.events; i++) {
        const struct recording_count *count = &r->counts[i];

        lost += count->lost > count->told ? count->lost : count->told;
    }
    fprintf(stderr, "[ vpmu-stats record: %s samples", format_grouped(samples, r->file.samples));
    if (lost) {
        fprintf(stderr, ", %s lost; a larger -c or --buffer loses less, --lossless none",
                format_grouped(number, lost));
    }
    fprintf(stderr, c->path ? "; %s ]\n" : " ]\n", c->path);
}

/* What was sampled before there was trouble is worth having. */
static void finish(struct record *c, struct trouble *t)
{
    struct trouble closing = {0};
    bool keep;

    if (recording_finish(c->r, &closing) && t->code == TROUBLE_NONE) {
        *t = closing;
    }
    keep = c->r->counts && t->code != TROUBLE_OUTPUT;
    closing = (struct trouble){0};
    if (close_file(c, keep, &closing) && t->code != TROUBLE_OUTPUT) {
        *t = closing;
    }
    if (keep && t->code != TROUBLE_OUTPUT) {
        say(c);
        if (c->s->out.kind != OUT_TEXT) {
            print_records(c);
        }
    }
}

/* Its types say where in a thread its name is, its symbols where the thread is. */
static int take_types(struct record *c, struct trouble *t)
{
    if (!c->own->vmlinux) {
        return 0;
    }
    if (!c->own->kallsyms) {
        return trouble_set(t, TROUBLE_USAGE,
                           "--vmlinux is for names of threads, which need --kallsyms as well");
    }
    if (!c->r->kernel.current) {
        return trouble_set(t, TROUBLE_USAGE,
                           "%s has no address of __entry_task, which names of threads need: it "
                           "must be the guest's whole /proc/kallsyms as root sees it",
                           c->own->kallsyms);
    }
    return layout_read(&c->layout, c->own->vmlinux, t);
}

static int take_symbols(struct record *c, struct trouble *t)
{
    const char *path = c->own->kallsyms;

    if (!path) {
        return 0;
    }
    if (symbols_read(&c->r->kernel, path, t)) {
        return -1;
    }
    return c->own->chains && (symbols_functions(&c->r->functions, path, t) ||
                              functions_sort(&c->r->functions, t))
               ? -1
               : 0;
}

static int prepare(struct record *c, struct trouble *t)
{
    struct options report = *c->common;
    bool to_pipe = report.output && strcmp(report.output, "-") == 0;

    if (to_pipe && report.kind != OUT_TEXT) {
        return trouble_set(t, TROUBLE_USAGE, "-j and -x print where -o - writes samples");
    }
    if (take_symbols(c, t) || take_types(c, t)) {
        return -1;
    }
    report.output = NULL;
    return session_out(c->s, &report, false, t);
}

static void record(struct record *c, struct trouble *t)
{
    struct targets targets = {0};
    int err = options_target(c->common, c->stop_fd, &targets, t);

    if (!err) {
        err = session_connect(c->s, c->common, &targets.target[0], c->stop_fd, t);
    }
    targets_free(&targets);
    if (err || prepare(c, t) || open_file(c, t)) {
        return;
    }
    c->r->file.host = c->s->name;
    if ((!c->own->blackout || meter_begin(&c->meter, c->s, t) == 0) && start(c, t) == 0) {
        if (c->o->timeout) {
            c->until = qmp_after(c->o->timeout);
        }
        receive(c, t);
        close(c->samples);
    }
    meter_end(&c->meter, c->s, t);
    finish(c, t);
}

int builtin_record(int argc, char **argv, int stop_fd)
{
    struct options common = options_default;
    struct measure_options o = measure_options_default;
    struct record_options own;
    struct session s = {0};
    struct recording *r = calloc(1, sizeof(*r));
    struct record c = {.common = &common,
                       .o = &o,
                       .own = &own,
                       .s = &s,
                       .r = r,
                       .until = INT64_MAX,
                       .stop_fd = stop_fd};
    struct trouble t = {0};
    int status;

    if (!r) {
        trouble_memory(&t);
    } else if (record_options_parse(&own, argc, argv, &common, &o, &t) == 0) {
        recording_init(r);
        r->file.group = own.group;
        r->file.chains = own.chains;
        r->file.spans = own.blackout;
        r->file.command = argv;
        r->file.words = argc;
        record(&c, &t);
        recording_free(r);
    }
    free(r);
    status = session_close(&s, &t);
    measure_options_free(&o);
    return status;
}

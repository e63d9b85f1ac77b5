/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-stats stat: counts events for some time, like perf stat. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/builtin.h"
#include "session/host-command.h"
#include "session/measure.h"
#include "session/stat-options.h"
#include "session/stat-report.h"

#define DEFAULT_EVENTS "cycles,instructions,branches,branch-misses"

static const struct measure_command command = {
    .arguments = "[MACHINE] [-- COMMAND...]",
    .doc = "Counts events of a machine from outside until Ctrl-C, or while COMMAND runs on the "
           "host. The counters of the guest are not used.\v"
           "Print the IPC of the guests of the machine's own hypervisor every second:\n\n"
           "    vpmu-stats stat -I 1000 -e instructions:G,cycles:G vm\n\n"
           "Count while a client on the host uses the machine, five times:\n\n"
           "    vpmu-stats stat -r 5 vm -- curl -s http://guest/\n\n"
           "Default events: " DEFAULT_EVENTS ".",
    .own = &stat_options_argp,
    .min_interval = MEASURE_MIN_INTERVAL_MS,
};

/* All that a run needs. */
struct stat {
    const struct stat_options *o;
    struct events *events;
    struct observers observers;
    struct stat_report report;
    struct host_command child;
    int stop_fd;
};

/* A reading is a count of each event for each vCPU. */
static int read_all(struct measure *m, void *reading, struct error *t)
{
    const struct stat *st = m->opaque;

    return observers_read(&st->observers, m->s->q, &m->s->pmus, reading, t);
}

/* Events of -d and -M that this machine does not have are reported as such. */
static void set_aside(struct stat *st, size_t i)
{
    st->observers.n--;
    st->report.missing[st->report.n_missing++] = st->events->event[i].text;
    st->events->event[i].text = NULL;
    events_remove(st->events, i);
}

static int begin(struct measure *m, struct error *t)
{
    struct stat *st = m->opaque;
    size_t parts = m->o->per_vcpu ? m->s->pmus.n : 1;

    if (stat_options_check(st->o, &m->s->pmus, t)) {
        return -1;
    }
    if (m->o->gate != MACHINE_UNGATED && pmus_of_x86(&m->s->pmus)) {
        return error_set(t, ERROR_NO_VPMU,
                         "--while-counter: %s is an x86 machine, whose counters switch no others",
                         m->s->name);
    }
    for (size_t i = 0; i < st->events->n;) {
        const struct event *event = &st->events->event[i];

        if (observers_add(&st->observers, m->s->q, event->text, m->o->gate, t) == 0) {
            i++;
        } else if (event->optional && t->code == ERROR_USAGE) {
            *t = (struct error){0};
            set_aside(st, i);
        } else {
            return -1;
        }
    }
    m->size = st->events->n * m->s->pmus.n * sizeof(uint64_t);
    st->report.cell = calloc(parts * st->events->n + 1, sizeof(*st->report.cell));
    return st->report.cell ? 0 : error_memory(t);
}

/* The connection cannot tell whether the user has interrupted or the command has ended. */
static bool is_interrupted(const struct stat *st)
{
    struct pollfd fd = {.fd = st->stop_fd, .events = POLLIN};

    return poll(&fd, 1, 0) > 0;
}

static void report(struct measure *m)
{
    struct stat *st = m->opaque;

    /* A run that the user has interrupted is not one of -r, unless it is the only one. */
    if (!st->o->repeat || st->report.runs == 0 || !is_interrupted(st)) {
        stat_report_take(&st->report, m);
    }
}

/* Starts the command unless it runs already. Its end then ends the measurement. */
static int start_command(struct measure *m, struct error *t)
{
    struct stat *st = m->opaque;

    if (!st->o->command) {
        return 0;
    }
    if (!st->child.pid && host_command_start(&st->child, st->o->command, st->stop_fd, t)) {
        return -1;
    }
    m->s->q->stop_fd = st->child.watch;
    return 0;
}

static const struct measure_ops ops = {.read = read_all, .begun = start_command, .report = report};

/* The command runs while -D waits. If it ends, the wait continues, and nothing is counted. */
static int wait_delay(struct measure *m, struct error *t)
{
    struct stat *st = m->opaque;

    if (!st->o->delay) {
        return 0;
    }
    if (start_command(m, t)) {
        return -1;
    }
    m->s->q->stop_fd = st->stop_fd;
    return qmp_wait(m->s->q, qmp_after(st->o->delay), t);
}

static int run_once(struct measure *m, struct error *t)
{
    struct stat *st = m->opaque;
    struct qmp *q = m->s->q;
    int patience = q->patience;
    int err = wait_delay(m, t);

    err = err ? err : measure_run(m, t);
    host_command_end(&st->child);
    q->stop_fd = st->stop_fd;
    q->patience = patience;
    return err;
}

static void run(struct measure *m, struct error *t)
{
    struct stat *st = m->opaque;
    long runs = st->o->repeat ? st->o->repeat : 1;

    for (long i = 0; i < runs && run_once(m, t) == 0 && !is_interrupted(st); i++) {
        m->reports = 0;
    }
    stat_report_end(&st->report, m);
}

static void measure(struct measure *m, struct error *t)
{
    struct stat *st = m->opaque;
    struct error removing = {0};

    if (begin(m, t) == 0) {
        run(m, t);
    }
    if (observers_remove(&st->observers, m->s->q, &removing) && t->code == ERROR_NONE) {
        *t = removing;
    }
}

static int prepare(const struct stat_options *own, struct measure_options *o, struct error *t)
{
    if (own->repeat && o->interval) {
        return error_set(t, ERROR_USAGE, "-r cannot be combined with -I");
    }
    if (own->repeat && !own->command && !o->timeout) {
        return error_set(t, ERROR_USAGE, "-r needs --timeout, --duration or -- COMMAND");
    }
    if (o->events.n == 0 && own->metrics.n == 0 && events_add(&o->events, DEFAULT_EVENTS, t)) {
        return -1;
    }
    return stat_options_events(own, &o->events, t);
}

int builtin_stat(int argc, char **argv, int stop_fd)
{
    struct options common = options_default;
    struct measure_options o = measure_options_default;
    struct stat_options own = {0};
    struct session s = {0};
    struct stat st = {.o = &own,
                      .events = &o.events,
                      .report = {.o = &own, .events = &o.events},
                      .stop_fd = stop_fd};
    struct measure m = {.ops = &ops, .o = &o, .s = &s, .opaque = &st};
    struct error t = {0};
    int status;

    argc = stat_options_split(&own, argc, argv);
    measure_parse(&command, argc, argv, 0, &common, &o, &own);
    if (own.list) {
        stat_report_list(stdout);
    } else if (prepare(&own, &o, &t) == 0 &&
               session_open(&s, &common, stop_fd, o.interval > 0, &t) == 0) {
        measure(&m, &t);
    }
    status = session_close(&s, &t);
    stat_report_free(&st.report);
    measure_options_free(&o);
    return status ? status : st.child.status;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decides when to read and when to report, for all commands that measure for some time. */
#include "session/measure.h"

#include <stdlib.h>
#include <string.h>

/* How often to read without -I, so that there is a recent reading if the machine ends. */
#define READ_EVERY_MS 1000
#define NS_PER_MS 1000000

static void keep(struct measure *m)
{
    if (!m->ops->is_state) {
        memcpy(m->last, m->now, m->size);
    }
    m->printed = m->read;
}

static int read_now(struct measure *m, struct error *t)
{
    void *before = m->now;

    if (m->ops->read(m, m->next, t)) {
        return -1;
    }
    m->now = m->next;
    m->next = before;
    m->read = qmp_now();
    return 0;
}

static void report(struct measure *m)
{
    m->ops->report(m);
    m->reports++;
    keep(m);
}

static int64_t end_of(const struct measure *m)
{
    return m->o->timeout ? m->began + (int64_t)m->o->timeout * NS_PER_MS : INT64_MAX;
}

/* Returns the time of the @n-th reading, or the end of the measurement if that is earlier. */
static int64_t next_time(const struct measure *m, int64_t step, int64_t n)
{
    int64_t next = m->began + n * step;

    return end_of(m) < next ? end_of(m) : next;
}

static bool is_over(const struct measure *m)
{
    bool once = m->ops->is_state && !m->o->interval && !m->o->timeout;

    return once || (m->o->count && m->reports >= m->o->count) || m->read >= end_of(m);
}

/*
 * Reads and reports until time is up or an error occurs. qmp_wait() returns early when the machine
 * shuts down. The machine is then read, but this is not a reason to report.
 */
static int repeat(struct measure *m, struct error *t)
{
    int64_t step = (int64_t)(m->o->interval ? m->o->interval : READ_EVERY_MS) * NS_PER_MS;

    for (int64_t n = 1; !is_over(m); n = (m->read - m->began) / step + 1) {
        int64_t next = next_time(m, step, n);

        if (qmp_wait(m->s->q, next, t) || read_now(m, t)) {
            return -1;
        }
        if (m->o->interval && m->read >= next) {
            report(m);
            if (out_flush(&m->s->out, t)) {
                return -1;
            }
        }
    }
    return 0;
}

/* Takes a last reading if the user stopped the program. */
static void read_last(struct measure *m, struct error *t)
{
    struct error reading = {0};

    if (t->code == ERROR_STOPPED) {
        qmp_hurry(m->s->q);
        read_now(m, &reading);
        *t = reading;
    }
}

static void say_ended(const struct measure *m, bool any, struct error *t)
{
    if (any) {
        error_set(t, ERROR_ENDED, "the machine ended after %.3f seconds of measurement",
                  measure_seconds(m));
    } else {
        error_set(t, ERROR_ENDED, "the machine ended before anything was measured");
    }
}

/* Reports what has not been reported, also if the machine ended. */
static void report_last(struct measure *m, struct error *t)
{
    bool any = m->ops->is_state || m->read > m->began;

    if (t->code == ERROR_ENDED) {
        say_ended(m, any, t);
    } else if (t->code != ERROR_NONE) {
        return;
    }
    if (any && (m->read > m->printed || m->reports == 0)) {
        report(m);
    }
}

static int allocate(struct measure *m, struct error *t)
{
    m->last = calloc(1, m->size);
    m->now = calloc(1, m->size);
    m->next = calloc(1, m->size);
    return m->last && m->now && m->next ? 0 : error_memory(t);
}

static void release(struct measure *m)
{
    if (m->ops->free && m->now && m->next) {
        m->ops->free(m->now);
        m->ops->free(m->next);
    }
    free(m->last);
    free(m->now);
    free(m->next);
}

int measure_run(struct measure *m, struct error *t)
{
    if (allocate(m, t) == 0 && read_now(m, t) == 0) {
        m->began = m->read;
        keep(m);
        if (!m->ops->begun || m->ops->begun(m, t) == 0) {
            repeat(m, t);
        }
        read_last(m, t);
        report_last(m, t);
    }
    release(m);
    return t->code == ERROR_NONE ? 0 : -1;
}

double measure_seconds(const struct measure *m)
{
    return (double)(m->read - m->began) / 1e9;
}

double measure_seconds_printed(const struct measure *m)
{
    return (double)(m->printed - m->began) / 1e9;
}

double measure_seconds_between(const struct measure *m)
{
    return (double)(m->read - m->printed) / 1e9;
}

struct json_object *measure_record(const struct measure *m, const struct pmu *pmu)
{
    struct json_object *record = json_object_new_object();

    if (m->o->interval) {
        record_double(record, "interval", measure_seconds(m), 9);
    }
    if (pmu) {
        record_u64(record, "cpu", pmu->cpu);
    }
    return record;
}

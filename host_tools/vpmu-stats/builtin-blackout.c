/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-stats blackout: what a hypervisor in the machine loses when it switches counters. */
#include <stdlib.h>

#include "blackout.h"
#include "builtin.h"
#include "format.h"
#include "observers.h"
#include "session.h"

enum {
    KEY_DURATION = 0x200,
};

struct blackout_options {
    struct options common;
    int duration;
    int interval;
};

static const struct argp_option table[] = {
    {"duration", KEY_DURATION, "MS", 0, "End after MS milliseconds", 1},
    {"interval-print", 'I', "MS", 0, "Print what came every MS milliseconds", 1},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct blackout_options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->common;
        return 0;
    case KEY_DURATION:
        o->duration = options_ms(state, arg, 10);
        return 0;
    case 'I':
        o->interval = options_ms(state, arg, 10);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&options_argp, 0, 0, 0}, {0}};
static const struct argp argp = {
    table,
    parse,
    "[MACHINE]",
    "Measures, until Ctrl-C, what the machine's own hypervisor does not count, or counts for the "
    "wrong side, because it switches counters between host and guest.\v"
    "A window is host execution that a counter of the host's would count had it not been stopped "
    "already, or were it started again: on the way into the guest (entry), out of it (exit), both "
    "(inside), or neither (aborted). The meter is switched on if it is off, and then off again.",
    children,
    0,
    0,
};

/**
 * struct measurement - of blackouts
 * @host: an observer of instructions:H.
 * @was_on: the meter belongs to somebody else.
 * @maybe_on: it may have been switched on here.
 * @last, @last_host: what has been reported already.
 * @began, @printed: when.
 */
struct measurement {
    const struct blackout_options *o;
    struct session *s;
    struct observers host;
    bool was_on;
    bool maybe_on;
    struct blackout last;
    uint64_t last_host;
    int64_t began;
    int64_t printed;
};

static int read_host(struct measurement *m, uint64_t *sum, struct trouble *t)
{
    uint64_t *values = calloc(m->s->pmus.n, sizeof(*values));
    int err;

    if (!values) {
        return trouble_memory(t);
    }
    err = observers_read(&m->host, m->s->q, &m->s->pmus, values, t);
    *sum = 0;
    for (size_t i = 0; !err && i < m->s->pmus.n; i++) {
        *sum += values[i];
    }
    free(values);
    return err;
}

static int begin(struct measurement *m, struct trouble *t)
{
    m->was_on = m->s->pmus.pmu[0].meter;
    if (observers_add(&m->host, m->s->q, "instructions:H", MACHINE_UNGATED, t)) {
        return -1;
    }
    if (!m->was_on) {
        m->maybe_on = true;
        if (machine_meter(m->s->q, true, t)) {
            return -1;
        }
    }
    m->began = qmp_now();
    m->printed = m->began;
    return blackout_read(&m->last, m->s->q, &m->s->pmus, t) || read_host(m, &m->last_host, t) ? -1
                                                                                              : 0;
}

static double mean_of(const struct windows *w)
{
    return w->n ? (double)w->instructions / (double)w->n : 0;
}

static void print_row(struct out *out, const char *prefix, const char *name,
                      const struct windows *w)
{
    char numbers[4][FORMAT_SIZE];
    char text[64];

    if (w->n) {
        snprintf(text, sizeof(text), "%s%s", prefix, name);
        fprintf(out->text, "  %-18s %14s %16s %10s %12.1f %10s\n", text,
                format_grouped(numbers[0], w->n), format_grouped(numbers[1], w->instructions),
                format_grouped(numbers[2], w->min), mean_of(w), format_grouped(numbers[3], w->max));
    }
}

static void print_rows(struct out *out, const struct blackout *b)
{
    const char *name;

    fprintf(out->text, "  %-18s %14s %16s %10s %12s %10s\n", "", "windows", "instructions", "min",
            "mean", "max");
    for (unsigned i = 0; i < VPMU_SPAN_COUNT; i++) {
        print_row(out, "", blackout_span_name(i), &b->span[i].w);
    }
    for (unsigned i = 0; (name = blackout_reason_name(i)); i++) {
        print_row(out, "after ", name, &b->reason[i]);
    }
}

static void print_histograms(struct out *out, const struct blackout *b)
{
    for (unsigned i = 0; i < VPMU_SPAN_COUNT; i++) {
        if (b->span[i].w.n) {
            fprintf(out->text, "\n  instructions in a window, %s:\n", blackout_span_name(i));
            histogram_print(out, &b->span[i].histogram);
        }
    }
}

static void print_text(struct measurement *m, const struct blackout *b, uint64_t host, int64_t now)
{
    struct out *out = &m->s->out;
    uint64_t lost = blackout_lost(b);
    uint64_t windows = 0;
    char numbers[2][FORMAT_SIZE];

    fprintf(out->text, "\n Blackout windows of '%s', %.3f to %.3f seconds:\n\n", m->s->name,
            (double)(m->printed - m->began) / 1e9, (double)(now - m->began) / 1e9);
    for (unsigned i = 0; i < VPMU_SPAN_COUNT; i++) {
        windows += b->span[i].w.n;
    }
    if (windows) {
        print_rows(out, b);
        print_histograms(out, b);
    } else {
        fprintf(out->text, "  none: nothing in the machine switched counters between host and "
                           "guest\n");
    }
    fprintf(out->text, "\n  lost: %s of the host's %s instructions (%.4f%%)\n",
            format_grouped(numbers[0], lost), format_grouped(numbers[1], host),
            host ? 100.0 * (double)lost / (double)host : 0);
    if (m->was_on) {
        fprintf(out->text, "  min and max are those since somebody else switched the meter on\n");
    }
}

static struct json_object *new_record(const struct measurement *m, int64_t now, const char *kind,
                                      const char *name, const struct windows *w)
{
    struct json_object *record = json_object_new_object();

    record_double(record, "interval", (double)(now - m->began) / 1e9, 9);
    record_string(record, "kind", kind);
    record_string(record, "name", name);
    record_u64(record, "windows", w->n);
    record_u64(record, "instructions", w->instructions);
    record_u64(record, "instructions-min", w->min);
    record_u64(record, "instructions-max", w->max);
    return record;
}

static void print_span(struct measurement *m, int64_t now, const char *name, const struct span *s)
{
    struct json_object *record = new_record(m, now, "span", name, &s->w);

    record_u64(record, "cycles", s->cycles);
    record_u64(record, "nanoseconds", s->nanoseconds);
    record_null(record, "host-instructions");
    json_object_object_add(record, "histogram", histogram_list(&s->histogram));
    out_record(&m->s->out, record);
}

/* Reasons and the sum have no cycles, nor a histogram. */
static void print_other(struct measurement *m, struct json_object *record, const uint64_t *host)
{
    record_null(record, "cycles");
    record_null(record, "nanoseconds");
    if (host) {
        record_u64(record, "host-instructions", *host);
    } else {
        record_null(record, "host-instructions");
    }
    record_null(record, "histogram");
    out_record(&m->s->out, record);
}

static struct windows sum_of(const struct blackout *b)
{
    struct windows sum = {.min = UINT64_MAX};

    for (unsigned i = 0; i < BLACKOUT_WINDOWS; i++) {
        const struct windows *w = &b->span[i].w;

        sum.n += w->n;
        sum.min = w->n && w->min < sum.min ? w->min : sum.min;
        sum.max = w->max > sum.max ? w->max : sum.max;
    }
    sum.min = sum.n ? sum.min : 0;
    sum.instructions = blackout_lost(b);
    return sum;
}

static void print_records(struct measurement *m, const struct blackout *b, uint64_t host,
                          int64_t now)
{
    struct windows sum = sum_of(b);
    const char *name;

    for (unsigned i = 0; i < VPMU_SPAN_COUNT; i++) {
        print_span(m, now, blackout_span_name(i), &b->span[i]);
    }
    for (unsigned i = 0; (name = blackout_reason_name(i)); i++) {
        if (b->reason[i].n) {
            print_other(m, new_record(m, now, "reason", name, &b->reason[i]), NULL);
        }
    }
    print_other(m, new_record(m, now, "lost", "all", &sum), &host);
}

/* Reads, and reports what has come since the last report. */
static int report(struct measurement *m, struct trouble *t)
{
    struct blackout b;
    struct blackout since;
    uint64_t host;
    int64_t now;

    if (blackout_read(&b, m->s->q, &m->s->pmus, t) || read_host(m, &host, t)) {
        return -1;
    }
    now = qmp_now();
    since = b;
    blackout_subtract(&since, &m->last);
    if (m->s->out.kind == OUT_TEXT) {
        print_text(m, &since, host - m->last_host, now);
    } else {
        print_records(m, &since, host - m->last_host, now);
    }
    m->last = b;
    m->last_host = host;
    m->printed = now;
    return out_flush(&m->s->out, t);
}

/* When the next report is due; far away if only Ctrl-C ends it. */
static int64_t next_time(const struct measurement *m)
{
    int64_t end = m->o->duration ? m->began + (int64_t)m->o->duration * 1000000 : INT64_MAX;
    int64_t next = m->o->interval ? m->printed + (int64_t)m->o->interval * 1000000 : INT64_MAX;

    return next < end ? next : end;
}

static bool is_over(const struct measurement *m)
{
    return m->o->duration && qmp_now() >= m->began + (int64_t)m->o->duration * 1000000;
}

static int measure(struct measurement *m, struct trouble *t)
{
    do {
        if (qmp_wait(m->s->q, next_time(m), t) || report(m, t)) {
            break;
        }
    } while (!is_over(m));
    if (t->code == TROUBLE_STOPPED) {
        qmp_hurry(m->s->q);
        *t = (struct trouble){0};
        report(m, t);
    }
    return t->code == TROUBLE_NONE ? 0 : -1;
}

/* Switches off what was switched on, whatever happened. */
static void end(struct measurement *m, struct trouble *t)
{
    struct trouble removing = {0};

    qmp_hurry(m->s->q);
    if (m->maybe_on && machine_meter(m->s->q, false, &removing) && t->code == TROUBLE_NONE) {
        *t = removing;
    }
    if (observers_remove(&m->host, m->s->q, &removing) && t->code == TROUBLE_NONE) {
        *t = removing;
    }
}

int builtin_blackout(int argc, char **argv, int stop_fd)
{
    struct blackout_options o = {.common = options_default};
    struct session s = {0};
    struct measurement m = {.o = &o, .s = &s};
    struct trouble t = {0};

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (session_open(&s, &o.common, stop_fd, o.interval > 0, &t) == 0) {
        if (begin(&m, &t) == 0) {
            measure(&m, &t);
        }
        end(&m, &t);
    }
    return session_close(&s, &t);
}

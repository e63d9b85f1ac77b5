/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-stats blackout: what a hypervisor in the machine loses when it switches counters. */
#include <stdlib.h>
#include <string.h>

#include "blackout.h"
#include "builtin.h"
#include "format.h"
#include "meter.h"
#include "observers.h"

struct blackout_options {
    struct options common;
    struct meter_options meter;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct blackout_options *o = state->input;

    (void)arg;
    if (key != ARGP_KEY_INIT) {
        return ARGP_ERR_UNKNOWN;
    }
    state->child_inputs[0] = &o->common;
    state->child_inputs[1] = &o->meter;
    return 0;
}

static const struct argp_child children[] = {{&options_argp, 0, 0, 0}, {&meter_argp, 0, 0, 0}, {0}};
static const struct argp argp = {
    0,
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
 * @last, @last_host: what has been reported already.
 */
struct measurement {
    struct meter meter;
    struct session *s;
    struct observers host;
    struct blackout last;
    uint64_t last_host;
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

static int begin(struct measurement *m, const struct blackout_options *o, struct trouble *t)
{
    const char *accelerator;

    if (machine_accelerator(m->s->q, &accelerator, t)) {
        return -1;
    }
    if (strcmp(accelerator, "kvm") == 0) {
        return trouble_set(t, TROUBLE_NO_VPMU,
                           "%s runs with KVM: what is lost there is known by exit; "
                           "see vpmu-stats exits",
                           m->s->name);
    }
    if (observers_add(&m->host, m->s->q, "instructions:H", MACHINE_UNGATED, t) ||
        meter_begin(&m->meter, &o->meter, m->s, t) ||
        blackout_read(&m->last, m->s->q, &m->s->pmus, t)) {
        return -1;
    }
    return read_host(m, &m->last_host, t);
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
            (double)(m->meter.printed - m->meter.began) / 1e9,
            (double)(now - m->meter.began) / 1e9);
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
    if (m->meter.was_on) {
        fprintf(out->text, "  min and max are those since somebody else switched the meter on\n");
    }
}

static struct json_object *new_record(const struct measurement *m, int64_t now, const char *kind,
                                      const char *name, const struct windows *w)
{
    struct json_object *record = json_object_new_object();

    record_double(record, "interval", (double)(now - m->meter.began) / 1e9, 9);
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
static int report(void *opaque, struct trouble *t)
{
    struct measurement *m = opaque;
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
    m->meter.printed = now;
    return out_flush(&m->s->out, t);
}

static void end(struct measurement *m, struct trouble *t)
{
    struct trouble removing = {0};

    meter_end(&m->meter, t);
    qmp_hurry(m->s->q);
    if (observers_remove(&m->host, m->s->q, &removing) && t->code == TROUBLE_NONE) {
        *t = removing;
    }
}

int builtin_blackout(int argc, char **argv, int stop_fd)
{
    struct blackout_options o = {.common = options_default};
    struct session s = {0};
    struct measurement m = {.s = &s};
    struct trouble t = {0};

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (session_open(&s, &o.common, stop_fd, o.meter.interval > 0, &t) == 0) {
        if (begin(&m, &o, &t) == 0) {
            meter_run(&m.meter, report, &m, &t);
        }
        end(&m, &t);
    }
    return session_close(&s, &t);
}

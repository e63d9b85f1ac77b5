/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vpmu-stats blackout: measures what a hypervisor in the machine loses when it switches counters.
 */
#include <string.h>

#include "machine/blackout.h"
#include "cli/builtin.h"
#include "base/format.h"
#include "base/number.h"
#include "session/measure.h"
#include "session/meter.h"

static const struct measure_command command = {
    .arguments = "[MACHINE]",
    .doc = "Measures until Ctrl-C what the machine's own hypervisor loses, or counts for the wrong "
           "side, when it switches counters between host and guest.\v"
           "In a blackout window, the host executes while one of its counters is stopped: before "
           "the guest's "
           "first instruction (entry), after its last one (exit), from exit to entry (inside), or "
           "without entering a guest (aborted). The command switches the meter on and off.",
    .instead =
        {
            [MEASURE_EVENT] =
                "blackout measures windows, not events: use vpmu-stats stat -e instructions:H",
            [MEASURE_WHILE_COUNTER] = "windows do not depend on the guest's counters: use "
                                      "vpmu-stats stat --while-counter",
        },
    .min_interval = MEASURE_MIN_INTERVAL_MS,
};

/**
 * struct blackouts - a measurement of blackouts
 * @meter: the machine's blackout meter.
 * @host: an observer of instructions:H.
 * @parts: the number of vCPUs that are reported separately, or 1.
 *
 * A reading is a struct blackout for each part, then a count of instructions:H for each vCPU.
 */
struct blackouts {
    struct meter meter;
    struct observers host;
    size_t parts;
};

static uint64_t *host_of(const struct blackouts *b, void *reading)
{
    return (uint64_t *)((struct blackout *)reading + b->parts);
}

static int read_all(struct measure *m, void *reading, struct error *t)
{
    const struct blackouts *b = m->opaque;
    const struct pmus *pmus = &m->s->pmus;

    return blackout_read(reading, m->o->per_vcpu, m->s->q, pmus, t) ||
                   observers_read(&b->host, m->s->q, pmus, host_of(b, reading), t)
               ? -1
               : 0;
}

static int begin(struct measure *m, struct error *t)
{
    struct blackouts *b = m->opaque;
    const char *accelerator;

    if (machine_accelerator(m->s->q, &accelerator, t)) {
        return -1;
    }
    if (strcmp(accelerator, "kvm") == 0) {
        return error_set(
            t, ERROR_NO_VPMU,
            "%s runs with KVM, where losses are measured per exit: use vpmu-stats exits",
            m->s->name);
    }
    if (pmus_of_x86(&m->s->pmus)) {
        return error_set(t, ERROR_NO_VPMU,
                         "%s is an x86 machine: only the hypervisors of Arm machines are measured",
                         m->s->name);
    }
    b->parts = m->o->per_vcpu ? m->s->pmus.n : 1;
    m->size = b->parts * sizeof(struct blackout) + m->s->pmus.n * sizeof(uint64_t);
    if (observers_add(&b->host, m->s->q, "instructions:H", MACHINE_UNGATED, t)) {
        return -1;
    }
    return meter_begin(&b->meter, m->s, t);
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

/**
 * struct part - what to report about one vCPU or about all together
 * @b: blackout windows since the last report.
 * @host: instructions:H since the last report.
 * @pmu: the vCPU's PMU, or NULL for all vCPUs.
 */
struct part {
    struct blackout b;
    uint64_t host;
    const struct pmu *pmu;
};

static void print_lost(struct out *out, const struct part *p)
{
    uint64_t lost = blackout_lost(&p->b);
    char numbers[2][FORMAT_SIZE];

    fprintf(out->text, "\n  lost: %s of the host's %s instructions (%.4f%%)\n",
            format_grouped(numbers[0], lost), format_grouped(numbers[1], p->host),
            p->host ? 100.0 * (double)lost / (double)p->host : 0);
}

static void print_text(struct measure *m, const struct part *p)
{
    const struct blackouts *all = m->opaque;
    struct out *out = &m->s->out;
    uint64_t windows = 0;

    fprintf(out->text, "\n Blackout windows of '%s'", m->s->name);
    if (p->pmu) {
        fprintf(out->text, ", CPU %u", p->pmu->cpu);
    }
    fprintf(out->text, ", %.3f to %.3f seconds:\n\n", measure_seconds_printed(m),
            measure_seconds(m));
    for (unsigned i = 0; i < VPMU_SPAN_COUNT; i++) {
        windows += p->b.span[i].w.n;
    }
    if (windows) {
        print_rows(out, &p->b);
        print_histograms(out, &p->b);
    } else {
        fprintf(out->text, "  none: nothing in the machine switched counters between host and "
                           "guest\n");
    }
    print_lost(out, p);
    if (all->meter.was_on) {
        fprintf(out->text,
                "  min and max cover the time since another client switched the meter on\n");
    }
}

static struct json_object *new_record(const struct measure *m, const struct part *p,
                                      const char *kind, const char *name, const struct windows *w)
{
    struct json_object *record = measure_record(m, p->pmu);

    record_string(record, "kind", kind);
    record_string(record, "name", name);
    record_u64(record, "windows", w->n);
    record_u64(record, "instructions", w->instructions);
    record_u64(record, "instructions-min", w->min);
    record_u64(record, "instructions-max", w->max);
    return record;
}

static void print_span(struct measure *m, const struct part *p, unsigned i)
{
    const struct span *s = &p->b.span[i];
    struct json_object *record = new_record(m, p, "span", blackout_span_name(i), &s->w);

    record_u64(record, "cycles", s->cycles);
    record_u64(record, "nanoseconds", s->nanoseconds);
    record_null(record, "host-instructions");
    json_object_object_add(record, "histogram", histogram_list(&s->histogram));
    out_record(&m->s->out, record);
}

/* Rows for reasons and for the sum have neither cycles nor a histogram. */
static void print_other(struct measure *m, struct json_object *record, const uint64_t *host)
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

static void print_records(struct measure *m, const struct part *p)
{
    struct windows sum = sum_of(&p->b);
    const char *name;

    for (unsigned i = 0; i < VPMU_SPAN_COUNT; i++) {
        print_span(m, p, i);
    }
    for (unsigned i = 0; (name = blackout_reason_name(i)); i++) {
        if (p->b.reason[i].n) {
            print_other(m, new_record(m, p, "reason", name, &p->b.reason[i]), NULL);
        }
    }
    print_other(m, new_record(m, p, "lost", "all", &sum), &p->host);
}

/* Returns instructions:H of a part since the last report. */
static uint64_t host_since(const struct measure *m, size_t part)
{
    const struct blackouts *b = m->opaque;
    const uint64_t *now = host_of(b, m->now);
    const uint64_t *last = host_of(b, m->last);
    uint64_t sum = 0;

    for (size_t i = 0; i < m->s->pmus.n; i++) {
        sum += b->parts == 1 || i == part ? number_growth(now[i], last[i]) : 0;
    }
    return sum;
}

static void report(struct measure *m)
{
    const struct blackouts *b = m->opaque;
    const struct blackout *now = m->now;
    const struct blackout *last = m->last;

    for (size_t i = 0; i < b->parts; i++) {
        struct part p = {.b = now[i], .host = host_since(m, i)};

        p.pmu = m->o->per_vcpu ? &m->s->pmus.pmu[i] : NULL;
        blackout_subtract(&p.b, &last[i]);
        if (m->s->out.kind == OUT_TEXT) {
            print_text(m, &p);
        } else {
            print_records(m, &p);
        }
    }
}

static const struct measure_ops ops = {.read = read_all, .report = report};

static void end(struct measure *m, struct error *t)
{
    struct blackouts *b = m->opaque;
    struct error removing = {0};

    meter_end(&b->meter, m->s, t);
    if (observers_remove(&b->host, m->s->q, &removing) && t->code == ERROR_NONE) {
        *t = removing;
    }
}

int builtin_blackout(int argc, char **argv, int stop_fd)
{
    struct options common = options_default;
    struct measure_options o = measure_options_default;
    struct session s = {0};
    struct blackouts b = {0};
    struct measure m = {.ops = &ops, .o = &o, .s = &s, .opaque = &b};
    struct error t = {0};

    measure_parse(&command, argc, argv, 0, &common, &o, NULL);
    if (session_open(&s, &common, stop_fd, o.interval > 0, &t) == 0) {
        if (begin(&m, &t) == 0) {
            measure_run(&m, &t);
        }
        end(&m, &t);
    }
    measure_options_free(&o);
    return session_close(&s, &t);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-stats stat: counts events for some time, like perf stat. */
#include <string.h>

#include "cli/builtin.h"
#include "base/format.h"
#include "session/measure.h"

#define DEFAULT_EVENTS "cycles,instructions,branches,branch-misses"

static const struct measure_command command = {
    .arguments = "[MACHINE]",
    .doc = "Counts events of a machine from outside until Ctrl-C. The guest is not affected and "
           "its counters are not used.\v"
           "Print the IPC of the guests of the machine's own hypervisor every second:\n\n"
           "    vpmu-stats stat -I 1000 -e instructions:G,cycles:G vm\n\n"
           "Default events: " DEFAULT_EVENTS ".",
    .min_interval = MEASURE_MIN_INTERVAL_MS,
};

/* A reading is a count of each event for each vCPU. */
static int read_all(struct measure *m, void *reading, struct error *t)
{
    return observers_read(m->opaque, m->s->q, &m->s->pmus, reading, t);
}

static int begin(struct measure *m, struct error *t)
{
    const struct events *e = &m->o->events;

    m->size = e->n * m->s->pmus.n * sizeof(uint64_t);
    for (size_t i = 0; i < e->n; i++) {
        if (observers_add(m->opaque, m->s->q, e->event[i].text, m->o->gate, t)) {
            return -1;
        }
    }
    return 0;
}

/* What a row of a report contains. */
struct row {
    const uint64_t *counts;
    size_t event;
    int64_t duration;
    const struct pmu *pmu; /* NULL for all vCPUs */
};

static void print_record(struct measure *m, const struct row *row)
{
    const struct events *e = &m->o->events;
    struct json_object *record = measure_record(m, row->pmu);
    struct metric metric;

    record_u64(record, "counter-value", row->counts[row->event]);
    record_string(record, "unit", "");
    record_string(record, "event", e->event[row->event].text);
    record_u64(record, "event-runtime", (uint64_t)row->duration);
    record_double(record, "pcnt-running", 100, 2);
    if (events_metric(e, row->counts, row->event, (double)row->duration / 1e9, &metric)) {
        record_double(record, "metric-value", metric.value, metric.decimals);
        record_string(record, "metric-unit", metric.unit);
    } else {
        record_null(record, "metric-value");
        record_null(record, "metric-unit");
    }
    out_record(&m->s->out, record);
}

static void print_metric(struct out *out, const struct metric *m)
{
    static const char *const colors[] = {
        [METRIC_PLAIN] = "",
        [METRIC_NOTABLE] = "\033[33m",
        [METRIC_HIGH] = "\033[35m",
        [METRIC_EXCESSIVE] = "\033[31m",
    };
    bool color = out->color && m->grade != METRIC_PLAIN;

    fprintf(out->text, " # %s%9.*f%s%s%s", color ? colors[m->grade] : "", m->decimals, m->value,
            *m->unit == '%' ? "" : " ", m->unit, color ? "\033[0m" : "");
}

static void print_line(struct measure *m, const struct row *row)
{
    const struct events *e = &m->o->events;
    struct out *out = &m->s->out;
    char number[FORMAT_SIZE];
    struct metric metric;

    if (m->o->interval) {
        fprintf(out->text, "%16.9f ", measure_seconds(m));
    }
    if (row->pmu) {
        fprintf(out->text, "CPU%-5u", row->pmu->cpu);
    }
    fprintf(out->text, "%18s      %-25s", format_grouped(number, row->counts[row->event]),
            e->event[row->event].text);
    if (events_metric(e, row->counts, row->event, (double)row->duration / 1e9, &metric)) {
        print_metric(out, &metric);
    }
    fputc('\n', out->text);
}

static void print_rows(struct measure *m, struct row *row)
{
    for (row->event = 0; row->event < m->o->events.n; row->event++) {
        if (m->s->out.kind == OUT_TEXT) {
            print_line(m, row);
        } else {
            print_record(m, row);
        }
    }
}

static void print_head(struct measure *m)
{
    if (m->s->out.kind != OUT_TEXT) {
        return;
    }
    if (!m->o->interval) {
        fprintf(m->s->out.text, "\n Performance counter stats for '%s':\n\n", m->s->name);
    } else if (m->reports % 25 == 0) {
        fprintf(m->s->out.text, "#%15s %s%18s      %s\n", "time", m->o->per_vcpu ? "CPU     " : "",
                "counts", "events");
    }
}

/* Adds the differences since the last report for one vCPU to @counts. */
static void add_up(const struct measure *m, size_t cpu, uint64_t *counts)
{
    const uint64_t *now = m->now;
    const uint64_t *last = m->last;
    size_t n = m->o->events.n;

    for (size_t i = 0; i < n; i++) {
        counts[i] += now[cpu * n + i] - last[cpu * n + i];
    }
}

static void report(struct measure *m)
{
    uint64_t counts[OBSERVERS_MAX] = {0};
    struct row row = {.counts = counts, .duration = m->read - m->printed};

    print_head(m);
    for (size_t cpu = 0; cpu < m->s->pmus.n; cpu++) {
        add_up(m, cpu, counts);
        if (m->o->per_vcpu) {
            row.pmu = &m->s->pmus.pmu[cpu];
            print_rows(m, &row);
            memset(counts, 0, sizeof(counts));
        }
    }
    if (!m->o->per_vcpu) {
        print_rows(m, &row);
    }
    if (!m->o->interval && m->s->out.kind == OUT_TEXT) {
        fprintf(m->s->out.text, "\n%18.9f seconds time elapsed\n\n", measure_seconds(m));
    }
}

static const struct measure_ops ops = {.read = read_all, .report = report};

static void measure(struct measure *m, struct error *t)
{
    struct error removing = {0};

    if (begin(m, t) == 0) {
        measure_run(m, t);
    }
    if (observers_remove(m->opaque, m->s->q, &removing) && t->code == ERROR_NONE) {
        *t = removing;
    }
}

int builtin_stat(int argc, char **argv, int stop_fd)
{
    struct options common = options_default;
    struct measure_options o = measure_options_default;
    struct session s = {0};
    struct observers observers = {0};
    struct measure m = {.ops = &ops, .o = &o, .s = &s, .opaque = &observers};
    struct error t = {0};
    int status;

    measure_parse(&command, argc, argv, 0, &common, &o, NULL);
    if (o.events.n == 0) {
        events_add(&o.events, DEFAULT_EVENTS, &t);
    }
    if (t.code == ERROR_NONE && session_open(&s, &common, stop_fd, o.interval > 0, &t) == 0) {
        measure(&m, &t);
    }
    status = session_close(&s, &t);
    measure_options_free(&o);
    return status;
}

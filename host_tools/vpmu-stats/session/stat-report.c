/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints counts and their metrics, and with -r their means and errors, as perf stat does. */
#include "session/stat-report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"

/* The contents of a row of a report. */
struct row {
    const uint64_t *counts;
    const struct spread *spread; /* NULL without -r */
    size_t event;
    double seconds;
    const struct pmu *pmu; /* NULL for all vCPUs */
};

static void add_number(struct spread *s, double value)
{
    s->sum += value;
    s->squares += value * value;
}

/* Returns the standard error of the mean, as perf stat -r prints it. */
static double spread_error(const struct spread *s, long n)
{
    double mean = s->sum / (double)n;
    double variance = n > 1 ? (s->squares - (double)n * mean * mean) / (double)(n - 1) : 0;

    return variance > 0 ? sqrt(variance / (double)n) : 0;
}

double spread_percent(const struct spread *s, long n)
{
    return s->sum > 0 ? 100 * spread_error(s, n) / (s->sum / (double)n) : 0;
}

/*
 * Records
 */

static void put_metric(struct json_object *record, bool is, double value, int decimals,
                       const char *unit)
{
    if (is) {
        record_double(record, "metric-value", value, decimals);
        record_string(record, "metric-unit", unit);
    } else {
        record_null(record, "metric-value");
        record_null(record, "metric-unit");
    }
}

/* Adds the members of a row up to its metric. @value is NULL if there is no count. */
static struct json_object *new_record(const struct stat_report *r, struct measure *m,
                                      const struct row *row, const uint64_t *value,
                                      const char *event)
{
    struct json_object *record = measure_record(m, row->pmu);

    if (value) {
        record_u64(record, "counter-value", *value);
    } else {
        record_null(record, "counter-value");
    }
    record_string(record, "unit", "");
    record_string(record, "event", event);
    if (r->o->repeat) {
        if (value) {
            record_double(record, "variance", spread_percent(&row->spread[row->event], r->runs), 2);
        } else {
            record_null(record, "variance");
        }
    }
    record_u64(record, "event-runtime", (uint64_t)(row->seconds * 1e9));
    record_double(record, "pcnt-running", value ? 100 : 0, 2);
    return record;
}

static void print_record(const struct stat_report *r, struct measure *m, const struct row *row)
{
    const struct events *e = r->events;
    struct json_object *record =
        new_record(r, m, row, &row->counts[row->event], e->event[row->event].text);
    struct metric metric;
    bool is = events_metric(e, row->counts, row->event, row->seconds, &metric);

    put_metric(record, is, metric.value, metric.decimals, metric.unit);
    out_record(&m->s->out, record);
}

static void print_missing_record(const struct stat_report *r, struct measure *m,
                                 const struct row *row, const char *event)
{
    struct json_object *record = new_record(r, m, row, NULL, event);

    put_metric(record, false, 0, 0, NULL);
    out_record(&m->s->out, record);
}

static void print_formula_record(const struct stat_report *r, struct measure *m,
                                 const struct row *row, const struct metric_formula *f)
{
    struct json_object *record = new_record(r, m, row, NULL, f->name);
    double value = 0;
    bool is = metrics_value(f, r->events, row->counts, &value);

    put_metric(record, is, value, 4, f->unit);
    out_record(&m->s->out, record);
}

/*
 * Text
 */

/* Columns of perf stat: an event's name, and " # " with a metric. */
#define NAME_WIDTH 32
#define METRIC_WIDTH 35

/* Returns how many columns it used. */
static int print_metric(struct out *out, const struct metric *m)
{
    static const char *const colors[] = {
        [METRIC_PLAIN] = "",
        [METRIC_NOTABLE] = "\033[33m",
        [METRIC_HIGH] = "\033[35m",
        [METRIC_EXCESSIVE] = "\033[31m",
    };
    bool color = out->color && m->grade != METRIC_PLAIN;
    const char *on = color ? colors[m->grade] : "";
    const char *off = color ? "\033[0m" : "";
    bool percent = *m->unit == '%';
    int n = fprintf(out->text, " # %s%*.*f%s%s%s", on, percent ? 7 : 8, m->decimals, m->value,
                    percent ? "" : " ", m->unit, off);

    return n - (int)(strlen(on) + strlen(off));
}

/* As perf, prints nothing if the runs do not differ. @gap: the columns to leave before it. */
static void print_spread(FILE *file, int gap, double percent)
{
    if (percent > 0) {
        fprintf(file, "%*s  ( +-%6.2f%% )", gap > 0 ? gap : 0, "", percent);
    }
}

/* Prints the time of -I and the vCPU of -A. */
static void print_begin(struct measure *m, const struct row *row)
{
    if (m->o->interval) {
        fprintf(m->s->out.text, "%16.9f ", measure_seconds(m));
    }
    if (row->pmu) {
        fprintf(m->s->out.text, "CPU%-5u", row->pmu->cpu);
    }
}

static void print_line(const struct stat_report *r, struct measure *m, const struct row *row)
{
    struct out *out = &m->s->out;
    char number[FORMAT_SIZE];
    struct metric metric;
    int used = 0;

    print_begin(m, row);
    fprintf(out->text, "%18s      %-*s", format_grouped(number, row->counts[row->event]),
            NAME_WIDTH, r->events->event[row->event].text);
    if (events_metric(r->events, row->counts, row->event, row->seconds, &metric)) {
        used = print_metric(out, &metric);
    }
    if (r->o->repeat) {
        print_spread(out->text, METRIC_WIDTH - used,
                     spread_percent(&row->spread[row->event], r->runs));
    }
    fputc('\n', out->text);
}

static void print_missing_line(struct measure *m, const struct row *row, const char *event)
{
    print_begin(m, row);
    fprintf(m->s->out.text, "%18s      %s\n", "<not supported>", event);
}

static void print_formula_line(const struct stat_report *r, struct measure *m,
                               const struct row *row, const struct metric_formula *f)
{
    double value;

    print_begin(m, row);
    if (metrics_value(f, r->events, row->counts, &value)) {
        fprintf(m->s->out.text, "%18.3f      %-*s # %s\n", value, NAME_WIDTH, f->name,
                f->description);
    } else {
        fprintf(m->s->out.text, "%18s      %s\n", "<not counted>", f->name);
    }
}

/*
 * Reports
 */

static void print_rows(const struct stat_report *r, struct measure *m, struct row *row)
{
    bool text = m->s->out.kind == OUT_TEXT;

    for (row->event = 0; row->event < r->events->n; row->event++) {
        if (text) {
            print_line(r, m, row);
        } else {
            print_record(r, m, row);
        }
    }
    for (size_t i = 0; i < r->n_missing; i++) {
        if (text) {
            print_missing_line(m, row, r->missing[i]);
        } else {
            print_missing_record(r, m, row, r->missing[i]);
        }
    }
    for (size_t i = 0; i < r->o->metrics.n; i++) {
        if (text) {
            print_formula_line(r, m, row, r->o->metrics.metric[i]);
        } else {
            print_formula_record(r, m, row, r->o->metrics.metric[i]);
        }
    }
}

/* Prints the words of a command, with a question mark for each control character. */
static void print_command(FILE *file, char *const *command)
{
    for (char *const *word = command; *word; word++) {
        char *copy = strdup(*word);

        if (copy) {
            format_tame(copy);
        }
        fprintf(file, "%s%s", word == command ? "" : " ", copy ? copy : "?");
        free(copy);
    }
}

static void print_head(const struct stat_report *r, struct measure *m)
{
    FILE *file = m->s->out.text;

    if (m->s->out.kind != OUT_TEXT) {
        return;
    }
    if (!m->o->interval) {
        fputs("\n Performance counter stats for '", file);
        if (r->o->command) {
            print_command(file, r->o->command);
            fputs("' on the host, of '", file);
        }
        fprintf(file, "%s'", m->s->name);
        if (r->o->repeat) {
            fprintf(file, " (%ld run%s)", r->runs, r->runs == 1 ? "" : "s");
        }
        fprintf(file, ":\n\n");
    } else if (m->reports % 25 == 0) {
        fprintf(file, "#%15s %s%18s      %s\n", "time", m->o->per_vcpu ? "CPU     " : "", "counts",
                "events");
    }
}

/* Adds the counts of one vCPU since the last report to @counts. */
static void add_up(const struct stat_report *r, const struct measure *m, size_t cpu,
                   uint64_t *counts)
{
    const uint64_t *now = m->now;
    const uint64_t *last = m->last;
    size_t n = r->events->n;

    for (size_t i = 0; i < n; i++) {
        counts[i] += now[cpu * n + i] - last[cpu * n + i];
    }
}

/* Reports the part with index @part: one vCPU, or all of them. */
static void take_part(struct stat_report *r, struct measure *m, const struct row *row, size_t part)
{
    struct row copy = *row;
    size_t n = r->events->n;

    if (!r->o->repeat) {
        print_rows(r, m, &copy);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        add_number(&r->cell[part * n + i], (double)row->counts[i]);
    }
}

void stat_report_take(struct stat_report *r, struct measure *m)
{
    uint64_t counts[OBSERVERS_MAX] = {0};
    struct row row = {.counts = counts, .seconds = (double)(m->read - m->printed) / 1e9};

    if (r->o->repeat) {
        r->runs++;
        add_number(&r->seconds, row.seconds);
    } else {
        print_head(r, m);
    }
    for (size_t cpu = 0; cpu < m->s->pmus.n; cpu++) {
        if (!ranges_have(&r->o->cpus, m->s->pmus.pmu[cpu].cpu)) {
            continue;
        }
        add_up(r, m, cpu, counts);
        if (m->o->per_vcpu) {
            row.pmu = &m->s->pmus.pmu[cpu];
            take_part(r, m, &row, cpu);
            memset(counts, 0, sizeof(counts));
        }
    }
    if (!m->o->per_vcpu) {
        take_part(r, m, &row, 0);
    }
    if (!m->o->interval && !r->o->repeat && m->s->out.kind == OUT_TEXT) {
        fprintf(m->s->out.text, "\n%18.9f seconds time elapsed\n\n", measure_seconds(m));
    }
}

static void print_means(struct stat_report *r, struct measure *m, size_t part,
                        const struct pmu *pmu)
{
    size_t n = r->events->n;
    uint64_t counts[OBSERVERS_MAX];
    struct row row = {.counts = counts,
                      .spread = &r->cell[part * n],
                      .seconds = r->seconds.sum / (double)r->runs,
                      .pmu = pmu};

    for (size_t i = 0; i < n; i++) {
        counts[i] = (uint64_t)llround(row.spread[i].sum / (double)r->runs);
    }
    print_rows(r, m, &row);
}

/* Prints the mean duration of the runs with two digits of its error, as perf does. */
static void print_duration(const struct stat_report *r, FILE *file)
{
    double error = spread_error(&r->seconds, r->runs);
    int decimals = error > 1 ? 2 : error > 1e-7 ? (int)ceil(-log10(error)) + 2 : 9;

    fprintf(file, "\n %17.*f +- %.*f seconds time elapsed", decimals,
            r->seconds.sum / (double)r->runs, decimals, error);
    print_spread(file, 0, spread_percent(&r->seconds, r->runs));
    fputs("\n\n", file);
}

void stat_report_end(struct stat_report *r, struct measure *m)
{
    if (!r->o->repeat || r->runs == 0) {
        return;
    }
    print_head(r, m);
    for (size_t cpu = 0; m->o->per_vcpu && cpu < m->s->pmus.n; cpu++) {
        if (ranges_have(&r->o->cpus, m->s->pmus.pmu[cpu].cpu)) {
            print_means(r, m, cpu, &m->s->pmus.pmu[cpu]);
        }
    }
    if (!m->o->per_vcpu) {
        print_means(r, m, 0, NULL);
    }
    if (m->s->out.kind == OUT_TEXT) {
        print_duration(r, m->s->out.text);
    }
}

void stat_report_list(FILE *file)
{
    const struct metric_formula *f;
    const char *members;
    const char *name;

    for (size_t i = 0; (f = metrics_formula(i)); i++) {
        fprintf(file, "%-26s %s: %s / %s\n", f->name, f->description, f->part, f->whole);
    }
    for (size_t i = 0; (name = metrics_group(i, &members)); i++) {
        fprintf(file, "%-26s %s\n", name, members);
    }
}

void stat_report_free(struct stat_report *r)
{
    while (r->n_missing > 0) {
        free(r->missing[--r->n_missing]);
    }
    free(r->cell);
    r->cell = NULL;
}

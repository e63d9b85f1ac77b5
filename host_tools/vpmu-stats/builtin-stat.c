/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-stats stat: counts events for a while, in the manner of perf stat. */
#include <stdlib.h>
#include <string.h>

#include "builtin.h"
#include "events.h"
#include "format.h"
#include "session.h"

#define DEFAULT_EVENTS "cycles,instructions,branches,branch-misses"
/* How often counters are read without -I, so that something is known if the machine ends. */
#define READ_EVERY_MS 1000

enum {
    KEY_COUNT = 0x200,
    KEY_TIMEOUT,
    KEY_PER_VCPU,
    KEY_WHILE_COUNTER,
};

struct stat_options {
    struct options common;
    struct events events;
    int interval;
    long count;
    int timeout;
    bool per_vcpu;
    long gate;
};

static const struct argp_option table[] = {
    {"event", 'e', "EVENTS", 0,
     "A list as perf has it: names of perf's or Arm's, or r and a number in hexadecimal; after a "
     "colon u for EL0, k for the kernel, h for a hypervisor below it, G for guests of the "
     "machine's own hypervisor, H for all but those",
     1},
    {"interval-print", 'I', "MS", 0, "Print what was counted every MS milliseconds", 1},
    {"interval-count", KEY_COUNT, "N", 0, "End after N times", 1},
    {"timeout", KEY_TIMEOUT, "MS", 0, "End after MS milliseconds", 1},
    {"per-vcpu", KEY_PER_VCPU, 0, 0, "One row for each vCPU", 1},
    {"no-aggr", 'A', 0, OPTION_ALIAS, 0, 1},
    {"while-counter", KEY_WHILE_COUNTER, "N", 0,
     "Count while the machine's kernel has its counter N switched on: what its own perf counts", 1},
    {0},
};

static void take_events(struct stat_options *o, const char *list, struct argp_state *state)
{
    struct trouble t = {0};

    if (events_add(&o->events, list, &t)) {
        argp_error(state, "%s", t.text);
    }
}

static void check_options(struct stat_options *o, struct argp_state *state)
{
    if (o->count && !o->interval) {
        argp_error(state, "--interval-count counts intervals, which -I sets");
    }
    if (o->events.n == 0) {
        take_events(o, DEFAULT_EVENTS, state);
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct stat_options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->common;
        return 0;
    case 'e':
        take_events(o, arg, state);
        return 0;
    case 'I':
        o->interval = options_ms(state, arg, 10);
        return 0;
    case KEY_COUNT:
        if (!options_number(arg, 1, 1000000000, &o->count)) {
            argp_error(state, "'%s' is not a number of intervals", arg);
        }
        return 0;
    case KEY_TIMEOUT:
        o->timeout = options_ms(state, arg, 10);
        return 0;
    case 'A':
    case KEY_PER_VCPU:
        o->per_vcpu = true;
        return 0;
    case KEY_WHILE_COUNTER:
        if (!options_number(arg, 0, MACHINE_CYCLE_COUNTER, &o->gate)) {
            argp_error(state, "'%s' is not a counter's number, 0 to %u", arg,
                       MACHINE_CYCLE_COUNTER);
        }
        return 0;
    case ARGP_KEY_END:
        check_options(o, state);
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
    "Counts events of a machine until Ctrl-C, from outside: the guest does not notice, and its own "
    "counters are not needed.\v"
    "The IPC of guests that the machine's own hypervisor runs, every second:\n\n"
    "    vpmu-stats stat -I 1000 -e instructions:G,cycles:G vm\n\n"
    "Without -e: " DEFAULT_EVENTS ".",
    children,
    0,
    0,
};

/**
 * struct stat - a measurement
 * @first, @last, @now: a value for each event of each vCPU: in the beginning, as last printed or
 *     read, and as just read.
 * @began, @printed, @read: when.
 * @reports: printed so far.
 */
struct stat {
    const struct stat_options *o;
    struct session *s;
    struct observers observers;
    size_t size;
    uint64_t *first;
    uint64_t *last;
    uint64_t *now;
    int64_t began;
    int64_t printed;
    int64_t read;
    long reports;
};

static int read_now(struct stat *m, struct trouble *t)
{
    if (observers_read(&m->observers, m->s->q, &m->s->pmus, m->now, t)) {
        return -1;
    }
    m->read = qmp_now();
    return 0;
}

static int allocate(struct stat *m, struct trouble *t)
{
    m->size = m->o->events.n * m->s->pmus.n;
    m->first = calloc(3 * m->size, sizeof(*m->first));
    if (!m->first) {
        return trouble_memory(t);
    }
    m->last = m->first + m->size;
    m->now = m->last + m->size;
    return 0;
}

static int begin(struct stat *m, struct trouble *t)
{
    if (allocate(m, t)) {
        return -1;
    }
    for (size_t i = 0; i < m->o->events.n; i++) {
        if (observers_add(&m->observers, m->s->q, m->o->events.event[i].text, (int)m->o->gate, t)) {
            return -1;
        }
    }
    if (read_now(m, t)) {
        return -1;
    }
    memcpy(m->first, m->now, m->size * sizeof(*m->now));
    memcpy(m->last, m->now, m->size * sizeof(*m->now));
    m->began = m->read;
    m->printed = m->read;
    return 0;
}

/* What one row of a report is of. */
struct row {
    const uint64_t *counts;
    size_t event;
    int64_t duration;
    const struct pmu *pmu; /* NULL: all */
};

static void print_record(struct stat *m, const struct row *row)
{
    const struct events *e = &m->o->events;
    struct json_object *record = json_object_new_object();
    struct metric metric;

    if (m->o->interval) {
        record_double(record, "interval", (double)(m->read - m->began) / 1e9, 9);
    }
    if (row->pmu) {
        record_u64(record, "cpu", row->pmu->cpu);
    }
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

static void print_line(struct stat *m, const struct row *row)
{
    const struct events *e = &m->o->events;
    struct out *out = &m->s->out;
    char number[FORMAT_SIZE];
    struct metric metric;

    if (m->o->interval) {
        fprintf(out->text, "%16.9f ", (double)(m->read - m->began) / 1e9);
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

static void print_rows(struct stat *m, struct row *row)
{
    for (row->event = 0; row->event < m->o->events.n; row->event++) {
        if (m->s->out.kind == OUT_TEXT) {
            print_line(m, row);
        } else {
            print_record(m, row);
        }
    }
}

static void print_head(struct stat *m)
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

/* Differences to @since, of one vCPU, or of all from @cpu on, in @counts. */
static void add_up(const struct stat *m, const uint64_t *since, size_t cpu, uint64_t *counts)
{
    size_t n = m->o->events.n;

    for (size_t i = 0; i < n; i++) {
        counts[i] += m->now[cpu * n + i] - since[cpu * n + i];
    }
}

/* A report of what was counted since @since, which was at @when; not yet written. */
static void print_report(struct stat *m, const uint64_t *since, int64_t when)
{
    uint64_t counts[OBSERVERS_MAX] = {0};
    struct row row = {.counts = counts, .duration = m->read - when};

    print_head(m);
    for (size_t cpu = 0; cpu < m->s->pmus.n; cpu++) {
        add_up(m, since, cpu, counts);
        if (m->o->per_vcpu) {
            row.pmu = &m->s->pmus.pmu[cpu];
            print_rows(m, &row);
            memset(counts, 0, sizeof(counts));
        }
    }
    if (!m->o->per_vcpu) {
        print_rows(m, &row);
    }
    m->reports++;
}

static int print_interval(struct stat *m, struct trouble *t)
{
    print_report(m, m->last, m->printed);
    memcpy(m->last, m->now, m->size * sizeof(*m->now));
    m->printed = m->read;
    return out_flush(&m->s->out, t);
}

static void print_total(struct stat *m)
{
    print_report(m, m->first, m->began);
    if (m->s->out.kind == OUT_TEXT) {
        fprintf(m->s->out.text, "\n%18.9f seconds time elapsed\n\n",
                (double)(m->read - m->began) / 1e9);
    }
}

/* Until when nothing is to be done. */
static int64_t next_time(const struct stat *m, int64_t step, int64_t n)
{
    int64_t next = m->began + n * step;
    int64_t end = m->began + (int64_t)m->o->timeout * 1000000;

    return m->o->timeout && end < next ? end : next;
}

static bool is_over(const struct stat *m)
{
    return (m->o->count && m->reports >= m->o->count) ||
           (m->o->timeout && m->read >= m->began + (int64_t)m->o->timeout * 1000000);
}

/* Until time is up, or trouble; that the user has had enough is none. */
static int count(struct stat *m, struct trouble *t)
{
    int64_t step = (int64_t)(m->o->interval ? m->o->interval : READ_EVERY_MS) * 1000000;

    for (int64_t n = 1; !is_over(m); n = (m->read - m->began) / step + 1) {
        if (qmp_wait(m->s->q, next_time(m, step, n), t)) {
            return -1;
        }
        if (read_now(m, t) || (m->o->interval && print_interval(m, t))) {
            return -1;
        }
    }
    return 0;
}

/* Reads once more if the machine is there, although the user wants to end. */
static void read_last(struct stat *m, struct trouble *t)
{
    struct trouble reading = {0};

    if (t->code == TROUBLE_STOPPED) {
        qmp_hurry(m->s->q);
        read_now(m, &reading);
        *t = reading;
    }
}

/* The numbers, also if the machine ended: as they were when they were last read. */
static int end(struct stat *m, struct trouble *t)
{
    read_last(m, t);
    if (t->code == TROUBLE_ENDED && m->read > m->began) {
        trouble_set(t, TROUBLE_ENDED, "the machine ended; its counts are those after %.3f seconds",
                    (double)(m->read - m->began) / 1e9);
    } else if (t->code != TROUBLE_NONE) {
        return -1;
    }
    if (!m->o->interval) {
        print_total(m);
    } else if (m->read > m->printed) {
        print_report(m, m->last, m->printed);
    }
    return t->code == TROUBLE_NONE ? 0 : -1;
}

static int measure(struct stat *m, struct trouble *t)
{
    struct trouble removing = {0};

    if (begin(m, t) == 0) {
        count(m, t);
        end(m, t);
    }
    if (observers_remove(&m->observers, m->s->q, &removing) && t->code == TROUBLE_NONE) {
        *t = removing;
    }
    free(m->first);
    return t->code == TROUBLE_NONE ? 0 : -1;
}

int builtin_stat(int argc, char **argv, int stop_fd)
{
    struct stat_options o = {.common = options_default, .gate = MACHINE_UNGATED};
    struct session s = {0};
    struct stat m = {.o = &o, .s = &s};
    struct trouble t = {0};
    int status;

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (session_open(&s, &o.common, stop_fd, o.interval > 0, &t) == 0) {
        measure(&m, &t);
    }
    status = session_close(&s, &t);
    events_free(&o.events);
    return status;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prometheus's text format. Each metric is printed for all machines before the next metric. */
#include "fleet/prometheus.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "vpmu/version.h"

/*
 * Histograms have the bounds 2^n - 1 for n from 0 to LAST_BOUND. Larger values are only in "+Inf".
 */
#define LAST_BOUND 24u

void prometheus_event(const char *text, char *name, char *context)
{
    size_t len = strcspn(text, ":");
    int n = snprintf(name, PROMETHEUS_SIZE, "vpmu_%.*s", len < 64 ? (int)len : 64, text);

    for (char *p = name; *p; p++) {
        *p = isalnum((unsigned char)*p) ? (char)tolower((unsigned char)*p) : '_';
    }
    snprintf(name + n, PROMETHEUS_SIZE - (size_t)n, "_total");
    events_modifiers(text, context);
    if (!*context) {
        strcpy(context, "all");
    }
}

int prometheus_check(const struct events *events, struct error *t)
{
    char name[2][PROMETHEUS_SIZE];
    char context[2][PROMETHEUS_SIZE];

    for (size_t i = 0; i < events->n; i++) {
        prometheus_event(events->event[i].text, name[0], context[0]);
        for (size_t k = 0; k < i; k++) {
            prometheus_event(events->event[k].text, name[1], context[1]);
            if (strcmp(name[0], name[1]) == 0 && strcmp(context[0], context[1]) == 0) {
                return error_set(t, ERROR_USAGE, "'%s' and '%s' would be the same metric",
                                 events->event[k].text, events->event[i].text);
            }
        }
    }
    return 0;
}

static void put_head(FILE *to, const char *name, const char *type, const char *help)
{
    fprintf(to, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* Writes a label's value. Backslash, quotation mark and newline are escaped. */
static void put_value(FILE *to, const char *text)
{
    for (; *text; text++) {
        if (*text == '\n') {
            fputs("\\n", to);
        } else {
            fprintf(to, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
        }
    }
}

static void put_label(FILE *to, const char *before, const char *name, const char *value)
{
    fprintf(to, "%s%s=\"", before, name);
    put_value(to, value);
    fputc('"', to);
}

/* Writes NAME{machine="...", without the closing brace, so that labels can be added. */
static void put_machine(FILE *to, const char *name, const struct member *m)
{
    fputs(name, to);
    put_label(to, "{", "machine", m->name);
}

/* Returns the index of the first machine from @i on that is up, or f->n. */
static size_t next_up(const struct fleet *f, size_t i)
{
    while (i < f->n && !f->member[i]->up) {
        i++;
    }
    return i;
}

/**
 * struct line - one value of a metric
 * @name: name of the metric.
 * @m: the machine.
 * @i: index of the vCPU in @m->now, or number of the span or of the reason; see enum each.
 */
struct line {
    const char *name;
    const struct member *m;
    unsigned i;
};

/* A metric has one value for each of these. */
enum each {
    EACH_MACHINE,
    EACH_VCPU,
    EACH_SPAN,
    EACH_REASON,
};

/* The condition for a machine to have a metric. */
enum when {
    EVEN_DOWN, /* up or down */
    WHEN_UP,
    WITH_GUEST,
    WITH_METER,
};

/**
 * struct exported - a metric
 * @get: prints the rest of a line after the labels for @each. For a histogram it prints all lines.
 */
struct exported {
    const char *name;
    const char *type;
    const char *help;
    void (*get)(FILE *to, const struct line *l);
    enum each each;
    enum when when;
};

static void put_number(FILE *to, uint64_t value)
{
    fprintf(to, "} %" PRIu64 "\n", value);
}

static void get_up(FILE *to, const struct line *l)
{
    put_number(to, l->m->up);
}

static void get_info(FILE *to, const struct line *l)
{
    const struct member *m = l->m;
    char source[256];

    snprintf(source, sizeof(source), "%s", m->target.uri ? m->target.uri : m->target.name);
    format_tame(source);
    put_label(to, ",", "version", m->now.version);
    put_label(to, ",", "source", source);
    put_number(to, 1);
}

static void get_vcpus(FILE *to, const struct line *l)
{
    put_number(to, l->m->now.vcpus);
}

static void get_read_seconds(FILE *to, const struct line *l)
{
    fprintf(to, "} %.6f\n", l->m->now.seconds);
}

static void get_counters(FILE *to, const struct line *l)
{
    put_number(to, l->m->now.guest[l->i].counters);
}

static void get_enabled(FILE *to, const struct line *l)
{
    put_number(to, l->m->now.guest[l->i].enabled);
}

static void get_uncounted(FILE *to, const struct line *l)
{
    put_number(to, l->m->now.guest[l->i].uncounted);
}

static void get_looks(FILE *to, const struct line *l)
{
    put_number(to, l->m->now.guest[l->i].looks);
}

static void get_changed(FILE *to, const struct line *l)
{
    put_number(to, l->m->now.guest[l->i].changed);
}

/* Prints its own labels, because a histogram has lines with three different names. */
static void get_histogram(FILE *to, const struct line *l)
{
    const struct span *s = &l->m->now.blackout.span[l->i];
    const char *text = blackout_span_name(l->i);
    uint64_t sum = 0;

    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        sum += s->histogram.n[i];
        if (i <= LAST_BOUND) {
            fprintf(to, "%s_bucket", l->name);
            put_machine(to, "", l->m);
            fprintf(to, ",span=\"%s\",le=\"%" PRIu64 "\"} %" PRIu64 "\n", text,
                    (UINT64_C(1) << i) - 1, sum);
        }
    }
    fprintf(to, "%s_bucket", l->name);
    put_machine(to, "", l->m);
    fprintf(to, ",span=\"%s\",le=\"+Inf\"} %" PRIu64 "\n", text, sum);
    fprintf(to, "%s_sum", l->name);
    put_machine(to, "", l->m);
    fprintf(to, ",span=\"%s\"} %" PRIu64 "\n", text, s->w.instructions);
    fprintf(to, "%s_count", l->name);
    put_machine(to, "", l->m);
    fprintf(to, ",span=\"%s\"} %" PRIu64 "\n", text, sum);
}

static void get_cycles(FILE *to, const struct line *l)
{
    put_number(to, l->m->now.blackout.span[l->i].cycles);
}

static void get_seconds(FILE *to, const struct line *l)
{
    uint64_t ns = l->m->now.blackout.span[l->i].nanoseconds;

    fprintf(to, "} %" PRIu64 ".%09" PRIu64 "\n", ns / 1000000000, ns % 1000000000);
}

static void get_exits(FILE *to, const struct line *l)
{
    put_number(to, l->m->now.blackout.reason[l->i].n);
}

/* Metrics that are printed before the events and after them. */
static const struct exported before_events[] = {
    {"vpmu_up", "gauge", "Whether the machine answered.", get_up, EACH_MACHINE, EVEN_DOWN},
    {"vpmu_machine_info", "gauge",
     "1; the labels are the version of the PMU and the libvirt URI or socket.", get_info,
     EACH_MACHINE, WHEN_UP},
    {"vpmu_vcpus", "gauge", "vCPUs with a virtual PMU.", get_vcpus, EACH_MACHINE, WHEN_UP},
    {"vpmu_read_seconds", "gauge", "How long the machine took to answer.", get_read_seconds,
     EACH_MACHINE, WHEN_UP},
};

static const struct exported behind_events[] = {
    {"vpmu_guest_event_counters", "gauge", "Event counters that the guest has.", get_counters,
     EACH_VCPU, WITH_GUEST},
    {"vpmu_guest_event_counters_enabled", "gauge", "Event counters that the guest has enabled.",
     get_enabled, EACH_VCPU, WITH_GUEST},
    {"vpmu_guest_event_counters_uncounted", "gauge",
     "Enabled event counters whose event this machine does not count.", get_uncounted, EACH_VCPU,
     WITH_GUEST},
    {"vpmu_guest_looks_total", "counter",
     "Readings with an event counter that was also enabled at the previous reading.", get_looks,
     EACH_VCPU, WITH_GUEST},
    {"vpmu_guest_looks_changed_total", "counter",
     "The part of these readings in which such a counter had another event or filter.", get_changed,
     EACH_VCPU, WITH_GUEST},
    {"vpmu_blackout_instructions", "histogram",
     "Instructions in blackout windows and leaks of the machine's own hypervisor.", get_histogram,
     EACH_SPAN, WITH_METER},
    {"vpmu_blackout_cycles_total", "counter", "Cycles in blackout windows and leaks.", get_cycles,
     EACH_SPAN, WITH_METER},
    {"vpmu_blackout_seconds_total", "counter", "Time in blackout windows and leaks.", get_seconds,
     EACH_SPAN, WITH_METER},
    {"vpmu_blackout_exits_total", "counter", "Exits of guests with a blackout window, by reason.",
     get_exits, EACH_REASON, WITH_METER},
};

/* Returns how many values of a metric a machine has. */
static unsigned values_of(const struct member *m, enum each each)
{
    unsigned n = 0;

    switch (each) {
    case EACH_VCPU:
        return (unsigned)m->now.vcpus;
    case EACH_SPAN:
        return VPMU_SPAN_COUNT;
    case EACH_REASON:
        while (blackout_reason_name(n)) {
            n++;
        }
        return n;
    default:
        return 1;
    }
}

static void print_line(FILE *to, const struct exported *metric, const struct line *l)
{
    if (metric->get != get_histogram) {
        put_machine(to, l->name, l->m);
        if (metric->each == EACH_VCPU) {
            fprintf(to, ",vcpu=\"%u\"", l->m->now.cpu[l->i]);
        } else if (metric->each == EACH_SPAN) {
            fprintf(to, ",span=\"%s\"", blackout_span_name(l->i));
        } else if (metric->each == EACH_REASON) {
            fprintf(to, ",reason=\"%s\"", blackout_reason_name(l->i));
        }
    }
    metric->get(to, l);
}

static void print_metric(FILE *to, const struct exported *metric, const struct fleet *f)
{
    if ((metric->when == WITH_GUEST && !f->plan.guest) ||
        (metric->when == WITH_METER && !f->plan.meter)) {
        return;
    }
    put_head(to, metric->name, metric->type, metric->help);
    for (size_t k = 0; k < f->n; k++) {
        const struct member *m = f->member[k];

        if (metric->when == EVEN_DOWN    ? !m->hidden
            : metric->when == WITH_METER ? m->up && m->now.metered
                                         : m->up) {
            for (unsigned i = 0; i < values_of(m, metric->each); i++) {
                print_line(to, metric, &(struct line){metric->name, m, i});
            }
        }
    }
}

static void print_counts(FILE *to, const struct fleet *f, size_t event, const char *name,
                         const char *context)
{
    for (size_t i = next_up(f, 0); i < f->n; i = next_up(f, i + 1)) {
        const struct member *m = f->member[i];

        for (size_t cpu = 0; cpu < m->now.vcpus; cpu++) {
            put_machine(to, name, m);
            fprintf(to, ",vcpu=\"%u\"", m->now.cpu[cpu]);
            put_label(to, ",", "context", context);
            fprintf(to, "} %" PRIu64 "\n", m->now.counts[cpu * f->plan.events->n + event]);
        }
    }
}

/*
 * Prints a metric for the event @first and all events that differ from it only in the context.
 * Prints nothing if an earlier event has printed it.
 */
static void print_event(FILE *to, const struct fleet *f, size_t first)
{
    const struct events *events = f->plan.events;
    char name[PROMETHEUS_SIZE];
    char other[PROMETHEUS_SIZE];
    char context[PROMETHEUS_SIZE];

    prometheus_event(events->event[first].text, name, context);
    for (size_t i = 0; i < first; i++) {
        prometheus_event(events->event[i].text, other, context);
        if (strcmp(other, name) == 0) {
            return;
        }
    }
    put_head(to, name, "counter", "Events on the vCPU since the exporter found the machine.");
    for (size_t i = first; i < events->n; i++) {
        prometheus_event(events->event[i].text, other, context);
        if (strcmp(other, name) == 0) {
            print_counts(to, f, i, name, context);
        }
    }
}

/* One row for each design, so that a rule that asks for one finds it on every host. */
static void print_designs(FILE *to, enum kvm_glue_design here)
{
    static const enum kvm_glue_design designs[] = {
        KVM_GLUE_DESIGN_EVENTS,
        KVM_GLUE_DESIGN_MEDIATED,
        KVM_GLUE_DESIGN_PARTITIONED,
    };

    put_head(to, "vpmu_host_kvm_pmu", "gauge",
             "Whether the KVM of the exporter's host gives counters to guests by this design.");
    for (size_t i = 0; i < sizeof(designs) / sizeof(designs[0]); i++) {
        fprintf(to, "vpmu_host_kvm_pmu{design=\"%s\"} %d\n", kvm_glue_design_name(designs[i]),
                designs[i] == here);
    }
}

void prometheus_print(FILE *to, const struct fleet *f)
{
    put_head(to, "vpmu_exporter_info", "gauge", "1; the exporter's version.");
    fprintf(to, "vpmu_exporter_info{version=\"%s\"} 1\n", VPMU_VERSION);
    print_designs(to, f->design);
    for (size_t i = 0; i < sizeof(before_events) / sizeof(before_events[0]); i++) {
        print_metric(to, &before_events[i], f);
    }
    for (size_t i = 0; i < f->plan.events->n; i++) {
        print_event(to, f, i);
    }
    for (size_t i = 0; i < sizeof(behind_events) / sizeof(behind_events[0]); i++) {
        print_metric(to, &behind_events[i], f);
    }
}

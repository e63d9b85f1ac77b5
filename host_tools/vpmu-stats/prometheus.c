/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prometheus's text format: one metric after another, of each all machines. */
#include "prometheus.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* Bounds of histograms are 2^n - 1, from 0 to this n; what is larger is in +Inf. */
#define LAST_BOUND 24u

void prometheus_event(const char *text, char *name, char *context)
{
    size_t len = strcspn(text, ":");
    int n = snprintf(name, PROMETHEUS_SIZE, "vpmu_%.*s", len < 64 ? (int)len : 64, text);

    for (char *p = name; *p; p++) {
        *p = isalnum((unsigned char)*p) ? (char)tolower((unsigned char)*p) : '_';
    }
    snprintf(name + n, PROMETHEUS_SIZE - (size_t)n, "_total");
    snprintf(context, PROMETHEUS_SIZE, "%.64s", text[len] ? text + len + 1 : "all");
}

int prometheus_check(const struct events *events, struct trouble *t)
{
    char name[2][PROMETHEUS_SIZE];
    char context[2][PROMETHEUS_SIZE];

    for (size_t i = 0; i < events->n; i++) {
        prometheus_event(events->event[i].text, name[0], context[0]);
        for (size_t k = 0; k < i; k++) {
            prometheus_event(events->event[k].text, name[1], context[1]);
            if (strcmp(name[0], name[1]) == 0 && strcmp(context[0], context[1]) == 0) {
                return trouble_set(t, TROUBLE_USAGE, "'%s' and '%s' are the same metric",
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

/* A label's value: backslash, quotation mark and newline are escaped. */
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

/* NAME{machine="...", to which labels can be added. */
static void put_machine(FILE *to, const char *name, const struct member *m)
{
    fputs(name, to);
    put_label(to, "{", "machine", m->name);
}

/* The next machine from @i on that has something to say; f->n if none has. */
static size_t next_up(const struct fleet *f, size_t i)
{
    while (i < f->n && !f->member[i]->up) {
        i++;
    }
    return i;
}

static void print_up(FILE *to, const struct fleet *f)
{
    put_head(to, "vpmu_up", "gauge", "Whether the machine answered.");
    for (size_t i = 0; i < f->n; i++) {
        if (!f->member[i]->hidden) {
            put_machine(to, "vpmu_up", f->member[i]);
            fprintf(to, "} %d\n", f->member[i]->up);
        }
    }
}

static void print_info(FILE *to, const struct fleet *f)
{
    put_head(
        to, "vpmu_machine_info", "gauge",
        "1; the version of the machine's PMU, and the libvirt or socket that it is reached by.");
    for (size_t i = next_up(f, 0); i < f->n; i = next_up(f, i + 1)) {
        const struct member *m = f->member[i];
        char source[256];

        snprintf(source, sizeof(source), "%s", m->target.uri ? m->target.uri : m->target.name);
        format_tame(source);
        put_machine(to, "vpmu_machine_info", m);
        put_label(to, ",", "version", m->now.version);
        put_label(to, ",", "source", source);
        fputs("} 1\n", to);
    }
}

static void print_about(FILE *to, const struct fleet *f)
{
    put_head(to, "vpmu_vcpus", "gauge", "vCPUs with a virtual PMU.");
    for (size_t i = next_up(f, 0); i < f->n; i = next_up(f, i + 1)) {
        put_machine(to, "vpmu_vcpus", f->member[i]);
        fprintf(to, "} %zu\n", f->member[i]->now.vcpus);
    }
    put_head(to, "vpmu_read_seconds", "gauge", "How long the machine took to answer.");
    for (size_t i = next_up(f, 0); i < f->n; i = next_up(f, i + 1)) {
        put_machine(to, "vpmu_read_seconds", f->member[i]);
        fprintf(to, "} %.6f\n", f->member[i]->now.seconds);
    }
}

/* A metric of each vCPU's guest_use. */
struct guest_metric {
    const char *name;
    const char *type;
    const char *help;
    uint64_t (*value)(const struct guest_use *u);
};

static uint64_t counters_of(const struct guest_use *u)
{
    return u->counters;
}

static uint64_t enabled_of(const struct guest_use *u)
{
    return u->enabled;
}

static uint64_t uncounted_of(const struct guest_use *u)
{
    return u->uncounted;
}

static uint64_t looks_of(const struct guest_use *u)
{
    return u->looks;
}

static uint64_t changed_of(const struct guest_use *u)
{
    return u->changed;
}

static const struct guest_metric guest_metrics[] = {
    {"vpmu_guest_event_counters", "gauge", "Event counters that the guest has.", counters_of},
    {"vpmu_guest_event_counters_enabled", "gauge", "Event counters that the guest has on.",
     enabled_of},
    {"vpmu_guest_event_counters_uncounted", "gauge",
     "Of those on, counters of events that this machine does not count.", uncounted_of},
    {"vpmu_guest_looks_total", "counter",
     "Looks at which an event counter was on that had been on at the look before.", looks_of},
    {"vpmu_guest_looks_changed_total", "counter",
     "Of these looks, those at which such a counter had another event than before.", changed_of},
};

static void print_guests(FILE *to, const struct fleet *f)
{
    for (size_t metric = 0; metric < sizeof(guest_metrics) / sizeof(guest_metrics[0]); metric++) {
        const struct guest_metric *g = &guest_metrics[metric];

        put_head(to, g->name, g->type, g->help);
        for (size_t i = next_up(f, 0); i < f->n; i = next_up(f, i + 1)) {
            const struct sample *s = &f->member[i]->now;

            for (size_t cpu = 0; cpu < s->vcpus; cpu++) {
                put_machine(to, g->name, f->member[i]);
                fprintf(to, ",vcpu=\"%u\"} %" PRIu64 "\n", s->cpu[cpu], g->value(&s->guest[cpu]));
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

/* Events that differ only in the context are one metric, all lines of which are together. */
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
    put_head(to, name, "counter", "What the vCPU did since the machine was first looked at.");
    for (size_t i = first; i < events->n; i++) {
        prometheus_event(events->event[i].text, other, context);
        if (strcmp(other, name) == 0) {
            print_counts(to, f, i, name, context);
        }
    }
}

/* vpmu_blackout_instructions, of one machine and span. */
static void print_histogram(FILE *to, const struct member *m, unsigned span)
{
    static const char name[] = "vpmu_blackout_instructions";
    const struct span *s = &m->now.blackout.span[span];
    const char *text = blackout_span_name(span);
    uint64_t sum = 0;

    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        sum += s->histogram.n[i];
        if (i <= LAST_BOUND) {
            put_machine(to, "vpmu_blackout_instructions_bucket", m);
            fprintf(to, ",span=\"%s\",le=\"%" PRIu64 "\"} %" PRIu64 "\n", text,
                    (UINT64_C(1) << i) - 1, sum);
        }
    }
    put_machine(to, "vpmu_blackout_instructions_bucket", m);
    fprintf(to, ",span=\"%s\",le=\"+Inf\"} %" PRIu64 "\n", text, sum);
    fprintf(to, "%s_sum", name);
    put_machine(to, "", m);
    fprintf(to, ",span=\"%s\"} %" PRIu64 "\n", text, s->w.instructions);
    fprintf(to, "%s_count", name);
    put_machine(to, "", m);
    fprintf(to, ",span=\"%s\"} %" PRIu64 "\n", text, sum);
}

static void print_histograms(FILE *to, const struct fleet *f)
{
    put_head(to, "vpmu_blackout_instructions", "histogram",
             "Instructions of blackout windows and leaks at the machine's own hypervisor.");
    for (size_t i = next_up(f, 0); i < f->n; i = next_up(f, i + 1)) {
        for (unsigned span = 0; span < VPMU_SPAN_COUNT; span++) {
            print_histogram(to, f->member[i], span);
        }
    }
}

static void print_spans(FILE *to, const struct fleet *f)
{
    put_head(to, "vpmu_blackout_cycles_total", "counter", "Cycles of these windows and leaks.");
    for (size_t i = next_up(f, 0); i < f->n; i = next_up(f, i + 1)) {
        for (unsigned span = 0; span < VPMU_SPAN_COUNT; span++) {
            put_machine(to, "vpmu_blackout_cycles_total", f->member[i]);
            fprintf(to, ",span=\"%s\"} %" PRIu64 "\n", blackout_span_name(span),
                    f->member[i]->now.blackout.span[span].cycles);
        }
    }
    put_head(to, "vpmu_blackout_seconds_total", "counter", "The time that they took.");
    for (size_t i = next_up(f, 0); i < f->n; i = next_up(f, i + 1)) {
        for (unsigned span = 0; span < VPMU_SPAN_COUNT; span++) {
            uint64_t ns = f->member[i]->now.blackout.span[span].nanoseconds;

            put_machine(to, "vpmu_blackout_seconds_total", f->member[i]);
            fprintf(to, ",span=\"%s\"} %" PRIu64 ".%09" PRIu64 "\n", blackout_span_name(span),
                    ns / 1000000000, ns % 1000000000);
        }
    }
}

static void print_reasons(FILE *to, const struct fleet *f)
{
    const char *reason;

    put_head(to, "vpmu_blackout_exits_total", "counter",
             "Exits of guests with a window behind them, by reason.");
    for (size_t i = next_up(f, 0); i < f->n; i = next_up(f, i + 1)) {
        for (unsigned r = 0; (reason = blackout_reason_name(r)); r++) {
            put_machine(to, "vpmu_blackout_exits_total", f->member[i]);
            fprintf(to, ",reason=\"%s\"} %" PRIu64 "\n", reason,
                    f->member[i]->now.blackout.reason[r].n);
        }
    }
}

void prometheus_print(FILE *to, const struct fleet *f)
{
    put_head(to, "vpmu_exporter_info", "gauge", "1; the exporter's version.");
    fprintf(to, "vpmu_exporter_info{version=\"%s\"} 1\n", VPMU_VERSION);
    print_up(to, f);
    print_info(to, f);
    print_about(to, f);
    for (size_t i = 0; i < f->plan.events->n; i++) {
        print_event(to, f, i);
    }
    if (f->plan.guest) {
        print_guests(to, f);
    }
    if (f->plan.meter) {
        print_histograms(to, f);
        print_spans(to, f);
        print_reasons(to, f);
    }
}

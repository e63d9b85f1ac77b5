/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-stats guest: shows how the guest has programmed its counters. */
#include <inttypes.h>
#include <string.h>

#include "cli/builtin.h"
#include "machine/decode.h"
#include "base/format.h"
#include "session/measure.h"

static const struct measure_command command = {
    .arguments = "[MACHINE]",
    .doc = "Shows the counters that the guest has programmed: events, filters, values. Reading "
           "them does not affect the guest. The counters are printed once; with -I, repeatedly; "
           "with --timeout, after that time.\v"
           "An event that this machine does not count is marked: such a counter stays at 0. "
           "vpmu-stats events lists what is counted.",
    .instead =
        {
            [MEASURE_EVENT] =
                "the guest chooses the events: use vpmu-stats stat -e to count others",
            [MEASURE_WHILE_COUNTER] =
                "guest shows all counters: use vpmu-stats stat --while-counter",
        },
    .min_interval = MEASURE_MIN_INTERVAL_MS,
};

static const char *counter_name(char *buf, const struct counter *c)
{
    if (c->x86 && c->index >= MACHINE_X86_IBS) {
        return c->index == MACHINE_X86_IBS ? "IBS fetch" : "IBS op";
    }
    if (c->x86 && c->index >= MACHINE_X86_FIXED) {
        snprintf(buf, FORMAT_SIZE, "fixed %u", c->index - MACHINE_X86_FIXED);
        return buf;
    }
    if (c->index < MACHINE_CYCLE_COUNTER) {
        snprintf(buf, FORMAT_SIZE, "%u", c->index);
        return buf;
    }
    return c->index == MACHINE_CYCLE_COUNTER ? "cycles" : "insts";
}

static const char *state_of(const struct counter *c)
{
    return c->counting && c->name ? "counting" : c->enabled ? "enabled" : "off";
}

/* perf sets a counter to minus its period, so a value with the top bit set is shown as negative. */
static const char *value_of(char *buf, const struct counter *c)
{
    if (c->value >> (c->width - 1) & 1) {
        *buf = '-';
        format_grouped(buf + 1, -c->value << (64 - c->width) >> (64 - c->width));
        return buf;
    }
    return format_grouped(buf, c->value);
}

static void print_counter(struct out *out, const struct counter *c)
{
    char number[FORMAT_SIZE + 1];
    char name[FORMAT_SIZE];
    char event[DECODE_SIZE];
    char modifiers[DECODE_SIZE];
    char levels[DECODE_SIZE];
    char text[2 * DECODE_SIZE];

    snprintf(text, sizeof(text), "%s%s", decode_event(event, c),
             decode_counter_modifiers(modifiers, c));
    fprintf(out->text, "  %-8s%-28s %26s  %-9s %s%s%s", counter_name(name, c), text,
            value_of(number, c), state_of(c), decode_counter_levels(levels, c),
            c->interrupt ? ", interrupt" : "", c->overflow ? ", overflow" : "");
    /* An x86 counter that the guest has written, but has not given an event, has type 0. */
    if (!c->name && c->type) {
        fprintf(out->text, "  %s0x%" PRIx64 ": not modelled, counts 0%s",
                out->color ? "\033[31m" : "", c->event, out->color ? "\033[0m" : "");
    }
    fputc('\n', out->text);
}

/* Arm's versions are v1 and v2 before Armv8, and then those of PMUv3: v3, p1, ... */
static void print_pmu(struct out *out, const struct pmu *p, bool is_x86)
{
    bool is_early = strcmp(p->version, "v1") == 0 || strcmp(p->version, "v2") == 0;
    char version[FORMAT_SIZE];

    snprintf(version, sizeof(version), "%s", p->version);
    format_tame(version);
    fprintf(out->text, "CPU %u: PMU%s%s, event counters: %u\n", p->cpu,
            is_early ? ""
            : is_x86 ? " "
                     : "v3 ",
            version, p->event_counters);
    if (p->n == 0) {
        fprintf(out->text, "  no counter is in use\n");
        return;
    }
    fprintf(out->text, "  %-8s%-28s %26s  %-9s %s\n", "counter", "event", "value", "state",
            "counts at");
    for (size_t i = 0; i < p->n; i++) {
        print_counter(out, &p->counters[i]);
    }
}

static void print_record(struct measure *m, const struct pmu *p, const struct counter *c)
{
    struct json_object *record = measure_record(m, p);
    char buf[DECODE_SIZE];

    record_u64(record, "counter", c->index);
    record_string(record, "event", decode_event(buf, c));
    record_u64(record, "number", c->event);
    record_bool(record, "implemented", c->name);
    record_string(record, "modifiers", decode_counter_modifiers(buf, c));
    record_string(record, "levels", decode_counter_levels(buf, c));
    record_u64(record, "type", c->type);
    record_u64(record, "value", c->value);
    record_bool(record, "enabled", c->enabled);
    record_bool(record, "counting", c->counting);
    record_bool(record, "overflow", c->overflow);
    record_bool(record, "interrupt", c->interrupt);
    out_record(&m->s->out, record);
}

/* A reading is a struct pmus. */
static int read_pmus(struct measure *m, void *reading, struct error *t)
{
    pmus_free(reading);
    return machine_pmus(m->s->q, reading, t);
}

static void free_pmus(void *reading)
{
    pmus_free(reading);
}

static void report(struct measure *m)
{
    const struct pmus *pmus = m->now;
    struct out *out = &m->s->out;

    if (out->kind == OUT_TEXT && m->o->interval) {
        fprintf(out->text, "%s%.3f seconds:\n", m->reports ? "\n" : "", measure_seconds(m));
    }
    for (size_t i = 0; i < pmus->n; i++) {
        const struct pmu *p = &pmus->pmu[i];

        if (out->kind == OUT_TEXT) {
            print_pmu(out, p, pmus_of_x86(pmus));
            continue;
        }
        for (size_t n = 0; n < p->n; n++) {
            print_record(m, p, &p->counters[n]);
        }
    }
}

static const struct measure_ops ops = {
    .read = read_pmus,
    .report = report,
    .free = free_pmus,
    .is_state = true,
};

int builtin_guest(int argc, char **argv, int stop_fd)
{
    struct options common = options_default;
    struct measure_options o = measure_options_default;
    struct session s = {0};
    struct measure m = {.ops = &ops, .o = &o, .s = &s, .size = sizeof(struct pmus)};
    struct error t = {0};

    measure_parse(&command, argc, argv, 0, &common, &o, NULL);
    if (session_open(&s, &common, stop_fd, o.interval > 0, &t) == 0) {
        measure_run(&m, &t);
    }
    measure_options_free(&o);
    return session_close(&s, &t);
}

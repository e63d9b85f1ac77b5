/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-stats guest: what the guest's perf has made of the counters. */

#include "builtin.h"
#include "decode.h"
#include "format.h"
#include "session.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    if (key == ARGP_KEY_INIT) {
        state->child_inputs[0] = state->input;
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

static const struct argp_child children[] = {{&options_argp, 0, 0, 0}, {0}};
static const struct argp argp = {
    0,
    parse,
    "[MACHINE]",
    "Shows the counters that the guest has set up: events, filters, values. Looking changes "
    "nothing.\v"
    "An event that this machine does not count is marked: such a counter stays where it is. "
    "Modifiers are those of a kernel at EL1: perf in a kernel at EL2 calls EL2 k.",
    children,
    0,
    0,
};

static const char *counter_name(char *buf, const struct counter *c)
{
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

static void print_counter(struct out *out, const struct counter *c)
{
    char number[FORMAT_SIZE];
    char name[FORMAT_SIZE];
    char event[DECODE_SIZE];
    char modifiers[DECODE_SIZE];
    char levels[DECODE_SIZE];
    char text[2 * DECODE_SIZE];

    snprintf(text, sizeof(text), "%s%s", decode_event(event, c),
             decode_modifiers(modifiers, c->type));
    fprintf(out->text, "  %-8s%-28s %26s  %-9s %s%s%s", counter_name(name, c), text,
            format_grouped(number, c->value), state_of(c), decode_levels(levels, c->type),
            c->interrupt ? ", interrupt" : "", c->overflow ? ", overflow" : "");
    if (!c->name) {
        fprintf(out->text, "  %sthis machine does not count 0x%04x%s", out->color ? "\033[31m" : "",
                c->event, out->color ? "\033[0m" : "");
    }
    fputc('\n', out->text);
}

static void print_pmu(struct out *out, const struct pmu *p)
{
    char version[FORMAT_SIZE];

    snprintf(version, sizeof(version), "%s", p->version);
    format_tame(version);
    fprintf(out->text, "CPU %u: PMUv3 %s, event counters: %u\n", p->cpu, version,
            p->event_counters);
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

static void print_record(struct out *out, const struct pmu *p, const struct counter *c)
{
    struct json_object *record = json_object_new_object();
    char buf[DECODE_SIZE];

    record_u64(record, "cpu", p->cpu);
    record_u64(record, "counter", c->index);
    record_string(record, "event", decode_event(buf, c));
    record_u64(record, "number", c->event);
    record_bool(record, "implemented", c->name);
    record_string(record, "modifiers", decode_modifiers(buf, c->type));
    record_string(record, "levels", decode_levels(buf, c->type));
    record_u64(record, "type", c->type);
    record_u64(record, "value", c->value);
    record_bool(record, "enabled", c->enabled);
    record_bool(record, "counting", c->counting);
    record_bool(record, "overflow", c->overflow);
    record_bool(record, "interrupt", c->interrupt);
    out_record(out, record);
}

static void print_all(struct session *s)
{
    for (size_t i = 0; i < s->pmus.n; i++) {
        const struct pmu *p = &s->pmus.pmu[i];

        if (s->out.kind == OUT_TEXT) {
            print_pmu(&s->out, p);
            continue;
        }
        for (size_t n = 0; n < p->n; n++) {
            print_record(&s->out, p, &p->counters[n]);
        }
    }
}

int builtin_guest(int argc, char **argv, int stop_fd)
{
    struct options o = options_default;
    struct session s = {0};
    struct trouble t = {0};

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (session_open(&s, &o, stop_fd, false, &t) == 0) {
        print_all(&s);
    }
    return session_close(&s, &t);
}

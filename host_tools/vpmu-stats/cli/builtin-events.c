/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-stats events: lists the events that a machine's PMU counts. */
#include "base/format.h"
#include "cli/builtin.h"
#include "machine/counted.h"
#include "session/measure-options.h"
#include "session/session.h"

#define ONCE "a machine counts the same events as long as it runs"

static const struct measure_command command = {
    .arguments = "[MACHINE]",
    .doc =
        "Lists the events that the machine's PMU counts: number, name, where the counts come "
        "from, and what one event is.\v"
        "'exact' events are counted instruction by instruction. The counts of the others come "
        "from a model of the pipeline, of caches, of TLBs or of branch prediction, or from a "
        "clock. If a guest programs a counter with an event that is not in the list, the counter "
        "stays at 0; vpmu-stats guest marks it.",
    .instead =
        {
            [MEASURE_EVENT] = "all events are listed; vpmu-stats stat -e counts some",
            [MEASURE_INTERVAL] = ONCE,
            [MEASURE_COUNT] = ONCE,
            [MEASURE_TIMEOUT] = ONCE "; --patience says how long an answer may take",
            [MEASURE_PER_VCPU] = "the first vCPU that has a PMU stands for all",
            [MEASURE_WHILE_COUNTER] = "nothing is counted; vpmu-stats stat has --while-counter",
        },
};

/* Copies a text of another program and replaces its control characters. */
static const char *tame(char *buf, size_t size, const char *text)
{
    snprintf(buf, size, "%s", text);
    format_tame(buf);
    return buf;
}

static void print_event(struct out *out, const struct counted *event)
{
    char name[FORMAT_SIZE];
    char model[FORMAT_SIZE];
    char definition[1024];

    fprintf(out->text, "0x%-9jx %-34s %-18s %s\n", (uintmax_t)event->number,
            tame(name, sizeof(name), event->name),
            tame(model, sizeof(model), event->model ? event->model : "exact"),
            tame(definition, sizeof(definition), event->definition));
}

static void print_record(struct out *out, const struct counted *event)
{
    struct json_object *record = json_object_new_object();

    record_u64(record, "number", event->number);
    record_string(record, "name", event->name);
    record_string(record, "model", event->model);
    record_string(record, "definition", event->definition);
    out_record(out, record);
}

static void print_list(struct out *out, const struct counted_list *list)
{
    if (out->kind == OUT_TEXT) {
        fprintf(out->text, "%-11s %-34s %-18s %s\n", "number", "event", "counts", "one event is");
    }
    for (size_t i = 0; i < list->n; i++) {
        if (out->kind == OUT_TEXT) {
            print_event(out, &list->event[i]);
        } else {
            print_record(out, &list->event[i]);
        }
    }
}

int builtin_events(int argc, char **argv, int stop_fd)
{
    struct options common = options_default;
    struct measure_options o = measure_options_default;
    struct session s = {0};
    struct counted_list list;
    struct error t = {0};

    measure_parse(&command, argc, argv, 0, &common, &o, NULL);
    if (session_open(&s, &common, stop_fd, false, &t) == 0 && counted_ask(s.q, &list, &t) == 0) {
        print_list(&s.out, &list);
        counted_free(&list);
    }
    measure_options_free(&o);
    return session_close(&s, &t);
}

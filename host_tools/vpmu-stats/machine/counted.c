/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the list of events that a machine's PMU counts. */
#include "machine/counted.h"

#include <stdlib.h>

#include "qmp/response.h"

#define COMMAND "query-vpmu-events"
/* The most events. A PMU has at most as many event numbers. */
#define MAX_EVENTS 65536u

static int read_event(struct response a, struct counted *event)
{
    if (response_u64(a, "number", UINT64_MAX, &event->number) ||
        response_string(a, "name", &event->name) ||
        response_string(a, "definition", &event->definition)) {
        return -1;
    }
    return response_has(a, "model") ? response_string(a, "model", &event->model) : 0;
}

static int read_list(struct response a, struct counted_list *list)
{
    size_t n;

    if (response_length(a, &n)) {
        return -1;
    }
    if (n == 0) {
        return error_set(a.t, ERROR_NO_VPMU, "the machine has no PMU that QEMU emulates");
    }
    if (n > MAX_EVENTS) {
        return error_set(a.t, ERROR_TALK, "%s: %zu events, but at most %d are possible", a.what, n,
                         (int)MAX_EVENTS);
    }
    list->event = calloc(n, sizeof(*list->event));
    if (!list->event) {
        return error_memory(a.t);
    }
    for (list->n = 0; list->n < n; list->n++) {
        if (read_event(response_item(a, list->n), &list->event[list->n])) {
            return -1;
        }
    }
    return 0;
}

int counted_ask(struct qmp *q, struct counted_list *list, struct error *t)
{
    *list = (struct counted_list){0};
    if (qmp_call(q, COMMAND, NULL, &list->answer, t)) {
        return -1;
    }
    if (read_list((struct response){list->answer, COMMAND, t}, list)) {
        counted_free(list);
        return -1;
    }
    return 0;
}

void counted_free(struct counted_list *list)
{
    free(list->event);
    json_object_put(list->answer);
    *list = (struct counted_list){0};
}

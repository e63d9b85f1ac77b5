/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of perf's file and their ids. */
#include "perfdata/perfevents.h"

#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"

/* A machine with many CPUs has an id for each event on each CPU. */
#define MAX_EVENTS 4096u
#define MAX_IDS (1u << 20)

static int compare_ids(const void *a, const void *b)
{
    uint64_t left = ((const struct perfevent_id *)a)->id;
    uint64_t right = ((const struct perfevent_id *)b)->id;

    return left < right ? -1 : left > right;
}

/* Returns perf's name for an event. It is used for files without names, such as truncated files. */
static const char *generic_name(const struct perf_event_attr *attr)
{
    static const char *const hardware[] = {"cycles",
                                           "instructions",
                                           "cache-references",
                                           "cache-misses",
                                           "branches",
                                           "branch-misses",
                                           "bus-cycles",
                                           "stalled-cycles-frontend",
                                           "stalled-cycles-backend",
                                           "ref-cycles"};
    static const char *const software[] = {
        "cpu-clock",        "task-clock",   "page-faults",  "context-switches",
        "cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
        "emulation-faults", "dummy",        "bpf-output",   "cgroup-switches"};

    if (attr->type == PERF_TYPE_HARDWARE && attr->config < sizeof(hardware) / sizeof(hardware[0])) {
        return hardware[attr->config];
    }
    if (attr->type == PERF_TYPE_SOFTWARE && attr->config < sizeof(software) / sizeof(software[0])) {
        return software[attr->config];
    }
    return NULL;
}

static int name_it(struct perfevents *e, size_t event, struct error *t)
{
    const struct perf_event_attr *attr = &e->event[event].attr;
    const char *name = generic_name(attr);
    char number[64];

    snprintf(number, sizeof(number), attr->type == PERF_TYPE_RAW ? "raw 0x%" PRIx64 : "event %zu",
             attr->type == PERF_TYPE_RAW ? (uint64_t)attr->config : (uint64_t)event);
    return perfevents_rename(e, event, name ? name : number, t);
}

int perfevents_add(struct perfevents *e, const void *attr, size_t size, struct error *t)
{
    struct perfevent *event;

    if (size < PERF_ATTR_SIZE_VER0) {
        return error_set(t, ERROR_USAGE, "an event's description has %zu bytes instead of %d", size,
                         PERF_ATTR_SIZE_VER0);
    }
    if (e->n == MAX_EVENTS) {
        return error_set(t, ERROR_USAGE, "it has more than %u events", MAX_EVENTS);
    }
    event = reallocarray(e->event, e->n + 1, sizeof(*event));
    if (!event) {
        return error_memory(t);
    }
    e->event = event;
    memset(&event[e->n], 0, sizeof(*event));
    memcpy(&event[e->n].attr, attr, size < sizeof(event->attr) ? size : sizeof(event->attr));
    return name_it(e, e->n++, t);
}

int perfevents_add_id(struct perfevents *e, unsigned event, uint64_t id, struct error *t)
{
    struct perfevent_id *new;
    struct perfevent_id **found;

    if (e->n_ids == MAX_IDS) {
        return error_set(t, ERROR_USAGE, "its events have more than %u ids", MAX_IDS);
    }
    new = malloc(sizeof(*new));
    if (!new) {
        return error_memory(t);
    }
    *new = (struct perfevent_id){.id = id, .event = event};
    found = tsearch(new, &e->ids, compare_ids);
    if (!found || *found != new) {
        free(new);
    }
    e->n_ids++;
    return found ? 0 : error_memory(t);
}

struct perfevent_id *perfevents_find(const struct perfevents *e, uint64_t id)
{
    const struct perfevent_id wanted = {.id = id};
    struct perfevent_id **found = tfind(&wanted, &e->ids, compare_ids);

    return found ? *found : NULL;
}

int perfevents_rename(struct perfevents *e, size_t event, const char *name, struct error *t)
{
    char *copy = strdup(name);

    if (!copy) {
        return error_memory(t);
    }
    format_tame(copy);
    free(e->event[event].name);
    e->event[event].name = copy;
    return 0;
}

void perfevents_free(struct perfevents *e)
{
    for (size_t i = 0; i < e->n; i++) {
        free(e->event[i].name);
    }
    free(e->event);
    tdestroy(e->ids, free);
    *e = (struct perfevents){0};
}

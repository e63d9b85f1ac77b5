/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PERFEVENTS_H
#define VPMU_STATS_PERFEVENTS_H

#include <linux/perf_event.h>

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct perfevent {
    struct perf_event_attr attr;
    char *name;
};

/**
 * struct perfevent_id - an event on a CPU
 * @id: perf's id.
 * @event: index of the event.
 * @last: the count when it was last read; 0 at first.
 */
struct perfevent_id {
    uint64_t id;
    unsigned event;
    uint64_t last;
};

/**
 * struct perfevents - the events of a file; all 0 at first
 * @event: the events, in the file's order.
 * @n: number of events.
 *
 * The other fields are private.
 */
struct perfevents {
    struct perfevent *event;
    size_t n;
    void *ids;
    size_t n_ids;
};

/**
 * perfevents_add() - add an event
 * @attr: a struct perf_event_attr of any version.
 * @size: its size in bytes.
 *
 * The event gets the name that perf would show. perfevents_rename() changes it.
 *
 * Return: 0, or -1 with an error: ERROR_USAGE if there are too many events or @size is too small.
 */
int perfevents_add(struct perfevents *e, const void *attr, size_t size, struct error *t);

/**
 * perfevents_add_id() - add an id to an event
 *
 * If another event has this id already, nothing changes.
 *
 * Return: 0, or -1 with an error.
 */
int perfevents_add_id(struct perfevents *e, unsigned event, uint64_t id, struct error *t);

/** perfevents_find() - find the event on a CPU that has an id; NULL if there is none */
struct perfevent_id *perfevents_find(const struct perfevents *e, uint64_t id);

/**
 * perfevents_rename() - name an event; control characters in the name become question marks
 *
 * Return: 0, or -1 if there is no memory.
 */
int perfevents_rename(struct perfevents *e, size_t event, const char *name, struct error *t);

void perfevents_free(struct perfevents *e);

#endif

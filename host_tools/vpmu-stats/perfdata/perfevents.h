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
 * @event: its index.
 * @last: its count when it was last read; 0 before.
 */
struct perfevent_id {
    uint64_t id;
    unsigned event;
    uint64_t last;
};

/**
 * struct perfevents - the events of a file, 0 at first
 * @event: @n of them, in the file's order.
 *
 * The rest is private.
 */
struct perfevents {
    struct perfevent *event;
    size_t n;
    void *ids;
    size_t n_ids;
};

/**
 * perfevents_add() - adds an event
 * @attr: a struct perf_event_attr of any version, of @size bytes.
 *
 * Its name is what perf calls it, until it is renamed.
 *
 * Return: 0, or -1: ERROR_USAGE if there are too many, or @size is none.
 */
int perfevents_add(struct perfevents *e, const void *attr, size_t size, struct error *t);

/** perfevents_add_id() - adds an id to an event; the first that has it keeps it */
int perfevents_add_id(struct perfevents *e, unsigned event, uint64_t id, struct error *t);

/** perfevents_find() - what has this id, or NULL */
struct perfevent_id *perfevents_find(const struct perfevents *e, uint64_t id);

/** perfevents_rename() - gives an event a name; control characters in it become question marks */
int perfevents_rename(struct perfevents *e, size_t event, const char *name, struct error *t);

void perfevents_free(struct perfevents *e);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_COUNTED_H
#define VPMU_STATS_COUNTED_H

#include <stddef.h>
#include <stdint.h>

#include "qmp/qmp.h"

/**
 * struct counted - an event that a machine's PMU counts
 * @number: the number of the event.
 * @name: its name in the architecture.
 * @definition: a sentence about what one event is.
 * @model: the model that the count comes from; NULL if the count is exact.
 */
struct counted {
    uint64_t number;
    const char *name;
    const char *definition;
    const char *model;
};

/**
 * struct counted_list - all events that a machine's PMU counts
 * @n: the number of events.
 * @event: an array of @n events.
 * @answer: the JSON object that owns the strings.
 */
struct counted_list {
    size_t n;
    struct counted *event;
    struct json_object *answer;
};

/**
 * counted_ask() - ask a machine which events its PMU counts
 * @q: the monitor of the machine.
 * @list: is filled in.
 *
 * Return: 0, after which counted_free() is needed; or -1.
 */
int counted_ask(struct qmp *q, struct counted_list *list, struct error *t);

/**
 * counted_free() - release a list
 * @list: the list. It is empty afterwards.
 */
void counted_free(struct counted_list *list);

#endif

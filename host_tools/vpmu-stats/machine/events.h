/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_EVENTS_H
#define VPMU_STATS_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/observers.h"
#include "vpmu/arm/observer.h"

/**
 * struct event - an event to count
 * @text: the event as the user writes it, with the modifiers of its group, but without "p".
 * @optional: it is not an error if the machine does not have the event.
 * @known: @what is valid. An emulator may know more events than this program.
 * @what: the parsed event.
 */
struct event {
    char *text;
    bool optional;
    bool known;
    struct vpmu_observer what;
};

struct events {
    struct event event[OBSERVERS_MAX];
    size_t n;
};

/**
 * events_add() - parse a list in the syntax of perf stat -e, and add its events
 * @e: the events; events_free() is needed in any case.
 * @list: the list, such as "instructions:u,{cycles,branches}:G".
 *
 * Return: 0; or -1: ERROR_USAGE if the list is not valid or too long.
 */
int events_add(struct events *e, const char *list, struct error *t);
void events_free(struct events *e);

/* Size of an event's modifiers with the terminating zero. */
#define EVENTS_MODIFIERS_SIZE 65

/**
 * events_modifiers() - get the modifiers of an event in one form
 * @text: the event, such as "cycles:ku".
 * @modifiers: receives each letter once, in the order "ukhGH". Letters that together select
 *     everything are left out, so that "cycles:GH" has none. If the program does not know one of
 *     the letters, it receives all of them as they are.
 */
void events_modifiers(const char *text, char modifiers[EVENTS_MODIFIERS_SIZE]);

/**
 * events_find() - find an event by its name and its modifiers in any order
 *
 * Return: its index; @e->n if there is none.
 */
size_t events_find(const struct events *e, const char *name);

/**
 * events_add_optional() - add optional events
 * @e: the events.
 * @names: the texts of the events. Those that @e already has are not added again.
 * @n: the number of @names.
 *
 * Return: 0 or -1.
 */
int events_add_optional(struct events *e, const char *const *names, size_t n, struct error *t);

/** events_remove() - remove the event with the index @i */
void events_remove(struct events *e, size_t i);

/** enum metric_grade - the range of a percentage, for which perf stat has a color each */
enum metric_grade {
    METRIC_PLAIN,
    METRIC_NOTABLE,
    METRIC_HIGH,
    METRIC_EXCESSIVE,
};

/**
 * struct metric - a value that is printed beside a count
 * @value: the value.
 * @decimals: the number of digits to print after the decimal point.
 * @unit: its unit, such as "insn per cycle" or "M/sec".
 * @grade: its color.
 */
struct metric {
    double value;
    int decimals;
    const char *unit;
    enum metric_grade grade;
};

/**
 * events_metric() - compute the metric that is printed beside an event
 * @e: the events.
 * @counts: a count for each event, of the same time and vCPUs.
 * @i: the index of the event.
 * @seconds: the time in which the events were counted.
 * @m: is filled in.
 *
 * Return: true; or false if there is no metric: no ratio to another event, and @seconds is 0.
 */
bool events_metric(const struct events *e, const uint64_t *counts, size_t i, double seconds,
                   struct metric *m);

#endif

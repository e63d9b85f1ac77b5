/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_EVENTS_H
#define VPMU_STATS_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/observers.h"
#include "vpmu/arm/observer.h"

/**
 * struct event - what is to be counted
 * @text: as the user writes it.
 * @known: @what says what it is. An emulator may know more events than this program.
 */
struct event {
    char *text;
    bool known;
    struct vpmu_observer what;
};

struct events {
    struct event event[OBSERVERS_MAX];
    size_t n;
};

/**
 * events_add() - adds a list as perf stat -e has it: "instructions:u,cycles,branches:G"
 * Return: 0, or -1 with ERROR_USAGE. events_free() is needed either way.
 */
int events_add(struct events *e, const char *list, struct error *t);
void events_free(struct events *e);

/** enum metric_grade - how bad it is, as perf sees it */
enum metric_grade {
    METRIC_PLAIN,
    METRIC_NOTABLE,
    METRIC_HIGH,
    METRIC_EXCESSIVE,
};

/**
 * struct metric - what a number means beside another
 * @decimals: to print.
 * @unit: such as "insn per cycle", "M/sec".
 */
struct metric {
    double value;
    int decimals;
    const char *unit;
    enum metric_grade grade;
};

/**
 * events_metric() - the metric that is printed beside an event
 * @counts: one for each event, of the same time and vCPUs.
 * @i: the event.
 * @seconds: how long that was.
 *
 * Return: false if there is none: nothing to divide by.
 */
bool events_metric(const struct events *e, const uint64_t *counts, size_t i, double seconds,
                   struct metric *m);

#endif

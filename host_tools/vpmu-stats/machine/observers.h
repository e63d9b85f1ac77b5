/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_OBSERVERS_H
#define VPMU_STATS_OBSERVERS_H

#include "machine/machine.h"

#define OBSERVERS_MAX 64u
#define OBSERVERS_NAME_SIZE 48

/**
 * struct observers - the observers of this process
 * @n: the number of observers. If adding the last one failed, it may not exist.
 * @names: their names in query-stats, with "observer/" at the start.
 */
struct observers {
    size_t n;
    char names[OBSERVERS_MAX][OBSERVERS_NAME_SIZE];
};

/**
 * observers_add() - add an observer with a name that no other process uses
 * @o: the observers; observers_remove() is needed in any case.
 * @q: the monitor of the machine.
 * @event: the event to count.
 * @gate: see machine_observe().
 *
 * Return: 0 or -1.
 */
int observers_add(struct observers *o, struct qmp *q, const char *event, int gate, struct error *t);

/**
 * observers_remove() - remove all observers, as far as the machine still responds
 *
 * The user cannot stop this. See qmp_hurry().
 */
int observers_remove(struct observers *o, struct qmp *q, struct error *t);

/**
 * observers_read() - read all observers on all vCPUs
 * @o: the observers.
 * @q: the monitor of the machine.
 * @pmus: the PMUs of the machine.
 * @values: receives pmus.n rows of observers.n values.
 *
 * Return: 0; or -1: ERROR_TALK if a value is missing.
 */
int observers_read(const struct observers *o, struct qmp *q, const struct pmus *pmus,
                   uint64_t *values, struct error *t);

#endif

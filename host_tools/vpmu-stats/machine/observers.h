/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_OBSERVERS_H
#define VPMU_STATS_OBSERVERS_H

#include "machine/machine.h"

#define OBSERVERS_MAX 64u
#define OBSERVERS_NAME_SIZE 48

/**
 * struct observers - observers of this process
 * @n: so many may be there: the last one perhaps is not, if adding it failed.
 * @names: in query-stats: "observer/" and the name.
 */
struct observers {
    size_t n;
    char names[OBSERVERS_MAX][OBSERVERS_NAME_SIZE];
};

/**
 * observers_add() - adds an observer, with a name that no other process gives
 * @gate: see machine_observe().
 *
 * Return: 0, or -1; observers_remove() is needed either way.
 */
int observers_add(struct observers *o, struct qmp *q, const char *event, int gate, struct error *t);

/**
 * observers_remove() - removes all of them, as far as the machine still answers
 *
 * A user who wants to end does not stop this.
 */
int observers_remove(struct observers *o, struct qmp *q, struct error *t);

/**
 * observers_read() - reads all of them on all vCPUs
 * @values: pmus.n rows of observers.n values.
 */
int observers_read(const struct observers *o, struct qmp *q, const struct pmus *pmus,
                   uint64_t *values, struct error *t);

#endif

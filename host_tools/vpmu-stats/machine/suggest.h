/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_SUGGEST_H
#define VPMU_STATS_SUGGEST_H

#include "qmp/qmp.h"

/**
 * suggest_event() - adds the nearest names to the error about an event that does not exist
 * @q: the machine is asked for the names of its events.
 * @t: unchanged if it is about something else, or the machine does not answer.
 */
void suggest_event(struct qmp *q, struct error *t);

/**
 * suggest_distance() - how many letters must be changed, inserted, removed or swapped
 *
 * Upper and lower case are the same, as are '_', '-' and '.'. Only the first 63 letters count.
 */
unsigned suggest_distance(const char *a, const char *b);

#endif

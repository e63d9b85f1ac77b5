/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_SUGGEST_H
#define VPMU_STATS_SUGGEST_H

#include "qmp/qmp.h"

/**
 * suggest_event() - add the nearest names of events to an error about an unknown event
 * @q: the monitor of the machine, which is asked for the events that it counts.
 * @t: the error. It stays as it is if it is about something else, or if the machine does not
 *     respond.
 */
void suggest_event(struct qmp *q, struct error *t);

#endif

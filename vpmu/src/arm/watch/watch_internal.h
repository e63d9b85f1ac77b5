/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_WATCH_INTERNAL_H
#define VPMU_WATCH_INTERNAL_H

#include "../arm_internal.h"
#include "vpmu/arm/watch.h"

/* The host, as its kernel left it. */
static inline struct vpmu_setup_ vpmu_host_(const struct vpmu *v)
{
    return vpmu_setup_(&v->config, &v->watch->host_controls, &v->watch->host);
}

/* An observer or the meter needs the time of every change of context. */
static inline bool vpmu_wants_time_(const struct vpmu *v)
{
    return v->watch->blackout || v->count.observes_time;
}

/* observers.c: takes over what was counted; who runs, or a gate, may have changed since. */
void vpmu_observers_settle_(struct vpmu *v);

/* observers.c: recomputes what has to be tallied for observers and the meter. */
void vpmu_watch_rearm_(struct vpmu *v);

/*
 * blackout.c: vpmu_blackout_elapse_() takes over what was executed since the last time, while the
 * watch is still as it was then; vpmu_blackout_see_() looks at how it is now. A guest that has just
 * stopped running had @reason; otherwise that is VPMU_EXIT_REASONS.
 */
void vpmu_blackout_elapse_(struct vpmu *v);
void vpmu_blackout_see_(struct vpmu *v, unsigned reason);
void vpmu_blackout_forget_(struct vpmu_blackout *b);

/* blackout.c: nothing has been measured. */
void vpmu_blackout_clear_(struct vpmu_blackout *b);

#endif

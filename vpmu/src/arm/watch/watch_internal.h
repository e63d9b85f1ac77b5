/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_WATCH_INTERNAL_H
#define VPMU_WATCH_INTERNAL_H

#include "../arm_internal.h"
#include "vpmu/arm/watch.h"

/* The host's registers and controls, as its kernel set them. */
static inline struct vpmu_setup_ vpmu_host_(const struct vpmu_arm *v)
{
    return vpmu_setup_(&v->config, &v->watch->host_controls, &v->watch->host);
}

/* Tells whether an observer or the meter needs the time of each change of context. */
static inline bool vpmu_wants_time_(const struct vpmu_arm *v)
{
    return v->watch->blackout || v->count.observes_time;
}

/*
 * observers.c: settles all observers. Call it when who runs or a gate may have changed. Returns
 * what is due.
 */
int vpmu_observers_settle_(struct vpmu_arm *v);

/*
 * blackout.c: vpmu_blackout_elapse_() adds what was executed since the last call, while the watch
 * is still in its old state. vpmu_blackout_see_() reads the new state. @reason is the exit reason
 * if a guest has just stopped running, otherwise VPMU_EXIT_REASONS. It returns VPMU_DUE_SPANS if
 * spans have ended.
 */
void vpmu_blackout_elapse_(struct vpmu_arm *v, const struct vpmu_now *now);
int vpmu_blackout_see_(struct vpmu_arm *v, unsigned reason, const struct vpmu_now *now);
void vpmu_blackout_forget_(struct vpmu_blackout *b);

/* blackout.c: clears all results, and the spans that are open. */
void vpmu_blackout_clear_(struct vpmu_blackout *b);

#endif

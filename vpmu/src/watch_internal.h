/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_WATCH_INTERNAL_H
#define VPMU_WATCH_INTERNAL_H

#include "internal.h"
#include "vpmu/watch.h"

#define VPMU_ALL_CONTEXTS ((1u << VPMU_CTX_COUNT) - 1)

/* watch.c: who counts what may have changed. */
void vpmu_watch_rearm_(struct vpmu *v);

/* observer.c: takes over what was counted; who runs, or a gate, may have changed since. */
void vpmu_observers_settle_(struct vpmu *v);

/*
 * blackout.c: vpmu_blackout_elapse_() takes over what was executed since the last time, while the
 * watch is still as it was then; vpmu_blackout_see_() looks at how it is now. A guest that has just
 * stopped running had @reason; otherwise that is VPMU_EXIT_REASONS.
 */
void vpmu_blackout_elapse_(struct vpmu *v);
void vpmu_blackout_see_(struct vpmu *v, unsigned reason);
void vpmu_blackout_forget_(struct vpmu_blackout *b);

#endif

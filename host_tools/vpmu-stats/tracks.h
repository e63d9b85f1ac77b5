/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_TRACKS_H
#define VPMU_STATS_TRACKS_H

#include "fxt.h"

/*
 * A machine in a trace: it is the one process, its threads are vCPUs, from 1 on as in Fuchsia's
 * cpuperf, and times are nanoseconds.
 */
#define TRACKS_PER_SECOND 1000000000u

/* What counts how often events happened belongs to this category. */
#define TRACKS_COUNTERS "cpu:perf"

/** tracks_begin() - writes what a trace begins with */
void tracks_begin(struct fxt *f);

/** tracks_name() - names a vCPU */
void tracks_name(struct fxt *f, uint32_t cpu);

/** tracks_place() - something of a vCPU's */
struct fxt_place tracks_place(uint32_t cpu, uint64_t time, const char *category, const char *name);

/** tracks_counter() - from @time on, an event's counter on a vCPU has these values */
void tracks_counter(struct fxt *f, uint32_t cpu, uint64_t time, const char *event,
                    const struct fxt_argument *argument, unsigned n);

#endif

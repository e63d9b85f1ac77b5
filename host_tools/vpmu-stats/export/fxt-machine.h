/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_FXT_MACHINE_H
#define VPMU_STATS_FXT_MACHINE_H

#include "export/fxt.h"

/*
 * A machine in a trace: it is the one process, its threads are vCPUs, from 1 on as in Fuchsia's
 * cpuperf, and times are nanoseconds.
 */
#define FXT_MACHINE_PER_SECOND 1000000000u

/* What counts how often events happened belongs to this category. */
#define FXT_MACHINE_COUNTERS "cpu:perf"

/** fxt_machine_begin() - writes what a trace begins with */
void fxt_machine_begin(struct fxt *f);

/** fxt_machine_name() - names a vCPU */
void fxt_machine_name(struct fxt *f, uint32_t cpu);

/** fxt_machine_place() - something of a vCPU's */
struct fxt_place fxt_machine_place(uint32_t cpu, uint64_t time, const char *category,
                                   const char *name);

/** fxt_machine_counter() - from @time on, an event's counter on a vCPU has these values */
void fxt_machine_counter(struct fxt *f, uint32_t cpu, uint64_t time, const char *event,
                         const struct fxt_argument *argument, unsigned n);

#endif

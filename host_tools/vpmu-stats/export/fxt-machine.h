/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_FXT_MACHINE_H
#define VPMU_STATS_FXT_MACHINE_H

#include "export/fxt.h"

/*
 * A machine in a trace: it is the only process, and its vCPUs are the threads, numbered from 1 as
 * in Fuchsia's cpuperf. Times are in nanoseconds.
 */
#define FXT_MACHINE_PER_SECOND 1000000000u

/* The category of counters of events. */
#define FXT_MACHINE_COUNTERS "cpu:perf"

/** fxt_machine_begin() - write the start of a trace */
void fxt_machine_begin(struct fxt *f);

/** fxt_machine_name() - name a vCPU */
void fxt_machine_name(struct fxt *f, uint32_t cpu);

/** fxt_machine_place() - make the place of an event on a vCPU */
struct fxt_place fxt_machine_place(uint32_t cpu, uint64_t time, const char *category,
                                   const char *name);

/** fxt_machine_counter() - write the values that an event's counter on a vCPU has from @time on */
void fxt_machine_counter(struct fxt *f, uint32_t cpu, uint64_t time, const char *event,
                         const struct fxt_argument *argument, unsigned n);

#endif

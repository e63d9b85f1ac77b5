/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNTIME_SMP_H
#define RUNTIME_SMP_H

#include <stdint.h>

/* A job for another CPU. It runs there at the level of home. */
typedef void (*cpu_fn)(unsigned cpu);

/* Starts the other CPUs. Returns the number of CPUs, including the boot CPU. Call it once. */
unsigned smp_start(void);

/* Returns the number of running CPUs. */
unsigned smp_count(void);

/* Runs fn on all CPUs at once, including this one (number 0). Returns when all have finished. */
void smp_run(cpu_fn fn);

/*
 * Runs fn on all CPUs but the boot CPU, turns them off, and starts them again from reset. Returns
 * the number of CPUs then.
 */
unsigned smp_restart(cpu_fn fn);

/* Waits inside smp_run() until all CPUs have called it. */
void smp_barrier(void);

#endif

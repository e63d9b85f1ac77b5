/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNTIME_SMP_H
#define RUNTIME_SMP_H

#include <stdint.h>

/* Work for another CPU; runs there at the level of home. */
typedef void (*cpu_fn)(unsigned cpu);

/* Starts the other CPUs: how many there are then, the boot CPU included. Call it once. */
unsigned smp_start(void);

/* How many CPUs run. */
unsigned smp_count(void);

/* Runs fn on all CPUs at once, this one (number 0) included; returns when all have finished. */
void smp_run(cpu_fn fn);

/*
 * Turns all CPUs but the boot CPU off, each after it has run fn, and starts them again, reset.
 * Returns how many CPUs there are then.
 */
unsigned smp_restart(cpu_fn fn);

/* Waits in smp_run() until all CPUs are here. */
void smp_barrier(void);

#endif

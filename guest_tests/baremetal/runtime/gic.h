/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNTIME_GIC_H
#define RUNTIME_GIC_H

#include <stdbool.h>

/* Private interrupts of the virt machine. */
#define INTID_PMU 23u
#define INTID_VIRTUAL_TIMER 27u
#define INTID_SPURIOUS 1020u

/* GICv2; once for each CPU. Interrupts are disabled one by one until gic_enable(). */
void gic_init(void);
void gic_enable(unsigned intid);
void gic_disable(unsigned intid);

/* Signals the interrupts of this CPU as FIQs from now on, or as IRQs again. */
void gic_signal_fiq(bool fiq);

/* The line of a level-sensitive private interrupt of this CPU. */
bool gic_line(unsigned intid);

/* Acknowledges: the INTID, or one from INTID_SPURIOUS up. */
unsigned gic_acknowledge(void);
void gic_end(unsigned intid);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNTIME_GIC_H
#define RUNTIME_GIC_H

#include <stdbool.h>

/* Private interrupts of the virt machine. */
#define INTID_PMU 23u
#define INTID_VIRTUAL_TIMER 27u
#define INTID_SPURIOUS 1020u

/*
 * GICv2. Each CPU calls this once. Interrupts stay disabled until gic_enable() enables them one by
 * one.
 */
void gic_init(void);
void gic_enable(unsigned intid);
void gic_disable(unsigned intid);

/* Signals the interrupts of this CPU as FIQs from now on, or as IRQs again. */
void gic_signal_fiq(bool fiq);

/* Returns the line of a level-sensitive private interrupt of this CPU. */
bool gic_line(unsigned intid);

/* Acknowledges an interrupt. Returns its INTID, or one from INTID_SPURIOUS on if there is none. */
unsigned gic_acknowledge(void);
void gic_end(unsigned intid);

#endif

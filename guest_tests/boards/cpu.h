/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BOARDS_CPU_H
#define BOARDS_CPU_H

#include <stdint.h>

/* What differs between AArch64 (cpu64.c, start64.S) and AArch32 (cpu32.c, start32.S). */

/* semihost() - a call of Arm's semihosting, which QEMU has on every board */
intptr_t semihost(intptr_t operation, void *argument);

/* take_interrupts() - from now on each IRQ calls on_interrupt() */
void take_interrupts(void);
void on_interrupt(void);

/* pmu_start() - let the cycle counter run, enabled to interrupt, @cycles before its overflow */
void pmu_start(uint32_t cycles);
/* pmu_overflowed() - has it overflowed since? */
int pmu_overflowed(void);
/* pmu_stop() - stop it, and clear the overflow, which lowers the interrupt line */
void pmu_stop(void);

/* The CPU interface of a GICv3, by system registers. */
void gic3_enable(void);
uint32_t gic3_acknowledge(void);
void gic3_end(uint32_t intid);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_EXAMPLES_FAKE_EL2_H
#define VPMU_EXAMPLES_FAKE_EL2_H

/*
 * The machine below hypervisor.c, in place of an arm64 CPU. vpmu/arm/sysreg.h accesses its PMU. The
 * PMU has eight counters, which count instructions and cycles, two cycles for each instruction.
 * Host and guest run a given number of instructions; accesses to registers do not count.
 */
#include <stdbool.h>
#include <stdint.h>

/* Handlers of hypervisor.c: an exception that the guest, at @el, takes to EL2. */
void el2_sync(unsigned el, uint64_t esr, uint64_t x[31]);
void el2_irq(unsigned el);

/* Resets the machine, which then executes at EL2. */
void fake_start(void);

/* Executes @n instructions of the host's kernel, at EL1. */
void host_run(unsigned n);

/* Executes @n instructions of the guest. An overflow interrupts to EL2 at its instruction. */
void guest_run(unsigned el, unsigned n);

/* An access of the guest's kernel to a PMU register. @enc is VPMU_ENC64(). */
uint64_t guest_mrs(uint16_t enc);
void guest_msr(uint16_t enc, uint64_t val);

/* HCR_EL2.VI: while @pending, the guest calls guest_irq() before its next instruction. */
void el2_inject(bool pending);

/* Returns how many instructions the guest has executed at EL0. */
uint64_t guest_executed(void);

#endif

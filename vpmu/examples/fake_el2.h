/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_EXAMPLES_FAKE_EL2_H
#define VPMU_EXAMPLES_FAKE_EL2_H

/*
 * The machine under hypervisor.c, in place of an arm64 CPU: vpmu/arm/sysreg.h reaches its PMU,
 * which has eight counters and counts instructions and, two for each, cycles. Host and guest are
 * told to run a number of instructions; only these count, accesses to registers do not.
 */
#include <stdbool.h>
#include <stdint.h>

/* The machine calls these: an exception from the guest at @el to EL2. */
void el2_sync(unsigned el, uint64_t esr, uint64_t x[31]);
void el2_irq(unsigned el);

/* Out of reset, at EL2. */
void fake_start(void);

/* @n instructions of the host's kernel, at EL1. */
void host_run(unsigned n);

/* @n instructions of the guest. The overflow interrupt goes to EL2 at the instruction it is due. */
void guest_run(unsigned el, unsigned n);

/* The guest's kernel accesses a PMU register, by VPMU_ENC64(). */
uint64_t guest_mrs(uint16_t enc);
void guest_msr(uint16_t enc, uint64_t val);

/* HCR_EL2.VI: the guest takes its interrupt before the next instruction, by guest_irq(). */
void el2_inject(bool pending);

/* Instructions of the guest's at EL0 so far. */
uint64_t guest_executed(void);

#endif

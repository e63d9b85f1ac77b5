/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_EXAMPLES_GUEST_H
#define VPMU_EXAMPLES_GUEST_H

/* The guest of hypervisor.c: a kernel that samples. It does not know who provides its PMU. */

/* Runs once. Returns how many of its counts differ from the known ones. */
unsigned guest_main(void);

/* EL1's interrupt vector. */
void guest_irq(void);

#endif

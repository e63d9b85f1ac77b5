/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HYPERVISOR_LAYOUT_H
#define HYPERVISOR_LAYOUT_H

/* Offsets in struct vcpu, which C and assembly share: x0 to x18, x30, x19 to x29, and the steps. */
#define VCPU_X0 0
#define VCPU_X18 144
#define VCPU_X19 160
#define VCPU_X29 240
#define VCPU_LAST 248
#define VCPU_FIRST 256

/* The counters that first_step_reading reads: of EL2, of EL2 for the host alone, and of guests. */
#define WINDOWS_EL2 2
#define WINDOWS_EL2_HOST 3
#define WINDOWS_GUEST 4

/* ESR_EL2.EC of the calls that lower levels make. */
#define ESR_EC_SHIFT 26
#define EC_SVC 0x15
#define EC_HVC 0x16

/* PSTATE of the levels that assembly enters: all exceptions masked. */
#define SPSR_EL0 0x3c0

#endif

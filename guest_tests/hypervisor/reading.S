/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hypervisor/layout.h"

/* The number of a counter is part of a register's name. */
#define PMEVCNTR_(n) pmevcntr##n##_el0
#define PMEVCNTR(n) PMEVCNTR_(n)

    .text
    .globl first_step_reading
first_step_reading:
    mrs x0, PMEVCNTR(WINDOWS_EL2)
    mrs x1, PMEVCNTR(WINDOWS_EL2_HOST)
    ldr x2, =windows_read
    stp x0, x1, [x2]
    b first_step

    .bss
    .balign 8
    .globl windows_read
windows_read:
    .skip 16

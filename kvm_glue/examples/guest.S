/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest of vmm.c. It runs at EL1 with the MMU off. vmm.c sets
 *     x19, x22 the number of rounds, at least 1
 *     x20 an address where nothing is: a store there exits to vmm.c
 *
 * The instruction that enables the counters, and every later access to a PMU register and store to
 * x20, is trapped and done by the host. The guest does not execute it. So with N rounds the
 * counters have, at the end:
 *     0 INST_RETIRED: 4 * N + 1
 *     1 BR_RETIRED, which the VMM's filter denies: 0
 *     2 INST_RETIRED at EL0, where nothing runs: 0
 *     3 SW_INCR: 2 * N
 */
    .arch armv8-a

    .equ INST_RETIRED, 0x08
    .equ BR_RETIRED, 0x21
    .equ EXCLUDE_EL1, 1 << 31
    .equ COUNTER_3, 1 << 3
    .equ E_AND_P, 3                     /* PMCR_EL0: enable, and zero the event counters */

    .section .rodata
    .globl guest_begin, guest_end
guest_begin:
    mov x0, #INST_RETIRED
    msr pmevtyper0_el0, x0
    mov x1, #EXCLUDE_EL1
    orr x0, x0, x1
    msr pmevtyper2_el0, x0
    mov x0, #BR_RETIRED
    msr pmevtyper1_el0, x0
    msr pmevtyper3_el0, xzr
    mov x0, #0xf
    msr pmcntenset_el0, x0
    mov x1, #COUNTER_3
    mov x0, #E_AND_P
    msr pmcr_el0, x0
first:                                  /* 2 in a round */
    msr pmswinc_el0, x1
    subs x19, x19, #1
    b.ne first
    str xzr, [x20]                      /* the VMM may save the guest here */
    mov x19, x22                        /* 1 */
second:                                 /* 2 in a round */
    msr pmswinc_el0, x1
    subs x19, x19, #1
    b.ne second
    mrs x2, pmevcntr0_el0
    mrs x3, pmevcntr1_el0
    mrs x4, pmevcntr2_el0
    mrs x5, pmevcntr3_el0
    str x2, [x20, #8]
    str x3, [x20, #16]
    str x4, [x20, #24]
    str x5, [x20, #32]
guest_end:

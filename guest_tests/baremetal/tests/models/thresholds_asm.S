/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * uint64_t name(uint64_t arg), where arg is a struct model_arg. What follows the write to
 * PMCNTENSET_EL0 is counted, including the write to PMCNTENCLR_EL0. Each function begins a line of
 * its own and ends in it.
 */
    .arch armv8-a+lse
    .text

    .macro stream name
    .balign 128
    .globl \name
\name:
    mov x17, x30
    ldr x11, [x0]
    ldr x16, [x0, #16]
    mov x12, #0
    mov x13, #7
    b 1f
    .balign 64
1:  msr pmcntenset_el0, x16
    .endm

    .macro at label
    .globl \label
\label:
    .endm

/* MEM_ACCESS, in cycles of one slot: 1 2 0 2 2 1 0 0 1, and 0 for the write. */
    stream threshold_accesses
    ldr x1, [x11]
    ldadd x12, x1, [x11]
    at accesses_after_1
    nop
    ldadd x12, x1, [x11]
    at accesses_after_2
    ldadd x12, x1, [x11]
    at accesses_after_3
    str x12, [x11]
    nop
    nop
    ldr x1, [x11]
    msr pmcntenclr_el0, x16
    ret x17

/* MUL stalls for 2 cycles, UDIV for 12. 8 instructions. */
    stream threshold_stalls
    nop
    nop
    mul x1, x12, x13
    at stalls_after_mul
    nop
    udiv x1, x12, x13
    at stalls_after_udiv
    nop
    nop
    msr pmcntenclr_el0, x16
    ret x17

/* 7 instructions, with the write. BRK is not executed. */
    stream threshold_exceptions
    nop
    svc #0
    nop
    nop
    brk #0
    ldr x1, [x11]
    nop
    msr pmcntenclr_el0, x16
    ret x17

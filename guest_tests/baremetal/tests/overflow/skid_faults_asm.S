/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * uint64_t name(uint64_t arg), where arg is a struct pending_arg. Of the five instructions the
 * third causes an exception, with counter 0 as close to its overflow as arg says. The lower half of
 * the result is counter 1's count of these instructions and of the read itself, the upper half is
 * counter 0. x12, x14 and x15 are for the handlers of faults_asm.S.
 */
    .macro pending name, instruction:vararg
    .balign 64
    .globl pending_\name
    .globl pending_\name\()_first
pending_\name:
    ldp x14, x15, [x0, #8]
    ldr x9, [x0, #24]
    ldr x0, [x0]
    adr x12, pending_\name\()_first + 3 * 4
    /* This counts the next write. */
    msr pmevcntr0_el0, x9
    msr pmevcntr1_el0, xzr
pending_\name\()_first:
    add x2, x2, #1
    add x2, x2, #1
    \instruction
    add x2, x2, #1
    add x2, x2, #1
    mrs x9, pmevcntr1_el0
    mrs x10, pmevcntr0_el0
    orr x0, x9, x10, lsl #32
    ret
    .endm

    .text
    pending load, ldr x1, [x0]
    pending store, str x1, [x0]
    pending pair, ldp x1, x3, [x0]
    pending zero, dc zva, x0
    pending undefined, udf #0
    pending breakpoint, brk #0
    pending svc, svc #0
    pending fp, fmov d0, x1
    pending wfi, wfi
    pending system, mrs x1, id_aa64pfr0_el1
    pending jump, br x0

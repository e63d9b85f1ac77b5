/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime/layout.h"
#include "tests/aarch32/aarch32_code.h"
#include "tests/aarch32/functions32.inc"

/*
 * Code for a 32-bit EL1 or EL0, which may lie anywhere. A table with the offsets of the functions
 * comes first (bit 0 is set for T32), then the functions.
 */
    .syntax unified
    .arch armv8-a
    .arch_extension virt
    .text
    .arm

    function_table A32_FUNCTIONS

/* Returns to the caller. HVC is UNDEFINED in User mode, whose number ends in four zeros. */
leave:
    mrs r3, cpsr
    tst r3, #0xf
    beq 1f
    hvc #CALL_RETURN
1:  svc #CALL_RETURN

/* T32 code returns through A32 code. The branch reads pc as the next word. */
    .macro leave_t32
    .balign 4
    bx pc
    nop
    .arm
    b leave
    .endm

    .macro read number, crn, crm, opc2
    a32 \number
    mrc p15, 0, r0, \crn, \crm, \opc2
    b leave
    .endm

    .macro write number, crn, crm, opc2
    a32 \number
    mcr p15, 0, r0, \crn, \crm, \opc2
    isb
    b leave
    .endm

    read A32_READ_PMCR, c9, c12, 0
    write A32_WRITE_PMCR, c9, c12, 0
    read A32_READ_PMCNTENSET, c9, c12, 1
    write A32_WRITE_PMCNTENSET, c9, c12, 1
    read A32_READ_PMCNTENCLR, c9, c12, 2
    write A32_WRITE_PMCNTENCLR, c9, c12, 2
    read A32_READ_PMOVSR, c9, c12, 3
    write A32_WRITE_PMOVSR, c9, c12, 3
    read A32_READ_PMSELR, c9, c12, 5
    write A32_WRITE_PMSELR, c9, c12, 5
    read A32_READ_PMCEID0, c9, c12, 6
    read A32_READ_PMCEID1, c9, c12, 7
    read A32_READ_PMCEID2, c9, c14, 4
    read A32_READ_PMCEID3, c9, c14, 5
    read A32_READ_PMCCNTR, c9, c13, 0
    write A32_WRITE_PMCCNTR, c9, c13, 0
    read A32_READ_PMXEVTYPER, c9, c13, 1
    write A32_WRITE_PMXEVTYPER, c9, c13, 1
    read A32_READ_PMXEVCNTR, c9, c13, 2
    write A32_WRITE_PMXEVCNTR, c9, c13, 2
    read A32_READ_PMUSERENR, c9, c14, 0
    read A32_READ_PMINTENSET, c9, c14, 1
    write A32_WRITE_PMINTENSET, c9, c14, 1
    read A32_READ_PMINTENCLR, c9, c14, 2
    write A32_WRITE_PMINTENCLR, c9, c14, 2
    read A32_READ_PMOVSSET, c9, c14, 3
    write A32_WRITE_PMOVSSET, c9, c14, 3
    write A32_WRITE_PMSWINC, c9, c12, 4
    read A32_READ_PMEVCNTR0, c14, c8, 0
    write A32_WRITE_PMEVCNTR0, c14, c8, 0
    read A32_READ_PMEVTYPER0, c14, c12, 0
    write A32_WRITE_PMEVTYPER0, c14, c12, 0
    read A32_READ_PMCCFILTR, c14, c15, 7
    write A32_WRITE_PMCCFILTR, c14, c15, 7
    read A32_READ_PMMIR, c9, c14, 6

    a32 A32_READ_PMCCNTR_WIDE
    mrrc p15, 0, r1, r2, c9
    cmp r0, #0
    moveq r0, r1
    movne r0, r2
    b leave

    a32 A32_WRITE_PMCCNTR_WIDE
    mcrr p15, 0, r0, r1, c9
    isb
    b leave

/*
 * As in loops_asm.S: PMEVCNTR0 is read before and after; the second read counts itself. The
 * comments count the instructions of an iteration. r2 and r3 hold the two values.
 */
    .macro count_from
    mrc p15, 0, r2, c14, c8, 0
    .endm

    .macro count_to
    mrc p15, 0, r3, c14, c8, 0
    sub r0, r3, r2
    .endm

/* 2: subs, bne. */
    a32 A32_COUNTDOWN
    count_from
1:  subs r0, r0, #1
    bne 1b
    count_to
    b leave

/* 10: cmp, after which EQ is true; 6 instructions that fail and 1 that passes; subs, bne. */
    a32 A32_CONDITIONAL
    mov r1, #0
    count_from
1:  cmp r1, #0
    addne r1, r1, #1
    moveq r12, #5
    ldrne r12, [r1]
    strne r12, [r1]
    bne 1b
    svcne #0
    mulne r12, r1, r1
    subs r0, r0, #1
    bne 1b
    count_to
    b leave

/* 5: stm, ldm, add, subs, bne. */
    a32 A32_BLOCK_TRANSFER
    count_from
1:  stm r1, {r4-r7}
    ldm r1, {r4-r7}
    add r12, r12, #1
    subs r0, r0, #1
    bne 1b
    count_to
    b leave

/* 6: mrc and mcr of TPIDRURW, isb, dsb, subs, bne. */
    a32 A32_COPROCESSOR
    count_from
1:  mrc p15, 0, r12, c13, c0, 2
    mcr p15, 0, r12, c13, c0, 2
    isb
    dsb sy
    subs r0, r0, #1
    bne 1b
    count_to
    b leave

/* 5: blx, the T32 adds and bx, subs, bne. */
    a32 A32_INTERWORKING
    count_from
1:  blx 2f
    subs r0, r0, #1
    bne 1b
    count_to
    b leave
    .thumb
    .balign 4
2:  adds r1, r1, #1
    bx lr

/* 2: subs and bne, both of 16 bits. */
    t32 T32_COUNTDOWN
    count_from
1:  subs r0, r0, #1
    bne 1b
    count_to
    leave_t32

/* 10: cmp, it, 2 that fail, 1 that passes, it, one of either kind, subs, bne. */
    t32 T32_IT_BLOCKS
    movs r1, #0
    count_from
1:  cmp r1, #0
    itte ne
    addne r1, r1, #1
    ldrne r12, [r1]
    moveq r12, #1
    ite eq
    moveq r12, #2
    movne r12, #3
    subs r0, r0, #1
    bne 1b
    count_to
    leave_t32

/* 7 instructions, of 16, 32, 16, 32, 32, 16 and 32 bits. */
    t32 T32_MIXED_SIZES
    count_from
1:  adds r1, r1, #1
    add.w r12, r12, #1
    nop
    nop.w
    mul r12, r1, r1
    subs r0, r0, #1
    bne.w 1b
    count_to
    leave_t32

/* 4 are executed; the UNDEFINED one is not. */
    a32 A32_UNDEFINED
    count_from
    nop
    nop
    udf #0
    nop
    nop
    count_to
    b leave

    t32 T32_UNDEFINED
    count_from
    nop
    nop.w
    udf.w #0
    nop
    nop.w
    count_to
    leave_t32

/* 5: one load among nops. */
    a32 A32_LOAD_FAULT
    count_from
    nop
    nop
    ldr r12, [r1]
    nop
    nop
    count_to
    b leave

/* 5: the load of four registers spans two pages; the second is not mapped at first. */
    a32 A32_LOAD_MULTIPLE_FAULT
    count_from
    nop
    nop
    ldm r1, {r4-r7}
    nop
    nop
    count_to
    b leave

/*
 * 6: the load is the second of three instructions in an IT block, which continues after the fault.
 */
    t32 T32_IT_LOAD_FAULT
    movs r0, #0
    cmp r0, #0
    count_from
    nop
    itte eq
    moveq r0, #1
    ldreq r12, [r1]
    movne r0, #2
    nop
    count_to
    leave_t32

    a32 A32_LEAVE
    b leave

/* 3, of which a 32-bit one spans two pages. r1 is the address to continue at. */
    t32 T32_CROSSING
    count_from
    nop
    nop.w
    nop
    count_to
    bx r1
    t32 T32_CROSSING_END

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime/layout.h"
#include "tests/aarch32/modes32_code.h"
#include "tests/aarch32/functions32.inc"

/*
 * Code for a 32-bit EL1 and for the EL0 that it enters. It may lie at any address that is aligned
 * to 64 bytes. The table with the offsets of its functions comes first; bit 0 is set for T32.
 */
    .syntax unified
    .arch armv8-a
    .arch_extension virt
    .arch_extension sec
    .fpu neon-fp-armv8
    .text
    .arm

/* User mode with interrupts masked, and Supervisor mode. */
#define USR 0xd0

    function_table MODES32_FUNCTIONS

/* Only an SVC is expected; r0 has the result. */
    .balign 64
    a32 VECTORS32
    hvc #CALL_ABORT
    hvc #CALL_ABORT
    hvc #CALL_RETURN
    .rept 5
    hvc #CALL_ABORT
    .endr

/* PMEVCNTR0 is read before and after; the second read counts itself. r2 keeps the first value. */
    .macro count_from
    mrc p15, 0, r2, c14, c8, 0
    .endm

    .macro count_to
    mrc p15, 0, r3, c14, c8, 0
    sub r0, r3, r2
    .endm

/* HVC is UNDEFINED in User mode, whose number ends in four zeros. */
leave:
    mrs r3, cpsr
    tst r3, #0xf
    beq 1f
    hvc #CALL_RETURN
1:  svc #CALL_RETURN

/* 2 n: subs, bne. */
    a32 COUNTDOWN32
    count_from
1:  subs r0, r0, #1
    bne 1b
    count_to
    b leave

/* 2 n after the change, and the second read, in User mode. */
    a32 USER_LOOP
user_loop:
    subs r0, r0, #1
    bne user_loop
    count_to
    svc #CALL_RETURN

    t32 USER_LOOP_T32
user_loop_t32:
    subs r0, r0, #1
    bne user_loop_t32
    count_to
    svc #(CALL_RETURN & 0xff)

/* 2 more, in Supervisor mode: the change, and the branch, which is executed in User mode. */
    a32 USER_BY_MSR
    count_from
    msr cpsr_c, #USR
    b user_loop

    a32 USER_BY_MSR_REG
    mov r12, #USR
    count_from
    msr cpsr_c, r12
    b user_loop

    t32 USER_BY_MSR_T32
    mov r12, #USR
    count_from
    msr cpsr_c, r12
    b user_loop_t32

    a32 USER_BY_CPS
    count_from
    cps #0x10
    b user_loop

    t32 USER_BY_CPS_T32
    count_from
    cps #0x10
    b user_loop_t32

/* Exception returns, which change the mode, too. */
    a32 USER_BY_MOVS
    mov r12, #USR
    msr spsr_cxsf, r12
    adr lr, 1f
    count_from
    movs pc, lr
1:  b user_loop

    a32 USER_BY_RFE
    mov r12, #USR
    adr lr, 1f
    str lr, [r1]
    str r12, [r1, #4]
    count_from
    rfeia r1
1:  b user_loop

/* 2 before, and TRAP_TAIL after; the loads are at the base. */
    .macro around base, instruction:vararg
    count_from
    nop
    nop
    \instruction
    .rept TRAP_TAIL / 2
    add r12, r12, #1
    ldr r12, [\base]
    .endr
    count_to
    .endm

    .macro trap number, instruction:vararg
    a32 \number
    around r1, \instruction
    b leave
    .endm

    trap TRAP_MRC, mrc p15, 0, r12, c13, c0, 4
    trap TRAP_MCR, mcr p15, 0, r12, c13, c0, 4
    trap TRAP_MRRC, mrrc p15, 0, r12, r3, c2
    trap TRAP_IMPDEF, mrc p15, 0, r12, c9, c0, 7
    trap TRAP_ID, mrc p15, 0, r12, c0, c1, 0
    trap TRAP_FP, vmov.f64 d0, d1
    trap TRAP_FP_ID, vmrs r12, mvfr0
    trap TRAP_WFI, wfi
    trap TRAP_SMC, smc 0
    trap TRAP_BKPT, bkpt 0
    trap TRAP_DEBUG, mrc p14, 0, r12, c0, c1, 0

    t32 TRAP_MRC_T32
    around r1, mrc p15, 0, r12, c13, c0, 4
    .balign 4
    bx pc
    nop
    .arm
    b leave

    a32 TRAP_MRC_EQ
    cmp r0, r0
    around r1, mrceq p15, 0, r12, c13, c0, 4
    b leave

    a32 TRAP_MRC_NE
    cmp r0, r0
    around r1, mrcne p15, 0, r12, c13, c0, 4
    b leave

/* Calls PSCI's CPU_SUSPEND with 0, which overwrites r0. */
    a32 TRAP_SUSPEND
    mov r4, r1
    mov r1, #0
    movw r0, #1
    movt r0, #0x8400
    around r4, smc 0
    b leave

    .ltorg

/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * Exceptions by their syndrome and the level they are taken to (Arm ARM D14.1.5, table D14-1).
 * After each one the handler skips the instruction.
 */
#include "runtime/layout.h"
#include "tests/definitions/rows.inc"

    .arch armv8.8-a+sve+sme

    .set playground, PLAYGROUND_BASE
    .set gicd, GICD_BASE

    .text
    .globl definition_break
definition_break:
    nop
    ret

    table empty_rows
    row " "
    end_table

    .macro taken text:req, event:req, at:req, needs=0, setup=nop
    row "\text", needs=\needs, at=\at, setup="\setup"
    count EXC_TAKEN, \event
    .endm

    table exception_rows

    /* EC 00H, 01H, 18H: taken locally, or not. */
    taken "udf #0", EXC_UNDEF, at=AT_EL0
    taken "udf #0", EXC_UNDEF, at=AT_EL1
    taken "udf #0", EXC_UNDEF, at=AT_EL2
    taken "udf #0", EXC_UNDEF, at=AT_EL3
    taken "udf #0", EXC_TRAP_OTHER, at=AT_EL0_TGE
    taken "udf #0", EXC_UNDEF, at=AT_EL0_HOST
    taken "mrs x11, sctlr_el1", EXC_UNDEF, at=AT_EL0
    taken "mrs x11, ctr_el0", EXC_UNDEF, at=AT_EL0_TRAPS
    taken "wfi", EXC_UNDEF, at=AT_EL0_TRAPS
    taken "wfi", EXC_TRAP_OTHER, at=AT_EL1_HCR
    taken "msr ttbr1_el1, x10", EXC_TRAP_OTHER, at=AT_EL1_HCR
    /* EC 07H, 19H, 1DH. */
    taken "fmov x11, d0", EXC_UNDEF, at=AT_EL1_NO_FP
    taken "fmov x11, d0", EXC_TRAP_OTHER, at=AT_EL1_TFP
    taken "rdvl x11, #1", EXC_UNDEF, at=AT_EL1_NO_FP, needs=HAS_SVE
    taken "smstart sm", EXC_UNDEF, at=AT_EL1_NO_FP, needs=HAS_SME
    /* EC 0EH: the instruction after an exception return to an illegal state. */
    taken "msr spsr_el1, x10 ; adr x11, .+12 ; msr elr_el1, x11 ; eret ; nop", EXC_UNDEF, at=AT_EL1, setup="mov x10, #0x3c5 ; movk x10, #0x10, lsl #16"
    /* EC 15H, 16H, 17H. */
    taken "svc #1", EXC_SVC, at=AT_EL0
    taken "svc #1", EXC_SVC, at=AT_EL1
    taken "svc #1", EXC_SVC, at=AT_EL2
    taken "svc #1", EXC_TRAP_OTHER, at=AT_EL0_TGE
    taken "svc #1", EXC_SVC, at=AT_EL0_HOST
    taken "hvc #1", EXC_HVC, at=AT_EL1, needs=HAS_HYP
    taken "hvc #1", EXC_HVC, at=AT_EL2
    taken "hvc #1", EXC_UNDEF, at=AT_EL1_NO_HVC
    taken "hvc #1", EXC_UNDEF, at=AT_EL0
    taken "smc #1", EXC_SMC, at=AT_EL1, needs=HAS_EL3
    taken "smc #1", EXC_SMC, at=AT_EL2, needs=HAS_EL3
    taken "smc #1", EXC_SMC, at=AT_EL3
    taken "smc #1", EXC_TRAP_OTHER, at=AT_EL1_HCR
    taken "smc #1", EXC_UNDEF, at=AT_EL0
    /* EC 20H, 21H, 22H, 24H, 25H. QEMU does not check the alignment of SP, EC 26H. The playground's second page is not mapped. */
    taken "ldr x11, [x10]", EXC_DABORT, at=AT_EL1, setup="ldr x10, =playground + 0x1000"
    taken "ldr x11, [x10]", EXC_DABORT, at=AT_EL0, setup="ldr x10, =playground + 0x1000"
    taken "str x11, [x10]", EXC_DABORT, at=AT_EL0, setup="ldr x10, =playground + 0x1000"
    taken "ldr x11, [x10]", EXC_TRAP_DABORT, at=AT_EL1_S2, setup="ldr x10, =playground"
    taken "blr x10", EXC_PABORT, at=AT_EL1, setup="ldr x10, =playground + 0x1000"
    taken "blr x10", EXC_PABORT, at=AT_EL0, setup="ldr x10, =playground + 0x1000"
    taken "blr x10", EXC_TRAP_PABORT, at=AT_EL1_S2, setup="ldr x10, =playground"
    taken "blr x10", EXC_PABORT, at=AT_EL1, setup="ldr x10, =definition_break + 2"
    taken "blr x10", EXC_TRAP_PABORT, at=AT_EL0_TGE, setup="ldr x10, =definition_break + 2"
    /* EC 30H, 32H, 34H: debug exceptions. */
    taken "bl definition_break", EXC_PABORT, at=AT_EL0_DEBUG
    taken "bl definition_break", EXC_TRAP_PABORT, at=AT_EL0_DEBUG_TDE
    taken "ldr x11, [x9]", EXC_DABORT, at=AT_EL0_DEBUG
    taken "ldr x11, [x9]", EXC_TRAP_DABORT, at=AT_EL0_DEBUG_TDE
    taken "nop", EXC_PABORT, at=AT_EL0_STEP
    taken "nop", EXC_TRAP_PABORT, at=AT_EL0_STEP_TDE
    /* EC 3CH. */
    taken "brk #1", EXC_PABORT, at=AT_EL0
    taken "brk #1", EXC_PABORT, at=AT_EL1
    taken "brk #1", EXC_PABORT, at=AT_EL2
    taken "brk #1", EXC_PABORT, at=AT_EL3
    taken "brk #1", EXC_TRAP_PABORT, at=AT_EL0_TDE
    taken "brk #1", EXC_TRAP_PABORT, at=AT_EL1_TDE
    taken "brk #1", EXC_TRAP_PABORT, at=AT_EL0_TGE
    taken "brk #1", EXC_PABORT, at=AT_EL0_HOST
    /* Interrupts. */
    taken "msr daifclr, #2 ; nop ; msr daifset, #2", EXC_IRQ, at=AT_EL1_VIRQ
    taken "msr daifclr, #1 ; nop ; msr daifset, #1", EXC_FIQ, at=AT_EL1_VFIQ
    taken "str w10, [x11, #0xf00] ; dsb sy ; msr daifclr, #2 ; nop ; msr daifset, #2", EXC_IRQ, at=AT_EL1_SGI, setup="mov x10, #2 << 24 ; mov x11, #gicd"
    taken "str w10, [x11, #0xf00] ; dsb sy ; nop", EXC_TRAP_IRQ, at=AT_EL1_IMO, setup="mov x10, #2 << 24 ; mov x11, #gicd"
    end_table

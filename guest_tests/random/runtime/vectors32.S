/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * Vectors of EL1 in AArch32, assembled for that state. Each asks a level above, which runs in
 * AArch64, to put the return address and state into LR and SPSR. Then it returns from its exception
 * as AArch32 does. There are four tables: by SMC and by HVC, with MOVS and with RFE. SP carries
 * SPSR, because it has no other use: before AArch32 leaves its mode, QEMU's SPSR_abt and similar
 * registers, as AArch64 sees them, are not those of that mode. For RFE, SP returns with the address
 * of LR and SPSR.
 */
    .arch armv8-a
    .arch_extension sec
    .arch_extension virt
    .syntax unified
    .arm
    .text

    .macro handler call, rfe
    .balign 16
    mrs sp, spsr
    \call #0
    .if \rfe
    rfeia sp
    .else
    msr spsr_cxsf, sp
    movs pc, lr
    .endif
    .endm

    .macro table call, rfe
    .balign 512
1:  b .
    b 1b + 64 + 16
    b 1b + 64 + 32
    b 1b + 64 + 48
    b 1b + 64 + 64
    b .
    b 1b + 64 + 80
    b 1b + 64 + 96
    .balign 64
    .rept 7
    handler \call, \rfe
    .endr
    .endm

    table smc, 0
    table smc, 1
    table hvc, 0
    table hvc, 1
    .balign 512

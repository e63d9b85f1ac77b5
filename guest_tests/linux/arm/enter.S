/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts a 32-bit Linux under a 64-bit EL2. The emulator loads this as the kernel and starts it at
 * EL2 with the device tree in x0. It leaves EL2 for good and enters the zImage that follows it, at
 * EL1 as the boot protocol of 32-bit Arm demands. Nothing traps to EL2, and the emulator answers
 * PSCI calls, so one CPU needs no more code here. Further CPUs would start at EL2.
 */
    .equ CPTR_RES1, 0x33ff              /* nothing traps */
    .equ CNTHCTL_EL1PCTEN_EL1PCEN, 3    /* EL1 may use the timer and the counter */
    .equ ICC_SRE_ALL, 0xf               /* EL1 may use the interrupt controller's registers */
    .equ MDCR_HPMN, 0x1f                /* EL1 has all counters, as after reset */
    .equ SCTLR_AARCH32, 0x30c50838      /* RES1; no translation, no caches */
    .equ SPSR_SVC_MASKED, 0x1d3

    .text
    .globl _start
_start:
    mov x2, x0                          /* r2: the device tree */
    mov x0, #0
    mov w1, #-1                         /* r1: not the number of a machine */
    mov x3, #CPTR_RES1
    msr cptr_el2, x3
    msr hstr_el2, xzr
    mov x3, #CNTHCTL_EL1PCTEN_EL1PCEN
    msr cnthctl_el2, x3
    msr cntvoff_el2, xzr
    mov x3, #ICC_SRE_ALL
    msr s3_4_c12_c9_5, x3               /* ICC_SRE_EL2 */
    mrs x3, midr_el1
    msr vpidr_el2, x3
    mrs x3, mpidr_el1
    msr vmpidr_el2, x3
    mrs x3, mdcr_el2
    and x3, x3, #MDCR_HPMN
    msr mdcr_el2, x3
    ldr w3, =SCTLR_AARCH32
    msr sctlr_el1, x3
    msr hcr_el2, xzr                    /* RW is 0: EL1 is AArch32 */
    mov x3, #SPSR_SVC_MASKED
    msr spsr_el2, x3
    adr x3, kernel
    msr elr_el2, x3
    isb
    eret
    .ltorg

    .balign 4096
kernel:
    .incbin "zImage"

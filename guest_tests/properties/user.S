/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * user: a program for user-mode emulation, of AArch64 or AArch32. It reads PMUSERENR and exits with
 * 0 if that allows nothing, else with 1. With an argument it reads PMCR, which is not allowed.
 */
#define NR_EXIT_64 93
#define NR_EXIT_32 1

        .global _start
_start:
#ifdef __aarch64__
        ldr     x1, [sp]
        mrs     x0, pmuserenr_el0
        cmp     x1, #1
        b.eq    1f
        mrs     x0, pmcr_el0
1:      cmp     x0, #0
        cset    x0, ne
        mov     x8, #NR_EXIT_64
        svc     #0
#else
        .syntax unified
        .arm
        ldr     r1, [sp]
        mrc     p15, 0, r0, c9, c14, 0
        cmp     r1, #1
        beq     1f
        mrc     p15, 0, r0, c9, c12, 0
1:      cmp     r0, #0
        movne   r0, #1
        mov     r7, #NR_EXIT_32
        svc     #0
#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code whose instructions SPE samples. */

#define PMSCR_EL1 S3_0_C9_C9_0

    .macro label name
    .globl \name
\name:
    .endm

    .arch armv8.1-a
    .text
/*
 * x0: the address of a struct run in spe.c: PMSCR_EL1, memory, iterations. Where PMSCR_EL1 enables
 * it, the first instruction that is counted is the ISB, then 8 in each iteration, then the MSR.
 */
label spe_loop
    ldp x9, x1, [x0]
    ldr x3, [x0, #16]
    msr PMSCR_EL1, x9
    isb
label spe_loop_start
    ldr x2, [x1, #8]
    str x2, [x1, #16]
    ldrh w4, [x1, #3]
    cbnz xzr, spe_loop_start
    b 1f
    nop
1:  ldadd x2, x4, [x1]
    subs x3, x3, #1
    b.ne spe_loop_start
label spe_loop_end
    msr PMSCR_EL1, xzr
    isb
    mov x0, x3
    ret

/* A load of each of 64 KB, in steps of 64 bytes, from x1. The loads are in spe_miss_load. */
label spe_misses
    ldp x9, x1, [x0]
    ldr x3, [x0, #16]
    msr PMSCR_EL1, x9
    isb
label spe_miss_load
    ldr x2, [x1], #64
    subs x3, x3, #1
    b.ne spe_miss_load
    msr PMSCR_EL1, xzr
    isb
    mov x0, x3
    ret

/*
 * The same, but each instruction once, with iterations as an address. The predicates are full,
 * empty, and the first of four elements.
 */
    .arch armv8.2-a+sve
label spe_vectors
    ldp x9, x1, [x0]
    ldr x3, [x0, #16]
    ptrue p0.s
    pfalse p1.b
    ptrue p2.s, vl1
    msr PMSCR_EL1, x9
    isb
label spe_vectors_start
    ld1w {z0.s}, p0/z, [x1]
    ld1w {z1.s}, p1/z, [x3]
    st1w {z1.s}, p1, [x1]
    ld1w {z1.s}, p2/z, [x1]
    fadd z0.s, p2/m, z0.s, z1.s
    add z0.s, z0.s, z0.s
    fadd v0.4s, v0.4s, v1.4s
    msr PMSCR_EL1, xzr
    isb
    mov x0, #0
    ret
    .arch armv8.1-a

/* Eight calls, for EL0. */
label spe_calls
    .rept 8
    svc #0
    nop
    .endr
    ret

/*
 * An MSR and an MRS for each encoding of op0 3, CRn 9, CRm 9 and 10, and op1 0, 4 or 5, where SPE's
 * registers are. Each returns to its caller.
 */
    .balign 8
label spe_accesses
    .irp op1, 0, 4, 5
    .irp crm, 9, 10
    .irp op2, 0, 1, 2, 3, 4, 5, 6, 7
    .inst 0xd5180000 | \op1 << 16 | 9 << 12 | \crm << 8 | \op2 << 5
    ret
    .inst 0xd5380000 | \op1 << 16 | 9 << 12 | \crm << 8 | \op2 << 5
    ret
    .endr
    .endr
    .endr

/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * uint64_t name(uint64_t arg), where arg is a struct model_arg. x11 is its address, x15 its number
 * of iterations, which here is a distance or a size, x14 its stride, which here is another address.
 * The lines between the writes are counted; only the middle ones access memory.
 */
    .arch armv8.5-a
    .arch_extension sve
    .text

    .macro begin name
    .balign 64
    .globl \name
\name:
    ldp x11, x15, [x0]
    ldp x16, x14, [x0, #16]
    .endm

    .macro from
    msr pmcntenset_el0, x16
    .endm

    .macro to
    msr pmcntenclr_el0, x16
    ret
    .endm

/* The offsets of two or four elements are x15 bytes apart. */
    begin gather_d
    ptrue p0.d
    index z1.d, #0, x15
    from
    ld1d {z0.d}, p0/z, [x11, z1.d]
    to

    begin gather_s
    ptrue p0.s
    index z1.s, #0, w15
    from
    ld1w {z0.s}, p0/z, [x11, z1.s, uxtw]
    to

/* Downwards from the first one. */
    begin gather_down
    ptrue p0.s
    neg w15, w15
    index z1.s, #0, w15
    from
    ld1sb {z0.s}, p0/z, [x11, z1.s, sxtw]
    to

    begin gather_scaled
    ptrue p0.d
    lsr x15, x15, #1
    index z1.d, #0, x15
    from
    ld1h {z0.d}, p0/z, [x11, z1.d, lsl #1]
    to

    begin gather_vector
    ptrue p0.d
    index z1.d, x11, x15
    from
    ld1d {z0.d}, p0/z, [z1.d, #8]
    to

    begin gather_one
    ptrue p0.s, vl1
    index z1.s, #0, w15
    from
    ld1w {z0.s}, p0/z, [x11, z1.s, uxtw]
    to

    begin gather_none
    pfalse p0.b
    index z1.d, #0, x15
    from
    ld1d {z0.d}, p0/z, [x11, z1.d]
    to

    begin gather_first_fault
    ptrue p0.d
    setffr
    index z1.d, #0, x15
    from
    ldff1d {z0.d}, p0/z, [x11, z1.d]
    to

    begin scatter_d
    ptrue p0.d
    index z1.d, #0, x15
    from
    st1d {z0.d}, p0, [x11, z1.d]
    to

    begin scatter_scaled
    ptrue p0.s
    lsr w15, w15, #2
    index z1.s, #0, w15
    from
    st1w {z0.s}, p0, [x11, z1.s, uxtw #2]
    to

    begin scatter_vector
    ptrue p0.d
    index z1.d, x11, x15
    from
    st1b {z0.d}, p0, [z1.d]
    to

/*
 * FEAT_MOPS, by encodings because the assembler does not know it, of x15 bytes. setp, setm, sete
 * [x11]!, x15!, xzr
 */
    begin set_memory
    from
    .inst 0x19c00400 | 31 << 16 | 15 << 5 | 11
    .inst 0x19c04400 | 31 << 16 | 15 << 5 | 11
    .inst 0x19c08400 | 31 << 16 | 15 << 5 | 11
    to

/* cpyfp, cpyfm, cpyfe [x11]!, [x14]!, x15! */
    begin copy_forward
    from
    .inst 0x19000400 | 14 << 16 | 15 << 5 | 11
    .inst 0x19400400 | 14 << 16 | 15 << 5 | 11
    .inst 0x19800400 | 14 << 16 | 15 << 5 | 11
    to

/* cpyp, cpym, cpye [x11]!, [x14]!, x15! */
    begin copy_any
    from
    .inst 0x1d000400 | 14 << 16 | 15 << 5 | 11
    .inst 0x1d400400 | 14 << 16 | 15 << 5 | 11
    .inst 0x1d800400 | 14 << 16 | 15 << 5 | 11
    to

/*
 * The same with a struct resumed_arg: x13 bytes from x12, or zeros, go to x11. A page of these is
 * not mapped. x14 and x15 are for fast_map, which keeps x9.
 */
    .macro resumed name
    .balign 64
    .globl \name
\name:
    ldp x11, x12, [x0]
    ldp x13, x16, [x0, #16]
    ldp x14, x15, [x0, #32]
    mov x9, x16
    msr pmcntenset_el0, x16
    .endm

    .macro resumed_to
    msr pmcntenclr_el0, x9
    ret
    .endm

    resumed resumed_set
    .inst 0x19c00400 | 31 << 16 | 13 << 5 | 11
    .inst 0x19c04400 | 31 << 16 | 13 << 5 | 11
    .inst 0x19c08400 | 31 << 16 | 13 << 5 | 11
    resumed_to

    resumed resumed_copy
    .inst 0x19000400 | 12 << 16 | 13 << 5 | 11
    .inst 0x19400400 | 12 << 16 | 13 << 5 | 11
    .inst 0x19800400 | 12 << 16 | 13 << 5 | 11
    resumed_to

    resumed resumed_copy_back
    .inst 0x1d000400 | 12 << 16 | 13 << 5 | 11
    .inst 0x1d400400 | 12 << 16 | 13 << 5 | 11
    .inst 0x1d800400 | 12 << 16 | 13 << 5 | 11
    resumed_to

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/events/events_case.inc"

/* Loads, stores and data processing of SIMD and floating-point registers, and SVE. */
    .arch armv8.5-a+fp16+aes+sha2
    .arch_extension sve

    cases vector_memory

    case "ldr b, h, s, d, q", inst=5, ld=5
    ldr b0, [x11, #1]
    ldr h0, [x11, #2]
    ldr s0, [x11, #4]
    ldr d0, [x11, #8]
    ldr q0, [x11, #16]
    endcase
    case "str b, h, s, d, q", inst=5, st=5
    str b0, [x11, #1]
    str h0, [x11, #2]
    str s0, [x11, #4]
    str d0, [x11, #8]
    str q0, [x11, #16]
    endcase
    case "ldp, stp of q", inst=2, ld=1, st=1
    ldp q0, q1, [x11]
    stp q0, q1, [x11, #32]
    endcase
    case "ldr, literal", inst=1, ld=1, levels=AT_TRANSLATED
    ldr q0, .Lquad
    endcase
    case "ldur, register offset, post index", inst=4, ld=3, dp=1
    ldur q0, [x11, #16]
    ldr d0, [x11, x13]
    ldr s0, [x11], #4
    sub x11, x11, #4
    endcase
    case "ld1 of 1 to 4", inst=4, ld=4
    ld1 {v0.16b}, [x11]
    ld1 {v0.16b, v1.16b}, [x11]
    ld1 {v0.8h-v2.8h}, [x11]
    ld1 {v0.4s-v3.4s}, [x11]
    endcase
    case "ld2, ld3, ld4", inst=3, ld=3
    ld2 {v0.4s, v1.4s}, [x11]
    ld3 {v0.8b-v2.8b}, [x11]
    ld4 {v0.2d-v3.2d}, [x11]
    endcase
    case "st1 of 1 to 4", inst=4, st=4
    st1 {v0.16b}, [x11]
    st1 {v0.16b, v1.16b}, [x11]
    st1 {v0.8h-v2.8h}, [x11]
    st1 {v0.4s-v3.4s}, [x11]
    endcase
    case "st2, st3, st4", inst=3, st=3
    st2 {v0.4s, v1.4s}, [x11]
    st3 {v0.8b-v2.8b}, [x11]
    st4 {v0.2d-v3.2d}, [x11]
    endcase
    case "single structures", inst=4, ld=2, st=2
    ld1 {v0.b}[3], [x11]
    ld4 {v0.s-v3.s}[1], [x11]
    st1 {v0.d}[1], [x11]
    st3 {v0.h-v2.h}[5], [x11]
    endcase
    case "ld1r, ld4r", inst=2, ld=2
    ld1r {v0.4s}, [x11]
    ld4r {v0.2d-v3.2d}, [x11]
    endcase
    case "post index", inst=3, ld=1, st=1, dp=1
    ld1 {v0.4s}, [x11], #16
    st1 {v0.4s}, [x11], x13
    sub x11, x11, #24
    endcase
    case "sve: ld1w, st1w, ldr, str", inst=4, ld=2, st=2, needs=NEEDS_SVE, levels=AT_TRANSLATED, \
        rd=UNKNOWN, wr=UNKNOWN
    ld1w {z0.s}, p0/z, [x11]
    st1w {z0.s}, p0, [x11]
    ldr z0, [x11]
    str z0, [x11]
    endcase
    case "sve: gather, scatter, first-fault, prefetch", inst=4, ld=2, st=1, prf=1, \
        needs=NEEDS_SVE, levels=AT_TRANSLATED, rd=UNKNOWN, wr=UNKNOWN
    ld1d {z0.d}, p1/z, [x11, z2.d]
    st1d {z0.d}, p1, [x11, z2.d]
    ldff1b {z0.b}, p1/z, [x11, x12]
    prfd pldl1keep, p1, [x11]
    endcase
    endcases

    .balign 16
.Lquad:
    .quad 1, 2

    cases vector

    case "fadd, fmul, fmadd, fcmp", inst=4, vfp=4
    fadd d0, d1, d2
    fmul s0, s1, s2
    fmadd d0, d1, d2, d3
    fcmp d0, d1
    endcase
    case "fmov", inst=4, dp=2, vfp=2
    fmov d0, x12
    fmov x1, d0
    fmov s0, #1.0
    fmov d1, d0
    endcase
    case "fcvt, scvtf, fcvtzs, frinta, fcsel", inst=5, vfp=5
    fcvt d0, s1
    scvtf d0, x13
    fcvtzs x1, d0
    frinta d0, d0
    fcsel d0, d1, d2, eq
    endcase
    case "fadd h", inst=1, vfp=1, needs=NEEDS_FP16
    fadd h0, h1, h2
    endcase
    case "fjcvtzs", inst=1, vfp=1, needs=NEEDS_JSCVT
    fjcvtzs w1, d0
    endcase
    case "integer vectors", inst=4, ase=4
    add v0.4s, v1.4s, v2.4s
    mul v0.8h, v1.8h, v2.8h
    eor v0.16b, v0.16b, v0.16b
    addv s0, v1.4s
    endcase
    case "floating-point vectors", inst=3, ase=3
    fadd v0.4s, v1.4s, v2.4s
    fmla v0.2d, v1.2d, v2.2d
    fmov v0.4s, #1.0
    endcase
    case "scalars of Advanced SIMD", inst=2, ase=2
    add d0, d1, d2
    shl d0, d1, #3
    endcase
    case "moves of elements", inst=5, dp=3, ase=2
    dup v0.4s, w13
    umov w1, v0.s[1]
    ins v0.b[3], w13
    movi v0.2d, #0
    tbl v0.16b, {v1.16b}, v2.16b
    endcase
    case "aese, aesmc, sha256h, which are not ASE", inst=3, needs=NEEDS_AES
    aese v0.16b, v1.16b
    aesmc v0.16b, v0.16b
    sha256h q0, q1, v2.4s
    endcase
    case "sve, which is none of them", inst=3, needs=NEEDS_SVE
    add z0.s, z1.s, z2.s
    ptrue p0.s
    fadd z0.d, z1.d, z2.d
    endcase
    endcases

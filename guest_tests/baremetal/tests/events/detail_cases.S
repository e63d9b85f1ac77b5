/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * Cases for detail.c: instructions, and what each iteration counts, as pairs of an event's number
 * and a count. All other events of detail.c count 0. effective is the number of instructions but
 * MOVPRFX, which only A64FX counts.
 *
 * The instructions may use x0 to x10, x12 to x14 and all vectors. x11 is a buffer of 8 KB, aligned
 * to 4 KB, x12 is 0 and x13 is 8. Vectors of SVE have 128 bits, and all bits of p0 are 1.
 */
#include "tests/events/events.h"

    .arch armv8.8-a+mops+memtag+sve2+sve2-aes+aes+sha3+sm4+fp16+rcpc+lse+fp16fml
    .text

    .macro case name:req, needs:req, effective:req, counts:vararg
    .pushsection .rodata.names, "a"
.Lname\@:
    .asciz "\name"
    .popsection
    .pushsection .rodata.counts, "a"
    .balign 2
.Lcounts\@:
    .ifnb \counts
    .hword \counts
    .endif
    .hword 0, 0
    .popsection
    .pushsection .rodata.detail, "a"
    .quad .Lname\@, .Lcode\@, .Lcounts\@
    .word \needs, \effective
    .popsection
    .balign 64
.Lcode\@:
    ldp x11, x15, [x0]
    ldr x16, [x0, #16]
    mov x12, #0
    mov x13, #8
    .if \needs == NEEDS_SVE
    ptrue p0.b
    .endif
    msr pmcntenset_el0, x16
1:
    .endm

    .macro endcase
    subs x15, x15, #1
    b.ne 1b
    msr pmcntenclr_el0, x16
    ret
    .endm

    .pushsection .rodata.detail, "a"
    .balign 8
    .globl detail_cases
detail_cases:
    .popsection

    case "integer", 0, 3
    add x1, x2, x3
    mul x1, x2, x3
    tst x1, x2
    endcase

    case "loads of general registers", 0, 4, 0x8089, 4, 0x123, 1, 0x124, 1
    ldr x1, [x11]
    ldp w1, w2, [x11]
    ldr x1, [x11, #8]!
    ldr x1, [x11], #-8
    endcase

    case "stores of general registers", 0, 4, 0x808a, 4, 0x123, 1, 0x124, 1
    strb w1, [x11]
    stp x1, x2, [x11]
    stp x1, x2, [x11, #16]!
    str x1, [x11], #-16
    endcase

    case "unaligned", 0, 4, 0x8089, 2, 0x808a, 2, 0x68, 1, 0x69, 1, 0x4021, 1, 0x4022, 1
    ldr x1, [x11, #1]
    str w1, [x11, #2]
    ldr x1, [x11, #8]
    str w1, [x11, #4]
    endcase

    case "exclusives that store", 0, 2, 0x6c, 1, 0x6d, 1, 0x6f, 1, 0x8089, 1, 0x808a, 1
    ldxr x1, [x11]
    stxr w2, x1, [x11]
    endcase

    case "exclusives that do not", 0, 2, 0x6e, 2, 0x6f, 2, 0x808a, 2, 0x91, 1
    stxr w2, x1, [x11]
    stlxr w2, x1, [x11]
    endcase

    case "exclusive pairs", 0, 2, 0x6c, 1, 0x6d, 1, 0x6f, 1, 0x8089, 1, 0x808a, 1, 0x90, 1, 0x91, 1
    ldaxp x1, x2, [x11]
    stlxp w3, x1, x2, [x11]
    endcase

    case "acquire and release", 0, 2, 0x90, 1, 0x91, 1, 0x8089, 1, 0x808a, 1
    ldar x1, [x11]
    stlr x1, [x11]
    endcase

    case "atomics", NEEDS_LSE, 4, 0x90, 2, 0x91, 2, 0x8089, 4, 0x808a, 4
    ldadd x1, x2, [x11]
    ldadda x1, x2, [x11]
    swpl x1, x2, [x11]
    casal x1, x2, [x11]
    endcase

    case "ldapr", NEEDS_RCPC, 1, 0x90, 1, 0x8089, 1
    ldapr x1, [x11]
    endcase

    case "prefetch", 0, 2, 0x8087, 2
    prfm pldl1keep, [x11]
    prfum pldl1keep, [x11, #1]
    endcase

    case "dc zva", 0, 1, 0x9f, 1
    dc zva, x11
    endcase

    case "loads and stores of SIMD registers", 0, 5, 0x8000, 2, 0x8005, 2, 0x112, 3, 0x113, 2, 0x123, 1
    ldr d0, [x11]
    ldp q0, q1, [x11]
    ldr s0, [x11, #16]!
    str q0, [x11]
    stur d0, [x11, #-8]
    endcase

    case "structures", 0, 5, 0x8000, 5, 0x8005, 5, 0x8085, 4, 0x8086, 1, 0x80a5, 2, 0x11a, 1, 0x124, 1
    ld1 {v0.4s}, [x11]
    ld2 {v0.4s, v1.4s}, [x11]
    ld1r {v0.4s}, [x11]
    ld4r {v0.8b, v1.8b, v2.8b, v3.8b}, [x11]
    st1 {v0.4s}, [x11], x12
    endcase

    case "structures, stores", 0, 2, 0x8000, 2, 0x8005, 2, 0x8086, 2, 0x80a6, 2
    st2 {v0.4s, v1.4s}, [x11]
    st3 {v0.16b, v1.16b, v2.16b}, [x11]
    endcase

    case "scalar floating point", 0, 5, 0x8010, 5, 0x8018, 2, 0x801c, 3, 0x8028, 1, 0x80c1, 4, \
        0x80c5, 1, 0x80c7, 3
    fadd s0, s1, s2
    fmul d0, d1, d2
    fmadd d0, d1, d2, d3
    fcmp s0, s1
    fcmp d0, d1
    endcase

    case "scalar half precision", NEEDS_FP16, 2, 0x8010, 2, 0x8014, 2, 0x8028, 1, 0x80c1, 3, 0x80c3, 3
    fadd h0, h1, h2
    fnmsub h0, h1, h2, h3
    endcase

    case "conversions", 0, 4, 0x8010, 4, 0x8018, 1, 0x801c, 3, 0x8038, 4
    fcvt d0, s0
    fcvtzs x1, d0
    scvtf d0, x1
    fcvtns w1, s0
    endcase

    case "floating-point moves", 0, 3, 0x105, 3
    fmov d0, x1
    fmov s0, #1.0
    fcsel d0, d1, d2, eq
    endcase

    case "vector floating point", 0, 4, 0x8000, 4, 0x8005, 4, 0x8010, 4, 0x8018, 3, 0x801c, 1, \
        0x8028, 1, 0x8034, 1, 0x80c1, 16, 0x80c5, 14, 0x80c7, 2
    fadd v0.4s, v1.4s, v2.4s
    fadd v0.2d, v1.2d, v2.2d
    fmla v0.4s, v1.4s, v2.4s
    frecpe v0.2s, v1.2s
    endcase

    case "vector half precision", NEEDS_FP16, 1, 0x8000, 1, 0x8005, 1, 0x8010, 1, 0x8014, 1, \
        0x8028, 1, 0x80c1, 16, 0x80c3, 16
    fmla v0.8h, v1.8h, v2.8h
    endcase

    case "vector integer", 0, 5, 0x8000, 5, 0x8005, 5, 0x8043, 5, 0x80e3, 2, 0x80e7, 1, 0x80eb, 1, \
        0x80ef, 1
    add v0.16b, v1.16b, v2.16b
    eor v0.16b, v1.16b, v2.16b
    mul v0.8h, v1.8h, v2.8h
    shl v0.4s, v1.4s, #3
    cmgt v0.2d, v1.2d, v2.2d
    endcase

    case "scalar integer of Advanced SIMD", 0, 1, 0x8005, 1, 0x8043, 1, 0x80ef, 1
    add d0, d1, d2
    endcase

    case "permutations", 0, 3, 0x8000, 3, 0x8005, 3
    zip1 v0.4s, v1.4s, v2.4s
    tbl v0.16b, {v1.16b}, v2.16b
    ext v0.16b, v1.16b, v2.16b, #3
    endcase

    case "aes", NEEDS_AES, 2, 0x77, 2, 0x8000, 2, 0x8005, 2
    aese v0.16b, v1.16b
    aesmc v0.16b, v0.16b
    endcase

    case "sve floating point", NEEDS_SVE, 5, 0x108, 2, 0x8000, 5, 0x8002, 5, 0x8006, 5, 0x8010, 5, \
        0x8014, 1, 0x8018, 2, 0x801c, 2, 0x8028, 1, 0x8074, 2, 0x8076, 2, 0x80c0, 22, 0x80c2, 8, 0x80c4, 12, \
        0x80c6, 2, 0x8034, 1
    fadd z0.h, z1.h, z2.h
    fmul z0.s, z1.s, z2.s
    fmla z0.s, p0/m, z1.s, z2.s
    frecpe z0.d, z1.d
    fabs z0.d, p0/m, z1.d
    endcase

    case "sve integer", NEEDS_SVE, 4, 0x108, 2, 0x8000, 4, 0x8002, 4, 0x8006, 4, 0x8043, 4, 0x8074, 2, 0x8076, 2, \
        0x80e3, 1, 0x80e7, 1, 0x80eb, 1, 0x80ef, 1
    add z0.b, z1.b, z2.b
    mul z0.h, p0/m, z0.h, z1.h
    cmpgt p1.s, p0/z, z0.s, z1.s
    and z0.d, z1.d, z2.d
    endcase

    case "sve without vectors", NEEDS_SVE, 2, 0x108, 2, 0x8000, 2, 0x8002, 2, 0x8006, 2
    ptrue p0.b
    whilelo p1.s, x12, x13
    endcase

    case "movprfx", NEEDS_SVE, 1, 0x108, 1, 0x8000, 2, 0x8002, 2, 0x8006, 2, 0x8043, 1, 0x8074, 1, 0x8076, 1, \
        0x80eb, 1, 0x807c, 1, 0x807f, 1
    movprfx z0, z1
    add z0.s, p0/m, z0.s, z2.s
    endcase

    case "sve math", NEEDS_SVE, 2, 0x8000, 2, 0x8002, 2, 0x8006, 2, 0x800e, 2, 0x8010, 2, 0x801c, 2
    ftssel z0.d, z1.d, z2.d
    fexpa z0.d, z1.d
    endcase

    case "sve loads", NEEDS_SVE, 6, 0x108, 5, 0x8000, 6, 0x8002, 6, 0x8006, 6, 0x8074, 4, 0x8076, 4, 0x8085, 6, \
        0x8091, 2, 0x8095, 1, 0x80a5, 1, 0x11a, 1, 0x80bc, 1
    ld1d {z0.d}, p0/z, [x11]
    ld2w {z0.s, z1.s}, p0/z, [x11]
    ld1rw {z0.s}, p0/z, [x11]
    ldr z0, [x11]
    ldr p1, [x11]
    ldff1b {z0.b}, p0/z, [x11, x12]
    endcase

    case "sve stores", NEEDS_SVE, 4, 0x108, 3, 0x8000, 4, 0x8002, 4, 0x8006, 4, 0x8074, 2, 0x8076, 2, 0x8086, 4, \
        0x8092, 2, 0x8096, 1, 0x80a6, 1
    st1d {z0.d}, p0, [x11]
    st4b {z0.b, z1.b, z2.b, z3.b}, p0, [x11]
    str z0, [x11]
    str p0, [x11]
    endcase

    case "sve gather, scatter and prefetch", NEEDS_SVE, 5, 0x108, 4, 0x8000, 5, 0x8002, 5, 0x8006, 5, \
        0x8043, 1, 0x80ef, 1, 0x8074, 4, 0x8076, 4, 0x8085, 1, 0x8086, 1, 0x8087, 2, 0x809f, 1, 0x80ad, 1, \
        0x80ae, 1, 0x80af, 1
    eor z1.d, z1.d, z1.d
    ld1d {z0.d}, p0/z, [x11, z1.d]
    st1d {z0.d}, p0, [x11, z1.d]
    prfb pldl1keep, p0, [x11]
    prfb pldl1keep, p0, [x11, z1.d]
    endcase

    /*
     * p1 has a bit for each element of 32 bits, p2 for each of 64 bits, p3 and p8 for the others of 32
     * bits. The results that count are: full, full, partial; partial; empty, partial; full, empty,
     * partial; partial, full; empty, empty. The last one overwrites its own predicate.
     */
    case "sve predicates", NEEDS_SVE, 17, 0x108, 17, 0x8000, 17, 0x8002, 17, 0x8006, 17, 0x8010, 2, \
        0x8018, 1, 0x801c, 1, 0x8038, 2, 0x8043, 7, 0x8074, 13, 0x8075, 4, 0x8076, 4, 0x8077, 5, 0x8079, 9, \
        0x8085, 2, 0x8086, 1, 0x80e3, 1, 0x80eb, 3, 0x80ef, 3
    ptrue p1.s
    ptrue p2.d
    bic p3.b, p0/z, p1.b, p2.b
    mov p8.b, p3.b
    add z0.s, p1/m, z0.s, z1.s
    add z0.d, p1/m, z0.d, z1.d
    add z0.b, p1/m, z0.b, z1.b
    add z0.s, p2/m, z0.s, z1.s
    add z0.d, p3/m, z0.d, z1.d
    add z0.s, p3/m, z0.s, z1.s
    ld1w {z0.s}, p1/z, [x11]
    ld1w {z0.d}, p3/z, [x11]
    st1b {z0.s}, p2, [x11]
    fcvt z0.h, p2/m, z1.s
    fcvt z0.d, p2/m, z1.s
    sel z0.d, p8, z0.d, z1.d
    cmpeq p3.d, p3/z, z0.d, z0.d
    endcase

    /* Nothing is at 1 TB. Without active elements, nothing is read. */
    case "sve first faults", NEEDS_SVE, 8, 0x108, 6, 0x8000, 7, 0x8002, 7, 0x8006, 7, 0x8043, 1, \
        0x8074, 4, 0x8075, 1, 0x8076, 3, 0x8079, 1, 0x8085, 4, 0x80ad, 2, 0x80bc, 4, 0x80bd, 2, \
        0x80ef, 1
    setffr
    pfalse p4.b
    mov x14, #0x10000000000
    index z1.d, #0, x14
    ldnf1b {z0.b}, p0/z, [x14]
    ldff1b {z0.d}, p0/z, [x11, z1.d]
    ldff1b {z0.d}, p4/z, [x14, z1.d]
    ldff1d {z0.d}, p0/z, [x11, x12, lsl #3]
    endcase

    .pushsection .rodata.detail, "a"
    .quad 0, 0, 0

    /* The same for accesses while tags are checked. Tags in memory and in x11 are 0. */
    .globl tag_cases
tag_cases:
    .popsection

    case "checked", NEEDS_MTE, 7, 0x4024, 8, 0x4025, 5, 0x4026, 3
    ldr x1, [x11]
    str x1, [x11]
    ldp x1, x2, [x11, #16]
    ldadd x1, x2, [x11]
    ld1 {v0.4s}, [x11]
    ldtr x1, [x11]
    dc zva, x11
    endcase

    case "checked with another tag", NEEDS_MTE, 4, 0x4024, 1, 0x4025, 1
    addg x9, x11, #0, #3
    stg x9, [x9]
    ldr x1, [x9]
    stg x11, [x11]
    endcase

    case "not checked", NEEDS_MTE, 6
    ldr x1, [sp]
    ldr x1, 1b
    prfm pldl1keep, [x11]
    msr tco, #1
    ldr x1, [x11]
    msr tco, #0
    endcase

    case "checked vectors of SVE", NEEDS_SVE, 7, 0x4024, 4, 0x4025, 3, 0x4026, 1
    pfalse p4.b
    index z1.d, #0, #8
    ld1w {z0.s}, p0/z, [x11]
    ld1w {z0.s}, p4/z, [x11]
    ld1d {z0.d}, p0/z, [x11, z1.d]
    ldff1b {z0.b}, p0/z, [x11, x12]
    st1w {z0.s}, p0, [x11]
    endcase

    /* The first of the three sets all of the page. */
    case "checked by SET*", NEEDS_MOPS, 5, 0x4024, 1, 0x4026, 1
    mov x9, x11
    mov x10, #64
    setp [x9]!, x10!, x1
    setm [x9]!, x10!, x1
    sete [x9]!, x10!, x1
    endcase

    .pushsection .rodata.detail, "a"
    .quad 0, 0, 0
    .popsection

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime/layout.h"
#include "tests/events/events_case.inc"

/* Loads and stores of general registers, and atomics. */
    .arch armv8.5-a
    .arch_extension memtag
    .arch_extension mops

    cases load

    case "ldr, unsigned offset", ld=1
    ldr x1, [x11, #16]
    endcase
    case "ldr w, ldrh, ldrb", inst=3, ld=3
    ldr w1, [x11, #4]
    ldrh w1, [x11, #2]
    ldrb w1, [x11, #1]
    endcase
    case "ldrsw, ldrsh, ldrsb", inst=3, ld=3
    ldrsw x1, [x11, #4]
    ldrsh x1, [x11, #2]
    ldrsb w1, [x11, #3]
    endcase
    case "ldr, pre and post index", inst=3, ld=2, dp=1
    ldr x1, [x11, #8]!
    ldr x1, [x11], #8
    sub x11, x11, #16
    endcase
    case "ldr, register offset", inst=3, ld=3
    ldr x1, [x11, x13]
    ldr x1, [x11, x13, lsl #3]
    ldr w1, [x11, w13, uxtw #2]
    endcase
    case "ldur", inst=3, ld=3
    ldur x1, [x11, #8]
    ldur w1, [x11, #12]
    ldursh w1, [x11, #6]
    endcase
    case "ldp, ldpsw, ldnp", inst=4, ld=4
    ldp x1, x2, [x11, #16]
    ldp w1, w2, [x11, #8]
    ldpsw x1, x2, [x11, #8]
    ldnp x1, x2, [x11]
    endcase
    case "ldp, pre and post index", inst=3, ld=2, dp=1
    ldp x1, x2, [x11, #16]!
    ldp x1, x2, [x11], #16
    sub x11, x11, #32
    endcase
    case "ldr, literal", inst=2, ld=2
    ldr x1, .Lliteral
    ldrsw x1, .Lliteral
    endcase
    case "ldtr", inst=2, ld=2, levels=AT_EL0|AT_EL1|AT_EL2
    ldtr x1, [x11, #8]
    ldtrb w1, [x11, #9]
    endcase
    case "ldar, ldlar", inst=3, ld=3, needs=NEEDS_LOR
    ldar x1, [x11]
    ldarb w1, [x11]
    ldlar x1, [x11]
    endcase
    case "ldapr", inst=2, ld=2, needs=NEEDS_RCPC
    ldapr x1, [x11]
    ldaprh w1, [x11]
    endcase
    case "ldapur", inst=2, ld=2, needs=NEEDS_RCPC2
    ldapur x1, [x11, #8]
    ldapursw x1, [x11, #12]
    endcase
    case "ldxr, ldxp, ldaxr, clrex", inst=4, ld=3
    ldxr x1, [x11]
    ldxp x1, x2, [x11]
    ldaxr w1, [x11]
    clrex
    endcase
    case "prfm, which is no load", inst=3, prf=3
    prfm pldl1keep, [x11]
    prfm pstl1strm, [x11, x13]
    prfm pldl1keep, .Lliteral
    endcase
    case "ldr of a device", inst=2, dp=1, ld=1, rd=0
    mov w2, #UART_BASE
    ldr w1, [x2, #0x18]             /* the flags */
    endcase
    case "ldraa", ld=1, inst=3, dp=2, needs=NEEDS_PAUTH
    mov x1, x11
    nop
    .inst 0xf8200422 | 1 << 12      /* ldraa x2, [x1, #8] */
    endcase
    case "ldg, a tag", inst=1, ld=1, needs=NEEDS_MTE, rd=UNKNOWN
    ldg x1, [x11]
    endcase
    endcases

    .balign 8
.Lliteral:
    .quad 5

    cases store

    case "str, unsigned offset", st=1
    str x1, [x11, #16]
    endcase
    case "str w, strh, strb", inst=3, st=3
    str w1, [x11, #4]
    strh w1, [x11, #2]
    strb w1, [x11, #1]
    endcase
    case "str, pre and post index", inst=3, st=2, dp=1
    str x1, [x11, #8]!
    str x1, [x11], #8
    sub x11, x11, #16
    endcase
    case "str, register offset", inst=2, st=2
    str x1, [x11, x13]
    str w1, [x11, w13, sxtw #2]
    endcase
    case "stur", inst=2, st=2
    stur x1, [x11, #8]
    sturb w1, [x11, #13]
    endcase
    case "stp, stnp", inst=3, st=3
    stp x1, x2, [x11, #16]
    stp w1, w2, [x11, #8]
    stnp x1, x2, [x11]
    endcase
    case "stp, pre and post index", inst=3, st=2, dp=1
    stp x1, x2, [x11, #16]!
    stp x1, x2, [x11], #16
    sub x11, x11, #32
    endcase
    case "sttr", inst=2, st=2, levels=AT_EL0|AT_EL1|AT_EL2
    sttr x1, [x11, #8]
    sttrb w1, [x11, #9]
    endcase
    case "stlr, stllr", inst=3, st=3, needs=NEEDS_LOR
    stlr x1, [x11]
    stlrb w1, [x11]
    stllr x1, [x11]
    endcase
    case "stlur", inst=2, st=2, needs=NEEDS_RCPC2
    stlur x1, [x11, #8]
    stlurh w1, [x11, #6]
    endcase
    case "load and store by turns", inst=4, ld=2, st=2
    ldr x1, [x11]
    str x1, [x11, #64]
    ldr x1, [x11, #64]
    str x1, [x11]
    endcase
    case "dc zva", st=1, levels=AT_TRANSLATED
    dc zva, x11
    endcase
    case "dc cvac, civac, cvau, which are no stores", inst=3, dp=3
    dc cvac, x11
    dc civac, x11
    dc cvau, x11
    endcase
    case "stg, stzg, tags", inst=2, st=2, needs=NEEDS_MTE, levels=AT_TRANSLATED, wr=UNKNOWN
    stg x11, [x11]
    stzg x11, [x11, #16]
    endcase
    case "set: three stores", inst=5, dp=2, st=3, needs=NEEDS_MOPS, levels=AT_TRANSLATED, \
        wr=UNKNOWN
    mov x2, x11
    mov x3, #256
    setp [x2]!, x3!, x12
    setm [x2]!, x3!, x12
    sete [x2]!, x3!, x12
    endcase
    case "cpy: three of both", inst=6, dp=3, ld=3, st=3, needs=NEEDS_MOPS, levels=AT_TRANSLATED, \
        rd=UNKNOWN, wr=UNKNOWN
    add x2, x11, #512
    mov x3, x11
    mov x4, #256
    cpyp [x2]!, [x3]!, x4!
    cpym [x2]!, [x3]!, x4!
    cpye [x2]!, [x3]!, x4!
    endcase
    endcases

/*
 * An instruction that reads and writes counts as both, whether or not it writes. STXR is a store.
 */
    cases atomic

    case "ldxr, stxr that succeeds", inst=2, ld=1, st=1
    ldxr x1, [x11]
    stxr w2, x1, [x11]
    endcase
    /* Not ST_RETIRED, but ST_SPEC: tests/definitions/memory_rows.S checks both. */
    case "stxr that fails", inst=2, st=UNKNOWN, wr=UNKNOWN
    clrex
    stxr w2, x1, [x11]
    endcase
    case "ldaxp, stlxp", inst=2, ld=1, st=1
    ldaxp x1, x2, [x11]
    stlxp w3, x1, x2, [x11]
    endcase
    case "ldxrb, stxrb", inst=2, ld=1, st=1
    ldxrb w1, [x11]
    stxrb w2, w1, [x11]
    endcase
    case "ldadd, ldclr, ldeor, ldset", inst=4, ld=4, st=4, needs=NEEDS_LSE
    ldadd x1, x2, [x11]
    ldclral w1, w2, [x11]
    ldeora x1, x2, [x11]
    ldsetlb w1, w2, [x11]
    endcase
    case "ldsmax, ldumin", inst=2, ld=2, st=2, needs=NEEDS_LSE
    ldsmax x1, x2, [x11]
    ldumin w1, w2, [x11]
    endcase
    case "stadd, without a result", inst=1, st=1, needs=NEEDS_LSE
    stadd x1, [x11]
    endcase
    case "swp", inst=2, ld=2, st=2, needs=NEEDS_LSE
    swp x1, x2, [x11]
    swpalh w1, w2, [x11]
    endcase
    case "cas that compares equal", inst=3, ld=2, st=1, dp=1, needs=NEEDS_LSE
    ldr x1, [x11]
    mov x2, x1
    casal x1, x2, [x11]
    endcase
    case "cas that does not", inst=3, ld=2, st=1, dp=1, needs=NEEDS_LSE
    ldr x1, [x11]
    mvn x1, x1
    cas x1, x2, [x11]
    endcase
    case "casp", inst=2, ld=2, st=2, needs=NEEDS_LSE
    casp x2, x3, x4, x5, [x11]
    caspal w2, w3, w4, w5, [x11]
    endcase
    endcases

/*
 * An instruction counts once, however much of it is unaligned. Its elements are accesses. An access
 * to two lines counts twice.
 */
    cases unaligned

    case "aligned", inst=4, ld=2, st=2
    ldr x1, [x11, #8]
    ldrh w1, [x11, #62]
    str w1, [x11, #60]
    strb w1, [x11, #63]
    endcase
    case "ldr", inst=3, ld=3, una=3, levels=AT_TRANSLATED
    ldur x1, [x11, #1]
    ldur x1, [x11, #4]
    ldur w1, [x11, #2]
    endcase
    case "ldrh", inst=1, ld=1, una=1, levels=AT_TRANSLATED
    ldurh w1, [x11, #3]
    endcase
    case "str", inst=2, st=2, una=2, levels=AT_TRANSLATED
    stur x1, [x11, #7]
    sturh w1, [x11, #1]
    endcase
    case "register offset", inst=3, dp=1, ld=1, st=1, una=2, levels=AT_TRANSLATED
    mov x3, #3
    ldr x1, [x3, x11]
    str x1, [x3, x11]
    endcase
    case "ldp aligned to its elements", inst=2, ld=2
    ldp x1, x2, [x11, #8]
    ldp w1, w2, [x11, #4]
    endcase
    case "ldp, stp", inst=3, ld=1, st=1, una=2, dp=1, levels=AT_TRANSLATED
    add x3, x11, #4
    ldp x1, x2, [x3]
    stp x1, x2, [x3, #16]
    endcase
    case "ldr q", inst=2, ld=2, una=1, levels=AT_TRANSLATED
    ldur q0, [x11, #16]
    ldur q0, [x11, #8]
    endcase
    case "ldr d, str s", inst=2, ld=1, st=1, una=2, levels=AT_TRANSLATED
    ldur d0, [x11, #4]
    stur s0, [x11, #2]
    endcase
    case "ld1 aligned to its elements", inst=2, dp=1, ld=1
    add x3, x11, #4
    ld1 {v0.4s}, [x3]
    endcase
    case "ld1, st1", inst=3, dp=1, ld=1, st=1, una=2, levels=AT_TRANSLATED
    add x3, x11, #2
    ld1 {v0.4s}, [x3]
    st1 {v0.2d, v1.2d}, [x3]
    endcase
    case "a line and the next, unaligned", inst=2, ld=1, st=1, una=2, rd=2, wr=2, \
        levels=AT_TRANSLATED
    ldur x1, [x11, #60]
    stur x1, [x11, #61]
    endcase
    case "a line and the next, aligned", inst=2, ld=1, st=1, rd=2, wr=2
    ldp x1, x2, [x11, #56]
    stp x1, x2, [x11, #120]
    endcase
    case "a page and the next", inst=3, ld=1, st=1, una=2, dp=1, rd=2, wr=2, levels=AT_TRANSLATED
    add x3, x11, #4096
    ldur x1, [x3, #-4]
    stur x1, [x3, #-1]
    endcase
    case "literals", inst=3, ld=3, una=2, levels=AT_TRANSLATED
    ldr x1, .Lword
    ldr w1, .Lword
    ldr q0, .Lword
    endcase
    case "ldapur, stlur", inst=2, ld=1, st=1, una=2, needs=NEEDS_RCPC2, levels=AT_TRANSLATED
    ldapur x1, [x11, #4]
    stlurh w1, [x11, #3]
    endcase
    case "ldadd within 16 bytes", inst=2, dp=1, ld=1, st=1, una=1, unas=2, needs=NEEDS_RCPC2, \
        levels=AT_TRANSLATED
    add x3, x11, #4
    ldadd x1, x2, [x3]
    endcase
    case "bytes are aligned", inst=2, ld=1, st=1
    ldrb w1, [x11, #5]
    strb w1, [x11, #7]
    endcase
    case "dc zva is aligned", inst=2, dp=1, st=1, levels=AT_TRANSLATED
    add x3, x11, #13
    dc zva, x3
    endcase
    endcases

    .balign 64
    .word 0
.Lword:
    .word 1, 2, 3, 4

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mix N: executes many kinds of instructions, including those that an emulator treats specially:
 * barriers, hints, exclusives, atomics, system registers, branches of all kinds, code on two pages.
 * 13 + 5 * digits(N) + 58 * N user instructions. N is at least 1.
 */
#include "program.inc"

function _start
    argument                            /* [5 + 5 * digits] */
    adrp x20, cells                     /* [6 + 5 * digits] */
    add x20, x20, :lo12:cells           /* [7 + 5 * digits] */
    add x22, x20, #64                   /* [8 + 5 * digits] */
    adr x21, leaf                       /* [9 + 5 * digits] */
    adr x23, indirect                   /* [10 + 5 * digits] */

function loop_body
    ldr x1, [x20]                       /* memory */
    add x1, x1, #1
    str x1, [x20]
    ldp x2, x3, [x20, #16]
    stp x2, x3, [x20, #32]
    ldrb w4, [x20, #7]
    prfm pldl1keep, [x20]               /* [7] */
    mul x4, x2, x3                      /* arithmetic */
    udiv x5, x4, x1
    umulh x6, x4, x1
    cmp x1, #0
    csel x7, x1, x2, eq
    ccmp x1, #3, #4, ne
    clz x7, x7                          /* [14] */
    fmov d0, x1                         /* floating point, vectors */
    fadd d1, d0, d0
    scvtf d2, x1
    add v3.4s, v3.4s, v2.4s
    cnt v4.16b, v3.16b                  /* [19] */
    ldxr x6, [x22]                      /* exclusives, atomics */
    stxr w7, x6, [x22]
    clrex
    ldadd x1, x6, [x22]
    swpal x6, x7, [x22]
    casal x6, x7, [x22]
    ldar x6, [x22]
    stlr x6, [x22]                      /* [27] */
    nop                                 /* hints, barriers, system registers */
    yield
    wfe
    sevl
    wfe
    dmb ish
    dsb ish
    isb
    mrs x8, tpidr_el0
    mrs x8, cntvct_el0
    msr nzcv, x8
    mrs x8, fpcr                        /* [39] */
    tbz x19, #0, 1f                     /* 3 on either path */
    add x1, x1, #1
    b 2f
1:  add x1, x1, #1
    nop
2:  cbz xzr, 3f                         /* [43]: always taken */
    nop
3:  bl leaf                             /* [44], the leaf's [46] */
    blr x21                             /* [47], the leaf's [49] */
    br x23                              /* [50] */
    nop
indirect:
    b page_end                          /* [51] */
back:
    adrp x8, cells                      /* [56] */
    subs x19, x19, #1
    b.ne loop_body                      /* [58] */

    finish 0                            /* [13 + 5 * digits + 58 * N] */

function leaf
    add x7, x7, #1
    ret

    .balign 4096
    .skip 4096 - 8
page_end:                               /* 4, on both sides of a page boundary */
    add x5, x5, #1                      /* [52] */
    add x5, x5, #1
    add x5, x5, #1
    b back                              /* [55] */

    .bss
    .balign 64
cells:
    .skip 128

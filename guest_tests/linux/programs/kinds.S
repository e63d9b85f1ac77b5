/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kinds N: executes instructions of each kind that an event of the architecture counts. N is at
 * least 1. There are 16 + 5 * digits(N) + 66 * N user instructions. Of these there are:
 *
 *                                 fixed   digits(N) *   N *
 *     loads                       2       1             10
 *     stores                                            9
 *     unaligned ones                                    2
 *     integer data processing     12      2             26
 *     Advanced SIMD                                     2
 *     scalar floating point                             2
 *     immediate branches          1       2             8
 *     returns                                           2
 *     other indirect branches                           2
 *     taken branches              0       1             10
 *     ISB, DSB, DMB                                     1, 2, 3
 *     system calls                1                     1
 *
 * The random loads and stores touch 128 pages and 8192 lines, which is more than a first TLB and a
 * first cache hold.
 *
 * The address after an instruction (or the target of a taken branch) has a symbol with the names of
 * what the instruction is. A sample of an event must be at such an address.
 */
#include "program.inc"

/* A symbol for what comes before it. */
.macro behind kinds
    function \kinds\()_\@
.endm

function _start
    argument                            /* ld 2 + digits, dp 2 + 2 * digits, br 1 + 2 * digits,
                                           pc 1 + digits */
    adrp x20, cells                     /* dp 8 */
    add x20, x20, :lo12:cells
    add x22, x20, #128
    adrp x25, field
    add x25, x25, :lo12:field
    adr x21, leaf
    adr x23, indirect
    mov x24, #0x5eed

behind br_pc
again:
    ldr x1, [x20]                       /* ld 10, st 9, unaligned 2, dp 4, others 1: 21 */
behind ld
    ldrb w2, [x20, #8]
behind ld
    ldp x3, x4, [x20, #16]
behind ld
    ldr q0, [x20, #64]
behind ld
    ldur x6, [x20, #1]
behind ld_unaligned
    str x1, [x20, #32]
behind st
    stp x3, x4, [x20, #48]
behind st
    str q0, [x20, #80]
behind st
    stur w6, [x20, #34]
behind st_unaligned
    ldadd x1, x5, [x22]
behind ld_st
    swpal x5, x7, [x22]
behind ld_st
    casal x5, x7, [x22]
behind ld_st
    ldxr x6, [x22]
behind ld
    stxr w7, x6, [x22]
behind st
    prfm pldl1keep, [x20]
    eor x24, x24, x24, lsl #13          /* random */
    eor x24, x24, x24, lsr #7
    eor x24, x24, x24, lsl #17
    and x1, x24, #FIELD - 64
    ldr x2, [x25, x1]
behind ld
    str x24, [x25, x1]
behind st

    add x3, x3, #1                      /* dp 9 */
behind dp
    mul x4, x2, x3
behind dp
    umulh x5, x2, x3
behind dp
    orr x6, x19, #1
behind dp
    udiv x5, x4, x6
behind dp
    clz x7, x5
behind dp
    ubfx x7, x7, #1, #3
behind dp
    crc32cx w7, w7, x4
behind dp
    csel x7, x1, x2, eq
behind dp
    fmov d1, x3                         /* dp 1, vfp 2, ase 2 */
behind dp
    fadd d2, d1, d1
behind vfp
    scvtf d3, x3
behind vfp
    add v4.4s, v0.4s, v0.4s
behind ase
    cnt v5.16b, v4.16b
behind ase

    cmp x19, #0                         /* br 1, dp 1: 2 */
    b.eq fail
behind br
    cmp x19, #0                         /* br 1, pc 1, dp 1: 2 */
    b.ne 1f
    nop
behind br_pc
1:  tbz x24, #20, 2f                    /* these and the next: br 3, pc 2, dp 3: 6 */
behind br
    nop
    b 3f
behind br_pc
2:  nop
    nop
behind br_pc
3:  tbnz x24, #20, 4f
behind br
    nop
    b 5f
behind br_pc
4:  nop
    nop
behind br_pc
5:  cbz xzr, 6f                         /* br 1, pc 1 */
    nop
behind br_pc
6:  bl leaf                             /* br 1, pc 1; the leaf's dp 1, return 1, pc 1: 3 */
behind br_pc_return
    blr x21                             /* indirect 1, pc 1; the leaf's: 3 */
behind br_pc_return
    br x23                              /* indirect 1, pc 1 */
    nop
behind br_pc
indirect:
    isb                                 /* isb 1, dsb 2, dmb 3, dp 3 */
behind isb
    dsb ish
behind dsb
    dsb sy
behind dsb
    dmb ish
behind dmb
    dmb ishld
behind dmb
    dmb sy
behind dmb
    nop
    yield
    mrs x8, tpidr_el0
    syscall SYS_GETPID                  /* dp 1, svc 1 */
    subs x19, x19, #1                   /* dp 1, br 1, pc 1, but for the last time */
    b.ne again
behind br
    finish 0                            /* dp 2, svc 1 */

behind br_pc
leaf:
    add x7, x7, #1
    ret

function fail
    finish 1

    .equ FIELD, 1 << 19

    .bss
    .balign 4096
field:
    .skip FIELD
cells:
    .skip 256

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scribble: a program at EL0 whose frame pointer is somewhere in REGION, and a kernel at EL1 that
 * writes pseudo-random values there: over frames, over what the recorder takes for threads and
 * files, and over the page tables of upper addresses. The location of its thread changes as well.
 * Three of four words point to REGION.
 */
#define REGION 0x46000000
#define WORDS 8192
#define MASK 0xfff8
/* Where EL0 also sees the memory at 0x40000000. */
#define ALIAS 0x40000000
#define SCTLR_MMU_CACHES ((1 << 12) | (1 << 2) | (1 << 0))
/* 39 bits of address each, a granule of 4 KiB, 40 bits of physical address. */
#define TCR ((2 << 32) | (2 << 30) | (25 << 16) | 25)
/*
 * Blocks of 1 GiB with the access flag: device memory, normal memory, and memory that EL0 reads and
 * executes.
 */
#define DEVICE 0x401
#define MEMORY 0x705
#define PROGRAM 0x7c5

        /* The next pseudo-random number, in x20. */
        .macro  next
        mul     x20, x20, x22
        add     x20, x20, #1442
        .endm

        .global _start, program, end
_start: ldr     x0, =0xff00
        msr     mair_el1, x0
        ldr     x0, =TCR
        msr     tcr_el1, x0
        adrp    x0, table
        msr     ttbr0_el1, x0
        ldr     x21, =REGION
        msr     ttbr1_el1, x21
        isb
        mrs     x0, sctlr_el1
        ldr     x1, =SCTLR_MMU_CACHES
        orr     x0, x0, x1
        msr     sctlr_el1, x0
        adr     x0, vectors
        msr     vbar_el1, x0
        msr     tpidr_el1, xzr
        isb
        ldr     x22, =6364136223846793005
        ldr     x23, =REGION + ALIAS
        mov     x20, #1
        mov     x2, #WORDS
        bl      scribble
        adr     x0, program
        mov     x1, #ALIAS
        add     x0, x0, x1
        msr     elr_el1, x0
        msr     spsr_el1, xzr
        eret

/* Writes as many words as x2 says. */
scribble:
        next
        lsr     x3, x20, #24
        and     x3, x3, #MASK
        next
        lsr     x4, x20, #24
        and     x5, x4, #MASK
        add     x5, x5, x23
        and     x6, x4, #2 << 30
        orr     x5, x5, x6, lsr #30
        tst     x20, #3 << 60
        csel    x5, x20, x5, eq
        str     x5, [x21, x3]
        subs    x2, x2, #1
        b.ne    scribble
        ret

program:
        next
        lsr     x29, x20, #24
        and     x29, x29, #MASK
        add     x29, x29, x23
        mov     x30, x20
        mov     x1, #50
1:      subs    x1, x1, #1
        b.ne    1b
        svc     #0
        b       program

        .balign 2048
vectors:
        .set    n, 0
        .rept   16
        .balign 128
        mov     x2, #16
        bl      scribble
        msr     tpidr_el1, x3
        eret
        .endr
end:
        .balign 4096
table:  .quad   DEVICE, 0x40000000 + MEMORY, 0x40000000 + PROGRAM
        .balign 4096

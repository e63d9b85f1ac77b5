/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calls: functions with a frame, one whose return address is signed, and one without a frame, in an
 * endless round. host_tools/tests/record knows which function calls which. If PARAMETER is 0, the
 * frame pointer is invalid between the rounds: it points into a device, to itself, to an address
 * where nothing is, and through page tables that a device has.
 *
 * If it starts at EL2, a guest does all this. Its memory is elsewhere than the guest believes.
 */
#define PARAMETER 0x47000000
#define SCTLR_ENIA (1 << 31)
#define SCTLR_MMU_CACHES ((1 << 12) | (1 << 2) | (1 << 0))
/* 39 bits of address each, a granule of 4 KiB, 40 bits of physical address. */
#define TCR ((2 << 32) | (2 << 30) | (25 << 16) | 25)
#define UART 0x09000000
/* The guest: PAC is its own, AArch64, stage 2; its VMID; 39 bits of address, from level 1 on. */
#define HCR ((3 << 40) | (1 << 31) | (1 << 0))
#define VMID 7
#define VTCR ((1 << 31) | (2 << 16) | (3 << 12) | (1 << 10) | (1 << 8) | (1 << 6) | 25)
#define EL1H 0x3c5
/* The distance of the guest's addresses from the real ones. */
#define MOVED 0x40000000
/* The same blocks of stage 2: readable and writable, of a device and of normal memory. */
#define DEVICE2 0x4c1
#define MEMORY2 0x7fd
/* Lines that no cache holds any more, one after the other. Between them leaf takes some time. */
#define LINES 0x44000000
#define LINES_MASK 0xffffc0
/* Blocks of 1 GiB with the access flag. Attribute 0 is device memory, 1 is normal memory. */
#define DEVICE 0x401
#define MEMORY 0x705

        .macro  frame
        stp     x29, x30, [sp, #-16]!
        mov     x29, sp
        .endm

        .macro  wait_a_while rounds
        mov     x1, #\rounds
1:      subs    x1, x1, #1
        b.ne    1b
        .endm

        .arch   armv8.3-a
        .global _start, after_outer, after_middle, after_leaf, outer, middle, leaf, wrong
_start: mov     x20, xzr
        mrs     x0, CurrentEL
        cmp     x0, #2 << 2
        b.ne    begin
        ldr     x0, =VTCR
        msr     vtcr_el2, x0
        adrp    x0, table2
        orr     x0, x0, #VMID << 48
        msr     vttbr_el2, x0
        ldr     x0, =HCR
        msr     hcr_el2, x0
        mov     x0, #EL1H
        msr     spsr_el2, x0
        adr     x0, begin
        msr     elr_el2, x0
        ldr     x20, =MOVED
        adrp    x0, table
        ldr     x1, [x0, #8]
        add     x1, x1, x20
        str     x1, [x0, #8]
        eret

begin:  ldr     x0, =0xff00
        msr     mair_el1, x0
        ldr     x0, =TCR
        msr     tcr_el1, x0
        adrp    x0, table
        add     x0, x0, x20
        msr     ttbr0_el1, x0
        ldr     x0, =UART
        msr     ttbr1_el1, x0
        isb
        mrs     x0, sctlr_el1
        ldr     x1, =SCTLR_ENIA | SCTLR_MMU_CACHES
        orr     x0, x0, x1
        msr     sctlr_el1, x0
        isb
        ldr     x0, =stack
        mov     sp, x0
        ldr     x0, =looped
        str     x0, [x0]
        str     x0, [x0, #8]
        ldr     x21, =LINES
        ldr     x23, =PARAMETER
        mov     x29, xzr
round:  bl      outer
after_outer:
        ldr     w4, [x23]
        cbz     w4, wrong
        b       round

outer:  frame
        bl      middle
after_middle:
        ldp     x29, x30, [sp], #16
        ret

middle: paciasp
        frame
        add     x22, x22, #64
        and     x22, x22, #LINES_MASK
        ldr     x5, [x21, x22]
        add     x5, x5, #1
        str     x5, [x21, x22]
        add     x6, x6, #1
        add     x6, x6, #1
        bl      leaf
after_leaf:
        ldp     x29, x30, [sp], #16
        autiasp
        ret

leaf:   wait_a_while 8000
        ret

wrong:  adr     x2, pointers
        mov     x3, #(pointers_end - pointers) / 8
2:      ldr     x29, [x2], #8
        wait_a_while 300
        subs    x3, x3, #1
        b.ne    2b
        mov     x29, xzr
        b       round

        .balign 8
pointers:
        .quad   UART, looped, looped + 1, 0x7fffffff00, 0xffffff8000001000, -8, -1, 1 << 63
        .quad   0x5000000000, garbage, garbage + 4088
pointers_end:

        .balign 4096
table:  .quad   DEVICE, 0x40000000 + MEMORY
        .balign 4096
table2: .quad   DEVICE2, 0x40000000 + MEMORY2, 0x40000000 + MEMORY2
        .balign 4096
/* Endless frames, each above the last one. */
garbage:
        .set    n, 0
        .rept   256
        .quad   garbage + (n + 1) * 16, 0xdead0000 + n
        .set    n, n + 1
        .endr
looped: .skip   16
        .balign 4096
        .skip   4096
stack:

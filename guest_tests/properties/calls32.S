/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calls32: A32 and T32 functions with frames as compilers make them, in an endless round.
 * host_tools/tests/record knows which function calls which. Between the rounds the frame pointer is
 * invalid: it points into a device, to itself, to an unaligned address, to an address where nothing
 * is, and up a stack of return addresses that no call precedes.
 *
 * The machine begins in A32 code, without an MMU. A device must not be read then either.
 */
#define STACK 0x46000000
#define UART 0x09000000

        .macro  wait_a_while rounds
        ldr     r1, =\rounds
1:      subs    r1, r1, #1
        bne     1b
        .endm

        .syntax unified
        .arch   armv7-a
        .arm
        .global _start, after_gcc, after_llvm, after_leaf, gcc, llvm, leaf, wrong
        .global after_thumb, after_inner, thumb, inner, end
_start: ldr     sp, =STACK
        mov     r11, #0
        mov     r7, #0
round:  bl      gcc
after_gcc:
        blx     thumb
after_thumb:
        b       wrong

/* As GCC does it: the frame pointer points to the return address. */
gcc:    push    {r11, lr}
        add     r11, sp, #4
        sub     sp, sp, #16
        bl      llvm
after_llvm:
        sub     sp, r11, #4
        pop     {r11, pc}

/*
 * As LLVM and the procedure call standard do it: to the caller's frame pointer, then the return
 * address.
 */
llvm:   push    {r11, lr}
        mov     r11, sp
        ldr     r2, =leaf
        blx     r2
after_leaf:
        pop     {r11, pc}

/*
 * As in GCC's leaf functions: to the caller's frame pointer alone. What follows is no return
 * address.
 */
leaf:   push    {r11}
        mov     r11, sp
        wait_a_while 200
        pop     {r11}
        bx      lr

wrong:  ldr     r3, =pointers
        ldr     r4, =pointers_end
2:      ldr     r11, [r3], #4
        wait_a_while 100
        cmp     r3, r4
        bne     2b
        mov     r11, #0
        b       round
        .ltorg

        .thumb
        .thumb_func
thumb:  push    {r7, lr}
        mov     r7, sp
        bl      inner
after_inner:
        pop     {r7, pc}

        .thumb_func
inner:  push    {r7, lr}
        mov     r7, sp
        movs    r1, #200
3:      subs    r1, #1
        bne     3b
        pop     {r7, pc}
        .balign 4
end:

pointers:
        .word   UART, looped, looped + 1, looped + 2, 0x7ffffff0, 0xfffffffc, 0xffffffff, garbage
pointers_end:
        .balign 64
looped: .word   looped, looped, looped, looped
/* Each frame is above the last one, and there are more than a recorder reads. */
garbage:
        .set    n, 0
        .rept   4096
        .word   garbage + (n + 1) * 8, garbage
        .set    n, n + 1
        .endr

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls that never return: _start calls outer(), which calls inner(), which ends the program.
 * inner() has 1 + 1000 * 2 + 3 = 2,004 instructions, outer() 2 more, and _start 1 more.
 */
    .globl _start
    .type _start, %function
    .type outer, %function
    .type inner, %function
#ifdef __x86_64__
_start:
    call outer
outer:
    nop
    call inner
inner:
    mov $1000, %ecx
1:
    dec %ecx
    jnz 1b
    mov $60, %eax /* exit */
    xor %edi, %edi
    syscall
#else
_start:
    bl outer
outer:
    nop
    bl inner
inner:
    mov w1, #1000
1:
    subs w1, w1, #1
    b.ne 1b
    mov x8, #93 /* exit */
    mov x0, #0
    svc #0
#endif
    .section .note.GNU-stack, "", %progbits

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program whose instructions are known: 10,000 turns of 3 instructions, or of 4 if LONGER is
 * defined, and 4 more: 30,004 or 40,004. Of the branches 10,000 are those of the loop, and one is
 * the system call.
 */
    .globl _start
#ifdef __x86_64__
_start:
    mov $10000, %ecx
1:
    nop
#ifdef LONGER
    nop
#endif
    dec %ecx
    jnz 1b
    mov $60, %eax /* exit */
    xor %edi, %edi
    syscall
#else
_start:
    mov w1, #10000
1:
    nop
#ifdef LONGER
    nop
#endif
    subs w1, w1, #1
    b.ne 1b
    mov x8, #93 /* exit */
    mov x0, #0
    svc #0
#endif
    .section .note.GNU-stack, "", %progbits

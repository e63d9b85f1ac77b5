/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program that says "ready" and never ends. */
    .globl _start
_start:
    mov $1, %eax /* write */
    mov $1, %edi
    lea text(%rip), %rsi
    mov $6, %edx
    syscall
1:
    jmp 1b
    .section .rodata
text:
    .ascii "ready\n"
    .section .note.GNU-stack, "", %progbits

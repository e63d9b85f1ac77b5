/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fetch N: executes N times from the last instruction of a page into a page that may not be
 * executed until a handler allows it, in 33 + 7 d + 31 N user instructions.
 */
#include "program.inc"

    .equ SYS_MPROTECT, 10
    .equ NOP, 0x90
    .equ RET, 0xc3
    .equ NOPS, 12

.macro protect prot
    lea (1 << PAGE_SHIFT)(%r13), %rdi
    mov $1 << PAGE_SHIFT, %esi
    mov $\prot, %edx
    system_call SYS_MPROTECT
.endm

function _start
    argument                            /* [6 + 7 d] */
    catch SIGSEGV                       /* [12 + 7 d] */
    mov %rbx, %r12
    mov $2, %ebx
    map PROT_RWX                        /* [23 + 7 d] */
    mov %rax, %r13
    lea (1 << PAGE_SHIFT) - NOPS(%r13), %r14
    mov %r14, %rdi
    mov $NOPS, %ecx
    mov $NOP, %al
    rep stosb
    movb $RET, (%rdi)                   /* [30 + 7 d] */

1:  protect 0                           /* 5 + 1 + NOPS + 1 + 2 for each of N, 10 of the handler */
    call *%r14
    dec %r12
    jnz 1b

    finish 0                            /* [33 + 7 d + 31 N] */

handler:
    protect PROT_RWX
    nop
    nop
    ret                                 /* 8, and 2 of the restorer */

    restore

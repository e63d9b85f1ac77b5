/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit N: calls a function N times that it has changed, and that changes its own next instruction,
 * in 23 + 7 d + 7 N user instructions.
 */
#include "program.inc"

function _start
    argument                            /* [6 + 7 d] */
    map PROT_RWX                        /* [15 + 7 d] */
    mov code(%rip), %rcx
    mov %rcx, (%rax)
    mov code + 8(%rip), %cx
    mov %cx, 8(%rax)
    mov %rax, %r13                      /* [20 + 7 d] */

1:  mov %bl, 6(%r13)                    /* 4 for each of N, and 3 of the function */
    call *%r13
    dec %rbx
    jnz 1b

    finish 0                            /* [23 + 7 d + 7 N] */

    .balign 8
code:
    movb $0, 1f + 1(%rip)
1:  mov $0, %al
    ret

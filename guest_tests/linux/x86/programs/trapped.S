/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trapped N: N instructions that are undefined, and a handler that goes past them, in 15 + 7 d + 6 N
 * user instructions.
 */
#include "program.inc"

    .equ SIGILL, 4
    .equ SA_RESTORER, 0x04000000
    .equ UC_RIP, 168

function _start
    argument                            /* [6 + 7 d] */
    mov $SIGILL, %edi
    lea action(%rip), %rsi
    xor %edx, %edx
    mov $8, %r10d
    system_call SYS_RT_SIGACTION        /* [12 + 7 d] */

1:  ud2                                 /* 2 for each of N, and 4 of the handler */
    dec %rbx
    jnz 1b

    finish 0                            /* [15 + 7 d + 6 N] */

handler:
    addq $2, UC_RIP(%rdx)
    ret

restorer:
    system_call SYS_RT_SIGRETURN

    .data
    .balign 8
action:
    .quad handler, SA_RESTORER | 4, restorer, 0

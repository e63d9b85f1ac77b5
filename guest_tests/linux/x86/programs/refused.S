/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * refused N: N times RDPMC of a counter that does not exist and an INT that may not be used, and a
 * handler that goes past them, in 15 + 7 d + 14 N user instructions; 3 + 2 d + 5 N branches.
 */
#include "program.inc"

    .equ SIGSEGV, 11
    .equ SA_RESTORER, 0x04000000
    .equ UC_RIP, 168
    .equ NO_COUNTER, 0x1234

function _start
    argument                            /* [6 + 7 d] */
    mov $SIGSEGV, %edi
    lea action(%rip), %rsi
    xor %edx, %edx
    mov $8, %r10d
    system_call SYS_RT_SIGACTION        /* [12 + 7 d] */

1:  nop                                 /* 6 for each of N, and twice 4 of the handler */
    mov $NO_COUNTER, %ecx
    rdpmc
    nop
    int $0x50
    nop
    dec %rbx
    jnz 1b

    finish 0                            /* [15 + 7 d + 14 N] */

handler:
    addq $2, UC_RIP(%rdx)
    ret

restorer:
    system_call SYS_RT_SIGRETURN

    .data
    .balign 8
action:
    .quad handler, SA_RESTORER | 4, restorer, 0

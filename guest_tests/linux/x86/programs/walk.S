/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * walk N: reads one word of each of 1024 lines N times, twice as many lines as L1D has. With FIFO
 * none of them is there when it is read again, while L2 has them all. 20 + 7 d + 4100 N user
 * instructions with 2 + d + 1024 N reads.
 */
#include "program.inc"

    .equ LINES, 1024
    .equ LINE, 64

function _start
    argument                            /* [6 + 7 d] */
    mov %rbx, %r12
    mov $LINES * LINE >> PAGE_SHIFT, %ebx
    map PROT_RW                         /* [17 + 7 d] */

2:  mov $LINES, %ecx                    /* 4 + 4096 for each of N */
    mov %rax, %rdx
1:  mov (%rdx), %esi
function behind_read
    add $LINE, %rdx
    dec %ecx
    jnz 1b
    dec %r12
    jnz 2b

    finish 0                            /* [20 + 7 d + 4100 N] */

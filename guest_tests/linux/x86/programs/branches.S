/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * branches N: executes one branch of each kind, in 11 + 7 d + 10 N user instructions with 2 + 2 d +
 * 8 N branches, of which 1 + d + 2 N are conditional.
 */
#include "program.inc"

function _start
    argument                            /* [6 + 7 d] */
    lea leaf(%rip), %r14
    lea 2f(%rip), %r15                  /* [8 + 7 d] */

1:  call leaf                           /* 10 for each of N, two of them returns */
    call *%r14
    jmp *%r15
2:  mov $1, %ecx
    loop 1b
    jmp 3f
3:  dec %rbx
    jnz 1b

    finish 0                            /* [11 + 7 d + 10 N] */

leaf:
    ret

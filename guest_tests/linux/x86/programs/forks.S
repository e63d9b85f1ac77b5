/* SPDX-License-Identifier: GPL-2.0-or-later */
/* forks N: starts N children with 5 instructions each, in 9 + 7 d + 17 N user instructions. */
#include "program.inc"

function _start
    argument                            /* [6 + 7 d] */

1:  system_call SYS_FORK                /* 12 for each of N */
    test %eax, %eax
    jz child
    mov $-1, %rdi
    xor %esi, %esi
    xor %edx, %edx
    xor %r10d, %r10d
    system_call SYS_WAIT4
    dec %rbx
    jnz 1b

    finish 0                            /* [9 + 7 d + 17 N] */

/* The child begins after the system call. */
child:
    finish 0                            /* [5] */

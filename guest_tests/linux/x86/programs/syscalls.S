/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syscalls N: makes N system calls in 9 + 7 d + 4 N user instructions with 2 + 2 d + 2 N branches.
 */
#include "program.inc"

function _start
    argument                            /* [6 + 7 d] */

1:  system_call SYS_GETPID              /* 4 for each of N */
    dec %rbx
    jnz 1b

    finish 0                            /* [9 + 7 d + 4 N] */

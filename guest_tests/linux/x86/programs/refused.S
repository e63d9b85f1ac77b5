/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * refused N: N times RDPMC of a counter that does not exist and an INT that is not allowed, with a
 * handler that skips them, in 15 + 7 d + 14 N user instructions with 3 + 2 d + 5 N branches.
 */
#include "program.inc"

    .equ NO_COUNTER, 0x1234

function _start
    argument                            /* [6 + 7 d] */
    catch SIGSEGV                       /* [12 + 7 d] */

1:  nop                                 /* 6 for each of N, and twice 4 of the handler */
    mov $NO_COUNTER, %ecx
    rdpmc
    nop
    int $0x50
    nop
    dec %rbx
    jnz 1b

    finish 0                            /* [15 + 7 d + 14 N] */

    skip_it

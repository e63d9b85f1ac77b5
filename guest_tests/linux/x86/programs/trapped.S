/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trapped N: N undefined instructions, and a handler that skips them, in 15 + 7 d + 6 N user
 * instructions.
 */
#include "program.inc"

function _start
    argument                            /* [6 + 7 d] */
    catch SIGILL                        /* [12 + 7 d] */

1:  ud2                                 /* 2 for each of N, and 4 of the handler */
    dec %rbx
    jnz 1b

    finish 0                            /* [15 + 7 d + 6 N] */

    skip_it

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loop N: the simplest program there is: 9 + 5 * digits(N) + 8 * N user instructions.
 */
#include "program.inc"

function _start
    argument                            /* [5 + 5 * digits] */
    cbz x19, end                        /* [6 + 5 * digits] */

function loop_body                      /* 8 for each of N */
    add x2, x2, #1
    add x3, x3, #1
    add x4, x4, #1
    add x5, x5, #1
    add x6, x6, #1
    add x7, x7, #1
    subs x19, x19, #1
    b.ne loop_body

function end
    finish 0                            /* [9 + 5 * digits + 8 * N] */

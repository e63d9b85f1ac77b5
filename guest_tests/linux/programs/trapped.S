/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trapped N: reads MIDR_EL1 N times, which is undefined at EL0. The kernel does the read and steps
 * over the instruction, so EL0 never executes it. 8 + 5 * digits(N) + 5 * N user instructions, not
 * 6 * N. N is at least 1.
 */
#include "program.inc"

function _start
    argument                            /* [5 + 5 * digits] */

function loop_body                      /* 5 for each of N */
    add x2, x2, #1
    mrs x0, midr_el1                    /* not executed */
    add x3, x3, #1
    add x4, x4, #1
    subs x19, x19, #1
    b.ne loop_body

    finish 0                            /* [8 + 5 * digits + 5 * N] */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fault N: writes to N new pages, which causes N page faults in addition to the program's others.
 * The store is in the middle of straight code: the instructions before it are not executed again
 * after the fault, those after it have not been executed yet. 18 + 5 * digits(N) + 8 * N user
 * instructions. N is at least 1.
 */
#include "program.inc"

function _start
    argument                            /* [5 + 5 * digits] */
    lsl x1, x19, #12                    /* [6 + 5 * digits] */
    map PROT_RW                         /* [15 + 5 * digits] */

function loop_body                      /* 8 for each of N */
    add x2, x2, #1
    add x3, x3, #1
    add x4, x4, #1
    str x2, [x0]                        /* faults the first time */
    add x5, x5, #1
    add x0, x0, #PAGE
    subs x19, x19, #1
    b.ne loop_body

    finish 0                            /* [18 + 5 * digits + 8 * N] */

function fail
    finish 1

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream: loads once from each of 100,000 lines of 64 bytes that it has never touched before, and
 * touches no other memory. Each of the 100,000 loads misses any cache. The lines are on 1,563
 * pages, each with a page fault. 400,016 user instructions.
 *
 * It has no argument, because reading one would be a load that may or may not miss.
 */
#include "program.inc"

    .equ LINE, 64
    .equ LINES, 100000

function _start
    mov w1, #(LINES * LINE) & 0xffff            /* [1] */
    movk w1, #(LINES * LINE) >> 16, lsl #16     /* [2] */
    map PROT_RW                                 /* [11] */
    mov w19, #LINES & 0xffff                    /* [12] */
    movk w19, #LINES >> 16, lsl #16             /* [13] */

function loop_body                              /* 4 for each line */
    ldr x1, [x0]
    add x0, x0, #LINE
    subs w19, w19, #1
    b.ne loop_body

    finish 0                                    /* [400,016] */

function fail
    finish 1

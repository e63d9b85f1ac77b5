/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit N: N times writes two instructions, makes them visible, and calls them. Translated code that
 * was counted once must be counted again, with its new length. 21 + 5 * digits(N) + 19 * N user
 * instructions. N is at least 1.
 */
#include "program.inc"

    .equ MOVZ_X0, 0xd2800000            /* movz x0, #0 */
    .equ RET, 0xd65f03c0

function _start
    argument                            /* [5 + 5 * digits] */
    mov x1, #PAGE                       /* [6 + 5 * digits] */
    map PROT_RWX                        /* [15 + 5 * digits] */
    mov x20, x0                         /* [16 + 5 * digits] */
    ldr w21, =MOVZ_X0                   /* [17 + 5 * digits] */
    ldr w22, =RET                       /* [18 + 5 * digits] */

function loop_body                      /* 17 + 2 written instructions for each of N */
    and w23, w19, #0xffff
    orr w1, w21, w23, lsl #5
    str w1, [x20]
    str w22, [x20, #4]                  /* [4] */
    dc cvau, x20
    dsb ish
    ic ivau, x20
    dsb ish
    isb                                 /* [9] */
    mov x0, #0
    nop
    blr x20                             /* [12] */
    cmp w0, w23                         /* [15]: with movz and ret */
    b.ne fail
    add x3, x3, #1
    subs x19, x19, #1
    b.ne loop_body                      /* [19] */

    finish 0                            /* [21 + 5 * digits + 19 * N] */

function fail
    finish 1

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * migrate N: moves itself from CPU 0 to CPU 1 and back, N moves in all, with a little work after
 * each. 16 + 5 * digits(N) + 11 * N user instructions. N CPU migrations if it starts on CPU 0. N is
 * at least 1.
 */
#include "program.inc"

/* Asks for the CPUs at [x20]: 6 instructions. */
.macro pin
    mov x0, #0
    mov x1, #8
    mov x2, x20
    syscall SYS_SCHED_SETAFFINITY
    cbnz x0, fail
.endm

function _start
    argument                            /* [5 + 5 * digits] */
    adrp x20, masks                     /* [6 + 5 * digits] */
    add x20, x20, :lo12:masks           /* [7 + 5 * digits] */
    pin                                 /* [13 + 5 * digits] */

function loop_body                      /* 11 for each of N */
    eor x20, x20, #8
    pin
    add x3, x3, #1
    add x4, x4, #1
    subs x19, x19, #1
    b.ne loop_body

    finish 0                            /* [16 + 5 * digits + 11 * N] */

function fail
    finish 1

    .section .rodata
    .balign 16
masks:
    .quad 1, 2

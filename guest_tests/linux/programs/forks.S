/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * forks N: starts N children one after the other, which exit at once. 8 + 5 * digits(N) + 20 * N
 * user instructions, of which the children execute 4 * N. N is at least 1.
 */
#include "program.inc"

function _start
    argument                            /* [5 + 5 * digits] */

function loop_body                      /* 16 for each of N */
    mov x0, #SIGCHLD
    mov x1, #0
    mov x2, #0
    mov x3, #0
    mov x4, #0
    syscall SYS_CLONE                   /* [7] */
    cbz x0, child                       /* [8], and the child's [1] */
    mov x1, #0
    mov x2, #0
    mov x3, #0
    syscall SYS_WAIT4                   /* [13] */
    cbz x0, fail                        /* [14] */
    subs x19, x19, #1
    b.ne loop_body

    finish 0                            /* [8 + 5 * digits + 20 * N] */

function child
    finish 0                            /* the child's [4] */

function fail
    finish 1

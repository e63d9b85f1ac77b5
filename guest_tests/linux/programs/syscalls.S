/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syscalls N: calls getpid() N times: 8 + 5 * digits(N) + 4 * N user instructions. N is at least 1.
 */
#include "program.inc"

function _start
    argument                            /* [5 + 5 * digits] */

function loop_body                      /* 4 for each of N */
    syscall SYS_GETPID
    subs x19, x19, #1
    b.ne loop_body

    finish 0                            /* [8 + 5 * digits + 4 * N] */

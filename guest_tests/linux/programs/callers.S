/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callers N: calls getpid() N times from inner, called by middle, called by outer. These have
 * frames as in the procedure call standard.
 */
#include "program.inc"

function _start
    argument
    mov x29, #0
    bl outer
    finish 0

function outer
    frame
    bl middle
    leave

function middle
    frame
1:  bl inner
    subs x19, x19, #1
    b.ne 1b
    leave

function inner
    frame
    syscall SYS_GETPID
    leave

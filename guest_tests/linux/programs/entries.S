/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * entries N: calls getpid() 2 N times, in turn from inner, called by middle, and from other, called
 * by second. Both are called by outer. These have frames as in the procedure call standard.
 */
#include "program.inc"

function _start
    argument
    mov x29, #0
    bl outer
    finish 0

function outer
    frame
1:  bl middle
    bl second
    subs x19, x19, #1
    b.ne 1b
    leave

function middle
    frame
    bl inner
    leave

function second
    frame
    bl other
    leave

function inner
    frame
    syscall SYS_GETPID
    leave

function other
    frame
    syscall SYS_GETPID
    leave

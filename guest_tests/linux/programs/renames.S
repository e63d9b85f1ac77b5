/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * renames N: N times, works on CPU 0 under the name alpha, moves to CPU 1, takes the name beta and
 * works there, takes the name alpha again, and moves back.
 */
#include "program.inc"

    .equ SYS_PRCTL, 167
    .equ PR_SET_NAME, 15

.macro pin mask
    mov x0, #0
    mov x1, #8
    adrp x2, \mask
    add x2, x2, :lo12:\mask
    syscall SYS_SCHED_SETAFFINITY
    cbnz x0, fail
.endm

.macro rename name
    mov x0, #PR_SET_NAME
    adrp x1, \name
    add x1, x1, :lo12:\name
    syscall SYS_PRCTL
.endm

.macro work
    mov x4, #1000
1:  subs x4, x4, #1
    b.ne 1b
.endm

function _start
    argument
    rename name_alpha
    pin cpu0

function alpha
    work
function alpha_end
    pin cpu1
    rename name_beta

function beta
    work
function beta_end
    rename name_alpha
    pin cpu0
    subs x19, x19, #1
    b.ne alpha

    finish 0

function fail
    finish 1

    .section .rodata
    .balign 16
cpu0:
    .quad 1
cpu1:
    .quad 2
name_alpha:
    .asciz "alpha"
name_beta:
    .asciz "beta"

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signal N: sends itself N signals and handles each. 23 + 5 * digits(N) + 13 * N user instructions.
 * N is at least 1.
 */
#include "program.inc"

function _start
    argument                            /* [5 + 5 * digits] */
    mov x0, #SIGUSR1
    adr x1, action
    mov x2, #0
    mov x3, #8
    syscall SYS_RT_SIGACTION            /* [11 + 5 * digits] */
    cbnz x0, fail                       /* [12 + 5 * digits] */
    syscall SYS_GETPID                  /* [14 + 5 * digits] */
    mov x20, x0                         /* [15 + 5 * digits] */
    mov x21, x19                        /* [16 + 5 * digits] */
    adr x22, handled                    /* [17 + 5 * digits] */

function loop_body                      /* 6 + the handler's 5 + 2 for each of N */
    mov x0, x20
    mov x1, #SIGUSR1
    syscall SYS_KILL
    subs x19, x19, #1
    b.ne loop_body

    ldr x1, [x22]                       /* [18 + 5 * digits + 13 * N] */
    cmp x1, x21                         /* [19 + 5 * digits + 13 * N] */
    b.ne fail                           /* [20 + 5 * digits + 13 * N] */
    finish 0                            /* [23 + 5 * digits + 13 * N] */

function fail
    finish 1

function handler
    adr x1, handled
    ldr x2, [x1]
    add x2, x2, #1
    str x2, [x1]
    ret

function restorer
    syscall SYS_RT_SIGRETURN

    .balign 8
action:
    .quad handler, SA_RESTORER, restorer, 0

    .data
    .balign 8
handled:
    .quad 0

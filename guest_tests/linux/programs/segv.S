/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * segv N: makes N stores to a page that may not be accessed. Each ends in a SIGSEGV handler that
 * makes the page writable. The store is then executed again, and the page is protected again. 26 +
 * 5 * digits(N) + 22 * N user instructions. N is at least 1.
 */
#include "program.inc"

/* mprotect(x20, PAGE, prot): 5 instructions. */
.macro protect prot
    mov x0, x20
    mov x1, #PAGE
    mov x2, #\prot
    syscall SYS_MPROTECT
.endm

function _start
    argument                            /* [5 + 5 * digits] */
    mov x1, #PAGE                       /* [6 + 5 * digits] */
    map PROT_NONE                       /* [15 + 5 * digits] */
    mov x20, x0                         /* [16 + 5 * digits] */
    mov x0, #SIGSEGV
    adr x1, action
    mov x2, #0
    mov x3, #8
    syscall SYS_RT_SIGACTION            /* [22 + 5 * digits] */
    cbnz x0, fail                       /* [23 + 5 * digits] */

function loop_body                      /* 14 + the handler's 6 + 2 for each of N */
    add x3, x3, #1
    add x4, x4, #1
    add x5, x5, #1
    str x3, [x20]                       /* faults the first time */
    add x6, x6, #1
    add x7, x7, #1
    protect PROT_NONE                   /* [11] */
    cbnz x0, fail                       /* [12] */
    subs x19, x19, #1
    b.ne loop_body

    finish 0                            /* [26 + 5 * digits + 22 * N] */

function fail
    finish 1

function handler                        /* x20 still has the interrupted program's value */
    protect PROT_RW                     /* [5] */
    ret                                 /* [6] */

function restorer
    syscall SYS_RT_SIGRETURN            /* 2 */

    .balign 8
action:
    .quad handler, SA_RESTORER, restorer, 0

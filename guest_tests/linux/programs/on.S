/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * on MASK PROGRAM ARGUMENT...: moves itself to the CPUs of MASK (one bit each, in decimal), then
 * becomes PROGRAM. It executes 6 user instructions on the CPU that it has moved to, and 18 + 5 *
 * digits(MASK) in all.
 */
#include "program.inc"

function _start
    argument                            /* [5 + 5 * digits] */
    sub sp, sp, #16                     /* [6 + 5 * digits] */
    str x19, [sp]                       /* [7 + 5 * digits] */
    mov x0, #0
    mov x1, #8
    mov x2, sp
    syscall SYS_SCHED_SETAFFINITY       /* [12 + 5 * digits] */
    cbnz x0, fail                       /* the new CPU's [1] */
    ldr x0, [sp, #16 + 24]              /* [2]: argv[2] */
    add x1, sp, #16 + 24                /* [3]: &argv[2] */
    mov x2, #0                          /* [4]: no environment */
    syscall SYS_EXECVE                  /* [6] */

function fail
    finish 127

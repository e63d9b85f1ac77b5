/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threads N: three threads. Each waits for one byte of standard input (or its end). Then the first
 * executes a loop N times, the second 2 * N times, the third 3 * N times. After its read(), thread
 * i executes 3 + 2 * i * N more user instructions. N is at least 1.
 *
 * The whole process: the first thread's 33 + 5 * digits(N) up to its read(), the others' 7 each up
 * to theirs, and the rest: 56 + 5 * digits(N) + 12 * N.
 */
#include "program.inc"

    .equ CLONE_A_THREAD, 0x50f00        /* VM FS FILES SIGHAND THREAD SYSVSEM */

/* A thread that begins at run with x19 rounds to do: 8 instructions, and its own first. */
.macro thread stack_top
    ldr x0, =CLONE_A_THREAD
    adrp x1, \stack_top
    add x1, x1, :lo12:\stack_top
    mov x2, #0
    mov x3, #0
    mov x4, #0
    syscall SYS_CLONE                   /* [8] */
    cbz x0, run                         /* [9], and the thread's [1] */
.endm

function _start
    argument                            /* [5 + 5 * digits] */
    mov x20, x19                        /* [6 + 5 * digits] */
    add x19, x20, x20                   /* [7 + 5 * digits] */
    thread stack2                       /* [16 + 5 * digits] */
    add x19, x19, x20                   /* [17 + 5 * digits] */
    thread stack3                       /* [26 + 5 * digits] */
    mov x19, x20                        /* [27 + 5 * digits] */

function run
    sub sp, sp, #16                     /* 6 */
    mov x0, #0
    mov x1, sp
    mov x2, #1
    syscall SYS_READ                    /* [33 + 5 * digits]; 7 in the others */

function loop_body                      /* 2 for each round */
    subs x19, x19, #1
    b.ne loop_body

    mov x0, #0                          /* 3: the thread, not the process */
    syscall SYS_EXIT

    .bss
    .balign 4096
    .skip 4096
stack2:
    .skip 4096
stack3:
    .skip 16

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loop N of programs/, in A32: 11 + 5 * digits(N) + 8 * N user instructions. program.inc there says
 * what counts and how.
 */
    .arch armv7-a
    .syntax unified
    .arm

    .equ SYS_EXIT_GROUP, 248

    .type _start, %function
    .globl _start
_start:
    ldr r1, [sp, #8]                    /* [1]: argv[1] */
    mov r4, #0                          /* [2] */
    mov r2, #10                         /* [3] */
1:  ldrb r3, [r1], #1                   /* [4 + 5 * digits] */
    subs r3, r3, #'0'                   /* [5 + 5 * digits] */
    blo 2f                              /* [6 + 5 * digits] */
    mla r4, r4, r2, r3
    b 1b
2:  cmp r4, #0                          /* [7 + 5 * digits] */
    beq end                             /* [8 + 5 * digits] */

    .type loop_body, %function
loop_body:                              /* 8 for each of N */
    add r2, r2, #1
    add r3, r3, #1
    add r5, r5, #1
    addlo r6, r6, #1                    /* fails its condition, but is executed */
    add r8, r8, #1
    add r9, r9, #1
    subs r4, r4, #1
    bne loop_body

end:
    mov r0, #0
    mov r7, #SYS_EXIT_GROUP
    svc #0                              /* [11 + 5 * digits + 8 * N] */
    .section .note.GNU-stack, "", %progbits

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frames N: 10 + 7 d + 27 N user instructions of functions with frame pointers that call each
 * other.
 */
#include "program.inc"

.macro enter
    push %rbp
    mov %rsp, %rbp
.endm

function _start
    argument                            /* [6 + 7 d] */
    xor %ebp, %ebp                      /* [7 + 7 d] */

function again                          /* 27 for each of N */
    call outer
    dec %rbx
    jnz again

    finish 0                            /* [10 + 7 d + 27 N] */

function outer                          /* 24 */
    enter
    mov $inner, %eax
    call *%rax
    call leaf
    pop %rbp
    ret

function inner                          /* 12 */
    enter
    nop
    call leaf
    nop
    pop %rbp
    ret

function leaf                           /* 5 */
    enter
    nop
    pop %rbp
    ret

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fill N: writes a byte of each of 16384 lines N times, which are twice the lines of L2 and half of
 * those of the last level: each write misses L1D and L2, and replaces a line that was written.
 */
#include "program.inc"

    .equ LINES, 16384
    .equ LINE, 64

function _start
    argument
    mov %rbx, %r12
    mov $LINES * LINE >> PAGE_SHIFT, %ebx
    map PROT_RW

2:  mov $LINES, %ecx
    mov %rax, %rdx
1:  movb $1, (%rdx)
    add $LINE, %rdx
    dec %ecx
    jnz 1b
    dec %r12
    jnz 2b

    finish 0

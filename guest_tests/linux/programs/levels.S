/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * levels N: loads and stores whose cache level is known, with the sizes that caches have by default
 * (docs/models.md). The program of the same name for x86-64 has the same loops; ../accesses.py knows
 * them. Each loop accesses lines of 64 bytes in order, from the start of the array, at the address in
 * x1. A cache with LRU or FIFO never has a line of an array that is larger.
 */
#include "program.inc"

    .equ LINE, 64
    .equ LARGE, 4 << 20
    .equ MIDDLE, 1 << 20
    .equ SMALL, 64 << 10

    .bss
    .balign PAGE
    .type array, %object
    .size array, LARGE
array:
    .space LARGE
    .text

.macro begin
    adrp x1, array
    add x1, x1, :lo12:array
.endm

/* Accesses each line of the first bytes of the array, "passes" times. */
.macro pass name, bytes, passes, insn:vararg
    mov x4, \passes
1:  begin
    mov w3, #\bytes / LINE
function \name
    \insn
    add x1, x1, #LINE
    subs w3, w3, #1
    b.ne \name
    subs x4, x4, #1
    b.ne 1b
.endm

/* Accesses the first word of the array "times" times. */
.macro word name, times, insn:vararg
    begin
    mov x4, \times
function \name
    \insn
    subs x4, x4, #1
    b.ne \name
.endm

function _start
    argument
    lsl x20, x19, #10

    pass cold, LARGE, 1, ldr w2, [x1]
    pass beyond_l3, LARGE, 1, ldr w2, [x1]
    pass warm_l3, MIDDLE, 1, ldr w2, [x1]
    pass beyond_l2, MIDDLE, x19, ldr w2, [x1]
    pass warm_l2, SMALL, 1, ldr w2, [x1]
    pass beyond_l1, SMALL, x19, ldr w2, [x1]
    word warm_l1, 1, ldr w2, [x1]
    word hot, x20, ldr w2, [x1]

    pass store_beyond_l1, SMALL, x19, str w2, [x1]
    word store_cold, 1, str w2, [x1]
    word store_hot, x20, str w2, [x1]
    word lock_hot, x20, ldadd w2, w5, [x1]

function end
    finish 0

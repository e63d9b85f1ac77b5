/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * levels N: loads and stores whose cache level is known, with the sizes that caches have by default
 * (docs/models.md). Each loop accesses lines of 64 bytes in order, from the start of the array, at
 * the address in RDX. A cache with LRU or FIFO never has a line of an array that is larger.
 *
 * loads            array     passes  level
 * cold             4 MiB     1       memory: the lines are new
 * beyond_l3        4 MiB     1       memory: L3 has 2 MiB
 * beyond_l2        1 MiB     N       L3: L2 has 512 KiB; after a pass of warm_l3
 * beyond_l1        64 KiB    N       L2: L1 has 32 KiB; after a pass of warm_l2
 * hot              4 bytes   1024 N  L1; after one of warm_l1
 *
 * stores           array     passes  L1
 * store_beyond_l1  64 KiB    N       misses
 * store_hot        4 bytes   1024 N  hits; after one of store_cold
 *
 * lock_hot adds to the same word 1024 N times, with a LOCK prefix.
 */
#include "program.inc"

    .equ LINE, 64
    .equ LARGE, 4 << 20
    .equ MIDDLE, 1 << 20
    .equ SMALL, 64 << 10

    .bss
    .balign 1 << PAGE_SHIFT
    .type array, %object
    .size array, LARGE
array:
    .space LARGE
    .text

/* Accesses each line of the first bytes of the array, "passes" times. */
.macro pass name, bytes, passes, insn:vararg
    mov \passes, %r14
1:  lea array(%rip), %rdx
    mov $\bytes / LINE, %ecx
    .type \name, %function
    .globl \name
\name:
    \insn
    add $LINE, %rdx
    dec %ecx
    jnz \name
    dec %r14
    jnz 1b
.endm

/* Accesses the first word of the array "times" times. */
.macro word name, times, insn:vararg
    lea array(%rip), %rdx
    mov \times, %r14
    .type \name, %function
    .globl \name
\name:
    \insn
    dec %r14
    jnz \name
.endm

function _start
    argument
    mov %rbx, %r15
    shl $10, %r15

    pass cold, LARGE, $1, mov (%rdx), %esi
    pass beyond_l3, LARGE, $1, mov (%rdx), %esi
    pass warm_l3, MIDDLE, $1, mov (%rdx), %esi
    pass beyond_l2, MIDDLE, %rbx, mov (%rdx), %esi
    pass warm_l2, SMALL, $1, mov (%rdx), %esi
    pass beyond_l1, SMALL, %rbx, mov (%rdx), %esi
    word warm_l1, $1, mov (%rdx), %esi
    word hot, %r15, mov (%rdx), %esi

    pass store_beyond_l1, SMALL, %rbx, mov %esi, (%rdx)
    word store_cold, $1, mov %esi, (%rdx)
    word store_hot, %r15, mov %esi, (%rdx)
    word lock_hot, %r15, lock addl $1, (%rdx)

function end
    finish 0

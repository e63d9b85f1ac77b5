/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pages ADVICE: stores to each of 2048 pages of 4 KiB, then loads from each of them 8 times, always
 * in the same order. The memory is aligned to 2 MiB. ADVICE is that of madvise: 14, MADV_HUGEPAGE,
 * asks for 4 pages of 2 MiB; 15, MADV_NOHUGEPAGE, for pages of 4 KiB.
 */
#include "program.inc"

    .equ SYS_MADVISE, 233
    .equ PAGES, 2048
    .equ ROUNDS, 8
    .equ LARGE, 1 << 21

function _start
    argument
    mov x1, #PAGES * PAGE + LARGE
    map PROT_RW
    mov x1, #LARGE - 1
    add x20, x0, x1
    bic x20, x20, x1
    mov x0, x20
    mov x1, #PAGES * PAGE
    mov x2, x19
    syscall SYS_MADVISE
    cbnz x0, fail

    mov x0, x20
    mov x1, #PAGES
1:  str xzr, [x0]
    add x0, x0, #PAGE
    subs x1, x1, #1
    b.ne 1b

    mov x2, #ROUNDS
2:  mov x0, x20
    mov x1, #PAGES
3:  ldr x3, [x0]
    add x0, x0, #PAGE
    subs x1, x1, #1
    b.ne 3b
    subs x2, x2, #1
    b.ne 2b

    finish 0

function fail
    finish 1

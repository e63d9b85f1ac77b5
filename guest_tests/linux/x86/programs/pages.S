/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pages ADVICE: stores to each of 2048 pages of 4 KiB, then loads from each of them 8 times, always
 * in the same order. The memory is aligned to 2 MiB. ADVICE is that of madvise: 14, MADV_HUGEPAGE,
 * asks for 4 pages of 2 MiB; 15, MADV_NOHUGEPAGE, for pages of 4 KiB.
 */
#include "program.inc"

    .equ SYS_MADVISE, 28
    .equ PAGES, 2048
    .equ ROUNDS, 8
    .equ LARGE, 1 << 21
    .equ PAGE, 1 << PAGE_SHIFT

function _start
    argument
    mov %rbx, %r12
    mov $PAGES + LARGE / PAGE, %ebx
    map PROT_RW
    lea LARGE - 1(%rax), %rbp
    and $-LARGE, %rbp
    mov %rbp, %rdi
    mov $PAGES * PAGE, %esi
    mov %r12d, %edx
    system_call SYS_MADVISE
    test %eax, %eax
    jnz 4f

    mov %rbp, %rdx
    mov $PAGES, %ecx
1:  movl $0, (%rdx)
    add $PAGE, %rdx
    dec %ecx
    jnz 1b

    mov $ROUNDS, %r12d
2:  mov %rbp, %rdx
    mov $PAGES, %ecx
3:  mov (%rdx), %esi
    add $PAGE, %rdx
    dec %ecx
    jnz 3b
    dec %r12d
    jnz 2b

    finish 0
4:  finish 1

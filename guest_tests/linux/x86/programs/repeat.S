/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * repeat N: fills N new pages, compares them with themselves and searches for a byte that they do
 * not have, in 34 + 7 d user instructions, however many bytes that are: REP is one instruction,
 * whatever interrupts it.
 */
#include "program.inc"

function _start
    argument                            /* [6 + 7 d] */
    map PROT_RW                         /* [15 + 7 d] */
    mov %rax, %r13
    shl $PAGE_SHIFT, %rbx               /* [17 + 7 d] */

    mov %r13, %rdi
    mov %rbx, %rcx
    rep stosb                           /* [20 + 7 d] */

    mov %r13, %rdi
    mov %r13, %rsi
    mov %rbx, %rcx
    repe cmpsb                          /* [24 + 7 d] */

    not %eax
    mov %r13, %rdi
    mov %rbx, %rcx
    repne scasb                         /* [28 + 7 d] */

    xor %ecx, %ecx
    rep movsb                           /* [30 + 7 d]: none at all */
    inc %ecx
    finish 0                            /* [34 + 7 d] */

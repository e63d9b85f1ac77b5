/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * access N: makes each kind of memory access N times, also to new pages: 2 + d + 24 N reads and 121
 * N writes by instructions. Of each, 9 continue in another line; FXSAVE and FXRSTOR in 7.
 */
#include "program.inc"

    .bss
    .balign 1 << PAGE_SHIFT
scratch:
    .space 1 << PAGE_SHIFT
    .text

function _start
    argument                            /* reads 2 + d */
    map PROT_RW
    mov %rax, %r13
    lea scratch(%rip), %r12
    cld

1:  push %rax                           /* writes 1 */
    pop %rax                            /* reads 1 */
    call nothing                        /* writes 2, reads 2 */
    add (%r12), %rax                    /* reads 3 */
    add %rax, (%r12)                    /* both: reads 4, writes 3 */
    lock xadd %rax, 8(%r12)             /* reads 5, writes 4 */
    xchg %rax, 16(%r12)                 /* reads 6, writes 5 */
    pushq (%r12)                        /* reads 7, writes 6 */
    popq 16(%r12)                       /* reads 8, writes 7 */
    lea 2048(%r12), %rsi
    lea 3072(%r12), %rdi
    movsq                               /* reads 9, writes 8 */
    cmpsq                               /* of two places; reads 10 */
    mov $100, %ecx
    rep stosb                           /* writes 108 */
    lea 3072(%r12), %rdi
    mov $10, %ecx
    rep movsq                           /* reads 20, writes 118 */
    xor %ecx, %ecx
    rep movsq                           /* no element */

    mov 60(%r12), %rax                  /* reads 21, one in another line */
    mov %rax, 124(%r12)                 /* writes 119, one in another line */
    fxsave 512(%r12)                    /* writes 120, in 7 other lines */
    fxrstor 512(%r12)                   /* reads 22, in 7 other lines */
    prefetcht0 (%r12)                   /* prefetches 1 */
    prefetcht1 (%r12)
    prefetcht2 (%r12)
    prefetchnta (%r12)
    prefetchw (%r12)                    /* prefetches 5 */
    nopl (%r12)                         /* nothing */
    lea 4(%r12), %rdx
    clflush (%r12)

    /* The page of zeros is read, then copied: a fault between two accesses of one instruction. */
    mov (%r13), %rax                    /* reads 23 */
    add %rax, 60(%r13)                  /* reads 24, writes 121, each with one in another line */
    add $1 << PAGE_SHIFT, %r13
    dec %rbx
    jnz 1b

    finish 0

nothing:
    ret

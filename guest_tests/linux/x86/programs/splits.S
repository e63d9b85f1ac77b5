/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * splits N: N times 3 loads that lock, 8 loads and 6 stores that continue in another line; one load
 * and one store of these continue in another page. Needs AVX.
 */
#include "program.inc"

    .bss
    .balign 1 << PAGE_SHIFT
buffer:
    .space 2 << PAGE_SHIFT
    .text

function _start
    argument
    lea buffer(%rip), %r12
    cld

1:  lock incq (%r12)                    /* locks 1 */
    lock xadd %rax, 60(%r12)            /* locks 2; split loads 1, split stores 1 */
    xchg %rax, 8(%r12)                  /* locks 3 */
    xchg %rax, %rcx                     /* nothing: not memory */
    mov 60(%r12), %rax                  /* split loads 2 */
    mov 56(%r12), %rax                  /* to the end of the line */
    mov %rax, 124(%r12)                 /* split stores 2 */
    movups 56(%r12), %xmm0              /* split loads 3 */
    movups 48(%r12), %xmm0
    movups %xmm0, 120(%r12)             /* split stores 3 */
    mov 4092(%r12), %rax                /* split loads 4, the one of a page */
    mov %rax, 4093(%r12)                /* split stores 4, the one of a page */
    lea 63(%r12), %rsi
    lea 255(%r12), %rdi
    movsw                               /* split loads 5, split stores 5 */
    fldt 58(%r12)                       /* split loads 6 */
    fstp %st(0)
    fxsave 512(%r12)                    /* many lines, each written alone */

    /* Where a line begins in an access of 32 bytes: nowhere, in its second half, in its middle. */
    vmovups 32(%r12), %ymm0
    vmovups 40(%r12), %ymm0             /* split loads 7 */
    vmovups 48(%r12), %ymm0             /* split loads 8 */
    vmovups %ymm0, 112(%r12)            /* split stores 6 */
    vmovups %ymm0, 128(%r12)
    prefetcht0 60(%r12)
    dec %rbx
    jnz 1b

    finish 0

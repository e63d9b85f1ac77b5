/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flops N: N rounds of floating point. Beside each instruction is what a round counts: Intel's
 * instructions by width and precision, and AMD's operations.
 */
#include "program.inc"

function _start
    argument
    xorps %xmm0, %xmm0                  /* SSE, once */

1:  addsd %xmm0, %xmm1                  /* scalar double 1; 1 addition */
    mulss %xmm0, %xmm2                  /* scalar single 1; 1 multiplication */
    divpd %xmm0, %xmm3                  /* 128 double 1; 2 divisions */
    sqrtps %xmm0, %xmm4                 /* 128 single 1; 4 roots */
    haddps %xmm0, %xmm5                 /* 128 single 1; 4 additions */
    maxsd %xmm0, %xmm6                  /* scalar double 1; none of AMD's kinds */
    vaddps %ymm0, %ymm7, %ymm7          /* 256 single 1; 8 additions */
    vfmadd231pd %ymm0, %ymm8, %ymm8     /* 256 double 2; 8 of multiply-accumulate */
    vfmadd231ss %xmm0, %xmm9, %xmm9     /* scalar single 2; 2 of multiply-accumulate */
    ucomisd %xmm0, %xmm1                /* not computational */
    paddd %xmm0, %xmm10
    fldz                                /* x87 3 */
    fadd %st(0), %st(0)
    fstp %st(0)
    paddb %mm0, %mm0                    /* MMX 2 */
    emms
    dec %rbx
    jnz 1b

    finish 0

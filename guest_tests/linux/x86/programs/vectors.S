/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vectors N: 9 + 7 d + 5 N user instructions, which copy the remaining rounds to XMM registers. */
#include "program.inc"

function _start
    argument                            /* [6 + 7 d] */

/* Of 5, 5, 6, 3 and 2 bytes. */
function vector_body                    /* 5 for each of N */
    movq %rbx, %xmm0
    movq %rbx, %xmm15
    pslldq $8, %xmm15
    dec %rbx
    jnz vector_body

function end
    finish 0                            /* [9 + 7 d + 5 N] */

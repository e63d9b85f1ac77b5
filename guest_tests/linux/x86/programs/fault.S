/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fault N: touches N new pages in 18 + 7 d + 4 N user instructions; each is a fault. */
#include "program.inc"

function _start
    argument                            /* [6 + 7 d] */
    map PROT_RW                         /* [15 + 7 d] */

1:  incb (%rax)                         /* 4 for each of N */
    add $1 << PAGE_SHIFT, %rax
    dec %rbx
    jnz 1b

    finish 0                            /* [18 + 7 d + 4 N] */

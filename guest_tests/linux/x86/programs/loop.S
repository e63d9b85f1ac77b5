/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loop N: 11 + 7 d + 8 N user instructions; 3 + 2 d + N branches. */
#include "program.inc"

function _start
    argument                            /* [6 + 7 d] */
    test %rbx, %rbx
    jz end                              /* [8 + 7 d] */

/* All but the last have 3 bytes. */
function loop_body                      /* 8 for each of N */
    inc %r8d
    inc %r9d
    inc %r10d
    inc %r11d
    inc %r12d
    inc %r13d
    dec %rbx
    jnz loop_body

function end
    finish 0                            /* [11 + 7 d + 8 N] */

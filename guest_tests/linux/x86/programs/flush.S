/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flush N: reads a line and flushes it, N times: each read misses all caches. */
#include "program.inc"

    .bss
    .balign 64
line:
    .space 64
    .text

function _start
    argument
    lea line(%rip), %rax

1:  mov (%rax), %ecx
    clflush (%rax)
    dec %rbx
    jnz 1b

    finish 0

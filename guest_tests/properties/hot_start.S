/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts hot.c on Arm. BOLT wants the type and the size of each function. */
        .text
        .globl  _start
        .type   _start, %function
_start: ldr     x0, =stack_end
        mov     sp, x0
        b       work
        .ltorg
        .size   _start, . - _start

        .bss
        .balign 16
        .space  4096
stack_end:

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "layout.h"

    .section .text.start, "ax"
    .globl _start
_start:
    msr daifset, #0xf
    msr spsel, #1
    ldr x1, =stack_end
    mov sp, x1
    bl boot
    b .

    .bss
    .balign 16
    .space STACK_SIZE
stack_end:

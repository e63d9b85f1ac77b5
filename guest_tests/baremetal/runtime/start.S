/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime/layout.h"

/*
 * The machine starts the boot CPU here, at its highest Exception level. PSCI starts the others at
 * secondary_start. All registers have their reset values, and nothing touches the PMU before
 * main().
 */
    .section .text.start, "ax"
    .globl _start
_start:
    msr daifset, #0xf
    mov x0, #0
    bl set_stack
    bl boot_main
    b hang

    .globl secondary_start
/* x0 is the address of the CPU's number and of the function that it executes. */
secondary_start:
    msr daifset, #0xf
    ldp x19, x20, [x0]
    mov x0, x19
    bl set_stack
    mov x0, x19
    blr x20
    b hang

hang:
    wfi
    b hang

/* x0 is the CPU's number. */
set_stack:
    ldr x1, =cpu_stacks
    add x0, x0, #1
    add x1, x1, x0, lsl #STACK_SHIFT
    msr spsel, #1
    mov sp, x1
    ret

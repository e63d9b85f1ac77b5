/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "layout.h"

    .section .text.start, "ax"
    .globl _start
_start:
    msr daifset, #0xf
    msr spsel, #1
    bl set_stack
    bl boot
    b run_next

/* Back from a program: the content of this level's stack is lost. */
    .globl run_next
run_next:
    bl set_stack
    bl next_program
    b .

/* The stack of this level, and of all levels below it. */
set_stack:
    ldr x1, =stacks
    mov x2, #STACK_SIZE
    add x3, x1, x2
    add x4, x3, x2
    add x5, x4, x2
    mrs x6, CurrentEL
    msr sp_el0, x1
    cmp x6, #(2 << 2)
    b.eq 2f
    b.hi 3f
    mov sp, x3
    ret
2:  msr sp_el1, x3
    mov sp, x4
    ret
3:  msr sp_el1, x3
    msr sp_el2, x4
    mov sp, x5
    ret

/*
 * _Noreturn void enter(const uint64_t regs[31]): ELR and SPSR of this level say where it goes, and
 * in which state.
 */
    .globl enter
enter:
    ldp x2, x3, [x0, #16]
    ldp x4, x5, [x0, #32]
    ldp x6, x7, [x0, #48]
    ldp x8, x9, [x0, #64]
    ldp x10, x11, [x0, #80]
    ldp x12, x13, [x0, #96]
    ldp x14, x15, [x0, #112]
    ldp x16, x17, [x0, #128]
    ldp x18, x19, [x0, #144]
    ldp x20, x21, [x0, #160]
    ldp x22, x23, [x0, #176]
    ldp x24, x25, [x0, #192]
    ldp x26, x27, [x0, #208]
    ldp x28, x29, [x0, #224]
    ldr x30, [x0, #240]
    ldp x0, x1, [x0]
    isb
    eret

    .arch armv8-a+simd

    .macro each_pair op
    \op q0, q1, [x0]
    \op q2, q3, [x0, #32]
    \op q4, q5, [x0, #64]
    \op q6, q7, [x0, #96]
    \op q8, q9, [x0, #128]
    \op q10, q11, [x0, #160]
    \op q12, q13, [x0, #192]
    \op q14, q15, [x0, #224]
    \op q16, q17, [x0, #256]
    \op q18, q19, [x0, #288]
    \op q20, q21, [x0, #320]
    \op q22, q23, [x0, #352]
    \op q24, q25, [x0, #384]
    \op q26, q27, [x0, #416]
    \op q28, q29, [x0, #448]
    \op q30, q31, [x0, #480]
    .endm

/* void vectors_load(const uint64_t v[64]), void vectors_store(uint64_t v[64]): v0 to v31 */
    .globl vectors_load
vectors_load:
    each_pair ldp
    msr fpsr, xzr
    msr fpcr, xzr
    ret

    .globl vectors_store
vectors_store:
    each_pair stp
    ret

    .bss
    .balign 16
stacks:
    .space STACK_SIZE * 3

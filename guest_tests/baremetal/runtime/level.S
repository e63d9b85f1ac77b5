/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime/layout.h"

    .macro push_saved
    stp x29, x30, [sp, #-112]!
    stp x19, x20, [sp, #16]
    stp x21, x22, [sp, #32]
    stp x23, x24, [sp, #48]
    stp x25, x26, [sp, #64]
    stp x27, x28, [sp, #80]
    .endm

    .macro pop_saved
    ldp x19, x20, [sp, #16]
    ldp x21, x22, [sp, #32]
    ldp x23, x24, [sp, #48]
    ldp x25, x26, [sp, #64]
    ldp x27, x28, [sp, #80]
    ldp x29, x30, [sp], #112
    .endm

    .macro this_cpu reg
    mov \reg, sp
    and \reg, \reg, #~(STACK_SIZE - 1)
    .endm

    .text
/*
 * uint64_t level_enter(const uint64_t regs[4], uint64_t pc, uint64_t spsr, uint64_t x20,
 * uint64_t x21)
 *
 * Enters a lower level with x0 to x3 loaded from regs. Returns when that level makes a call with
 * CALL_RETURN; the result is what x0 then holds. The lower levels use this stack, further down, so
 * that struct cpu can be found from any of them.
 */
    .globl level_enter
level_enter:
    push_saved
    this_cpu x9
    ldr x10, [x9, #CPU_HOME_SP]
    str x10, [sp, #96]
    mov x10, sp
    str x10, [x9, #CPU_HOME_SP]
    mov x20, x3
    mov x21, x4
    sub x11, x10, #LEVEL_STACK_STEP
    sub x12, x11, #LEVEL_STACK_STEP
    sub x13, x12, #LEVEL_STACK_STEP
    msr sp_el0, x13
    mrs x14, CurrentEL
    cmp x14, #(2 << 2)
    b.eq 2f
    b.hi 3f
    msr elr_el1, x1
    msr spsr_el1, x2
    b 4f
2:  msr sp_el1, x12
    msr elr_el2, x1
    msr spsr_el2, x2
    b 4f
3:  msr sp_el1, x12
    msr sp_el2, x11
    msr elr_el3, x1
    msr spsr_el3, x2
4:  ldp x2, x3, [x0, #16]
    ldp x0, x1, [x0]
    isb
    eret

/* An AArch64 level starts here. x20 is the function, x21 says how to return from here. */
    .globl level_trampoline
level_trampoline:
    blr x20
    cmp x21, #1
    b.eq 1f
    b.hi 2f
    svc #CALL_RETURN
1:  hvc #CALL_RETURN
2:  smc #CALL_RETURN

/*
 * void level_return(uint64_t result): returns from level_enter(), out of the exception handler of
 * the level that called it.
 */
    .globl level_return
level_return:
    this_cpu x9
    ldr x10, [x9, #CPU_HOME_SP]
    mov sp, x10
    ldr x10, [sp, #96]
    str x10, [x9, #CPU_HOME_SP]
    pop_saved
    ret

/* void test_enter(void (*fn)(void)): calls fn. test_abort() can leave fn from any depth. */
    .globl test_enter
test_enter:
    push_saved
    this_cpu x9
    mov x10, sp
    str x10, [x9, #CPU_ABORT_SP]
    blr x0
    pop_saved
    ret

    .globl test_abort
test_abort:
    this_cpu x9
    ldr x10, [x9, #CPU_ABORT_SP]
    mov sp, x10
    pop_saved
    ret

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hypervisor/layout.h"
#include "runtime/layout.h"

/* Offsets of struct vcpu's address and of x30 in the frame that world_enter leaves on the stack. */
#define FRAME_VCPU 96
#define FRAME_X30 104
#define FRAME_BYTES 112

#define SYNC_FROM_LOWER 8

/*
 * Vectors that expect a synchronous exception from a lower level. The runtime has all others; it
 * reports them and ends the test.
 */
    .macro vectors name, level, sync
    .balign 2048
    .globl \name
\name:
    .set slot, 0
    .rept 16
    .balign 128
    .if slot == SYNC_FROM_LOWER
    b \sync
    .else
    b vectors_el\level + 128 * slot
    .endif
    .set slot, slot + 1
    .endr
    .endm

    .macro unexpected level
    b vectors_el\level + 128 * SYNC_FROM_LOWER
    .endm

/* Where to continue if the exception was not a call by this instruction. Uses reg. */
    .macro unless_ec reg, level, ec, label
    mrs \reg, esr_el\level
    lsr \reg, \reg, #ESR_EC_SHIFT
    cmp \reg, #\ec
    b.ne \label
    .endm

    .text
    vectors host_vectors_el1, 1, host_user_return_el1
    vectors host_vectors_el2, 2, host_user_return_el2
    vectors hyp_vectors, 2, hyp_called
    vectors guest_vectors, 2, guest_exit
    vectors guest_vectors_el1, 1, guest_user_return

/*
 * void host_user(uint64_t iterations): runs at EL1 or, with HCR_EL2.E2H, at EL2, where the names of
 * EL1's registers mean those of EL2. EL0 executes 2 instructions for each iteration, and svc.
 */
    .globl host_user
host_user:
    stp x29, x30, [sp, #-16]!
    adr x1, 1f
    msr elr_el1, x1
    mov x1, #SPSR_EL0
    msr spsr_el1, x1
    eret
1:  subs x0, x0, #1
    b.ne 1b
    svc #0

host_user_return_el1:
    unless_ec x1, 1, EC_SVC, 2f
    ldp x29, x30, [sp], #16
    ret
2:  unexpected 1
host_user_return_el2:
    unless_ec x1, 2, EC_SVC, 2f
    ldp x29, x30, [sp], #16
    ret
2:  unexpected 2

/* uint64_t hyp_call(level_fn fn, uint64_t arg): calls fn(arg) at EL2 from EL1 of an nVHE host. */
    .globl hyp_call
hyp_call:
    hvc #0
    ret

/* This is like any call: registers that a function may change are changed. */
hyp_called:
    unless_ec x9, 2, EC_HVC, 2f
    mrs x9, esr_el2
    and x9, x9, #0xffff
    cbnz x9, 2f
    mrs x9, elr_el2
    mrs x10, spsr_el2
    stp x29, x30, [sp, #-32]!
    stp x9, x10, [sp, #16]
    mov x9, x0
    mov x0, x1
    blr x9
    ldp x9, x10, [sp, #16]
    msr elr_el2, x9
    msr spsr_el2, x10
    ldp x29, x30, [sp], #32
    eret
/* The runtime handles this: the host's kernel has returned, or gives up. */
2:  unexpected 2

    .macro for_callee_saved op, base, offset
    \op x19, x20, [\base, #\offset]
    \op x21, x22, [\base, #(\offset + 16)]
    \op x23, x24, [\base, #(\offset + 32)]
    \op x25, x26, [\base, #(\offset + 48)]
    \op x27, x28, [\base, #(\offset + 64)]
    .endm

    .macro for_caller_saved op, base
    \op x0, x1, [\base, #VCPU_X0]
    \op x2, x3, [\base, #(VCPU_X0 + 16)]
    \op x4, x5, [\base, #(VCPU_X0 + 32)]
    \op x6, x7, [\base, #(VCPU_X0 + 48)]
    \op x8, x9, [\base, #(VCPU_X0 + 64)]
    \op x10, x11, [\base, #(VCPU_X0 + 80)]
    \op x12, x13, [\base, #(VCPU_X0 + 96)]
    \op x14, x15, [\base, #(VCPU_X0 + 112)]
    \op x16, x17, [\base, #(VCPU_X0 + 128)]
    .endm

/*
 * int world_enter(struct vcpu *v): runs the guest until it exits, with ELR_EL2 and SPSR_EL2 set.
 *
 * v->last is called as late and v->first as early as functions in C can be: the registers that they
 * preserve are already, or still, the guest's. From the return of v->last to the ERET there are 13
 * instructions: cbnz, ldr, 9 ldp of for_caller_saved, ldp, eret. From the exception to the first
 * instruction of v->first there are 16: b, str, ldr, 9 stp, ldr, stp, ldr, blr.
 *
 * Returns the value of v->last if that is not zero; then the guest has not run. Otherwise it
 * returns the value of v->first.
 */
    .globl world_enter
world_enter:
    stp x29, x30, [sp, #-FRAME_BYTES]!
    for_callee_saved stp, sp, 16
    str x0, [sp, #FRAME_VCPU]
    for_callee_saved ldp, x0, VCPU_X19
    ldr x29, [x0, #VCPU_X29]
    ldr x9, [x0, #VCPU_LAST]
    blr x9
    cbnz w0, 1f
    ldr x30, [sp, #FRAME_VCPU]
    for_caller_saved ldp, x30
    ldp x18, x30, [x30, #VCPU_X18]
    eret

guest_exit:
    str x30, [sp, #FRAME_X30]
    ldr x30, [sp, #FRAME_VCPU]
    for_caller_saved stp, x30
    ldr x0, [sp, #FRAME_X30]
    stp x18, x0, [x30, #VCPU_X18]
    ldr x1, [x30, #VCPU_FIRST]
    blr x1
    ldr x1, [sp, #FRAME_VCPU]
    for_callee_saved stp, x1, VCPU_X19
    str x29, [x1, #VCPU_X29]
1:  for_callee_saved ldp, sp, 16
    ldp x29, x30, [sp], #FRAME_BYTES
    ret

/* SPDX-License-Identifier: GPL-2.0-or-later */

/* The start, the vectors and the loops of v7.c. */
    .syntax unified
    .arch armv7-a
    .arch_extension sec
    .arm
    .text

#define SEMIHOSTING_EXIT 0x18
#define ADP_STOPPED_APPLICATION_EXIT 0x20026

    .globl _start
_start:
    cpsid if
    ldr sp, =stack_top
    bl v7_main
    mov r0, #SEMIHOSTING_EXIT
    ldr r1, =ADP_STOPPED_APPLICATION_EXIT
    svc #0x123456
stop:
    b stop

/* Monitor mode uses them too: its SMC returns to Secure state. SVC returns to r4. */
    .balign 32
    .globl v7_vectors
v7_vectors:
    b stop
    b stop
    b call
    b stop
    b stop
    b stop
    b interrupt
    b stop

call:
    mrs r12, cpsr
    and r12, r12, #0x1f
    cmp r12, #0x16
    bxne r4
    mrc p15, 0, r12, c1, c1, 0
    bic r12, r12, #1
    mcr p15, 0, r12, c1, c1, 0
    isb
    movs pc, lr

/* sp is the record: count, ELR, r0, scratch. The handler first stops the counter. */
interrupt:
    sub lr, lr, #4
    str r0, [sp, #8]
    str lr, [sp, #4]
    ldr r0, [sp]
    add r0, r0, #1
    str r0, [sp]
    mov r0, #1
    mcr p15, 0, r0, c9, c12, 2
    mcr p15, 0, r0, c9, c12, 3
    isb
    ldr r0, [sp, #8]
    movs pc, lr

    .globl set_irq_stack
set_irq_stack:
    cps #0x12
    mov sp, r0
    cps #0x13
    bx lr

    .macro enable_counter
    mov r1, #1
    mcr p15, 0, r1, c9, c12, 1
    isb
    .endm

/* Changes to User mode with interrupts not masked, and returns by SVC. */
    .globl run_user, user_loop
run_user:
    push {r4, lr}
    adr r4, 1f
    enable_counter
    msr cpsr_c, #0x50
user_loop:
    subs r0, r0, #1
    bne user_loop
    svc #0
1:  pop {r4, pc}

/* Loads from two pages in User mode with interrupts masked. */
    .globl run_user_loads
run_user_loads:
    push {r4, lr}
    adr r4, 1f
    enable_counter
    msr cpsr_c, #0xd0
    ldr r1, [r0], #4095
    ldrb r1, [r0, #1]
    svc #0
1:  mov r1, #1
    mcr p15, 0, r1, c9, c12, 2
    isb
    pop {r4, pc}

    .macro nonsecure
    mrc p15, 0, r12, c1, c1, 0
    orr r12, r12, #1
    mcr p15, 0, r12, c1, c1, 0
    .endm

/* Changes from Secure Supervisor mode, which is EL3, to EL1, and returns by SMC. */
    .globl run_nonsecure, nonsecure_loop
run_nonsecure:
    enable_counter
    nonsecure
    cpsie i
nonsecure_loop:
    subs r0, r0, #1
    bne nonsecure_loop
    cpsid i
    smc #0
    bx lr

/* The same in Secure Supervisor mode. */
    .globl run_secure, secure_loop
run_secure:
    enable_counter
    cpsie i
secure_loop:
    subs r0, r0, #1
    bne secure_loop
    cpsid i
    bx lr

/* 4 loads and 3 stores, of which one is not aligned and one is exclusive. */
    .macro accesses
    ldr r2, [r0]
    str r2, [r0, #9]
    ldrd r2, r3, [r0]
    strh r2, [r0, #6]
    ldm r0, {r2, r3}
    ldrexd r2, r3, [r0]
    strexd r12, r2, r3, [r0]
    mov r1, #1
    mcr p15, 0, r1, c9, c12, 2
    isb
    .endm

/* Little-endian and big-endian data. */
    .globl run_little, run_big
run_little:
    enable_counter
    accesses
    bx lr

run_big:
    enable_counter
    setend be
    accesses
    setend le
    bx lr

    .globl set_nonsecure_vbar
set_nonsecure_vbar:
    nonsecure
    mcr p15, 0, r0, c12, c0, 0
    smc #0
    bx lr

    .bss
    .balign 8
    .skip 4096
stack_top:

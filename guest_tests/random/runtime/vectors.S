/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "layout.h"
#include "runtime/frame.inc"

/*
 * Each level has a vector table. Every entry saves a struct frame and calls exception_entry(frame,
 * level, vector). If that returns false, the frame is restored; otherwise the program has ended.
 */
    .macro entry el, vector
    .balign 128
    sub sp, sp, #FRAME_SIZE
    stp x0, x1, [sp]
    mov x0, #\vector
    b save_frame_el\el
    .endm

    .macro table el
    .balign 2048
    .globl vectors_el\el
vectors_el\el:
    .irp vector, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    entry \el, \vector
    .endr
    .endm

    .macro save_and_restore el
save_frame_el\el:
    save_x2_to_x29
    mrs x1, elr_el\el
    stp x30, x1, [sp, #240]
    mrs x1, spsr_el\el
    mrs x2, esr_el\el
    stp x1, x2, [sp, #FRAME_SPSR]
    mrs x2, far_el\el
    str x2, [sp, #FRAME_FAR]
    mov x2, x0
    mov x1, #\el
    mov x0, sp
    bl exception_entry
    cbnz w0, leave
    ldp x30, x1, [sp, #240]
    ldr x2, [sp, #FRAME_SPSR]
    msr elr_el\el, x1
    msr spsr_el\el, x2
    restore_x2_to_x29
    ldp x0, x1, [sp], #FRAME_SIZE
    eret
    .endm

    .text
/*
 * void enter(const uint64_t regs[31]): ELR and SPSR of this level say where it goes, and in which
 * state. Levels below this one begin with empty stacks. Returns when exception_entry() says, at this
 * level, that the program has ended.
 */
    .globl enter
enter:
    sub sp, sp, #96
    stp x19, x20, [sp]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    ldr x1, =sp_of_enter
    mov x2, sp
    str x2, [x1]
    ldr x1, =stacks
    mov x2, #STACK_SIZE
    add x3, x1, x2
    add x4, x3, x2
    mrs x6, CurrentEL
    msr sp_el0, x1
    msr sp_el1, x3
    cmp x6, #(2 << 2)
    b.eq 2f
    msr sp_el2, x4
2:
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

leave:
    ldr x1, =sp_of_enter
    ldr x1, [x1]
    mov sp, x1
    ldp x19, x20, [sp]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    add sp, sp, #96
    ret

    table 1
    table 2
    table 3
    save_and_restore 1
    save_and_restore 2
    save_and_restore 3

    .bss
    .balign 16
sp_of_enter:
    .space 16
stacks:
    .space STACK_SIZE * 3

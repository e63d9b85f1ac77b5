/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "layout.h"

/*
 * One vector table for each level. Every entry saves a struct frame and calls
 * exception_entry(frame, level, vector); if that returns, the frame is put back.
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
    stp x2, x3, [sp, #16]
    stp x4, x5, [sp, #32]
    stp x6, x7, [sp, #48]
    stp x8, x9, [sp, #64]
    stp x10, x11, [sp, #80]
    stp x12, x13, [sp, #96]
    stp x14, x15, [sp, #112]
    stp x16, x17, [sp, #128]
    stp x18, x19, [sp, #144]
    stp x20, x21, [sp, #160]
    stp x22, x23, [sp, #176]
    stp x24, x25, [sp, #192]
    stp x26, x27, [sp, #208]
    stp x28, x29, [sp, #224]
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
    ldp x30, x1, [sp, #240]
    ldr x2, [sp, #FRAME_SPSR]
    msr elr_el\el, x1
    msr spsr_el\el, x2
    ldp x2, x3, [sp, #16]
    ldp x4, x5, [sp, #32]
    ldp x6, x7, [sp, #48]
    ldp x8, x9, [sp, #64]
    ldp x10, x11, [sp, #80]
    ldp x12, x13, [sp, #96]
    ldp x14, x15, [sp, #112]
    ldp x16, x17, [sp, #128]
    ldp x18, x19, [sp, #144]
    ldp x20, x21, [sp, #160]
    ldp x22, x23, [sp, #176]
    ldp x24, x25, [sp, #192]
    ldp x26, x27, [sp, #208]
    ldp x28, x29, [sp, #224]
    ldp x0, x1, [sp], #FRAME_SIZE
    eret
    .endm

    .text
    table 1
    table 2
    table 3
    save_and_restore 1
    save_and_restore 2
    save_and_restore 3

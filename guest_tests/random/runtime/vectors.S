/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "layout.h"
#include "runtime/frame.inc"

/*
 * Each level has a vector table. Every entry saves a struct frame and calls exception_entry(frame,
 * level, vector). If that returns, the frame is restored.
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
    ldp x30, x1, [sp, #240]
    ldr x2, [sp, #FRAME_SPSR]
    msr elr_el\el, x1
    msr spsr_el\el, x2
    restore_x2_to_x29
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

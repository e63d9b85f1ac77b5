/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime/frame.inc"
#include "runtime/layout.h"

/*
 * Each level has a vector table. Every entry saves a struct frame and calls exception_entry(frame,
 * level, kind). If that returns, the frame is restored.
 */
    .macro entry el, kind
    .balign 128
    sub sp, sp, #FRAME_SIZE
    stp x0, x1, [sp]
    mov x0, #\kind
    b save_frame_el\el
    .endm

    .macro table el
    .balign 2048
    .globl vectors_el\el
vectors_el\el:
    /*
     * The exception comes from: this level with SP_EL0 (never used), this level, lower AArch64,
     * lower AArch32.
     */
    .rept 4
    entry \el, KIND_SYNC
    entry \el, KIND_IRQ
    entry \el, KIND_OTHER
    entry \el, KIND_OTHER
    .endr
    .endm

    .macro save_and_restore el
save_frame_el\el:
    save_x2_to_x29
    add x1, sp, #FRAME_SIZE
    stp x30, x1, [sp, #240]
    mrs x1, elr_el\el
    mrs x2, spsr_el\el
    stp x1, x2, [sp, #FRAME_ELR]
    mrs x1, esr_el\el
    mrs x2, far_el\el
    stp x1, x2, [sp, #FRAME_ESR]
    mov x2, x0
    mov x1, #\el
    mov x0, sp
    bl exception_entry
    ldp x1, x2, [sp, #FRAME_ELR]
    msr elr_el\el, x1
    msr spsr_el\el, x2
    restore_x2_to_x29
    ldr x30, [sp, #240]
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

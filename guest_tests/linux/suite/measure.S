/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code with a known number of instructions that measures itself; see event.h. */

    .equ SYS_IOCTL, 29
    .equ PERF_EVENT_IOC_ENABLE, 0x2400
    .equ PERF_EVENT_IOC_DISABLE, 0x2401

    .globl measure_loop
    .type measure_loop, %function
measure_loop:
    mov w3, w0
    mov x4, x1
    mov x5, x2
    mov x1, #PERF_EVENT_IOC_ENABLE
    mov x8, #SYS_IOCTL
    svc #0
1:  subs x4, x4, #1                     /* MEASURE_ROUND */
    b.ne 1b
    mov w0, w3                          /* MEASURE_FIXED */
    mov x1, #PERF_EVENT_IOC_DISABLE
    mov x2, x5
    mov x8, #SYS_IOCTL
    svc #0
    ret

/* 8 instructions a round, aligned: a round begins a cycle if the enabling has. */
    .globl measure_stalls
    .type measure_stalls, %function
    .balign 128
measure_stalls:
    mov w3, w0
    mov x4, x1
    mov x1, #PERF_EVENT_IOC_ENABLE
    mov x2, #0
    mov x8, #SYS_IOCTL
    svc #0
1:  udiv x5, x4, x4
    add x6, x6, #1
    add x6, x6, #1
    add x6, x6, #1
    add x6, x6, #1
    add x6, x6, #1
    subs x4, x4, #1
    b.ne 1b
    mov w0, w3
    mov x1, #PERF_EVENT_IOC_DISABLE
    mov x2, #0
    mov x8, #SYS_IOCTL
    svc #0
    ret

/* Which counter is part of the instruction, so there is a read of each: 8 bytes apart. */
    .balign 8
readers:
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30
    mrs x0, pmevcntr\n\()_el0
    ret
    .endr
    mrs x0, pmccntr_el0
    ret

    .globl measure_counter
    .type measure_counter, %function
measure_counter:
    mov x7, x30
    adr x6, readers
    add x6, x6, w0, uxtw #3
    blr x6
    mov x5, x0                          /* [3], with the read and its ret */
1:  subs x1, x1, #1                     /* MEASURE_ROUND */
    b.ne 1b
    blr x6                              /* [4] */
    sub x0, x0, x5
    ret x7
    .section .note.GNU-stack, "", %progbits

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code with a known number of instructions that measures itself; see event.h. */

    .equ SYS_IOCTL, 29
    .equ SYS_READ, 63
    .equ SYS_SCHED_SETAFFINITY, 122
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

/* 8 instructions in a round, aligned: a round begins a cycle if enabling the counter has. */
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

    .equ ARGS_PAGE, 0
    .equ ARGS_ROUNDS, 8
    .equ ARGS_MASK, 16
    .equ ARGS_FD, 24
    .equ ARGS_SELECT, 28
    .equ ARGS_COUNTS, 32
    .equ ARGS_AGAIN, 56
    .equ ARGS_INDEX, 72

    .globl measure_user
    .type measure_user, %function
measure_user:
    stp x29, x30, [sp, #-16]!
    mov x9, x0
    ldr x10, [x9, #ARGS_PAGE]
    ldr x11, [x9, #ARGS_ROUNDS]
    ldr w0, [x9, #ARGS_SELECT]
    cmp w0, #0
    adr x6, user_readers
    adr x7, user_reader_selected
    csel x6, x6, x7, eq
    mov x7, #8
    csel x7, x7, xzr, eq
    bl user_read
    str x0, [x9, #ARGS_COUNTS]          /* [USER_AFTER + 1] */
    str w14, [x9, #ARGS_INDEX]          /* [2] */
    str x12, [x9, #ARGS_AGAIN]          /* [3] */
    mov x5, x11                         /* [4] */
1:  subs x5, x5, #1                     /* 2 for each round */
    b.ne 1b
    mov x0, #0                          /* [5] */
    mov x1, #8                          /* [6] */
    ldr x2, [x9, #ARGS_MASK]            /* [7] */
    mov x8, #SYS_SCHED_SETAFFINITY      /* [8] */
    svc #0                              /* [9] */
    mov x5, x11                         /* [10] */
2:  subs x5, x5, #1                     /* 2 for each round */
    b.ne 2b
    bl user_read                        /* [11 + USER_BEFORE] */
    str x0, [x9, #ARGS_COUNTS + 8]      /* [USER_AFTER + 1] */
    str w14, [x9, #ARGS_INDEX + 4]      /* [2] */
    str x12, [x9, #ARGS_AGAIN + 8]      /* [3] */
    ldr w0, [x9, #ARGS_FD]              /* [4] */
    add x1, x9, #ARGS_COUNTS + 16       /* [5] */
    mov x2, #8                          /* [6] */
    mov x8, #SYS_READ                   /* [7] */
    svc #0                              /* [8] */
    ldp x29, x30, [sp], #16
    ret

#include "../programs/user_read.inc"

/* enum user_insn of event.h from 32 on, as user_readers. */
    .balign 8
user_insns:
    .irp read, pmselr_el0
    mrs x0, \read
    ret
    .endr
    msr pmselr_el0, xzr
    ret
    .irp read, pmxevcntr_el0, pmuserenr_el0, pmcr_el0
    mrs x0, \read
    ret
    .endr
    .irp write, pmcr_el0, pmevcntr0_el0, pmccntr_el0
    msr \write, xzr
    ret
    .endr
    .irp read, pmevtyper0_el0, pmxevtyper_el0, pmcntenset_el0
    mrs x0, \read
    ret
    .endr
    .irp write, pmcntenset_el0, pmovsclr_el0, pmswinc_el0
    msr \write, xzr
    ret
    .endr
    .irp read, pmceid0_el0, pmintenset_el1
    mrs x0, \read
    ret
    .endr

    .globl try_user
    .type try_user, %function
try_user:
    adr x1, user_readers
    adr x2, user_insns
    sub w3, w0, #32
    cmp w0, #32
    csel x1, x1, x2, lo
    csel w0, w0, w3, lo
    add x1, x1, w0, uxtw #3
    br x1
    .section .note.GNU-stack, "", %progbits

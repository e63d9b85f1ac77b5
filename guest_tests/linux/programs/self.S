/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * self N: counts its own instructions while another program counts them as well. It opens an event
 * for itself, reads it by MRS before and after a loop of N, and exits with 0 if the difference is
 * as expected. 89 + 5 * digits(N) + 4 * N user instructions if no page changed while it was read;
 * otherwise it exits with 1. N is at least 1. Needs kernel.perf_user_access.
 */
#include "program.inc"
#include "user_read.inc"

    .equ SYS_PERF_EVENT_OPEN, 241
    .equ PROT_READ, 1
    .equ MAP_SHARED, 1

function _start
    argument                            /* [5 + 5 * digits] */
    adr x0, attr                        /* [6 + 5 * digits] */
    mov x1, #0                          /* pid: itself */
    mov x2, #-1                         /* on any CPU */
    mov x3, #-1
    mov x4, #0
    syscall SYS_PERF_EVENT_OPEN         /* [12 + 5 * digits] */
    tbnz x0, #63, fail                  /* [13 + 5 * digits] */
    mov x4, x0                          /* [14 + 5 * digits] */
    mov x0, #0
    mov x1, #PAGE
    mov x2, #PROT_READ
    mov x3, #MAP_SHARED
    mov x5, #0
    syscall SYS_MMAP                    /* [21 + 5 * digits] */
    cmn x0, #PAGE - 1                   /* [22 + 5 * digits] */
    b.hs fail                           /* [23 + 5 * digits] */
    mov x10, x0                         /* [24 + 5 * digits] */
    adr x6, user_readers                /* [25 + 5 * digits] */
    mov x7, #8                          /* [26 + 5 * digits] */
    mov x20, x19                        /* [27 + 5 * digits] */

    bl user_read                        /* [28 + 5 * digits], 25 more */
    cbz w14, fail                       /* [54 + 5 * digits] */
    mov x21, x0                         /* [55 + 5 * digits] */

function loop_body                      /* 4 for each of N */
    add x2, x2, #1
    add x3, x3, #1
    subs x20, x20, #1
    b.ne loop_body

    bl user_read                        /* [56 + 5 * digits + 4 * N], 25 more */
    cbnz x12, fail                      /* [82 + 5 * digits + 4 * N] */
    sub x0, x0, x21                     /* [83 + 5 * digits + 4 * N] */
    sub x0, x0, x19, lsl #2             /* [84 + 5 * digits + 4 * N] */
    cmp x0, #USER_AFTER + 3 + USER_BEFORE   /* cbz, mov, bl */
    b.ne fail                           /* [86 + 5 * digits + 4 * N] */
    finish 0                            /* [89 + 5 * digits + 4 * N] */

function fail
    finish 1

/* struct perf_event_attr: INST_RETIRED at EL0, readable from EL0. */
    .section .data
    .balign 8
attr:
    .word 4                             /* type: PERF_TYPE_RAW */
    .word 64                            /* size: PERF_ATTR_SIZE_VER0 */
    .quad 8                             /* config */
    .quad 0                             /* sample_period */
    .quad 0                             /* sample_type */
    .quad 0                             /* read_format */
    .quad 1 << 5 | 1 << 6               /* exclude_kernel, exclude_hv */
    .word 0                             /* wakeup_events */
    .word 0                             /* bp_type */
    .quad 2                             /* config1: rdpmc */

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime/layout.h"

/* PL011: the flags register, which a read does not change. */
#define UARTFR 0x18

    .text
    .balign 64
    .globl skid_loop
    .globl skid_first
skid_loop:
    sub x11, sp, #64
    ldr x12, =UART_BASE + UARTFR
    mov x1, #3
    msr pmevcntr0_el0, x0
skid_first:
    add x2, x2, #1          /* 1 */
    ldr x3, [x11]           /* 2 */
    str x3, [x11, #8]       /* 3 */
    b 1f                    /* 4: taken, to the next */
1:  nop                     /* 5 */
    cbz x11, 2f             /* 6: not taken */
2:  mrs x4, tpidr_el0       /* 7 */
    ldp x5, x6, [x11]       /* 8 */
    isb                     /* 9 */
    mul x7, x5, x6          /* 10 */
    tbz x11, #0, 3f         /* 11: taken, to the next */
3:  msr tpidr_el0, x4       /* 12 */
    dmb ish                 /* 13 */
    ldr w3, [x12]           /* 14: a device */
    subs x1, x1, #1         /* 15 */
    b.ne skid_first         /* 16: taken, except the last time */
    /* Not counted. This leaves room for an interrupt that comes late. */
    nop
    nop
    nop
    nop
    ret

    .globl skid_several
skid_several:
    sub x11, sp, #64
    ldr x12, =UART_BASE + UARTFR
    mov x1, #3
    ldp x2, x3, [x0]
    ldr x4, [x0, #16]
    msr pmevcntr0_el0, x2
    msr pmevcntr1_el0, x3
    msr pmevcntr2_el0, x4
    b skid_first            /* counted by all three */

    .globl skid_svc
    .globl skid_svc_first
skid_svc:
    mov x1, #3
    msr pmevcntr0_el0, x0
skid_svc_first:
    nop                     /* 1 */
    svc #0                  /* 2 */
    subs x1, x1, #1         /* 3 */
    b.ne skid_svc_first     /* 4 */
    nop
    nop
    ret

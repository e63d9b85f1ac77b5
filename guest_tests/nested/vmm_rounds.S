/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * uint64_t count_rounds(uintptr_t uart_flags, uint64_t iterations, uint64_t most)
 *
 * All enabled counters count rounds, until the UART has received something or there have been
 * `most` rounds. Returns their number. An instruction that is trapped and done by the host is not
 * executed by the guest: the two writes of PMCR_EL0 and the read of the UART's flags. Everything
 * else is, so a round is 2 * iterations + 5 instructions.
 */
    .equ PMCR_E, 1
    .equ UARTFR_RXFE, 1 << 4            /* nothing received */

    .text
    .globl count_rounds
    .balign 64
count_rounds:
    mov x3, #0
    mov x4, #PMCR_E
    msr pmcr_el0, x4
1:  mov x5, x1                          /* 1 */
2:  subs x5, x5, #1
    b.ne 2b                             /* 1 + 2 * iterations */
    add x3, x3, #1                      /* 2 + ... */
    ldr w6, [x0]
    tst w6, #UARTFR_RXFE                /* 3 + ... */
    ccmp x3, x2, #4, ne                 /* 4 + ...: equal if something was received */
    b.ne 1b                             /* 5 + 2 * iterations */
    msr pmcr_el0, xzr
    mov x0, x3
    ret

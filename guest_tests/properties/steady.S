/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * steady: a round of 10 instructions at EL1, as often as ROUNDS says, without a pause. Then the
 * machine is switched off. The program counter after N instructions follows from the lines below,
 * which host_tools/tests/record has as well. The round has an access to the PMU and an exception,
 * which end blocks in ways of their own. CONTEXTIDR_EL1 holds a number that the test looks for.
 */
#define ROUNDS 1000000
#define CONTEXTIDR 4711
#define PSCI_SYSTEM_OFF 0x84000008

        .global _start, round, end
_start: ldr     x19, =ROUNDS
        mov     x0, #CONTEXTIDR
        msr     contextidr_el1, x0
        ldr     x20, =0x47000000
        ldr     x0, =vectors
        msr     vbar_el1, x0
        b       round                   // 7 instructions so far
        .balign 2048
vectors:
        .skip   0x200
        eret
        .balign 4096
round:  ldr     x1, [x20]
        add     x1, x1, #1
        str     x1, [x20]
        b       1f
        nop
1:      bl      2f                      // 5
        cbz     x19, end                // never
2:      mrs     x2, pmcr_el0
        svc     #0                      // 7
        subs    x19, x19, #1            // 9, with the handler
        b.ne    round
end:    ldr     x0, =PSCI_SYSTEM_OFF
        hvc     #0

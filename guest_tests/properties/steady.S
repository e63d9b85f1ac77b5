/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * steady: a round of 7 instructions at EL1, so often as ROUNDS says, with nothing in between; then the
 * machine is switched off. What the program counter has after N instructions follows from the lines
 * below, which host_tools/tests/record has as well. CONTEXTIDR_EL1 has a number to be found again.
 */
#define ROUNDS 1000000
#define CONTEXTIDR 4711
#define PSCI_SYSTEM_OFF 0x84000008

        .global _start, round, end
_start: ldr     x19, =ROUNDS
        mov     x0, #CONTEXTIDR
        msr     contextidr_el1, x0
        ldr     x20, =0x47000000
        b       round                   // 5 instructions so far
        .balign 4096
round:  ldr     x1, [x20]
        add     x1, x1, #1
        str     x1, [x20]
        b       1f
        nop
1:      bl      2f                      // 5
        cbz     x19, end                // never
2:      subs    x19, x19, #1
        b.ne    round                   // 7
end:    ldr     x0, =PSCI_SYSTEM_OFF
        hvc     #0

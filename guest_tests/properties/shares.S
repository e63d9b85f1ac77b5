/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shares: two functions, one of which executes three times as many instructions as the other, 606
 * and 202 in each round. Then the machine is switched off. The number of rounds makes samples at
 * every 97th instruction fall on each of the 808 equally often.
 */
#define ROUNDS (97 * 50)
#define PSCI_SYSTEM_OFF 0x84000008

        .global _start, three, one, end
_start: ldr     x19, =ROUNDS
        b       three
        .balign 4096
three:  mov     x0, #302
1:      subs    x0, x0, #1
        b.ne    1b
        b       one                     // 606
one:    mov     x0, #99
1:      subs    x0, x0, #1
        b.ne    1b
        nop
        subs    x19, x19, #1
        b.ne    three                   // 202
end:    ldr     x0, =PSCI_SYSTEM_OFF
        hvc     #0

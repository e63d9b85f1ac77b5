/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/events/events_case.inc"

/* Branches, integer data processing, and system instructions. */
    .arch armv8.5-a+crc
    .arch_extension memtag

    cases branch

    case "b, to the next", bri=1, pcw=1
    b 2f
2:
    endcase
    case "b, over others", inst=3, bri=3, pcw=3
    b 3f
2:  b 4f
    nop
3:  b 2b
4:
    endcase
    case "bl, ret", inst=3, bri=2, brr=1, pcw=3
    bl 2f
    b 3f
2:  ret
3:
    endcase
    case "ret, another register", inst=2, dp=1, brr=1, pcw=1
    adr x1, 2f
    ret x1
2:
    endcase
    case "br", inst=2, dp=1, brx=1, pcw=1
    adr x1, 2f
    br x1
2:
    endcase
    case "blr, ret", inst=4, dp=1, brx=1, brr=1, bri=1, pcw=3
    adr x1, 2f
    blr x1
    b 3f
2:  ret
3:
    endcase
    case "b.cond, taken", inst=2, dp=1, bri=1, pcw=1
    cmp x12, #0
    b.eq 2f
2:
    endcase
    case "b.cond, not taken", inst=2, dp=1, bri=1
    cmp x12, #0
    b.ne 2f
2:
    endcase
    case "b.cond, over others", inst=3, dp=1, bri=2, pcw=1
    cmp x12, #0
    b.lt 2f
    b.le 2f
    nop
2:
    endcase
    case "b.cond, by turns", inst=2, dp=1, bri=1, pcw=UNKNOWN
    tst x15, #1
    b.eq 2f
2:
    endcase
    case "b.al", inst=1, bri=1, pcw=1
    b.al 2f
2:
    endcase
    case "bc.cond", inst=3, dp=1, bri=2, pcw=1, needs=NEEDS_HBC
    cmp x12, #0
    .inst 0x54000030                /* bc.eq to the next */
    .inst 0x54000031                /* bc.ne to the next */
    endcase
    case "cbz, cbnz, taken", inst=2, bri=2, pcw=2
    cbz x12, 2f
    nop
2:  cbnz w13, 3f
    nop
3:
    endcase
    case "cbz, cbnz, not taken", inst=2, bri=2
    cbz x13, 2f
    cbnz w12, 2f
2:
    endcase
    case "tbz, tbnz, taken", inst=2, bri=2, pcw=2
    tbz x12, #63, 2f
    nop
2:  tbnz w13, #3, 3f
    nop
3:
    endcase
    case "tbz, tbnz, not taken", inst=2, bri=2
    tbz w13, #3, 2f
    tbnz x12, #40, 2f
2:
    endcase
    case "an inner loop of 10", inst=21, dp=11, bri=10, pcw=9
    mov x1, #10
2:  subs x1, x1, #1
    b.ne 2b
    endcase
    case "braaz, retaa", inst=6, dp=2, brx=2, brr=1, bri=1, pcw=4, needs=NEEDS_PAUTH
    adr x1, 2f
    adr x2, 3f
    braaz x1
2:  blraaz x2
    b 4f
3:  retaa
4:
    endcase
    case "eret at EL1", inst=5, dp=4, eret=1, pcw=1, levels=AT_EL1
    adr x1, 2f
    mov x2, #0x3c5
    msr elr_el1, x1
    msr spsr_el1, x2
    eret
2:
    endcase
    case "eret at EL2", inst=5, dp=4, eret=1, pcw=1, levels=AT_EL2
    adr x1, 2f
    mov x2, #0x3c9
    msr elr_el2, x1
    msr spsr_el2, x2
    eret
2:
    endcase
    case "eretaa at EL1", inst=5, dp=4, eret=1, pcw=1, levels=AT_EL1, needs=NEEDS_PAUTH
    adr x1, 2f
    mov x2, #0x3c5
    msr elr_el1, x1
    msr spsr_el1, x2
    eretaa
2:
    endcase
    endcases

    cases integer

    case "add, sub, logical", inst=5, dp=5
    add x1, x2, #1
    sub x1, x2, x3
    and x1, x2, #0xff
    orr x1, x2, x3, lsl #4
    adds w1, w2, w3, sxtb #1
    endcase
    case "mov, movk, adr, adrp", inst=4, dp=4
    mov x1, #1
    movk x1, #2, lsl #16
    adr x1, 2f
2:  adrp x1, 2b
    endcase
    case "madd, smulh, udiv, crc32", inst=4, dp=4
    madd x1, x2, x3, x4
    smulh x1, x2, x3
    udiv x1, x13, x13
    crc32x w1, w2, x3
    endcase
    case "bitfields, extr, clz, rev", inst=4, dp=4
    ubfx x1, x2, #3, #5
    extr x1, x2, x3, #7
    clz x1, x2
    rev x1, x2
    endcase
    case "csel, ccmp, adc, cset", inst=4, dp=4
    csel x1, x2, x3, eq
    ccmp x1, x2, #0, ne
    adc x1, x2, x3
    cset x1, lt
    endcase
    case "irg, addg, subp", inst=3, dp=3, needs=NEEDS_MTE
    irg x1, x11
    addg x1, x11, #16, #1
    subp x1, x11, x11
    endcase
    case "pacia, autia, xpaci", inst=3, dp=3, needs=NEEDS_PAUTH
    pacia x1, x12
    autia x1, x12
    xpaci x1
    endcase
    endcases

    cases system

    case "isb", isb=1
    isb
    endcase
    case "dsb", inst=4, dsb=4
    dsb sy
    dsb ish
    dsb ishst
    dsb nshld
    endcase
    case "ssbb, pssbb", inst=2, dsb=2
    ssbb
    pssbb
    endcase
    case "dsb nXS", inst=1, dsb=1, needs=NEEDS_XS
    .inst 0xd5033a3f                /* dsb ishnxs */
    endcase
    case "dmb", inst=3, dmb=3
    dmb sy
    dmb ishld
    dmb oshst
    endcase
    case "sb, csdb", inst=2, dp=1, needs=NEEDS_SB
    sb
    csdb
    endcase
    case "nop, yield, sev, wfe", inst=4, dp=4
    nop
    yield
    sevl
    wfe
    endcase
    case "mrs, msr", inst=4, dp=4
    mrs x1, tpidr_el0
    msr tpidr_el0, x1
    mrs x1, nzcv
    mrs x1, cntvct_el0
    endcase
    case "a PMU register", inst=1, dp=1
    mrs x1, pmccntr_el0
    endcase
    case "contextidr_el1", inst=2, dp=2, cid=1, levels=AT_EL1|AT_EL2
    mrs x1, contextidr_el1
    msr contextidr_el1, x1
    endcase
    case "contextidr_el2, which does not count", inst=2, dp=2, levels=AT_EL2, needs=NEEDS_VHE
    mrs x1, S3_4_C13_C0_1
    msr S3_4_C13_C0_1, x1
    endcase
    case "ttbr0_el1, ttbr1_el1", inst=4, dp=4, ttbr=2, levels=AT_EL1|AT_EL2
    mrs x1, ttbr0_el1
    msr ttbr0_el1, x1
    mrs x1, ttbr1_el1
    msr ttbr1_el1, x1
    endcase
    case "ttbr0_el2, vttbr_el2, which do not count", inst=4, dp=4, levels=AT_EL2
    mrs x1, ttbr0_el2
    msr ttbr0_el2, x1
    mrs x1, vttbr_el2
    msr vttbr_el2, x1
    endcase
    case "tcr, tpidr, which are neither", inst=4, dp=4, levels=AT_EL1|AT_EL2
    mrs x1, tcr_el1
    msr tcr_el1, x1
    mrs x1, tpidr_el1
    msr tpidr_el1, x1
    endcase
    case "msr daifset, immediate", inst=2, dp=2, levels=AT_EL1|AT_EL2
    msr daifset, #2
    msr spsel, #1
    endcase
    case "tlbi, ic", inst=3, dp=2, dsb=1, levels=AT_EL1|AT_EL2
    tlbi vmalle1
    ic iallu
    dsb sy
    endcase
    case "at", inst=1, dp=1, levels=AT_EL1|AT_EL2
    at s1e1r, x11
    endcase
    endcases

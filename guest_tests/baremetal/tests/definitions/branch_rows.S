/* SPDX-License-Identifier: GPL-2.0-or-later */

/* Software changes of the PC (Arm ARM D14.1.1), taken or not. */
#include "tests/definitions/rows.inc"

#define DIRECT BR_IMMED_RETIRED, BR_IMMED_SPEC
#define INDIRECT PC_WRITE_RETIRED, PC_WRITE_SPEC, BR_RETIRED, BR_INDIRECT_SPEC
#define RETURN INDIRECT, BR_RETURN_RETIRED, BR_RETURN_SPEC

    .arch armv8.8-a
    table branch_rows

    /* BR_RETIRED: unconditional direct branches and exception returns from FEAT_PMUv3p9 on. */
    row "b .+4"
    count DIRECT, PC_WRITE_RETIRED, PC_WRITE_SPEC
    from9 BR_RETIRED
    row "bl .+4"
    count DIRECT, PC_WRITE_RETIRED, PC_WRITE_SPEC
    from9 BR_RETIRED

    row "cbz xzr, .+4"
    count DIRECT, PC_WRITE_RETIRED, PC_WRITE_SPEC, BR_RETIRED
    row "cbz x9, .+4"
    count DIRECT, BR_RETIRED
    from8 PC_WRITE_SPEC
    row "cbnz x9, .+4"
    count DIRECT, PC_WRITE_RETIRED, PC_WRITE_SPEC, BR_RETIRED
    row "cbnz wzr, .+4"
    count DIRECT, BR_RETIRED
    from8 PC_WRITE_SPEC
    row "tbz xzr, #5, .+4"
    count DIRECT, PC_WRITE_RETIRED, PC_WRITE_SPEC, BR_RETIRED
    row "tbnz xzr, #40, .+4"
    count DIRECT, BR_RETIRED
    from8 PC_WRITE_SPEC
    row "b.eq .+4", setup="cmp xzr, xzr"
    count DIRECT, PC_WRITE_RETIRED, PC_WRITE_SPEC, BR_RETIRED
    row "b.ne .+4", setup="cmp xzr, xzr"
    count DIRECT, BR_RETIRED
    from8 PC_WRITE_SPEC
    row "b.al .+4"
    count DIRECT, PC_WRITE_RETIRED, PC_WRITE_SPEC
    any BR_RETIRED
    row "bc.eq .+4", needs=HAS_HBC, setup="cmp xzr, xzr"
    count DIRECT, PC_WRITE_RETIRED, PC_WRITE_SPEC, BR_RETIRED
    row "bc.ne .+4", needs=HAS_HBC, setup="cmp xzr, xzr"
    count DIRECT, BR_RETIRED
    from8 PC_WRITE_SPEC

    row "adr x11, .+8 ; br x11"
    count DP_SPEC, INDIRECT
    row "adr x11, .+8 ; blr x11"
    count DP_SPEC, INDIRECT
    row "adr x30, .+8 ; ret"
    count DP_SPEC, RETURN
    row "adr x11, .+8 ; ret x11"
    count DP_SPEC, RETURN
    row "adr x30, .+8 ; br x30"
    count DP_SPEC, INDIRECT
    /* Without keys enabled, these authenticate nothing and branch. */
    row "adr x11, .+8 ; braaz x11", needs=HAS_PAUTH
    count DP_SPEC, INDIRECT
    row "adr x11, .+8 ; blrab x11, x9", needs=HAS_PAUTH
    count DP_SPEC, INDIRECT
    row "adr x30, .+8 ; retaa", needs=HAS_PAUTH
    count DP_SPEC, RETURN

    row "adr x11, .+12 ; msr elr_el1, x11 ; eret", setup="mrs x12, spsr_el1 ; mov x11, #0x3c5 ; msr spsr_el1, x11"
    times 2, DP_SPEC
    count EXC_RETURN, PC_WRITE_RETIRED, PC_WRITE_SPEC, BR_INDIRECT_SPEC
    from9 BR_RETIRED

    /* Barriers. ISB is no software change of the PC from FEAT_PMUv3p9 on. */
    row "isb"
    count ISB_SPEC
    not9 PC_WRITE_RETIRED, BR_RETIRED
    any PC_WRITE_SPEC, BR_IMMED_RETIRED, BR_IMMED_SPEC, BR_INDIRECT_SPEC, DP_SPEC
    row "dsb sy"
    count DSB_SPEC
    any DP_SPEC
    row "dsb ishst"
    count DSB_SPEC
    any DP_SPEC
    row "ssbb"
    count DSB_SPEC
    any DP_SPEC
    row "pssbb"
    count DSB_SPEC
    any DP_SPEC
    row "dmb ish"
    count DMB_SPEC
    any DP_SPEC
    row "dmb oshld"
    count DMB_SPEC
    any DP_SPEC
    row "csdb"
    any DP_SPEC
    row "sb", needs=HAS_SB
    any DP_SPEC, DSB_SPEC, ISB_SPEC
    row "clrex"
    any DP_SPEC
    end_table

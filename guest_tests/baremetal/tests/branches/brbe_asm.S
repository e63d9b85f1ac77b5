/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One taken branch of each kind, and a branch that is not taken, while branches are recorded. */

#define BRBFCR_EL1 S2_1_C9_C0_1
#define PMEVCNTR0_EL0 S3_3_C14_C8_0
#define PAUSED 0x80

    .macro label name
    .globl \name
\name:
    .endm

    .text
/* The same with counter 0 two events before its overflow. */
label brbe_kinds_counted
    mov x10, #0xfffffffe
    msr PMEVCNTR0_EL0, x10
    isb
/* x0: BRBFCR_EL1 while the branches execute. Nothing else is recorded. */
label brbe_kinds
    mov x10, #PAUSED
    adr x11, kinds_indirect
    adr x12, kinds_leaf
    mov x13, x30
    msr BRBFCR_EL1, x0
    isb
label kinds_b
    b kinds_bl
    nop
label kinds_bl
    bl kinds_leaf
label kinds_blr
    blr x12
label kinds_br
    br x11
    nop
label kinds_indirect
    cmp x0, x0
    b.ne kinds_cbz
label kinds_cond
    b.eq kinds_cbz
    nop
label kinds_cbz
    cbz xzr, kinds_tbz
    nop
label kinds_tbz
    tbz xzr, #0, kinds_al
    nop
label kinds_al
    b.al kinds_end
    nop
label kinds_end
    msr BRBFCR_EL1, x10
    isb
    ret x13

label kinds_leaf
    ret

/* At EL0: two branches. */
label brbe_user
    mov x13, x30
label user_bl
    bl kinds_leaf
label user_ret
    ret x13

/*
 * An MSR and an MRS for each encoding of op0 2 and op1 1, 4 or 5, and CRn 8 or 9, where BRBE's registers
 * are. Each returns to its caller.
 */
    .balign 8
label brbe_accesses
    .irp op1, 1, 4, 5
    .irp crn, 8, 9
    .irp crm, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    .irp op2, 0, 1, 2, 3, 4, 5, 6, 7
    .inst 0xd5100000 | \op1 << 16 | \crn << 12 | \crm << 8 | \op2 << 5
    ret
    .inst 0xd5300000 | \op1 << 16 | \crn << 12 | \crm << 8 | \op2 << 5
    ret
    .endr
    .endr
    .endr
    .endr

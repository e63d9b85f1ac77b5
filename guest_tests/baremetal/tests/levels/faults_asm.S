/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime/layout.h"

/*
 * Handlers of known length. They keep all registers except x16 and x17, and expect x12, x14 and x15
 * from the body. The path to each of them has 7 instructions, which the counts include.
 */
/* ESR_EL1 of the SVC with which a call to EL0 returns: EC 0x15, IL. */
#define ESR_SVC_RETURN_HIGH 0x5600

    .macro fast_entry offset
    mrs x16, esr_el1
    mov w17, #CALL_RETURN
    movk w17, #ESR_SVC_RETURN_HIGH, lsl #16
    cmp w16, w17
    b.eq vectors_el1 + \offset
    mrs x16, tpidr_el1
    br x16
    .endm

    .text
    .balign 2048
    .globl fast_vectors
fast_vectors:
    .set offset, 0
    .rept 4
    .balign 128
    b vectors_el1 + offset
    .set offset, offset + 128
    .endr
    .balign 128
    fast_entry 0x200
    .balign 128
    b vectors_el1 + 0x280
    .balign 128
    b vectors_el1 + 0x300
    .balign 128
    b vectors_el1 + 0x380
    .balign 128
    fast_entry 0x400
    .balign 128
    b vectors_el1 + 0x480
    .balign 128
    b vectors_el1 + 0x500
    .balign 128
    b vectors_el1 + 0x580

    .macro handler name, instructions
    .section .rodata
    .balign 8
    .globl \name
\name:
    .quad \name\()_code
    .quad \instructions
    .text
\name\()_code:
    .endm

/* Continues after the instruction that cannot be executed. */
    handler fast_skip, 7 + 4
    mrs x16, elr_el1
    add x16, x16, #4
    msr elr_el1, x16
    eret

/* For SVC, which has been executed. */
    handler fast_eret, 7 + 1
    eret

/* Maps the page and retries. */
    handler fast_map, 7 + 6
    str x15, [x14]
    dsb ishst
    tlbi vmalle1
    dsb ish
    isb
    eret

/* Clears SCTLR_EL1.A and retries. */
    handler fast_unaligned, 7 + 5
    mrs x17, sctlr_el1
    bic x17, x17, #2
    msr sctlr_el1, x17
    isb
    eret

/* Enables floating point (CPACR_EL1.FPEN) and retries. */
    handler fast_fpen, 7 + 4
    mov x17, #(3 << 20)
    msr cpacr_el1, x17
    isb
    eret

/* Continues at the address that the body put into x12. */
    handler fast_resume, 7 + 2
    msr elr_el1, x12
    eret

/* Disables debug exceptions (MDSCR_EL1) and retries. */
    handler fast_debug, 7 + 3
    msr mdscr_el1, xzr
    isb
    eret

    .macro body name
    .balign 64
    .globl \name
\name:
    ldp x14, x15, [x0, #8]
    ldr x0, [x0]
    .endm

    .macro count_from
    mrs x9, pmevcntr0_el0
    .endm

    .macro count_to_and_return
    mrs x10, pmevcntr0_el0
    sub x0, x10, x9
    ret
    .endm

/* 5: one instruction, with two before and two after it. */
    .macro body_around name, instruction:vararg
    body \name
    count_from
    add x2, x2, #1
    add x2, x2, #1
    \instruction
    add x2, x2, #1
    add x2, x2, #1
    count_to_and_return
    .endm

    body_around body_load, ldr x1, [x0]
    body_around body_store, str x1, [x0]
    body_around body_post_index, ldr x1, [x0], #8
    body_around body_load_pair, ldp x1, x3, [x0]
    body_around body_store_pair, stp x1, x3, [x0]
    body_around body_zero, dc zva, x0
    body_around body_undefined, udf #0
    body_around body_breakpoint, brk #0
    body_around body_svc, svc #0
    body_around body_wfi, wfi
    body_around body_wfe, wfe
    body_around body_fp, fmov d0, x1
    body_around body_translate, at s1e1r, x0
    body_around body_mrs_pmcr, mrs x1, pmcr_el0
    body_around body_mrs_id, mrs x1, id_aa64pfr0_el1

/* SMC calls PSCI_VERSION if the machine answers it; HVC is left alone by EL2. */
    body body_hvc
    count_from
    add x2, x2, #1
    add x2, x2, #1
    hvc #0
    add x2, x2, #1
    add x2, x2, #1
    count_to_and_return

/* 6: loading the number of the call is one more. */
/* PSCI's CPU_SUSPEND, with 3 instructions before and 2 after it. */
    body body_suspend
    mov x13, x30
    count_from
    mov w0, #0x84000000
    add w0, w0, #1
    mov w1, #0
    smc #0
    add x2, x2, #1
    add x2, x2, #1
    mrs x10, pmevcntr0_el0
    sub x0, x10, x9
    ret x13

    body body_smc
    mov x13, x30
    count_from
    mov w0, #0x84000000
    add x2, x2, #1
    add x2, x2, #1
    smc #0
    add x2, x2, #1
    add x2, x2, #1
    mrs x10, pmevcntr0_el0
    sub x0, x10, x9
    ret x13

/*
 * WFIT, by its encoding because an assembler may not know it, waits a short time; x1 has the time.
 */
    body body_wfit
    mrs x1, cntvct_el0
    mov x3, #20000
    add x1, x1, x3
    count_from
    add x2, x2, #1
    add x2, x2, #1
    .inst 0xd5031020 | 1
    add x2, x2, #1
    add x2, x2, #1
    count_to_and_return

/* Writes what it has read. This is not counted. */
    body body_msr_pmcr
    mov x1, #1
    count_from
    add x2, x2, #1
    add x2, x2, #1
    msr pmcr_el0, x1
    add x2, x2, #1
    add x2, x2, #1
    count_to_and_return

/*
 * The fault lies between a load-exclusive and its store. The store then fails, because the return
 * from the handler clears the monitor: 4 instructions (ldxr, ldr, stxr, cbnz) twice are 8.
 */
    body body_exclusive
    sub x11, sp, #16
    count_from
1:  ldxr x1, [x11]
    ldr x3, [x0]
    stxr w4, x1, [x11]
    cbnz w4, 1b
    count_to_and_return

/*
 * 3 here (nop, blr, nop) and those of the callee. x12 is where to continue if it cannot be called.
 */
    body body_call
    mov x13, x30
    adr x12, 1f
    count_from
    nop
    blr x0
1:  nop
    mrs x10, pmevcntr0_el0
    sub x0, x10, x9
    ret x13

/* 3: nop, a branch to an address where no instruction can be, nop. */
    body body_jump
    adr x12, 1f
    count_from
    nop
    br x0
1:  nop
    count_to_and_return

/* 4: mov and the three parts of a memory set. The fault comes while one part is in progress. */
    .arch_extension mops
    body body_set
    count_from
    mov x2, #6000
    setp [x0]!, x2!, xzr
    setm [x0]!, x2!, xzr
    sete [x0]!, x2!, xzr
    count_to_and_return

/* 4: nop, nop, nop, ret. */
    .globl callee_code
    .globl callee_code_end
callee_code:
    nop
    nop
    nop
    ret
callee_code_end:

/* 8 instructions, including a load, and the label of the 5th. */
    body body_block
    .globl body_block_middle
    count_from
    nop
    add x2, x2, #1
    ldr x1, [x0]
    add x2, x2, #1
body_block_middle:
    add x2, x2, #1
    nop
    add x2, x2, #1
    nop
    count_to_and_return

/* 1 + 10 * 6: a loop whose data are in the page of its code. */
    .balign 64
    .globl mixed_page_code
    .globl mixed_page_code_end
mixed_page_code:
    adr x11, 2f
    mrs x9, pmevcntr0_el0
    mov x2, #10
1:  ldr x1, [x11]
    add x1, x1, #1
    str x1, [x11]
    nop
    subs x2, x2, #1
    b.ne 1b
    mrs x10, pmevcntr0_el0
    sub x0, x10, x9
    ret
    .balign 8
2:  .quad 0
mixed_page_code_end:

/*
 * 13: replaces an instruction later in the same block, an `add` by a `nop` or back. The code may
 * lie anywhere; argument and result are those of a body.
 */
    .balign 64
    .globl self_modifying_code
    .globl self_modifying_code_end
self_modifying_code:
    adr x11, 1f
    adr x12, 2f
    mrs x9, pmevcntr0_el0
    ldr w1, [x11]
    ldr w2, [x12]
    str w2, [x11]
    str w1, [x12]
    dc cvau, x11
    dsb ish
    ic ivau, x11
    dsb ish
    isb
    nop
1:  nop
    add x3, x3, #1
    add x3, x3, #1
    mrs x10, pmevcntr0_el0
    sub x0, x10, x9
    ret
2:  add x3, x3, #1
self_modifying_code_end:

/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * uint64_t name(uint64_t arg), where arg is a struct model_arg. The loop and the write that ends it
 * are counted. Each function begins a line of its own.
 */
#define CHAIN_LONG 1024
#define CHAIN_SHORT 256
#define CHAIN_PAGES 49

    .macro model name
    .balign 64
    .globl \name
\name:
    mov x17, x30
    ldp x11, x15, [x0]
    ldp x16, x14, [x0, #16]
    mov x12, #0
    msr pmcntenset_el0, x16
    .endm

    .macro stop_and_return
    msr pmcntenclr_el0, x16
    ret x17
    .endm

    .macro loop_and_return
    subs x15, x15, #1
    b.ne 1b
    stop_and_return
    .endm

    .text

    model model_load
1:  ldr x1, [x11]
    .globl model_load_next
model_load_next:
    add x11, x11, x14
    loop_and_return

    model model_store
1:  str x12, [x11]
    .globl model_store_next
model_store_next:
    add x11, x11, x14
    loop_and_return

    .arch_extension lse
    model model_add
1:  ldadd x12, x1, [x11]
    add x11, x11, x14
    loop_and_return

/* struct model_flags: done is 64 bytes after ready. */
    model model_load_and_wait
    ldr x9, [x0, #32]
1:  ldr x1, [x11]
    add x11, x11, x14
    subs x15, x15, #1
    b.ne 1b
    mov w10, #1
    stlr w10, [x9]
    add x9, x9, #64
2:  yield
    ldar w10, [x9]
    cbz w10, 2b
    stop_and_return

/*
 * At EL1: accesses two pages, executes a TLBI of the first page or of all, and accesses the two
 * again.
 */
    .macro two_pages
    ldr x1, [x11]
    add x2, x11, #4096
    ldr x1, [x2]
    .endm

    model model_tlbi_page
    lsr x3, x11, #12
    two_pages
    tlbi vae1, x3
    dsb ish
    isb
    two_pages
    stop_and_return

    model model_tlbi_all
    two_pages
    tlbi vmalle1
    dsb ish
    isb
    two_pages
    stop_and_return

/* Each iteration maintains a line after it has stored to it. */
    .macro maintaining name, instruction:vararg
    model \name
1:  str x12, [x11]
    \instruction, x11
    add x11, x11, x14
    loop_and_return
    .endm

    maintaining model_dc_civac, dc civac
    maintaining model_dc_cvac, dc cvac
    maintaining model_dc_cvau, dc cvau
    maintaining model_dc_ivac, dc ivac
    .arch armv8.2-a+lse
    maintaining model_dc_cvap, dc cvap

/* At EL1: x12 is 0, the first set and way of the first level. */
    .macro emptying name, instruction:vararg
    model \name
1:  str x12, [x11]
    \instruction
    add x11, x11, x14
    loop_and_return
    .endm

    emptying model_dc_cisw, dc cisw, x12
    emptying model_dc_isw, dc isw, x12
    emptying model_nop, nop

/* The address is not used: the line is the loop's own. */
    model model_ic_ivau
    adr x11, 1f
1:  ic ivau, x11
    loop_and_return

    model model_ic_iallu
1:  ic iallu
    loop_and_return

/* At EL1: the same loop in two address spaces. x14 is TTBR0_EL1 of the second one. */
    model model_two_spaces
    mrs x2, ttbr0_el1
    mov x4, #2
1:  mov x3, x15
2:  subs x3, x3, #1
    b.ne 2b
    msr ttbr0_el1, x14
    isb
    subs x4, x4, #1
    b.ne 1b
    msr ttbr0_el1, x2
    isb
    stop_and_return

/* There is only the loop's own branch. */
    model model_backward
1:  loop_and_return

    model model_forward
1:  cbz x12, 2f
    nop
    .globl model_forward_next
model_forward_next:
2:  loop_and_return

    model model_not_taken
1:  cbnz x12, 2f
    nop
2:  loop_and_return

/* Taken in every other iteration. */
    model model_alternating
1:  tbz x15, #0, 2f
    nop
2:  loop_and_return

    model model_direct
1:  b 2f
2:  bl 3f
3:  loop_and_return

    model model_indirect_same
    adr x1, 2f
1:  br x1
2:  loop_and_return

    model model_indirect_two
    adr x1, 2f
    adr x2, 3f
1:  mov x3, x1
    mov x1, x2
    mov x2, x3
    br x3
2:  nop
3:  loop_and_return

    model model_calls
1:  bl 2f
    loop_and_return
2:  ret

/* The b.eq is forward and taken only by the innermost call. */
    model model_nested
    bl 1f
    stop_and_return
1:  str x30, [x11], #8
    subs x15, x15, #1
    b.eq 2f
    bl 1b
2:  ldr x30, [x11, #-8]!
    ret

/*
 * A pass is a line with the write that starts, one with the write that ends, and between them
 * lines, or pages, of one branch each: 2 more than there are of these.
 */
    .macro chain name, count, spacing
    .balign \spacing
    .globl \name
\name:
    mov x17, x30
    ldr x16, [x0, #16]
    msr pmcntenset_el0, x16
    .rept \count
    b 1f
    .balign \spacing
1:
    .endr
    b 1f
    .balign \spacing
1:  stop_and_return
    .endm

    chain model_chain_long, CHAIN_LONG, 64
    chain model_chain_short, CHAIN_SHORT, 64
    chain model_chain_pages, CHAIN_PAGES, 4096

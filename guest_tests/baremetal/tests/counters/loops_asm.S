/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * Each loop is uint64_t loop(uint64_t iterations). x0 counts down to zero. The result is the
 * increase of PMEVCNTR0_EL0 from just after the first read to the second, which counts itself. The
 * comments count the instructions of an iteration.
 */
    .macro loop name
    .balign 64
    .globl \name
\name:
    .endm

    .macro count_from
    mrs x9, pmevcntr0_el0
    .endm

    .macro count_to_and_return
    mrs x10, pmevcntr0_el0
    sub x0, x10, x9
    ret
    .endm

    .arch_extension lse
    .text

/* 2: subs, b.ne. */
    loop loop_countdown
    count_from
1:  subs x0, x0, #1
    b.ne 1b
    count_to_and_return

/* 5: ldr, add, str, subs, b.ne. */
    loop loop_memory
    sub x11, sp, #16
    count_from
1:  ldr x12, [x11]
    add x12, x12, #1
    str x12, [x11]
    subs x0, x0, #1
    b.ne 1b
    count_to_and_return

/*
 * Even iterations have 4: tst, b.eq, subs, b.ne. Odd ones have two adds more. Two iterations: 10.
 */
    loop loop_two_paths
    count_from
1:  tst x0, #1
    b.eq 2f
    add x11, x11, #1
    add x11, x11, #2
2:  subs x0, x0, #1
    b.ne 1b
    count_to_and_return

/* 6: bl, add, cbz (not taken), ret, subs, b.ne. */
    loop loop_calls
    mov x12, x30
    mov x13, #1
    count_from
1:  bl 2f
    subs x0, x0, #1
    b.ne 1b
    mrs x10, pmevcntr0_el0
    sub x0, x10, x9
    ret x12
2:  add x11, x11, #1
    cbz x13, 2b
    ret

/*
 * The target alternates. First: 3 movs, br, b, subs, b.ne are 7. Second: 3 movs, br, 2 nops, subs,
 * b.ne are 8. Two iterations: 15.
 */
    loop loop_indirect
    adr x11, 2f
    adr x12, 3f
    count_from
1:  mov x13, x11
    mov x11, x12
    mov x12, x13
    br x13
2:  b 4f
3:  nop
    nop
4:  subs x0, x0, #1
    b.ne 1b
    count_to_and_return

/* 6: isb, dsb, dmb, yield, subs, b.ne. */
    loop loop_barriers
    count_from
1:  isb
    dsb sy
    dmb ish
    yield
    subs x0, x0, #1
    b.ne 1b
    count_to_and_return

/* 5: mrs, msr, mrs of the clock, subs, b.ne. */
    loop loop_sysregs
    count_from
1:  mrs x11, tpidr_el0
    msr tpidr_el0, x11
    mrs x11, cntvct_el0
    subs x0, x0, #1
    b.ne 1b
    count_to_and_return

/* 3002: longer than a page of code and than any translated block; with subs, b.ne. */
    loop loop_straight
    count_from
1:  .rept 1500
    nop
    eor x11, x11, x9
    .endr
    subs x0, x0, #1
    b.ne 1b
    count_to_and_return

/* 6: ldxr, add, stxr, cbnz (no other CPU interferes), subs, b.ne. */
    loop loop_exclusive
    sub x11, sp, #16
    count_from
1:  ldxr x12, [x11]
    add x12, x12, #1
    stxr w13, x12, [x11]
    cbnz w13, 1b
    subs x0, x0, #1
    b.ne 1b
    count_to_and_return

/* 6: ldadd, swp, cas, casp, subs, b.ne. For casp an emulator may have to stop the other CPUs. */
    loop loop_atomics
    sub x11, sp, #32
    mov x12, #1
    count_from
1:  ldaddal x12, x13, [x11]
    swpal x12, x13, [x11]
    casal x13, x12, [x11]
    caspal x2, x3, x4, x5, [x11]
    subs x0, x0, #1
    b.ne 1b
    count_to_and_return

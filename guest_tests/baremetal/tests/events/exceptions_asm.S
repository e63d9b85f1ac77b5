/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime/layout.h"
#include "tests/events/events_case.inc"

/*
 * Each iteration takes one exception, or none if its cause has been removed. An instruction that is
 * skipped counts as nothing; one that is retried counts once. exceptions.c says which is which.
 */
    .arch armv8.5-a

    cases exception

    case "svc", symbol=case_svc
    svc #0
    endcase
    case "hvc", symbol=case_hvc
    hvc #0
    endcase
    case "smc", inst=2, dp=1, symbol=case_smc
    mov w0, #1                      /* no PSCI function */
    smc #0
    endcase
    case "smc, trapped", inst=1, dp=1, symbol=case_smc_trapped
    mov w0, #1
    smc #0
    endcase
    case "udf", inst=1, dp=1, symbol=case_udf
    nop
    udf #0
    endcase
    case "brk", inst=0, symbol=case_brk
    brk #0
    endcase
    case "mrs that EL0 may not", inst=0, symbol=case_mrs_id
    mrs x1, id_aa64pfr0_el1
    endcase
    case "a load, tried again", inst=2, dp=1, ld=1, symbol=case_load_mended
    nop
    ldr x1, [x11]
    endcase
    case "a load, skipped", inst=1, dp=1, symbol=case_load_skipped
    nop
    ldr x1, [x11]
    endcase
    case "a store, tried again", inst=1, st=1, symbol=case_store_mended
    str x1, [x11]
    endcase
    case "ldadd, skipped", inst=0, needs=NEEDS_LSE, symbol=case_ldadd_skipped
    ldadd x1, x2, [x11]
    endcase
    case "ldp of two pages, tried again", inst=2, dp=1, ld=1, rd=2, symbol=case_pair_mended
    sub x3, x11, #8
    ldp x1, x2, [x3]
    endcase
    case "unaligned, of two pages, tried again", inst=1, ld=1, una=1, rd=2, \
        symbol=case_unaligned_mended
    ldur x1, [x11, #-4]
    endcase
    case "a call, given up", inst=1, brx=1, pcw=1, symbol=case_call
    blr x11
    endcase
    case "fadd, tried again", inst=1, vfp=1, symbol=case_fadd_mended
    fadd d0, d1, d2
    endcase
    case "add of vectors, skipped", inst=0, symbol=case_vector_skipped
    add v0.4s, v1.4s, v2.4s
    endcase
    case "wfi, trapped", inst=0, symbol=case_wfi
    wfi
    endcase
    case "msr contextidr_el1, trapped", inst=0, symbol=case_contextidr
    msr contextidr_el1, x12
    endcase
    case "msr ttbr0_el1, trapped", inst=1, dp=1, symbol=case_ttbr
    nop
    msr ttbr0_el1, x12
    endcase
    case "dc zva, trapped", inst=0, symbol=case_zva
    dc zva, x11
    endcase
    case "mrs, trapped", inst=0, symbol=case_mrs_trapped
    mrs x1, id_aa64isar0_el1
    endcase

/* GICD_SGIR sends interrupt 0 to this CPU. It is a device, so no cache holds it. */
    case "an interrupt", inst=5, dp=4, st=1, wr=0, symbol=case_interrupt
    mov w2, #GICD_BASE
    mov w1, #0x2000000
    str w1, [x2, #0xf00]
    nop
    nop
    endcase
    case "an FIQ", inst=4, dp=3, st=1, wr=0, symbol=case_fiq
    msr daifclr, #1
    mov w2, #GICD_BASE
    mov w1, #0x2000000
    str w1, [x2, #0xf00]
    endcase
    endcases

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime/layout.h"
#include "tests/models/steps.inc"

    .arch armv8.5-a

    steps memory
    step ld=1
    ldr x1, [x11]
    step st=1
    str x1, [x11, #8]
    step dp=1
    nop
    step ld=1
    ldp x1, x2, [x11, #16]
    step st=1
    stp x1, x2, [x11, #16]
    step ld=1, una=1
    ldur x1, [x11, #1]
    step st=1, una=1
    sturh w1, [x11, #3]
    step ld=1
    ldr q0, [x11, #16]
    step ld=1, una=1, rd=2
    ldur q0, [x11, #56]
    step st=1
    st1 {v0.4s}, [x11]
    step dp=1
    mov x2, #UART_BASE
    step ld=1, rd=0
    ldr w1, [x2, #0x18]             /* a device */
    step ld=1, st=1
    ldadd x1, x2, [x11]
    step ld=1
    ldxr x1, [x11]
    step st=1
    stxr w2, x1, [x11]
    step ld=1
    ldar x1, [x11]
    step st=1
    stlr x1, [x11]
    step ld=1
    ldr x1, [x11, x13]
    step dp=1
    add x3, x11, #128
    step st=1
    dc zva, x3
    step prf=1
    prfm pldl1keep, [x11]
    endsteps

    steps branches
    step bri=1, pcw=1
    b 2f
2:  step dp=1
    nop
    step bri=1
    cbz x13, 2f
2:  step bri=1, pcw=1
    cbz x12, 2f
2:  step bri=1, pcw=1
    tbnz w13, #3, 2f
2:  step bri=1
    tbz w13, #3, 2f
2:  step dp=1
    cmp x12, #0
    step bri=1, pcw=1
    b.eq 2f
2:  step bri=1
    b.ne 2f
2:  step bri=1, pcw=1
    bl 2f
2:  step dp=1
    adr x30, 2f
    step brr=1, pcw=1
    ret
2:  step dp=1
    adr x1, 2f
    step brx=1, pcw=1
    br x1
2:  step dp=1
    adr x1, 2f
    step brx=1, pcw=1
    blr x1
2:  step dp=1
    nop
    step bri=1, pcw=1
    b 2f
2:  step bri=1, pcw=1
    b 2f
2:
    endsteps

    steps computing
    step isb=1
    isb
    step dp=1
    add x1, x2, #1
    step dsb=1
    dsb ish
    step vfp=1
    fadd d0, d1, d2
    step dmb=1
    dmb ish
    step ase=1
    add v0.4s, v1.4s, v2.4s
    step dp=1
    mrs x1, tpidr_el0
    step dp=1
    fmov x1, d0
    step dp=1
    msr tpidr_el0, x1
    step ase=1
    movi v0.2d, #0
    step dp=1
    mul x1, x2, x3
    step dsb=1
    dsb sy
    step dmb=1
    dmb sy
    step isb=1
    isb
    step dp=1
    yield
    endsteps

/* From EL0 only. EL1 returns at once. */
    steps calls
    step dp=1
    nop
    step
    svc #0
    step dp=1
    add x1, x1, #1
    step
    svc #1
    step ld=1
    ldr x1, [x11]
    endsteps

    steps el1_only
    step dp=1
    mrs x1, contextidr_el1
    step dp=1, cid=1
    msr contextidr_el1, x1
    step dp=1
    nop
    step dp=1
    mrs x1, ttbr0_el1
    step dp=1, ttbr=1
    msr ttbr0_el1, x1
    step dp=1, ttbr=1
    msr ttbr1_el1, x1
    step dp=1
    adr x1, 2f
    step dp=1
    mov x2, #0x345                  /* EL1h with IRQs not masked */
    step dp=1, late=3
    msr daifset, #2
    step dp=1, late=2
    msr elr_el1, x1
    step dp=1, late=1
    msr spsr_el1, x2
    step eret=1, pcw=1
    eret
2:  step dp=1, cid=1
    msr contextidr_el1, x12
    endsteps

/* For stalls see vpmu_insn_a64_stall(). */
    steps cycles
    step dp=1
    nop
    step dp=1, cyc=1+2
    mul x1, x2, x3
    step dp=1
    add x1, x1, #1
    step dp=1, cyc=1+12
    udiv x1, x2, x13
    step vfp=1, cyc=1+3
    fadd d0, d1, d2
    step vfp=1, cyc=1+15
    fdiv d0, d1, d2
    step ase=1
    add v0.4s, v1.4s, v2.4s
    step isb=1, cyc=1+8
    isb
    step dmb=1, cyc=1+4
    dmb ish
    step dsb=1, cyc=1+10
    dsb ish
    step dp=1
    nop
    endsteps

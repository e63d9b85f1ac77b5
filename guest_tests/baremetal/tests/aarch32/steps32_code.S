/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime/layout.h"
#include "tests/models/steps.h"

/*
 * Loops for a 32-bit EL0 with the counts of every instruction, as in steps_asm.S. First come, for
 * A32 and T32, the offset of the code and the rows, which have an offset and STEP_COLUMNS bytes.
 * The code gets the iterations in r0, a buffer in r1 and the counters in r2.
 */
    .syntax unified
    .arch armv8-a
    .fpu crypto-neon-fp-armv8

    .macro step ld=0, st=0, dp=0, ase=0, vfp=0, bri=0, brr=0, brx=0, isb=0, dsb=0, dmb=0, pcw=0, \
        una=0, lds=0, sts=0, brs=0
    .text 0
    .word .Lstep\@ - table
    .byte 1, \ld, \st, \dp, \ase, \vfp, \bri, \brr, \brx, \isb, \dsb, \dmb, 0, 0, 0
    .byte \pcw, \una, \ld, \st, 0, \una, \lds, \sts, \brs, 1
    .balign 4
    .text 1
.Lstep\@:
    .endm

    .macro begin thumb
    .text 0
    .word .Lcode\@ - table + \thumb
    .text 1
    .balign 64
.Lcode\@:
    mov r3, #0
    mov r4, #8
    mcr p15, 0, r2, c9, c12, 1
1:
    .endm

    .macro end thumb
    step dp=1
    subs r0, r0, #1
    step bri=1, pcw=1
    bne 1b
.Lend\@:
    mcr p15, 0, r2, c9, c12, 2
    nop
    .if \thumb
    /* T32 code returns through A32 code. The branch reads pc as the next word. */
    .balign 4
    bx pc
    nop
    .arm
    .endif
    b leave
    .text 0
    .word .Lend\@ - table
    .fill STEP_COLUMNS, 1, 0
    .balign 4
    .text 1
    .endm

    .text 0
table:
    .text 1
    .arm
leave:
    svc #CALL_RETURN
    begin 0
    step dp=1
    cmp r3, #0
    step dp=1
    addne r5, r5, #1
    step dp=1
    addeq r5, r5, #1
    step ld=1
    ldreq r5, [r1]
    step lds=1
    ldrne r5, [r1]
    step st=1
    stm r1, {r5-r8}
    step sts=1
    stmne r1, {r5-r8}
    step bri=1
    bne 2f
2:  step bri=1, pcw=1
    beq 2f
    nop
2:  step bri=1, pcw=1
    bl 2f
2:  step dp=1
    add lr, pc, #0
    step brr=1, pcw=1
    bx lr
    step brx=1, brs=1
    bxne lr
    step dp=1
    add lr, pc, #0
    step brr=1, pcw=1
    bxeq lr
    step vfp=1
    vadd.f32 s0, s1, s2
    step vfp=1
    vaddne.f32 s0, s1, s2
    step ase=1
    vadd.i32 q0, q1, q2
    step ld=1
    vld1.8 {d0, d1}, [r1]
    step ld=1, una=1
    ldr r5, [r1, #2]
    step lds=1
    ldrne r5, [r1, #2]
    step ld=1
    ldrex r5, [r1]
    step st=1
    strex r6, r5, [r1]
    step dp=1, dmb=1
    dmb ish
    step isb=1
    isb
    step dp=1
    cmp r3, #0
    end 0

    .thumb
    begin 1
    step dp=1
    cmp r3, #0
    step dp=1
    itete eq
    step ld=1
    ldreq r5, [r1]
    step sts=1
    strne r5, [r1]
    step dp=1
    addeq r5, r5, #1
    step lds=1
    ldrne.w r8, [r1]
    step ld=1
    ldm.w r1, {r5-r8}
    step dp=1
    movs r6, #0
    step bri=1, pcw=1
    cbz r6, 2f
    nop
2:  step bri=1
    cbnz r6, 2f
    step dp=1
    nop
2:  step dp=1
    nop
    step dp=1
    cmp r3, #0
    step bri=1, pcw=1
    beq.n 2f
    nop
2:  step bri=1
    bne.w 2f
    step dp=1
    nop
2:  step dp=1
    nop
    step st=1, una=1
    str.w r5, [r1, #3]
    step dp=1, dsb=1
    dsb sy
    end 1

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime/layout.h"
#include "tests/events/events.h"

/*
 * Cases as in events_case.inc, for a 32-bit EL0 or EL1. The table comes first; its rows have the
 * offsets of a name and of code (bit 0 is set for T32). Names and code follow. r0 is the number of
 * iterations, r1 a buffer aligned to 4 KB, r2 the counters. The code may use r5 to r12, lr and all
 * vectors. sp points into the buffer, r3 is 0 and r4 is 8.
 */
    .syntax unified
    .arch armv8-a
    .arch_extension virt
    .fpu crypto-neon-fp-armv8

    .macro case name, levels=AT_EL0|AT_EL1, inst=1, ld=0, st=0, dp=0, ase=0, vfp=0, bri=0, brr=0, \
        brx=0, isb=0, dsb=0, dmb=0, cid=0, ttbr=0, eret=0, pcw=0, una=0, rd=as_ld, wr=as_st, prf=0, \
        lds=0, sts=0, brs=0
    .text 0
    .word .Lname\@ - table, .Lcode\@ - table + is_t32
    .hword \levels, \inst, \ld, \st, \dp, \ase, \vfp, \bri, \brr, \brx, \isb, \dsb, \dmb
    .hword \cid, \ttbr, \eret, \pcw, \una
    .ifc \rd, as_ld
    .hword \ld
    .else
    .hword \rd
    .endif
    .ifc \wr, as_st
    .hword \st
    .else
    .hword \wr
    .endif
    .hword \prf, \una /* prefetches; unaligned accesses */
    .hword \lds, \sts, \brs, 0
    .text 1
.Lname\@:
    .asciz "\name"
    .text 2
    .balign 64
    .if is_t32
    .thumb
    .else
    .arm
    .endif
.Lcode\@:
    mov r3, #0
    mov r4, #8
    add sp, r1, #512
    mcr p15, 0, r2, c9, c12, 1
1:
    .endm

    .macro enda32
    subs r0, r0, #1
    bne 1b
    mcr p15, 0, r2, c9, c12, 2
    b leave
    .endm

/* T32 code returns through A32 code. The branch reads pc as the next word. */
    .macro endt32
    subs r0, r0, #1
    bne 1b
    mcr p15, 0, r2, c9, c12, 2
    .balign 4
    bx pc
    nop
    .arm
    b leave
    .endm

    .set is_t32, 0
    .text 0
table:
    .text 2
    .arm
/* Returns to the caller. HVC is UNDEFINED in User mode, whose number ends in four zeros. */
leave:
    mrs r3, cpsr
    tst r3, #0xf
    beq 1f
    hvc #CALL_RETURN
1:  svc #CALL_RETURN

    case "ldr, ldrb, ldrh, ldrsb", inst=4, ld=4
    ldr r5, [r1, #4]
    ldrb r5, [r1, #1]
    ldrh r5, [r1, #2]
    ldrsb r5, [r1, r4]
    enda32
    case "str, strb, strh", inst=3, st=3
    str r3, [r1, #4]
    strb r3, [r1, #1]
    strh r3, [r1, #2]
    enda32
    case "ldr, str with an index", inst=4, ld=1, st=2, dp=1
    ldr r5, [r1], #4
    str r5, [r1, #4]!
    str r5, [r1, -r4]!
    nop
    enda32
    case "ldrd, strd", inst=2, ld=1, st=1
    ldrd r6, r7, [r1]
    strd r6, r7, [r1, #8]
    enda32
    case "ldrt, strt", inst=3, ld=1, st=1, dp=1
    mov r5, r1
    ldrt r6, [r5]
    strt r6, [r5]
    enda32
    case "ldm, stm of 1 to 6", inst=4, ld=2, st=2
    ldm r1, {r5}
    ldmib r1, {r5-r10}
    stm r1, {r5-r10}
    stmdb sp, {r5, r6}
    enda32
    case "push, pop", inst=4, ld=2, st=2
    push {r5, lr}
    push {r6}
    pop {r6}
    pop {r5, lr}
    enda32
    case "a pair of lines", inst=2, dp=1, ld=1, rd=UNKNOWN
    add r12, r1, #56
    ldm r12, {r5-r8}
    enda32
    case "literal", ld=1
    ldr r5, .Lword
    enda32
    case "conditions that fail", inst=10, dp=3, vfp=1, bri=2, brx=2, lds=2, sts=1, brs=2
    cmp r3, #0
    addne r5, r5, #1
    ldrne r5, [r1]
    strne r5, [r1]
    ldmne r1, {r5-r8}
    bne 2f
    blne 2f
    bxne lr
    vaddne.f32 s0, s1, s2
    movne pc, lr
2:
    enda32
    case "conditions that pass", inst=7, dp=2, ld=2, st=1, vfp=1, bri=1, pcw=1
    cmp r3, #0
    addeq r5, r5, #1
    ldreq r5, [r1]
    streq r5, [r1]
    ldmeq r1, {r5-r8}
    vaddeq.f32 s0, s1, s2
    beq 2f
    nop
2:
    enda32
    case "conditions that pass and fail", inst=7, dp=3, ld=1, st=1, lds=1, sts=1
    cmp r4, #4
    ldrgt r5, [r1]
    ldrle r5, [r1]
    strlt r5, [r1]
    strge r5, [r1]
    movs r5, #0
    nop
    enda32
    case "b, bl, bx lr", inst=4, bri=3, brr=1, pcw=4
    bl 2f
    b 3f
2:  b 4f
4:  bx lr
3:
    enda32
    case "bl, mov pc, lr", inst=3, bri=2, dp=1, brr=1, pcw=3
    bl 2f
    b 3f
2:  mov pc, lr
3:
    enda32
    case "bl, push, pop of pc", inst=4, bri=2, brr=1, ld=1, st=1, pcw=3
    bl 2f
    b 3f
2:  push {r5, lr}
    pop {r5, pc}
3:
    enda32
    case "blx of a register, bx", inst=5, dp=2, brx=2, bri=1, pcw=3
    adr r5, 2f
    adr r6, 3f
    blx r5
    nop
    nop
2:  bx r6
    nop
3:  b 4f
4:
    enda32
    case "add to pc, ldr of pc", inst=3, dp=2, brx=1, bri=1, pcw=2
    add pc, pc, #0
    nop
    b 2f
    nop
2:  nop
    enda32
    case "interworking", inst=4, dp=1, bri=2, brr=1, pcw=3
    blx 2f
    nop
    b 3f
    .thumb
    .balign 4
2:  bx lr
    .balign 4
    .arm
3:
    enda32
    case "data processing", inst=7, dp=7
    add r5, r6, r7, lsl #3
    mul r5, r6, r7
    umull r5, r6, r7, r8
    clz r5, r6
    ubfx r5, r6, #3, #4
    udiv r5, r4, r4
    movw r5, #1
    enda32
    case "vfp", inst=5, dp=2, vfp=3
    vadd.f64 d0, d1, d2
    vmul.f32 s0, s1, s2
    vmov s0, r4
    vmov r5, s0
    vcvt.f64.s32 d0, s0
    enda32
    case "advanced simd", inst=3, ase=3
    vadd.i32 q0, q1, q2
    vmul.f32 q0, q1, q2
    vmov.i32 q0, #1
    enda32
    case "vldr, vstr, vldm, vpush, vpop", inst=6, ld=3, st=3
    vldr d0, [r1]
    vstr s0, [r1, #8]
    vldm r1, {d0-d3}
    vstm r1, {d0-d3}
    vpush {d0}
    vpop {d0}
    enda32
    case "vld1 to vld4, vst1, vst4", inst=6, ld=4, st=2
    vld1.8 {d0, d1}, [r1]
    vld2.32 {d0, d1}, [r1]
    vld3.16 {d0[1], d1[1], d2[1]}, [r1]
    vld4.8 {d0[], d1[], d2[], d3[]}, [r1]
    vst1.64 {d0-d3}, [r1]
    vst4.16 {d0-d3}, [r1]
    enda32
    case "ldrex, strex", inst=4, ld=2, st=2
    ldrex r5, [r1]
    strex r6, r5, [r1]
    ldrexd r6, r7, [r1]
    strexd r5, r6, r7, [r1]
    enda32
    case "strex that fails", inst=2, dp=1, st=UNKNOWN, wr=UNKNOWN
    clrex
    strex r6, r5, [r1]
    enda32
    case "lda, stl, ldaexb, stlexb", inst=4, ld=2, st=2
    lda r5, [r1]
    stl r5, [r1]
    ldaexb r5, [r1]
    stlexb r6, r5, [r1]
    enda32
    case "barriers", inst=3, dp=2, isb=1, dsb=1, dmb=1
    isb
    dsb sy
    dmb ish
    enda32
    case "mrc, mcr, mrs, pld", inst=4, dp=3, prf=1
    mrc p15, 0, r5, c13, c0, 2
    mcr p15, 0, r5, c13, c0, 2
    mrs r5, apsr
    pld [r1]
    enda32
    case "contextidr, ttbr0, ttbr1", levels=AT_EL1, inst=6, dp=6, cid=1, ttbr=2
    mrc p15, 0, r5, c13, c0, 1
    mcr p15, 0, r5, c13, c0, 1
    mrc p15, 0, r5, c2, c0, 0
    mcr p15, 0, r5, c2, c0, 0
    mrc p15, 0, r5, c2, c0, 1
    mcr p15, 0, r5, c2, c0, 1
    enda32
    case "unaligned", levels=AT_EL0, inst=5, ld=3, st=2, una=4
    ldr r5, [r1, #2]
    ldrh r5, [r1, #1]
    str r5, [r1, #3]
    strh r5, [r1, #5]
    ldrb r5, [r1, #3]
    enda32
    case "unaligned, but the condition fails", levels=AT_EL0, inst=3, dp=1, lds=1, sts=1
    cmp r3, #0
    ldrne r5, [r1, #2]
    strne r5, [r1, #3]
    enda32
    .balign 4
.Lword:
    .word 5

/* One iteration. r1 is the start of a page that is not mapped at first; the page before it is. */
    case "ldr, tried again", levels=FAULTS, inst=3, dp=2, ld=1
    cmp r3, #0
    ldreq r5, [r1]
    nop
    enda32
    case "str, tried again", levels=FAULTS, inst=3, dp=2, st=1
    cmp r3, #0
    addne r5, r5, #1
    streq r5, [r1]
    enda32
    case "ldm of two pages, tried again", levels=FAULTS, inst=2, dp=1, ld=1, rd=UNKNOWN
    sub r12, r1, #8
    ldm r12, {r5-r8}
    enda32
    case "stmeq of two pages, tried again", levels=FAULTS, inst=3, dp=2, st=1, wr=UNKNOWN
    sub r12, r1, #8
    cmp r3, #0
    stmeq r12, {r5-r8}
    enda32
    case "ldrd, strd, tried again", levels=FAULTS, inst=2, ld=1, st=1
    ldrd r6, r7, [r1]
    strd r6, r7, [r1, #8]
    enda32
    case "unaligned of two pages, tried again", levels=FAULTS, inst=1, ld=1, una=1, rd=2
    ldr r5, [r1, #-2]
    enda32
    case "vldm of two pages, tried again", levels=FAULTS, inst=2, dp=1, ld=1, rd=UNKNOWN
    sub r12, r1, #8
    vldm r12, {d0-d3}
    enda32

    .set is_t32, 1
    case "it: the load is tried again", levels=FAULTS, inst=7, dp=4, ld=1, sts=2
    cmp r3, #0
    itete eq
    addeq r5, r5, #1
    strne r5, [r1]
    ldreq r5, [r1]
    strne r5, [r1]
    adds r5, r5, #1
    endt32
    case "push, of two pages, tried again", levels=FAULTS, inst=3, dp=2, st=1, wr=UNKNOWN
    add.w sp, r1, #8
    push {r4-r7}
    nop
    endt32
    case "ldr, str of 16 bits", inst=4, ld=2, st=2
    ldr r5, [r1, #4]
    ldrb r5, [r1, #1]
    str r3, [r1, #4]
    strh r3, [r1, #2]
    endt32
    case "ldr, str of 32 bits", inst=4, ld=2, st=2
    ldr.w r8, [r1, #64]
    ldrd r6, r7, [r1]
    str.w r8, [r1, #64]
    strd r6, r7, [r1, #8]
    endt32
    case "push, pop, ldm, stm", inst=5, ld=2, st=2, dp=1
    push {r5, lr}
    pop.w {r5, lr}
    mov r5, r1
    stmia r5!, {r6, r7}
    ldm.w r1, {r5-r8}
    endt32
    case "it: pass and fail", inst=8, ld=1, dp=4, st=1, lds=1, sts=1
    cmp r3, #0
    itet eq
    ldreq r5, [r1]
    ldrne r5, [r1]
    addeq r5, r5, #1
    ite ne
    strne r5, [r1]
    streq r5, [r1]
    endt32
    case "it: all fail", inst=6, dp=3, brx=1, lds=1, sts=1, brs=1
    cmp r3, #0
    itttt ne
    ldrne r5, [r1]
    strne r5, [r1]
    addne r5, r5, #1
    bxne lr
    endt32
    case "it: a branch", inst=5, dp=3, bri=2, pcw=1
    cmp r3, #0
    it ne
    bne.n 2f
    it eq
    beq.w 2f
    nop
2:
    endt32
    case "cbz, cbnz", inst=8, dp=4, bri=4, pcw=2
    movs r6, #0
    movs r7, #1
    cbz r6, 2f
    nop
2:  cbz r7, 3f
    nop
3:  cbnz r6, 4f
    nop
4:  cbnz r7, 5f
    nop
5:
    endt32
    case "b<cond>", inst=5, dp=1, bri=4, pcw=2
    cmp r3, #0
    beq.n 2f
    nop
2:  bne.n 3f
3:  beq.w 4f
    nop
4:  bne.w 5f
5:
    endt32
    case "b, bl, bx lr", inst=4, bri=3, brr=1, pcw=4
    bl 2f
    b 3f
2:  b.w 4f
4:  bx lr
3:
    endt32
    case "bl, push, pop of pc", inst=4, bri=2, brr=1, ld=1, st=1, pcw=3
    bl 2f
    b 3f
2:  push {r5, lr}
    pop {r5, pc}
3:
    endt32
    case "tbb", inst=3, dp=1, ld=1, brx=1, bri=1, pcw=2, rd=UNKNOWN
    mov r5, #0
    tbb [pc, r5]
2:  .byte (3f - 2b) / 2, 0
3:  b 4f
4:
    endt32
    case "vfp, advanced simd", inst=4, vfp=1, ase=1, ld=1, st=1
    vadd.f64 d0, d1, d2
    vadd.i32 q0, q1, q2
    vld1.8 {d0, d1}, [r1]
    vst1.64 {d0-d3}, [r1]
    endt32
    case "ldrex, strex", inst=2, ld=1, st=1
    ldrex r5, [r1]
    strex r6, r5, [r1]
    endt32
    case "barriers", inst=3, dp=2, isb=1, dsb=1, dmb=1
    isb
    dsb sy
    dmb ish
    endt32
    case "data processing", inst=5, dp=5
    adds r5, r6, r7
    add.w r8, r9, r10
    movw r5, #1
    mul r5, r6, r7
    uxtb r5, r6
    endt32
    case "unaligned", levels=AT_EL0, inst=3, ld=2, st=1, una=3
    ldr.w r5, [r1, #2]
    ldrh.w r5, [r1, #1]
    str.w r5, [r1, #3]
    endt32

    .text 0
    .word 0
    .text 1
    .balign 4

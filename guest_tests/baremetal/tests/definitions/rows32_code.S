/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime/layout.h"
#include "tests/definitions/definitions.h"

/*
 * The rows of AArch32. A row is
 *     row "CODE", insns=INSTRUCTIONS, t32=1 for T32, at=AT_..., setup="CODE that is not counted"
 * followed by count, any, from8 and from9, which mean the same as in rows.inc. r1 is the address of
 * a buffer, sp points into it, r3 is 0 and r4 is 8. CODE may change r0, r5 to r12, lr and all
 * vectors. INSTRUCTIONS are those that one repetition executes.
 *
 * The table comes first, then counts, names and code. It has offsets from its start; that of code
 * has bit 0 set for T32.
 */
    .syntax unified
    .arch armv8-a
    .arch_extension crc
    .fpu crypto-neon-fp-armv8

    .macro row text:req, insns=1, t32=0, at=AT_EL0, setup=nop
    .text 0
    .word .Lname\@ - table, .Lcode\@ - table + \t32, .Lcounts\@ - table, \at
    .text 2
.Lname\@:
    .asciz "\text"
    .text 3
    .balign 64
    .if \t32
    .thumb
    .else
    .arm
    .endif
.Lcode\@:
    mov r3, #0
    mov r4, #8
    add sp, r1, #512
    \setup
    mcr p15, 0, r2, c9, c12, 1
    isb
    .rept REPETITIONS
    \text
    .endr
    isb
    mcr p15, 0, r2, c9, c12, 2
    .if \t32
    .balign 4
    bx pc
    nop
    .arm
    .endif
    b leave
    .text 1
    .hword 0, 0
.Lcounts\@:
    .hword INST_RETIRED, \insns, INST_SPEC, \insns
    .endm

    .macro times number:req, events:vararg
    .irp event, \events
    .hword \event, \number
    .endr
    .endm

    .macro count events:vararg
    times 1, \events
    .endm

    .macro any events:vararg
    times COUNT_ANY, \events
    .endm

    .macro from8 events:vararg
    times (1+COUNT_FROM_P8), \events
    .endm

    .macro from9 events:vararg
    times (1+COUNT_FROM_P9), \events
    .endm

#define LOAD LD_RETIRED, LD_SPEC, LDST_SPEC
#define STORE ST_RETIRED, ST_SPEC, LDST_SPEC
/* An instruction with several registers may be several operations, some of them additions. */
#define OPERATIONS LD_SPEC, ST_SPEC, LDST_SPEC, DP_SPEC
#define DIRECT BR_IMMED_RETIRED, BR_IMMED_SPEC
#define TAKEN PC_WRITE_RETIRED, PC_WRITE_SPEC
#define INDIRECT TAKEN, BR_RETIRED, BR_INDIRECT_SPEC
#define RETURN INDIRECT, BR_RETURN_RETIRED, BR_RETURN_SPEC
#define VECTOR ASE_SPEC, ASE_INST_SPEC

    .text 0
table:
    .text 1
    .hword 0, 0
    .text 3
    .arm
leave:
    mrs r3, cpsr
    tst r3, #0xf
    beq 1f
    hvc #CALL_RETURN
1:  svc #CALL_RETURN

    /* What is between the start of the counters and their stop. */
    row " ", insns=0
    row " ", insns=0, t32=1

    /* DP_SPEC: all that no other class has, hints and barriers but ISB among them. */
    .irp text, "mov r5, r6", "add r5, r6, r7, lsl #3", "mul r5, r6, r7", "udiv r5, r6, r4", \
        "clz r5, r6", "ssat r5, #4, r6", "crc32b r5, r6, r7", "movw r5, #1", "bfi r5, r6, #2, #3", \
        "nop", "sevl", "clrex", "mrs r5, apsr", "msr apsr_nzcvq, r5", "mrc p15, 0, r5, c13, c0, 3", \
        "mcr p15, 0, r5, c13, c0, 2"
    row "\text"
    count DP_SPEC
    .endr
    .irp text, "movs r5, r6", "add.w r8, r9, r10", "sdiv r5, r6, r4", "ubfx r5, r6, #3, #4", \
        "uxtb r5, r6", "sev.w", "mrs r5, apsr", "mrc p15, 0, r5, c13, c0, 3"
    row "\text", t32=1
    count DP_SPEC
    .endr
    .irp t32, 0, 1
    row "dmb ish", t32=\t32
    count DP_SPEC, DMB_SPEC
    row "dsb sy", t32=\t32
    count DP_SPEC, DSB_SPEC
    row "isb", t32=\t32
    count ISB_SPEC
    any PC_WRITE_RETIRED, PC_WRITE_SPEC, BR_RETIRED, BR_INDIRECT_SPEC, BR_IMMED_SPEC

    /* Prefetches are loads, data processing, or counted by LDST_SPEC alone: the last one here. */
    row "pld [r1]", t32=\t32
    count LDST_SPEC
    row "pldw [r1, #8]", t32=\t32
    count LDST_SPEC
    row "pld [r1, r3]", t32=\t32
    count LDST_SPEC
    row "pli [r1]", t32=\t32
    count LDST_SPEC

    row "ldr r5, [r1, #4]", t32=\t32
    count LOAD
    row "ldrsb r5, [r1, r4]", t32=\t32
    count LOAD
    row "strh r5, [r1, #2]", t32=\t32
    count STORE
    row "ldrd r6, r7, [r1, #4]", t32=\t32 /* needs a word's alignment only */
    count LD_RETIRED
    any OPERATIONS
    row "strd r6, r7, [r1, #4]", t32=\t32
    count ST_RETIRED
    any OPERATIONS
    row "ldm r1, {r5-r8}", t32=\t32
    count LD_RETIRED
    any OPERATIONS
    row "push {r5, r6}", t32=\t32, setup="add sp, r1, #1024"
    count ST_RETIRED
    any OPERATIONS
    row "ldr r5, [r1, #2]", t32=\t32
    count LOAD, UNALIGNED_LDST_RETIRED, UNALIGNED_LD_SPEC, UNALIGNED_LDST_SPEC
    row "strh r5, [r1, #7]", t32=\t32
    count STORE, UNALIGNED_LDST_RETIRED, UNALIGNED_ST_SPEC, UNALIGNED_LDST_SPEC
    row "ldrex r5, [r1]", t32=\t32
    count LOAD, LDREX_SPEC
    row "ldrex r5, [r1] ; strex r6, r5, [r1]", insns=2, t32=\t32
    count LOAD, LDREX_SPEC, ST_RETIRED, ST_SPEC, LDST_SPEC, STREX_SPEC, STREX_PASS_SPEC
    row "clrex ; strex r6, r5, [r1]", insns=2, t32=\t32
    count DP_SPEC, ST_SPEC, LDST_SPEC, STREX_SPEC, STREX_FAIL_SPEC
    row "lda r5, [r1]", t32=\t32
    count LOAD, RC_LD_SPEC
    row "stlb r5, [r1]", t32=\t32
    count STORE, RC_ST_SPEC
    row "ldaexh r5, [r1] ; stlexh r6, r5, [r1]", insns=2, t32=\t32
    count LOAD, LDREX_SPEC, RC_LD_SPEC
    count ST_RETIRED, ST_SPEC, LDST_SPEC, STREX_SPEC, STREX_PASS_SPEC, RC_ST_SPEC

    .irp text, "vadd.f32 s0, s1, s2", "vmla.f64 d0, d1, d2", "vcvt.s32.f32 s0, s1", "vmov.f32 s0, s1"
    row "\text", t32=\t32
    count VFP_SPEC
    .endr
    /* A polynomial multiplication is no cryptographic operation; the others are nothing else. */
    .irp text, "vadd.i32 q0, q1, q2", "vmul.f32 q0, q1, q2", "vmov.i32 q0, #1", "vmull.p64 q0, d2, d3"
    row "\text", t32=\t32
    count VECTOR
    .endr
    .irp text, "aese.8 q0, q1", "sha1h.32 q0, q1", "sha256su1.32 q0, q1, q2"
    row "\text", t32=\t32
    count CRYPTO_SPEC, ASE_INST_SPEC
    .endr
    row "vld1.8 {d0}, [r1]", t32=\t32
    count LOAD, ASE_INST_SPEC
    row "vst1.32 {d0}, [r5]", t32=\t32, setup="add r5, r1, #2"
    count STORE, ASE_INST_SPEC, UNALIGNED_LDST_RETIRED, UNALIGNED_ST_SPEC, UNALIGNED_LDST_SPEC
    row "vldr d0, [r1, #4]", t32=\t32 /* needs a word's alignment only */
    count LOAD
    any ASE_INST_SPEC

    row "bl .+4", t32=\t32
    count DIRECT, TAKEN
    from9 BR_RETIRED
    .endr
    row "beq .+4", setup="cmp r3, #0"
    count DIRECT, TAKEN, BR_RETIRED
    row "beq .+2", t32=1, setup="cmp r3, #0"
    count DIRECT, TAKEN, BR_RETIRED
    row "bne .+4", setup="cmp r3, #0"
    count DIRECT, BR_RETIRED
    from8 PC_WRITE_SPEC
    row "bne.w .+4", t32=1, setup="cmp r3, #0"
    count DIRECT, BR_RETIRED
    from8 PC_WRITE_SPEC
    row "b .+4"
    count DIRECT, TAKEN
    from9 BR_RETIRED
    row "b.w .+4", t32=1
    count DIRECT, TAKEN
    from9 BR_RETIRED
    row "cbz r3, 90f ; nop ; 90:", t32=1
    count DIRECT, TAKEN, BR_RETIRED
    row "cbnz r3, 90f ; nop ; 90:", insns=2, t32=1
    count DIRECT, BR_RETIRED, DP_SPEC
    from8 PC_WRITE_SPEC
    row "blx 90f ; .thumb ; 90: bx pc ; nop ; .arm", insns=2
    count DIRECT, INDIRECT, TAKEN
    from9 BR_RETIRED

    /* Indirect branches; returns are those with these operands only. */
    row "add lr, pc, #0 ; bx lr", insns=2
    count DP_SPEC, RETURN
    row "add r5, pc, #0 ; bx r5", insns=2
    count DP_SPEC, INDIRECT
    row "add r5, pc, #0 ; blx r5", insns=2
    count DP_SPEC, INDIRECT
    row "add lr, pc, #0 ; mov pc, lr", insns=2
    count RETURN
    any DP_SPEC
    row "add r5, pc, #0 ; mov pc, r5", insns=2
    count INDIRECT
    any DP_SPEC
    row "add lr, pc, #4 ; push {lr} ; pop {pc}", insns=3
    count DP_SPEC, STORE, LOAD, RETURN
    row "add lr, pc, #4 ; str lr, [sp, #-8]! ; ldr pc, [sp], #8", insns=3
    count STORE, LOAD, RETURN
    any DP_SPEC
    row "add lr, pc, #4 ; push {r5, lr} ; ldm sp!, {r5, pc}", insns=3
    count ST_RETIRED, LD_RETIRED, RETURN
    any OPERATIONS
    row "add lr, pc, #4 ; stm sp, {r5, lr} ; ldm sp, {r5, pc}", insns=3
    count ST_RETIRED, LD_RETIRED, INDIRECT
    any OPERATIONS
    row "add lr, pc, #4 ; str lr, [sp, #4] ; ldr pc, [sp, #4]", insns=3
    count DP_SPEC, STORE, LOAD, INDIRECT
    row "tbb [pc, r3] ; .byte 1, 0", t32=1
    count LOAD, INDIRECT

    /*
     * Conditions that fail. Such a branch is one, which is not taken. Events of speculative
     * execution count all others, too (D14.1.1), except LDREX_SPEC and STREX_SPEC, where that is
     * free (D14.3, STREX_FAIL_SPEC).
     */
#define NOT_TAKEN PC_WRITE_SPEC, BR_INDIRECT_SPEC
    .irp text, "bxne r5", "blxne r5"
    row "\text", setup="cmp r3, #0"
    count BR_RETIRED
    from8 NOT_TAKEN
    .endr
    row "bxne lr", setup="cmp r3, #0"
    count BR_RETIRED, BR_RETURN_SPEC
    from8 NOT_TAKEN
    row "movne pc, lr", setup="cmp r3, #0"
    count BR_RETIRED, BR_RETURN_SPEC
    from8 NOT_TAKEN
    any DP_SPEC
    row "addne pc, pc, r4", setup="cmp r3, #0"
    count BR_RETIRED
    from8 NOT_TAKEN
    any DP_SPEC
    .irp text, "ldrne pc, [r1]", "ldrne pc, [sp, #8]"
    row "\text", setup="cmp r3, #0"
    count BR_RETIRED, LD_SPEC, LDST_SPEC
    from8 NOT_TAKEN
    .endr
    row "ldrne pc, [sp], #8", setup="cmp r3, #0"
    count BR_RETIRED, BR_RETURN_SPEC, LD_SPEC, LDST_SPEC
    from8 NOT_TAKEN
    any DP_SPEC
    .irp text, "popne {pc}", "popne {r5, pc}"
    row "\text", setup="cmp r3, #0"
    count BR_RETIRED, BR_RETURN_SPEC
    from8 NOT_TAKEN
    any OPERATIONS
    .endr
    row "ldmne r1, {r5, pc}", setup="cmp r3, #0"
    count BR_RETIRED
    from8 NOT_TAKEN
    any OPERATIONS
    row "it ne ; bxne r5", insns=2, t32=1, setup="cmp r3, #0"
    count DP_SPEC, BR_RETIRED
    from8 NOT_TAKEN
    row "it ne ; bxne lr", insns=2, t32=1, setup="cmp r3, #0"
    count DP_SPEC, BR_RETIRED, BR_RETURN_SPEC
    from8 NOT_TAKEN
    row "it ne ; popne {pc}", insns=2, t32=1, setup="cmp r3, #0"
    count BR_RETIRED, BR_RETURN_SPEC
    from8 NOT_TAKEN
    any OPERATIONS
    row "it eq ; addeq r5, r5, #1", insns=2, t32=1, setup="cmp r3, #0"
    times 2, DP_SPEC
    .irp text, "addne r5, r5, #1", "addsne r5, r6, r7, lsl r4", "mulne r5, r6, r7", "msrne apsr_nzcvq, r5", \
        "mrcne p15, 0, r5, c13, c0, 3", "vmovne r5, s1"
    row "\text", setup="cmp r3, #0"
    count DP_SPEC
    .endr
    .irp text, "ldrne r5, [r1, #2]", "ldrbne r5, [r3]", "ldrexne r5, [r1]", "vldrne s0, [r1]"
    row "\text", setup="cmp r3, #0"
    count LD_SPEC, LDST_SPEC
    .endr
    .irp text, "strne r5, [r1]", "strhne r5, [r3]", "strexne r5, r6, [r1]", "vstrne d0, [r1]"
    row "\text", setup="cmp r3, #0"
    count ST_SPEC, LDST_SPEC
    .endr
    row "ldrdne r6, r7, [r1]", setup="cmp r3, #0"
    count LD_SPEC, LDST_SPEC
    row "ldane r5, [r1]", setup="cmp r3, #0"
    count RC_LD_SPEC, LD_SPEC, LDST_SPEC
    row "stlne r5, [r1]", setup="cmp r3, #0"
    count RC_ST_SPEC, ST_SPEC, LDST_SPEC
    /* Each other one passes. */
    row "ldrne r5, [r1] ; ldreq r5, [r1] ; strne r5, [r1] ; streq r5, [r1]", insns=4, setup="cmp r3, #0"
    count LD_RETIRED, ST_RETIRED
    times 2, LD_SPEC, ST_SPEC
    times 4, LDST_SPEC
    row "ite ne ; ldrne r5, [r1] ; streq r5, [r1]", insns=3, t32=1, setup="cmp r3, #0"
    count DP_SPEC, LD_SPEC, ST_RETIRED, ST_SPEC
    times 2, LDST_SPEC
    row "vaddne.f32 s0, s1, s2", setup="cmp r3, #0"
    count VFP_SPEC
    row "it ne ; addne r5, r5, #1", insns=2, t32=1, setup="cmp r3, #0"
    times 2, DP_SPEC
    row "it ne ; vaddne.f32 s0, s1, s2", insns=2, t32=1, setup="cmp r3, #0"
    count DP_SPEC, VFP_SPEC
    row "it ne ; vaddne.i32 q0, q1, q2", insns=2, t32=1, setup="cmp r3, #0"
    count DP_SPEC, VECTOR
    row "it ne ; pldne [r1]", insns=2, t32=1, setup="cmp r3, #0"
    count DP_SPEC, LDST_SPEC, PRF_SPEC

    /* Registers by their names, and barriers and returns of EL1. */
    row "mcr p15, 0, r5, c13, c0, 1", at=AT_EL1_AARCH32, setup="mrc p15, 0, r5, c13, c0, 1"
    count DP_SPEC, CID_WRITE_RETIRED
    row "mcr p15, 0, r5, c2, c0, 0", at=AT_EL1_AARCH32, setup="mrc p15, 0, r5, c2, c0, 0"
    count DP_SPEC, TTBR_WRITE_RETIRED
    row "mcr p15, 0, r5, c2, c0, 1", at=AT_EL1_AARCH32, setup="mrc p15, 0, r5, c2, c0, 1"
    count DP_SPEC, TTBR_WRITE_RETIRED
    row "mcrr p15, 1, r5, r6, c2", at=AT_EL1_AARCH32, setup="mrrc p15, 1, r5, r6, c2"
    count DP_SPEC, TTBR_WRITE_RETIRED
    row "mcr p15, 0, r5, c2, c0, 2", at=AT_EL1_AARCH32, setup="mrc p15, 0, r5, c2, c0, 2"
    count DP_SPEC
    row "mrc p15, 0, r5, c13, c0, 1", at=AT_EL1_AARCH32
    count DP_SPEC
    .irp text, "mcrne p15, 0, r5, c13, c0, 1", "mcrne p15, 0, r5, c2, c0, 0"
    row "\text", at=AT_EL1_AARCH32, setup="cmp r3, #0"
    count DP_SPEC
    .endr
    row ".inst 0x1e073f9a", at=AT_EL1_AARCH32, setup="cmp r3, #0"
    count DP_SPEC, DSB_SPEC
    row ".inst 0x1e073f95", at=AT_EL1_AARCH32, setup="cmp r3, #0"
    count ISB_SPEC
    any DP_SPEC, PC_WRITE_SPEC, BR_RETIRED, BR_INDIRECT_SPEC, BR_IMMED_SPEC
    /* CP15DMB, CP15DSB, CP15ISB. */
    row ".inst 0xee073fba", at=AT_EL1_AARCH32
    count DP_SPEC, DMB_SPEC
    row ".inst 0xee073f9a", at=AT_EL1_AARCH32
    count DP_SPEC, DSB_SPEC
    row ".inst 0xee073f95", at=AT_EL1_AARCH32
    count ISB_SPEC
    any DP_SPEC, PC_WRITE_RETIRED, PC_WRITE_SPEC, BR_RETIRED, BR_INDIRECT_SPEC, BR_IMMED_SPEC
    row "msr spsr_cxsf, r5 ; add lr, pc, #0 ; movs pc, lr", insns=3, at=AT_EL1_AARCH32, setup="mrs r5, cpsr"
    count EXC_RETURN, TAKEN, BR_INDIRECT_SPEC
    from9 BR_RETIRED
    any DP_SPEC
    row "movsne pc, lr", at=AT_EL1_AARCH32, setup="cmp r3, #0"
    from8 NOT_TAKEN
    from9 BR_RETIRED
    any DP_SPEC

    .text 0
    .word 0
    .text 1
    .hword 0, 0
    .text 2
    .balign 4

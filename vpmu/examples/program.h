/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_EXAMPLES_PROGRAM_H
#define VPMU_EXAMPLES_PROGRAM_H

/*
 * The program that emulator.c executes: a kernel at EL1 that samples, and a loop at EL0. The Arm
 * ARM (C6.2) has the encodings. Addresses are indices into program[].
 */
#include "vpmu/arm/regs.h"

#define MOVZ(rd, imm, lsl) (0xd2800000u | (lsl) / 16u << 21 | (imm) << 5 | (rd))
#define ADD(rd, rn, imm) (0x91000000u | (imm) << 10 | (rn) << 5 | (rd))
#define SUB(rd, rn, imm) (0xd1000000u | (imm) << 10 | (rn) << 5 | (rd))
#define LDR(rt, rn) (0xf9400000u | (rn) << 5 | (rt))
#define STR(rt, rn) (0xf9000000u | (rn) << 5 | (rt))
#define CBNZ(rt, back) (0xb5000000u | (0x80000u - (back)) << 5 | (rt))
#define HERE 0x14000000u /* B . ends the program */
#define SVC 0xd4000001u
#define ERET 0xd69f03e0u
#define MSR(enc, rt) (0xd5000000u | (uint32_t)(enc) << 5 | (rt))
#define MRS(rt, enc) (0xd5200000u | (uint32_t)(enc) << 5 | (rt))

#define PMCR VPMU_ENC64(3, 3, 9, 12, 0)
#define PMCNTENSET VPMU_ENC64(3, 3, 9, 12, 1)
#define PMOVSCLR VPMU_ENC64(3, 3, 9, 12, 3)
#define PMCCNTR VPMU_ENC64(3, 3, 9, 13, 0)
#define PMINTENSET VPMU_ENC64(3, 0, 9, 14, 1)
#define PMEVCNTR(n) VPMU_ENC64(3, 3, 14, 8, n)
#define PMEVTYPER(n) VPMU_ENC64(3, 3, 14, 12, n)

/* PMEVTYPER<n>.P is bit 31: EL1 does not count. */
#define COUNT_AT_EL0(n, event) MOVZ(1, 0x8000u, 16), ADD(1, 1, event), MSR(PMEVTYPER(n), 1)
#define COUNT(n, event) MOVZ(1, event, 0), MSR(PMEVTYPER(n), 1)

#define PERIOD 1000u
#define ROUNDS 1234u
#define EL0_INSNS (5 * ROUNDS + 1) /* five in each round, and the SVC; the MRS is trapped */

enum {
    UNDEF_VECTOR = 0,
    SVC_VECTOR = 8,
    IRQ_VECTOR = 16,
    EL0_START = 24,
    RESET = 32,
};

/* clang-format off */
static const uint32_t program[64] = {
    /* EL0 may not read PMCCNTR_EL0. Skip the instruction, and count that in X7. */
    [UNDEF_VECTOR] = ADD(7, 7, 1), ERET,

    /* The end: read the counters into X10 to X14. */
    [SVC_VECTOR] = MRS(10, PMEVCNTR(0)), MRS(11, PMEVCNTR(1)), MRS(12, PMEVCNTR(2)),
                   MRS(13, PMEVCNTR(3)), MRS(14, PMEVCNTR(4)), HERE,

    /* An overflow: count it in X6, and restart counter 0 at -PERIOD. */
    [IRQ_VECTOR] = MRS(5, PMOVSCLR), MSR(PMOVSCLR, 5), MSR(PMEVCNTR(0), 2), ADD(6, 6, 1), ERET,

    /* X0 counts the rounds down, a word of memory counts them up. */
    [EL0_START] = MRS(8, PMCCNTR),
                  LDR(3, 4), ADD(3, 3, 1), STR(3, 4), SUB(0, 0, 1), CBNZ(0, 4), SVC,

    [RESET] = COUNT_AT_EL0(0, 0x08u), /* INST_RETIRED */
              COUNT_AT_EL0(1, 0x13u), /* MEM_ACCESS */
              COUNT_AT_EL0(2, 0x0cu), /* PC_WRITE_RETIRED */
              COUNT(3, 0x82u),        /* EXC_SVC */
              COUNT(4, 0x0au),        /* EXC_RETURN */
              SUB(2, 31, PERIOD), MSR(PMEVCNTR(0), 2),
              MOVZ(1, 1u, 0), MSR(PMINTENSET, 1), MOVZ(1, 0x1fu, 0), MSR(PMCNTENSET, 1),
              MOVZ(1, 1u, 0), MSR(PMCR, 1), MOVZ(0, ROUNDS, 0), ERET,
};
/* clang-format on */

#endif

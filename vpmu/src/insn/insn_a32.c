/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The sources that A32 instructions count as. The tables follow Arm ARM F4.1, one group of
 * encodings each.
 */
#include "insn_rows.h"

/* Condition 0b1111. T32's Advanced SIMD and coprocessor instructions use this table too. */
static const struct insn_row unconditional[] = {
    /* SHA1 and SHA256 with three registers; AES; SHA1H; SHA1SU1, SHA256SU0: CRYPTO only. */
    {0xfe800f50, 0xf2000c40, NONE},
    {0xffb30f10, 0xf3b00300, NONE},
    {0xffb30fd0, 0xf3b102c0, NONE},
    {0xffb30f90, 0xf3b20380, NONE},
    /* Advanced SIMD data processing; its stores and loads. */
    {0xfe000000, 0xf2000000, ASE},
    {0xff300000, 0xf4000000, ST},
    {0xff300000, 0xf4200000, LD},
    /* DSB, with SSBB and PSSBB; DMB; ISB. */
    {0xfffffff0, 0xf57ff040, DP | DSB},
    {0xfffffff0, 0xf57ff050, DP | DMB},
    {0xfffffff0, 0xf57ff060, ISB},
    /* CLREX, SB; CPS, SETEND; SETPAN: PSTATE and miscellaneous instructions. */
    {0xffffff80, 0xf57ff000, DP},
    {0xfff00000, 0xf1000000, DP},
    {0xfff000f0, 0xf1100000, DP},
    /* RFE; SRS; BLX. */
    {0xfe500000, 0xf8100000, LD | EXC_RETURN},
    {0xfe500000, 0xf8400000, ST},
    {0xfe000000, 0xfa000000, JUMP},
    /* VSEL, VMAXNM, VRINT*, VCVT* of all sizes; VCMLA, VDOT, VMMLA and the like. */
    {0xff000e00, 0xfe000a00, VFP},
    {0xff000f00, 0xfe000900, VFP},
    {0xfc000800, 0xfc000800, ASE},
    /* The rest: PLD, PLI. */
    {OTHERS, NONE},
};

/* Bits [27:26] are 0, and the instruction does not begin with 0b1111. */
static const struct insn_row data_processing[] = {
    /* Multiplies; SWP; STREX, STL and the like. */
    {0x0f0000f0, 0x00000090, DP},
    {0x0fb000f0, 0x01000090, LD_ST},
    {0x0f9000f0, 0x01800090, ST},
    /* STRH, LDRD, STRD, then LDRH, LDRSB, LDRSH and LDREX, LDA and the like. */
    {0x0e1000f0, 0x000000b0, ST},
    {0x0e1000f0, 0x000000d0, LD},
    {0x0e1000f0, 0x000000f0, ST},
    {0x0e100090, 0x00100090, LD},
    /* BX LR; BX, BXJ, BLX; ERET. */
    {0x0ff000ff, 0x0120001e, RETURN},
    {0x0ff000f0, 0x01200010, INDIRECT},
    {0x0ff000f0, 0x01200020, INDIRECT},
    {0x0ff000f0, 0x01200030, INDIRECT},
    {0x0ff000f0, 0x01600060, EXC_RETURN},
    /* CLZ; CRC32; saturating; multiplies of halfwords; MRS, MSR; HLT, BKPT, HVC, SMC. */
    {0x0ff000f0, 0x01600010, DP},
    {0x0f9000f0, 0x01000040, DP},
    {0x0f9000f0, 0x01000050, DP},
    {0x0f900090, 0x01000080, DP},
    {0x0f9000f0, 0x01000000, DP},
    {0x0f900000, 0x01000000, NONE},
    /* Hints and MSR of an immediate. */
    {0x0fb00000, 0x03200000, DP},
    /* TST, TEQ, CMP, CMN, which have no result; MOV PC, LR; others with a result in PC. */
    {0x0d900000, 0x01100000, DP},
    {0x0fffffff, 0x01a0f00e, DP | RETURN},
    {0x0c10f000, 0x0010f000, DP | EXC_RETURN},
    {0x0c10f000, 0x0000f000, DP | INDIRECT},
    {OTHERS, DP},
};

/* Bits [27:26] are 1. */
static const struct insn_row loads_stores[] = {
    /* UDF; other media instructions. */
    {0x0ff000f0, 0x07f000f0, NONE},
    {0x0e000010, 0x06000010, DP},
    /* LDR PC, [SP], #offset; LDR PC. */
    {0x0f7ff000, 0x041df000, LD | RETURN},
    {0x0c50f000, 0x0410f000, LD | INDIRECT},
    {0x0c100000, 0x04000000, ST},
    {OTHERS, LD},
};

/* Bits [27:26] are 2. */
static const struct insn_row blocks_branches[] = {
    {0x0e000000, 0x0a000000, JUMP},
    /* STM; LDM {..., PC}^; POP {..., PC}; LDM {..., PC}; LDM. */
    {0x0e100000, 0x08000000, ST},
    {0x0e508000, 0x08508000, LD | EXC_RETURN},
    {0x0fff8000, 0x08bd8000, LD | RETURN},
    {0x0e108000, 0x08108000, LD | INDIRECT},
    {OTHERS, LD},
};

/* Bits [27:26] are 3. */
static const struct insn_row coprocessors[] = {
    /* VMOV of 64 bits; MCRR of TTBR0 and TTBR1; other MCRR and MRRC. */
    {0x0fe00e00, 0x0c400a00, DP},
    {0x0ff00fef, 0x0c400f02, DP | TTBR_WRITE},
    {0x0fe00000, 0x0c400000, DP},
    /* STC, VSTR, VSTM; LDC, VLDR, VLDM. */
    {0x0e100000, 0x0c000000, ST},
    {0x0e100000, 0x0c100000, LD},
    /* Floating-point data processing. */
    {0x0f000c10, 0x0e000800, VFP},
    /* VMSR and VMRS; VDUP; VMOV of halves, singles and scalars. */
    {0x0f000f10, 0x0e000910, DP},
    {0x0f000e10, 0x0e000a10, DP},
    /* MCR of CONTEXTIDR, TTBR0, TTBR1, CP15ISB, CP15DSB, CP15DMB. */
    {0x0fff0fff, 0x0e0d0f30, DP | CID_WRITE},
    {0x0fff0fdf, 0x0e020f10, DP | TTBR_WRITE},
    {0x0fff0fff, 0x0e070f95, ISB},
    {0x0fff0fff, 0x0e070f9a, DP | DSB},
    {0x0fff0fff, 0x0e070fba, DP | DMB},
    /* Other MCR and MRC of coprocessors 14 and 15. */
    {0x0f000e10, 0x0e000e10, DP},
    /* The rest: SVC. */
    {OTHERS, NONE},
};

/* The tables by bits [27:26]. */
static const struct insn_row *const groups[4] = {
    data_processing,
    loads_stores,
    blocks_branches,
    coprocessors,
};

/* The stalls are this library's own definition, the same as for A64. */
static const struct insn_row stalls_unconditional[] = {
    /* Three Advanced SIMD vectors: VMUL, VMLA; VQDMULH; SHA; floating point. */
    {0xfe800f00, 0xf2000900, 3},
    {0xfe800f10, 0xf2000b00, 3},
    {0xfe800f10, 0xf2000c00, 2},
    {0xfe800c00, 0xf2000c00, 3},
    /* Two vectors: AES; SHA1H; SHA1SU1, SHA256SU0; VCVT; others, and VEXT, VTBL, VDUP. */
    {0xffb30f10, 0xf3b00300, 2},
    {0xffb30fd0, 0xf3b102c0, 2},
    {0xffb30f90, 0xf3b20380, 2},
    {0xffb30e10, 0xf3b30600, 3},
    {0xfeb00010, 0xf2b00000, 0},
    /* Multiplies by a scalar; widening multiplies. */
    {0xfe800050, 0xf2800040, 3},
    {0xfe800850, 0xf2800800, 3},
    /* VSEL; VMAXNM, VRINT*, VCVT*; VCMLA, VDOT and the like. */
    {0xff800e00, 0xfe000a00, 0},
    {0xff800f00, 0xfe000900, 0},
    {0xfc000800, 0xfc000800, 3},
    /* DSB, DMB, ISB. */
    {0xfffffff0, 0xf57ff040, 10},
    {0xfffffff0, 0xf57ff050, 4},
    {0xfffffff0, 0xf57ff060, 8},
    {OTHERS, 0},
};

static const struct insn_row stalls[] = {
    /* Long multiplies, others; of halfwords; SDIV, UDIV; SMLAD, SMMUL and the like; USAD8. */
    {0x0f8000f0, 0x00800090, 3},
    {0x0f8000f0, 0x00000090, 2},
    {0x0f900090, 0x01000080, 2},
    {0x0fd000f0, 0x07100010, 8},
    {0x0f800010, 0x07000010, 2},
    {0x0ff000f0, 0x07800010, 2},
    /* CRC32. */
    {0x0f9000f0, 0x01000040, 2},
    /* VDIV and VSQRT, double and other. */
    {0x0fb00f50, 0x0e800b00, 15},
    {0x0fb00c50, 0x0e800800, 10},
    {0x0fbf0fd0, 0x0eb10bc0, 20},
    {0x0fbf0cd0, 0x0eb108c0, 12},
    /* VMOV of an immediate; VMOV, VABS, VNEG; VCMP; VCVT*, VRINT*. */
    {0x0fb00c50, 0x0eb00800, 0},
    {0x0fbe0c50, 0x0eb00840, 0},
    {0x0fbe0c50, 0x0eb40840, 2},
    {0x0fb00c10, 0x0eb00800, 3},
    /* VADD, VSUB, VMUL; VMLA, VFMA and the like. */
    {0x0fa00c10, 0x0e200800, 3},
    {0x0f000c10, 0x0e000800, 4},
    /* Moves to and from general registers. */
    {0x0f000c10, 0x0e000810, 1},
    {0x0fe00e00, 0x0c400a00, 1},
    /* CP15DSB, CP15DMB, CP15ISB. */
    {0x0fff0fff, 0x0e070f9a, 10},
    {0x0fff0fff, 0x0e070fba, 4},
    {0x0fff0fff, 0x0e070f95, 8},
    {OTHERS, 0},
};

#define BIT(source) VPMU_SRC_BIT(VPMU_SRC_##source)

/*
 * Events of speculative execution count an instruction whose condition fails; all others do not. If
 * these have the same source, another one takes its place.
 */
static const struct {
    vpmu_sources passed;
    vpmu_sources failed;
} conditions[] = {
    {BIT(LD_RETIRED), BIT(LD_SKIPPED)},
    {BIT(ST_RETIRED), BIT(ST_SKIPPED)},
    {BIT(CID_WRITE) | BIT(TTBR_WRITE) | BIT(PC_WRITE), 0},
    {BIT(BR_RETURN), BIT(BR_INDIRECT) | BIT(BR_RETURN_SKIPPED)},
    {BIT(EXC_RETURN), BIT(BR_INDIRECT)},
};

vpmu_sources vpmu_insn_cond_failed(vpmu_sources sources)
{
    vpmu_sources failed = sources;

    for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++) {
        if (sources & conditions[i].passed) {
            failed = (failed & ~conditions[i].passed) | conditions[i].failed;
        }
    }
    return failed;
}

vpmu_sources vpmu_insn_a32(uint32_t insn)
{
    const struct insn_row *rows = insn >> 28 == 15 ? unconditional : groups[insn >> 26 & 3];

    return SRC(INST_RETIRED) | vpmu_insn_row_find_(rows, insn);
}

unsigned vpmu_insn_a32_stall(uint32_t insn)
{
    return vpmu_insn_row_find_(insn >> 28 == 15 ? stalls_unconditional : stalls, insn);
}

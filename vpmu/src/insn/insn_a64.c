/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The sources that A64 instructions count as. The tables follow Arm ARM C4.1, one group of
 * encodings each.
 */
#include "insn_rows.h"

/* C4.1.1: bit 31 clear is not allocated. ZA array and tiles; SME2 loads of several vectors. */
static const struct insn_row sme[] = {
    {0xfe200000, 0xe0000000, LD},
    {0xfe200000, 0xe0200000, ST},
    {0xfea00000, 0xa0000000, LD},
    {0xfea00000, 0xa0200000, ST},
    {OTHERS, NONE},
};

static const struct insn_row sve[] = {
    /* PRFB, PRFH, PRFW, PRFD: scalar and vector, scalar and immediate, scalar, vector. */
    {0xffa08010, 0x84200000, NONE},
    {0xffc08010, 0x85c00000, NONE},
    {0xfe60c010, 0x8400c000, NONE},
    {0xffa08010, 0xc4200000, NONE},
    {0xffe08010, 0xc4608000, NONE},
    {0xfe60e010, 0xc400e000, NONE},
    /* Gathers and contiguous loads, then scatters and contiguous stores. */
    {0xfe000000, 0x84000000, LD},
    {0xfe000000, 0xa4000000, LD},
    {0xfe000000, 0xc4000000, LD},
    {0xfe000000, 0xe4000000, ST},
    {OTHERS, NONE},
};

static const struct insn_row unallocated[] = {
    {OTHERS, NONE},
};

static const struct insn_row data_processing[] = {
    {OTHERS, DP},
};

static const struct insn_row branches_system[] = {
    /* B and BL; CBZ, CBNZ, TBZ, TBNZ; CB<cond>. */
    {0x7c000000, 0x14000000, JUMP},
    {0x7c000000, 0x34000000, BR_IMMED},
    {0x7e000000, 0x74000000, BR_IMMED},
    /* B.cond and BC.cond, of which AL and NV always branch. */
    {0xff00000e, 0x5400000e, JUMP},
    {0xff000000, 0x54000000, BR_IMMED},
    /* RET* and RETA*SPPC; ERET*; DRPS, which is for Debug state; BR* and BLR*. */
    {0xffc0001f, 0x5500001f, RETURN},
    {0xffe00000, 0xd6400000, RETURN},
    {0xffe00000, 0xd6800000, EXC_RETURN},
    {0xffe00000, 0xd6a00000, NONE},
    {0xfe000000, 0xd6000000, INDIRECT},
    /* DSB, with SSBB and PSSBB; DSB nXS; DMB; ISB; CLREX, SB. */
    {0xfffff0ff, 0xd503309f, DSB},
    {0xfffff3ff, 0xd503323f, DSB},
    {0xfffff0ff, 0xd50330bf, DMB},
    {0xfffff0ff, 0xd50330df, ISB},
    {0xfffff01f, 0xd503301f, NONE},
    /* DC ZVA, DC GVA, DC GZVA. */
    {0xffffffe0, 0xd50b7420, ST},
    {0xffffffe0, 0xd50b7460, ST},
    {0xffffffe0, 0xd50b7480, ST},
    /* MSR of CONTEXTIDR_EL1; MSR, or MSRR, of TTBR0_EL1 and TTBR1_EL1. Other names do not count. */
    {0xffffffe0, 0xd518d020, DP | CID_WRITE},
    {0xffbfffc0, 0xd5182000, DP | TTBR_WRITE},
    /* Hints, system registers and system instructions. */
    {0xff800000, 0xd5000000, DP},
    /* The rest: exception generation. */
    {OTHERS, NONE},
};

/*
 * An atomic both loads and stores, unless it has no result: then it stores. In most other
 * instructions, bit 22 is "load".
 */
static const struct insn_row loads_stores[] = {
    /* Exclusive and ordered: CAS, CASP, then STXR, STXP, STLR, LDXR, LDXP, LDAR. */
    {0x3fa00000, 0x08a00000, LD_ST},
    {0xbfa00000, 0x08200000, LD_ST},
    {0x3f400000, 0x08000000, ST},
    {0x3f400000, 0x08400000, LD},
    /* Unprivileged: CAST, CASPT, then STTXR, LDTXR. */
    {0x3f800000, 0x09800000, LD_ST},
    {0x3f400000, 0x09000000, ST},
    {0x3f400000, 0x09400000, LD},
    /* Advanced SIMD structures. */
    {0xbe400000, 0x0c000000, ST},
    {0xbe400000, 0x0c400000, LD},
    /* Tags: LDG, LDGM, then those that store. */
    {0xff600c00, 0xd9600000, LD},
    {0xff200000, 0xd9200000, ST},
    /* 128-bit and read-check-write atomics. */
    {0xbf200000, 0x19200000, LD_ST},
    /* SET*, then CPY*. */
    {0x3be00c00, 0x19c00400, ST},
    {0x3b200c00, 0x19000400, LD_ST},
    /* STLUR, LDAPUR*; STILP, LDIAPP, and with SIMD and FP registers STLUR, LDAPUR; GCSSTR. */
    {0x3fe00c00, 0x19000000, ST},
    {0x3f200c00, 0x19000000, LD},
    {0x3b600c00, 0x19000800, ST},
    {0x3b600c00, 0x19400800, LD},
    {0xffe00c00, 0xd9000c00, ST},
    /* Literals: PRFM, then LDR. */
    {0xff000000, 0xd8000000, NONE},
    {0x3b000000, 0x18000000, LD},
    /* Pairs. */
    {0x3a400000, 0x28000000, ST},
    {0x3a400000, 0x28400000, LD},
    /* LDAPR, LD64B, ST64B, ST64BV, ST64BV0; atomics without a result, of general and FP registers.
     */
    {0x3ffffc00, 0x38bfc000, LD},
    {0xfffffc00, 0xf83fd000, LD},
    {0xfffffc00, 0xf83f9000, ST},
    {0xffe0ec00, 0xf820a000, ST},
    {0x3f200c1f, 0x3820001f, ST},
    {0x3f208c1f, 0x3c20801f, ST},
    {0x3b200c00, 0x38200000, LD_ST},
    /* LDRAA, LDRAB. */
    {0xff200400, 0xf8200400, LD},
    /* Other registers: PRFM, PRFUM, RPRFM; stores of general, SIMD and FP registers; loads. */
    {0xfec00000, 0xf8800000, NONE},
    {0x3ec00000, 0x38000000, ST},
    {0x3e400000, 0x3c000000, ST},
    {0x3a000000, 0x38000000, LD},
    {OTHERS, NONE},
};

static const struct insn_row simd_fp[] = {
    /* FMOV to and from general registers; DUP and INS of a general register, SMOV, UMOV. */
    {0x7f36fc00, 0x1e260000, DP},
    {0xbfe0fc00, 0x0e000c00, DP},
    {0xbfe0ec00, 0x0e002c00, DP},
    {0xffe0fc00, 0x4e001c00, DP},
    {0x5e000000, 0x1e000000, VFP},
    /* AES; SHA1 and SHA256; SHA3, SHA512, SM3, SM4: CRYPTO only. PMULL is ASE. */
    {0xff3e0c00, 0x4e280800, NONE},
    {0xff208c00, 0x5e000000, NONE},
    {0xff3e0c00, 0x5e280800, NONE},
    {0xff000000, 0xce000000, NONE},
    {OTHERS, ASE},
};

/* Arm ARM C4.1: groups by bits [28:25]. */
static const struct insn_row *const groups[16] = {
    sme,
    unallocated,
    sve,
    unallocated,
    loads_stores,
    data_processing,
    loads_stores,
    simd_fp,
    data_processing,
    data_processing,
    branches_system,
    branches_system,
    loads_stores,
    data_processing,
    loads_stores,
    simd_fp,
};

/* The stalls are this library's own definition. */
static const struct insn_row stalls[] = {
    /* UDIV, SDIV, of 32 and 64 bits. */
    {0xffe0f800, 0x1ac00800, 8},
    {0xffe0f800, 0x9ac00800, 12},
    /* SMULH, UMULH, then other multiplies; CRC32. */
    {0xff608000, 0x9b400000, 3},
    {0x7f000000, 0x1b000000, 2},
    {0x7fe0e000, 0x1ac04000, 2},
    /* FDIV and FSQRT, double and other; FCVT, FRINT*; other arithmetic; FMADD and the like. */
    {0xffe0fc00, 0x1e601800, 15},
    {0xff20fc00, 0x1e201800, 10},
    {0xfffffc00, 0x1e61c000, 20},
    {0xff3ffc00, 0x1e21c000, 12},
    {0xff3e7c00, 0x1e204000, 0},
    {0xff207c00, 0x1e204000, 3},
    {0xff200c00, 0x1e200800, 3},
    {0xff000000, 0x1f000000, 4},
    /* FCMP; FMOV to and from general registers, then conversions to integers and fixed point. */
    {0xff20fc00, 0x1e202000, 2},
    {0x7f36fc00, 0x1e260000, 1},
    {0x7f20fc00, 0x1e200000, 3},
    {0x7f200000, 0x1e000000, 3},
    /* Vectors: FDIV, FSQRT, double and other. */
    {0xbfe0fc00, 0x2e60fc00, 15},
    {0xbfa0fc00, 0x2e20fc00, 10},
    {0xbfe0fc00, 0x2e403c00, 10},
    {0xbffffc00, 0x2ee1f800, 20},
    {0xbfbffc00, 0x2ea1f800, 12},
    {0xbffffc00, 0x2ef9f800, 12},
    /* MUL, MLA, MLS, PMUL; SQDMULH; widening multiplies; dot products; by element. */
    {0x9f20f400, 0x0e209400, 3},
    {0x9f20fc00, 0x0e20b400, 3},
    {0x9f208c00, 0x0e208000, 3},
    {0x9f208400, 0x0e008400, 3},
    {0x9f000400, 0x0f000000, 3},
    {0xdf000400, 0x5f000000, 3},
    /* Other floating point with two vectors, halves apart. */
    {0x9f20c400, 0x0e20c400, 3},
    {0x9f60c400, 0x0e400400, 3},
    /* AES; SHA1 and SHA256; SHA3, SHA512, SM3, SM4. */
    {0xff3e0c00, 0x4e280800, 2},
    {0xff208c00, 0x5e000000, 2},
    {0xff3e0c00, 0x5e280800, 2},
    {0xff000000, 0xce000000, 2},
    /* DSB, DSB nXS, DMB, ISB. */
    {0xfffff0ff, 0xd503309f, 10},
    {0xfffff3ff, 0xd503323f, 10},
    {0xfffff0ff, 0xd50330bf, 4},
    {0xfffff0ff, 0xd50330df, 8},
    {OTHERS, 0},
};

vpmu_sources vpmu_insn_a64(uint32_t insn)
{
    return SRC(INST_RETIRED) | vpmu_insn_row_find_(groups[insn >> 25 & 15], insn);
}

unsigned vpmu_insn_a64_stall(uint32_t insn)
{
    return vpmu_insn_row_find_(stalls, insn);
}

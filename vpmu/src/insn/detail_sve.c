/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The details of SVE instructions. The tables follow Arm ARM C4.1.2, one for bits [31:29]. */
#include "detail_rows.h"

/* SIMD instructions: without and with a governing predicate, with another predicate. */
#define Z DETAIL(SVE_SIMD)
#define Z_PRED (Z | GOVERNED)
#define Z_PREG (Z | DETAIL(SVE_PREG))
/* Others: neither Z registers nor predicates. */
#define GENERAL DETAIL(SVE_SCALAR)
#define MATH DETAIL(SVE_MATH)
#define MOVPRFX DETAIL(MOVPRFX)

/* Loads and stores. */
#define LD (Z_PRED | LD_VEC)
#define LD_MULTI (LD | DETAIL(LD_MULTI))
#define LD_ALL (LD | BROADCAST)
#define LD_FF (LD | DETAIL(SVE_LDFF))
#define GATHER (LD | DETAIL(SVE_LD_GATHER))
#define GATHER_FF (GATHER | DETAIL(SVE_LDFF))
#define LDR_Z (Z | LD_VEC | DETAIL(SVE_LDR_REG))
#define LDR_P (Z_PREG | LD_VEC | DETAIL(SVE_LDR_PREG))
#define ST (Z_PRED | ST_VEC)
#define ST_MULTI (ST | DETAIL(ST_MULTI))
#define SCATTER (ST | DETAIL(SVE_ST_SCATTER))
#define STR_Z (Z | ST_VEC | DETAIL(SVE_STR_REG))
#define STR_P (Z_PREG | ST_VEC | DETAIL(SVE_STR_PREG))
#define PRF_CONTIG (Z_PRED | DETAIL(PRF_CONTIG))
#define PRF_GATHER (Z_PRED | DETAIL(PRF_GATHER))

static const struct detail_row integers[] = {
    /* Predicated: MOVPRFX; SADDV, UADDV; other reductions, arithmetic, multiply-add. */
    {0xff3ee000, 0x04102000, Z_PRED | MOVPRFX, NO_DETAIL},
    {0xff3ee000, 0x04002000, Z_PRED, INT, D},
    {0xff20c000, 0x04000000, Z_PRED, INT, SIZE},
    {0xff204000, 0x04004000, Z_PRED, INT, SIZE},
    /* Predicated: shifts by an immediate, by vectors; FABS, FNEG; other unary instructions. */
    {0xff30e000, 0x04008000, Z_PRED, INT, TSZ_9},
    {0xff20e000, 0x04008000, Z_PRED, INT, SIZE},
    {0xff2ee000, 0x040ca000, Z_PRED, FP, SIZE},
    {0xff20e000, 0x0400a000, Z_PRED, INT, SIZE},
    /* Addition; XAR; bitwise; ADDVL, ADDPL, RDVL; INDEX; multiplication. */
    {0xff20e000, 0x04200000, Z, INT, SIZE},
    {0xff20fc00, 0x04203400, Z, INT, TSZ_20},
    {0xff20e000, 0x04202000, Z, INT, D},
    {0xff20f000, 0x04205000, GENERAL, NO_DETAIL},
    {0xff20c000, 0x04204000, Z, INT, SIZE},
    /* Shifts by wide elements, by an immediate; ADR of 32 and 64 bits. */
    {0xff20f000, 0x04208000, Z, INT, SIZE},
    {0xff20f000, 0x04209000, Z, INT, TSZ_20},
    {0xffe0f000, 0x04a0a000, Z, INT, S},
    {0xff20f000, 0x0420a000, Z, INT, D},
    /* MOVPRFX; FTSSEL and FEXPA; increments of vectors; counts, increments of registers. */
    {0xff20fc00, 0x0420bc00, Z | MOVPRFX, NO_DETAIL},
    {0xff20f000, 0x0420b000, Z | MATH, FP, SIZE},
    {0xff20f000, 0x0420c000, Z, INT, SIZE},
    {0xff20c000, 0x0420c000, GENERAL, NO_DETAIL},
    /* DUPM; bitwise with an immediate; FCPY; CPY. */
    {0xfffc0000, 0x05c00000, Z, NO_DETAIL},
    {0xff3c0000, 0x05000000, Z, INT, D},
    {0xff30e000, 0x0510c000, Z_PRED | FP_MV, NO_DETAIL},
    {0xff300000, 0x05100000, Z_PRED, NO_DETAIL},
    /* PMOV; permutations of vectors, of predicates. */
    {0xff3efc00, 0x052a3800, Z_PREG, NO_DETAIL},
    {0xff20c000, 0x05200000, Z, NO_DETAIL},
    {0xff20e000, 0x05204000, Z_PREG, NO_DETAIL},
    {0xff20e000, 0x05206000, Z, NO_DETAIL},
    /* RBIT; other predicated permutations and copies, SEL. */
    {0xff3fe000, 0x05278000, Z_PRED, INT, SIZE},
    {0xff208000, 0x05208000, Z_PRED, NO_DETAIL},
    {OTHERS, Z, NO_DETAIL},
};

static const struct detail_row comparisons[] = {
    /* Comparisons of integers: with vectors and unsigned immediates, with signed immediates. */
    {0xff000000, 0x24000000, Z_PRED, INT, SIZE},
    {0xff204000, 0x25000000, Z_PRED, INT, SIZE},
    /* Predicates: logical, partition breaks, PTEST, PTRUE, PFALSE, PFIRST, PNEXT, RDFFR. */
    {0xff204000, 0x25004000, Z_PREG, NO_DETAIL},
    /* CTERMEQ, CTERMNE; WHILE*; PSEL, PEXT. */
    {0xff20fc00, 0x25202000, GENERAL, NO_DETAIL},
    {0xff208000, 0x25200000, Z_PREG, NO_DETAIL},
    /* INCP, DECP of vectors; of registers, CNTP, SETFFR, WRFFR. */
    {0xff38f800, 0x25288000, Z_PREG, INT, SIZE},
    {0xff20c000, 0x25208000, Z_PREG, NO_DETAIL},
    /* FDUP; DUP; arithmetic with immediates. */
    {0xff3fe000, 0x2539c000, Z | FP_MV, NO_DETAIL},
    {0xff38c000, 0x2538c000, Z, NO_DETAIL},
    {0xff20c000, 0x2520c000, Z, INT, SIZE},
    {OTHERS, Z, NO_DETAIL},
};

static const struct detail_row integers2[] = {
    /* SDOT, UDOT; SQDMLALBT; CDOT; CMLA, SQRDCMLAH; USDOT; SQRDMLAH; multiply-add long. In these,
       the size is that of the result. */
    {0xff208000, 0x44000000, Z, INT, SIZE},
    /* Predicated. */
    {0xff20c000, 0x44008000, Z_PRED, INT, SIZE},
    /* SDOT, UDOT of 16 bits; SCLAMP, UCLAMP; permutations of quadwords. */
    {0xff20f800, 0x4400c800, Z, INT, S},
    {0xff20e000, 0x4400c000, Z, INT, SIZE},
    {0xff20e000, 0x4400e000, Z, NO_DETAIL},
    /* Indexed: SDOT, UDOT; USDOT, SUDOT; MLA, SQRDMLAH; CMLA; MUL, SQDMULH; CDOT, widening. */
    {0xff20f800, 0x44200000, Z, INT, SIZE},
    {0xff20f800, 0x44201800, Z, INT, SIZE},
    {0xff20e000, 0x44200000, Z, INT, INDEXED},
    {0xff20e000, 0x44206000, Z, INT, SIZE_DOWN},
    {0xff20f000, 0x4420f000, Z, INT, INDEXED},
    {0xff200000, 0x44200000, Z, INT, SIZE},
    /* PMULLB, PMULLT of 64 bits; long and wide; SADDLBT; SMMLA; EORBT; SSHLLB; BEXT. */
    {0xffe0f800, 0x45006800, Z, INT, D},
    {0xff208000, 0x45000000, Z, INT, SIZE},
    {0xff20f000, 0x45008000, Z, INT, SIZE},
    {0xff20f800, 0x45009800, Z, INT, S},
    {0xff20f000, 0x4500a000, Z, INT, TSZ_20_UP},
    {0xff20e000, 0x4500a000, Z, INT, SIZE},
    {0xff20f000, 0x45009000, Z, INT, SIZE},
    /* SABALB; ADCLB, SBCLB; CADD; SSRA; SRI, SLI; SABA. */
    {0xff20f000, 0x4500c000, Z, INT, SIZE},
    {0xff20f800, 0x4500d000, Z, INT, SZ},
    {0xff20f800, 0x4500d800, Z, INT, SIZE},
    {0xff20f000, 0x4500e000, Z, INT, TSZ_20},
    {0xff20f800, 0x4500f000, Z, INT, TSZ_20},
    {0xff20f800, 0x4500f800, Z, INT, SIZE},
    /* Narrowing shifts; SQXTNB; ADDHNB; MATCH; HISTSEG; LUTI; HISTCNT. */
    {0xff20c000, 0x45200000, Z, INT, TSZ_20_UP},
    {0xff20e000, 0x45204000, Z, INT, TSZ_20_UP},
    {0xff20e000, 0x45206000, Z, INT, SIZE},
    {0xff20e000, 0x45208000, Z_PRED, INT, SIZE},
    {0xff20fc00, 0x4520a000, Z, INT, SIZE},
    {0xff20e000, 0x4520a000, Z, NO_DETAIL},
    {0xff20e000, 0x4520c000, Z_PRED, INT, SIZE},
    /* PMULL, PMLAL of pairs; AES, SM4, RAX1. */
    {0xff20f800, 0x4520f800, Z, INT, D},
    {0xff20e000, 0x4520e000, Z | CRYPTO, NO_DETAIL},
    {OTHERS, Z, NO_DETAIL},
};

static const struct detail_row floating_point[] = {
    /* FCMLA; FCADD and pairs; reductions of quadwords. */
    {0xff208000, 0x64000000, Z_PRED, FUSED, SIZE},
    {0xff20e000, 0x64008000, Z_PRED, ARITH, SIZE},
    {0xff38e000, 0x6410a000, Z_PRED, ARITH, SIZE},
    /* FCVTXNT; FCVTLT from half; FCVTNT to half and BFCVTNT; FCVTNT; FCVTLT. */
    {0xffffe000, 0x640aa000, Z_PRED | CVT, FP, D},
    {0xffffe000, 0x6489a000, Z_PRED | CVT, FP, S},
    {0xfffde000, 0x6488a000, Z_PRED | CVT, FP, S},
    {0xffffe000, 0x64caa000, Z_PRED | CVT, FP, D},
    {0xffffe000, 0x64cba000, Z_PRED | CVT, FP, D},
    /* Indexed: FMLA, FMLS; FCMLA; FMUL. FCLAMP. */
    {0xff20f800, 0x64200000, Z, FUSED, INDEXED},
    {0xff20f000, 0x64201000, Z, FUSED, SIZE_DOWN},
    {0xff20fc00, 0x64202000, Z, ARITH, INDEXED},
    {0xff20fc00, 0x64202400, Z, ARITH, SIZE},
    /* FMLALB, FMLSLB, and BFMLALB, BFMLSLB, indexed and with vectors; BFDOT; BFMMLA; FMMLA. */
    {0xffa0d000, 0x64a04000, Z, FUSED, S},
    {0xffa0d800, 0x64a08000, Z, FUSED, S},
    {0xffe0fc00, 0x64604000, Z, DOT, S},
    {0xffe0fc00, 0x64608000, Z, DOT, S},
    {0xffe0fc00, 0x6460e400, Z, MATRIX_DOT, S},
    {0xffa0fc00, 0x64a0e400, Z, MATRIX, SZ},
    /* FTSMUL; arithmetic; FRECPE, FRSQRTE; FP8; comparisons with 0; reductions. */
    {0xff20fc00, 0x65000c00, Z | MATH, FP, SIZE},
    {0xff20e000, 0x65000000, Z, ARITH, SIZE},
    {0xff3efc00, 0x650e3000, Z | RECPE, ARITH, SIZE},
    {0xff38e000, 0x65082000, Z, NO_DETAIL},
    {0xff38e000, 0x65102000, Z_PRED, FP, SIZE},
    {0xff20e000, 0x65002000, Z_PRED, ARITH, SIZE},
    /* Comparisons; FTMAD; predicated arithmetic. */
    {0xff204000, 0x65004000, Z_PRED, FP, SIZE},
    {0xff38fc00, 0x65108000, Z | MATH, FUSED, SIZE},
    {0xff20e000, 0x65008000, Z_PRED, ARITH, SIZE},
    /* FCVT to and from double, FCVTX; other FCVT, BFCVT. FSQRT; FRECPX. */
    {0xfffce000, 0x65c8a000, Z_PRED | CVT, FP, D},
    {0xffffe000, 0x650aa000, Z_PRED | CVT, FP, D},
    {0xff3ce000, 0x6508a000, Z_PRED | CVT, FP, S},
    {0xff3fe000, 0x650da000, Z_PRED, ARITH, SIZE},
    {0xff38e000, 0x6508a000, Z_PRED, FP, SIZE},
    /* SCVTF, UCVTF from 64 bits to single; others. FLOGB; FCVTZ* from single to 64 bits; others. */
    {0xfffee000, 0x65d4a000, Z_PRED | CVT, FP, S},
    {0xff38e000, 0x6510a000, Z_PRED | CVT, FP, SIZE},
    {0xfff9e000, 0x6518a000, Z_PRED, FP, SIZE_17},
    {0xfffee000, 0x65dca000, Z_PRED | CVT, FP, S},
    {0xff38e000, 0x6518a000, Z_PRED | CVT, FP, SIZE},
    /* FRINT*; multiply-add. */
    {0xff38e000, 0x6500a000, Z_PRED, FP, SIZE},
    {0xff200000, 0x65200000, Z_PRED, FUSED, SIZE},
    {OTHERS, Z, NO_DETAIL},
};

static const struct detail_row gathers32[] = {
    /* LDR of predicates and vectors; prefetches. */
    {0xffc0e010, 0x85800000, LDR_P, NO_DETAIL},
    {0xffc0e000, 0x85804000, LDR_Z, NO_DETAIL},
    {0xffc08010, 0x85c00000, PRF_CONTIG, NO_DETAIL},
    {0xfe60e010, 0x8400c000, PRF_CONTIG, NO_DETAIL},
    {0xffa08010, 0x84200000, PRF_GATHER, NO_DETAIL},
    {0xfe60e010, 0x8400e000, PRF_GATHER, NO_DETAIL},
    /* LD1R*; LDNT1; LDFF1; LD1. */
    {0xfe408000, 0x84408000, LD_ALL, NO_DETAIL},
    {0xfe60c000, 0x84008000, GATHER, NO_DETAIL},
    {0xfe002000, 0x84002000, GATHER_FF, NO_DETAIL},
    {OTHERS, GATHER, NO_DETAIL},
};

static const struct detail_row contiguous_loads[] = {
    /* LD1W, LD1D of quadwords; LD1RQ*, LD1RO*; LD2Q to LD4Q. */
    {0xfe10e000, 0xa4102000, LD, NO_DETAIL},
    {0xfe00c000, 0xa4000000, LD_ALL, NO_DETAIL},
    {0xfe20e000, 0xa4208000, LD_MULTI, NO_DETAIL},
    {0xfe10e000, 0xa410e000, LD_MULTI, NO_DETAIL},
    /* LDFF1; LDNF1; LDNT1; LD2 to LD4; LD1. */
    {0xfe00e000, 0xa4006000, LD_FF, NO_DETAIL},
    {0xfe10e000, 0xa410a000, LD_FF, NO_DETAIL},
    {0xfe60c000, 0xa400c000, LD, NO_DETAIL},
    {0xfe00c000, 0xa400c000, LD_MULTI, NO_DETAIL},
    {OTHERS, LD, NO_DETAIL},
};

static const struct detail_row gathers64[] = {
    /* Prefetches; LD1Q; LDFF1; LD1, LDNT1. */
    {0xffa08010, 0xc4200000, PRF_GATHER, NO_DETAIL},
    {0xffe08010, 0xc4608000, PRF_GATHER, NO_DETAIL},
    {0xfe60e010, 0xc400e000, PRF_GATHER, NO_DETAIL},
    {0xfe60e000, 0xc400a000, GATHER, NO_DETAIL},
    {0xfe002000, 0xc4002000, GATHER_FF, NO_DETAIL},
    {OTHERS, GATHER, NO_DETAIL},
};

static const struct detail_row stores[] = {
    /* STR of predicates and vectors; ST2Q to ST4Q. */
    {0xffc0e010, 0xe5800000, STR_P, NO_DETAIL},
    {0xffc0e000, 0xe5804000, STR_Z, NO_DETAIL},
    {0xfe00e000, 0xe4000000, ST_MULTI, NO_DETAIL},
    /* STNT1, ST2 to ST4, with immediates and registers; ST1. */
    {0xfe70e000, 0xe410e000, ST, NO_DETAIL},
    {0xfe10e000, 0xe410e000, ST_MULTI, NO_DETAIL},
    {0xfe60e000, 0xe4006000, ST, NO_DETAIL},
    {0xfe00e000, 0xe4006000, ST_MULTI, NO_DETAIL},
    {0xfe00e000, 0xe4004000, ST, NO_DETAIL},
    {0xfe00e000, 0xe400e000, ST, NO_DETAIL},
    {OTHERS, SCATTER, NO_DETAIL},
};

const struct detail_row *const vpmu_detail_sve_[8] = {
    integers,  comparisons,      integers2, floating_point,
    gathers32, contiguous_loads, gathers64, stores,
};

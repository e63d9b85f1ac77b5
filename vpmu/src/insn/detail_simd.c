/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The details of scalar floating point and of Advanced SIMD data processing. See Arm ARM C4.1. */
#include "detail_rows.h"

const struct detail_row vpmu_detail_fp_[] = {
    /* FMADD and the like. */
    {0xff000000, 0x1f000000, 0, FUSED, FTYPE},
    /* FCSEL; FCCMP; arithmetic; FMOV of an immediate; FCMP. */
    {0xff200c00, 0x1e200c00, FP_MV, NO_DETAIL},
    {0xff200c00, 0x1e200400, 0, FP, FTYPE},
    {0xff200c00, 0x1e200800, 0, ARITH, FTYPE},
    {0xff201c00, 0x1e201000, FP_MV, NO_DETAIL},
    {0xff203c00, 0x1e202000, 0, FP, FTYPE},
    /* FMOV; FSQRT; BFCVT; FCVT to double, from double, others; FABS, FNEG, FRINT*. */
    {0xff3ffc00, 0x1e204000, FP_MV, NO_DETAIL},
    {0xff3ffc00, 0x1e21c000, 0, ARITH, FTYPE},
    {0xfffffc00, 0x1e634000, CVT, FP, S},
    {0xff3ffc00, 0x1e22c000, CVT, FP, D},
    {0xfffe7c00, 0x1e624000, CVT, FP, D},
    {0xff3e7c00, 0x1e224000, CVT, FP, S},
    {0xff207c00, 0x1e204000, 0, FP, FTYPE},
    /* FMOV to and from general registers; conversions, integer and fixed point. */
    {0x7f36fc00, 0x1e260000, FP_MV, NO_DETAIL},
    {0x7f20fc00, 0x1e200000, CVT, FP, FTYPE},
    {0x7f200000, 0x1e000000, CVT, FP, FTYPE},
    {OTHERS, 0, NO_DETAIL},
};

/*
 * Bits 30 and 28 are set in scalar instructions. Where a row leaves bit 28 open, it is for both
 * vector and scalar instructions.
 */
const struct detail_row vpmu_detail_simd_[] = {
    /* AES; SHA1 and SHA256 with three and with two registers. */
    {0xff3e0c00, 0x4e280800, ASE | CRYPTO, NO_DETAIL},
    {0xff208c00, 0x5e000000, ASE | CRYPTO, NO_DETAIL},
    {0xff3e0c00, 0x5e280800, ASE | CRYPTO, NO_DETAIL},
    /* Copies: from and to general registers, which are integer data processing; others. */
    {0xbfe0fc00, 0x0e000c00, 0, NO_DETAIL},
    {0xbfe0ec00, 0x0e002c00, 0, NO_DETAIL},
    {0xffe0fc00, 0x4e001c00, 0, NO_DETAIL},
    {0x8fe08400, 0x0e000400, ASE, NO_DETAIL},
    /* Three vectors of half precision: comparisons; FMLA, FMLS; others. */
    {0x8f60f400, 0x0e402400, ASE, FP, H},
    {0x8f60fc00, 0x0e400c00, ASE, FUSED, H},
    {0x8f60c400, 0x0e400400, ASE, ARITH, H},
    /* Three vectors, extension: FCMLA; FCADD; SQRDMLAH; dot products; matrices. */
    {0xaf20e400, 0x2e00c400, ASE, FUSED, SIZE},
    {0xaf20ec00, 0x2e00e400, ASE, ARITH, SIZE},
    {0xaf20f400, 0x2e008400, ASE, INT, SIZE},
    {0x8f20f400, 0x0e009400, ASE, INT, S},
    {0x8f20f400, 0x0e00a400, ASE, INT, S},
    /* BFDOT; BFMLALB, BFMLALT; BFMMLA; FP8. */
    {0xbfe0fc00, 0x2e40fc00, ASE, DOT, S},
    {0xbfe0fc00, 0x2ec0fc00, ASE, FUSED_WHOLE, S},
    {0xffe0fc00, 0x6e40ec00, ASE, MATRIX_DOT, S},
    {0x8f208400, 0x0e008400, ASE, NO_DETAIL},
    /* Three vectors: bitwise; FMLAL2; FMLAL; FMLA, FMLS; comparisons; other FP; integers. */
    {0x8f20fc00, 0x0e201c00, ASE, INT, B},
    {0xaf20fc00, 0x2e20cc00, ASE, FUSED, S},
    {0xaf20fc00, 0x0e20ec00, ASE, FUSED, S},
    {0x8f20fc00, 0x0e20cc00, ASE, FUSED, SZ},
    {0x8f20f400, 0x0e20e400, ASE, FP, SZ},
    {0x8f20c400, 0x0e20c400, ASE, ARITH, SZ},
    {0x8f200400, 0x0e200400, ASE, INT, SIZE},
    /* Three vectors of different sizes: PMULL of 64 bits; others. */
    {0xbfe0fc00, 0x0ee0e000, ASE, INT, D},
    {0x8f200c00, 0x0e200000, ASE, INT, SIZE_UP},
    /* Two vectors: REV*; SADDLP, SADALP; CNT, NOT, RBIT; FCM* with 0, FABS, FNEG; other integers.
     */
    {0x8f3fec00, 0x0e200800, ASE, NO_DETAIL},
    {0x9f3fbc00, 0x0e202800, ASE, INT, SIZE_UP},
    {0x8f3ffc00, 0x0e205800, ASE, INT, B},
    {0x8f3fcc00, 0x0e20c800, ASE, FP, SZ},
    {0x8f3f0c00, 0x0e200800, ASE, INT, SIZE},
    /* XTN, SQXTUN; SHLL; SQXTN, UQXTN; FCVTN, FCVTXN, BFCVTN; FCVTL; conversions of FP8. */
    {0x8f3ffc00, 0x0e212800, ASE, INT, SIZE_UP},
    {0x8f3ffc00, 0x0e213800, ASE, INT, SIZE_UP},
    {0x8f3ffc00, 0x0e214800, ASE, INT, SIZE_UP},
    {0x8f3ffc00, 0x0e216800, ASE | CVT, FP, SZ},
    {0xaf3ffc00, 0x0e217800, ASE | CVT, FP, SZ},
    {0xaf3ffc00, 0x2e217800, ASE, NO_DETAIL},
    /* FRINT*; URECPE, URSQRTE; FRECPE, FRSQRTE; FCVT*, SCVTF, UCVTF; FSQRT; FRINT*, FRECPX. */
    {0x8f3fec00, 0x0e218800, ASE, FP, SZ},
    {0x8fbffc00, 0x0ea1c800, ASE, INT, S},
    {0x8fbffc00, 0x0ea1d800, ASE | RECPE, ARITH, SZ},
    {0x8f3fec00, 0x0e21a800, ASE | CVT, FP, SZ},
    {0x8f3fec00, 0x0e21c800, ASE | CVT, FP, SZ},
    {0xafbffc00, 0x2ea1f800, ASE, ARITH, SZ},
    {0x8f3fec00, 0x0e21e800, ASE, FP, SZ},
    /* Of half precision: FRECPE, FRSQRTE; conversions; FSQRT; others. */
    {0x8ffffc00, 0x0ef9d800, ASE | RECPE, ARITH, H},
    {0x8f7fec00, 0x0e79a800, ASE | CVT, FP, H},
    {0x8f7fec00, 0x0e79c800, ASE | CVT, FP, H},
    {0xaffffc00, 0x2ef9f800, ASE, ARITH, H},
    {0x8f7e0c00, 0x0e780800, ASE, FP, H},
    /* Across a vector and scalar pairs: half precision; single and double; SADDLV; integers. */
    {0xaf3fcc00, 0x0e30c800, ASE, ARITH, H},
    {0xaf3fcc00, 0x2e30c800, ASE, ARITH, SZ},
    {0x9f3ffc00, 0x0e303800, ASE, INT, SIZE_UP},
    {0x8f3e0c00, 0x0e300800, ASE, INT, SIZE},
    /* Immediates: FMOV; ORR, BIC of 32 and 16 bits; MOVI, MVNI. */
    {0x9ff8f400, 0x0f00f400, ASE | FP_MV, NO_DETAIL},
    {0x9ff89400, 0x0f001400, ASE, INT, S},
    {0x9ff8d400, 0x0f009400, ASE, INT, H},
    {0x9ff80400, 0x0f000400, ASE, NO_DETAIL},
    /* Shifts by an immediate: narrowing; widening; conversions; others. */
    {0x8f80e400, 0x0f008400, ASE, INT, IMMH_UP},
    {0x9f80fc00, 0x0f00a400, ASE, INT, IMMH_UP},
    {0x8f80c400, 0x0f00c400, ASE | CVT, FP, IMMH},
    {0x8f800400, 0x0f000400, ASE, INT, IMMH},
    /* Indexed elements: FMLAL, FMLAL2, and FP8; FMLA; FCMLA; FMUL, FMULX. */
    {0xafc0b400, 0x0f800000, ASE, FUSED, S},
    {0xafc0b400, 0x2f808000, ASE, FUSED, S},
    {0xaf00f400, 0x0f000000, ASE, NO_DETAIL},
    {0xafc0b400, 0x2f008000, ASE, NO_DETAIL},
    {0xaf00b400, 0x0f001000, ASE, FUSED, INDEXED},
    {0xaf009400, 0x2f001000, ASE, FUSED, INDEXED},
    {0x8f00f400, 0x0f009000, ASE, ARITH, INDEXED},
    /* SDOT, UDOT; SUDOT, USDOT; BFDOT; BFMLALB, BFMLALT; FP8; widening integers; others. */
    {0x8f00f400, 0x0f00e000, ASE, INT, S},
    {0xaf40f400, 0x0f00f000, ASE, INT, S},
    {0xbfc0f400, 0x0f40f000, ASE, DOT, S},
    {0xbfc0f400, 0x0fc0f000, ASE, FUSED_WHOLE, S},
    {0xaf00f400, 0x0f00f000, ASE, NO_DETAIL},
    {0x8f00a400, 0x0f002000, ASE, INT, SIZE_UP},
    {0x8f00e400, 0x0f00a000, ASE, INT, SIZE_UP},
    {0x8f000400, 0x0f000000, ASE, INT, SIZE},
    /* TBL, TBX, LUTI; UZP, TRN, ZIP; EXT. */
    {OTHERS, ASE, NO_DETAIL},
};

/* SHA3, SHA512, SM3, SM4. */
const struct detail_row vpmu_detail_crypto_[] = {
    {0xff000000, 0xce000000, ASE | CRYPTO, NO_DETAIL},
    {OTHERS, 0, NO_DETAIL},
};

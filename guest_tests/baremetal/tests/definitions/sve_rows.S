/* SPDX-License-Identifier: GPL-2.0-or-later */

/* SVE and SVE2. The vector length is 128 bits, and p0 is all true. */
#include "tests/definitions/rows.inc"

#define SVE_LOAD LOAD, SVE, ASE_SVE_LD_SPEC
#define SVE_STORE STORE, SVE, ASE_SVE_ST_SPEC

    .macro sve text:req, needs=HAS_SVE, setup="ptrue p0.b"
    row "\text", needs=\needs, setup="\setup"
    .endm

    .arch armv8.8-a+sve2+sve2-aes+sve2-sha3+sve2-sm4+bf16+i8mm+f32mm
    table sve_rows

    sve "add z0.b, z1.b, z2.b"
    count SVE, INT8
    sve "sub z0.h, z1.h, z2.h"
    count SVE, INT16
    sve "add z0.s, p0/m, z0.s, z1.s"
    count SVE, INT32, PREDICATED
    sve "mul z0.d, p0/m, z0.d, z1.d"
    count SVE, INT64, PREDICATED
    sve "sdot z0.s, z1.b, z2.b"
    count SVE, INT32
    sve "smullb z0.d, z1.s, z2.s", needs=HAS_SVE2
    count SVE, INT64
    sve "add z0.s, p0/m, z0.s, z1.s", setup="pfalse p0.b"
    count SVE, INT32, SVE_PRED_SPEC, SVE_PRED_EMPTY_SPEC, SVE_PRED_NOT_FULL_SPEC
    sve "add z0.s, p0/m, z0.s, z1.s", setup="ptrue p0.s, vl1"
    count SVE, INT32, SVE_PRED_SPEC, SVE_PRED_PARTIAL_SPEC, SVE_PRED_NOT_FULL_SPEC
    sve "add z0.b, p0/m, z0.b, z1.b", setup="ptrue p0.b, vl3"
    count SVE, INT8, SVE_PRED_SPEC, SVE_PRED_PARTIAL_SPEC, SVE_PRED_NOT_FULL_SPEC
    sve "eor z0.d, z1.d, z2.d"
    count SVE
    any ANY_INT
    sve "dup z0.s, w10"
    count SVE
    any ANY_INT
    sve "tbl z0.b, {z1.b}, z2.b"
    count SVE
    any ANY_INT

    sve "fadd z0.s, z1.s, z2.s"
    count SVE, FP_SP
    times 4, SVE_SP_OPS
    sve "fmul z0.d, p0/m, z0.d, z1.d"
    count SVE, FP_DP, PREDICATED
    times 2, SVE_DP_OPS
    sve "fsub z0.h, z1.h, z2.h"
    count SVE, FP_HP
    times 8, SVE_HP_OPS
    sve "fmla z0.d, p0/m, z1.d, z2.d"
    count SVE, FP_DP, FP_FMA_SPEC, PREDICATED
    times 4, SVE_DP_OPS
    sve "fnmsb z0.s, p0/m, z1.s, z2.s"
    count SVE, FP_SP, FP_FMA_SPEC, PREDICATED
    times 8, SVE_SP_OPS
    sve "fcmla z0.s, p0/m, z1.s, z2.s, #90"
    count SVE, FP_SP, FP_FMA_SPEC, PREDICATED
    any ANY_SCALE_OPS
    sve "ftmad z0.s, z0.s, z1.s, #1"
    count SVE, FP_SP, FP_FMA_SPEC, SVE_MATH_SPEC
    any ANY_SCALE_OPS
    sve "ftsmul z0.d, z1.d, z2.d"
    count SVE, FP_DP, SVE_MATH_SPEC
    any ANY_SCALE_OPS
    sve "fexpa z0.s, z1.s"
    count SVE, SVE_MATH_SPEC
    any ANY_FP, ANY_INT, ANY_SCALE_OPS
    sve "frecpe z0.s, z1.s"
    count SVE, FP_RECPE_SPEC
    any ANY_FP, ANY_INT, ANY_SCALE_OPS
    sve "fcvtzs z0.s, p0/m, z1.s"
    count SVE, FP_CVT_SPEC, PREDICATED
    any ANY_FP, ANY_INT, ANY_SCALE_OPS
    sve "bfcvt z0.h, p0/m, z1.s"
    count SVE, FP_CVT_SPEC, PREDICATED
    any ANY_FP, ANY_INT, ANY_SCALE_OPS
    sve "bfmlalb z0.s, z1.h, z2.h"
    count SVE, FP_SP, FP_FMA_SPEC
    any ANY_SCALE_OPS
    sve "bfdot z0.s, z1.h, z2.h"
    count SVE, FP_SP
    any ANY_SCALE_OPS
    sve "bfmmla z0.s, z1.h, z2.h"
    count SVE, FP_SP
    any ANY_SCALE_OPS
    sve "fmlalb z0.s, z1.h, z2.h", needs=HAS_SVE2
    count SVE, FP_SP, FP_FMA_SPEC
    any ANY_SCALE_OPS
    sve "fadda s0, p0, s0, z1.s"
    count SVE, FP_SP
    any ANY_SCALE_OPS, ANY_FIXED_OPS, PREDICATED_OR_NOT
    sve "fcmgt p1.s, p0/z, z1.s, z2.s"
    count SVE, FP_SP
    any ANY_SCALE_OPS, PREDICATED_OR_NOT
    sve "movprfx z0, z1 ; add z0.s, p0/m, z0.s, z1.s"
    times 2, SVE
    count INT32, PREDICATED, SVE_MOVPRFX_SPEC
    any ANY_INT
    sve "movprfx z0.s, p0/z, z1.s ; add z0.s, p0/m, z0.s, z1.s"
    times 2, SVE
    times 2, PREDICATED
    count SVE_MOVPRFX_SPEC
    any ANY_INT

    /* Cryptography. */
    sve "aese z0.b, z0.b, z1.b", needs=HAS_SVE2
    count SVE, CRYPTO_SPEC
    any ANY_INT
    sve "rax1 z0.d, z1.d, z2.d", needs=HAS_SVE2
    count SVE, CRYPTO_SPEC
    any ANY_INT
    sve "sm4ekey z0.s, z1.s, z2.s", needs=HAS_SVE2
    count SVE, CRYPTO_SPEC
    any ANY_INT
    sve "pmullb z0.q, z1.d, z2.d", needs=HAS_SVE2
    count SVE
    any ANY_INT
    sve "eor3 z0.d, z0.d, z1.d, z2.d", needs=HAS_SVE2
    count SVE
    any ANY_INT

    /* Not SIMD (D14.1.1): no SVE_INST_RETIRED from FEAT_PMUv3p9 on. */
    sve "rdvl x11, #1"
    not9 SVE_INST_RETIRED
    any SVE_INST_SPEC, DP_SPEC
    sve "addvl x11, x10, #2"
    not9 SVE_INST_RETIRED
    any SVE_INST_SPEC, DP_SPEC
    sve "addpl x11, x10, #1"
    not9 SVE_INST_RETIRED
    any SVE_INST_SPEC, DP_SPEC
    sve "cntb x11"
    not9 SVE_INST_RETIRED
    any SVE_INST_SPEC, DP_SPEC
    sve "incw x11, all, mul #2"
    not9 SVE_INST_RETIRED
    any SVE_INST_SPEC, DP_SPEC
    sve "sqdecd x11, w11"
    not9 SVE_INST_RETIRED
    any SVE_INST_SPEC, DP_SPEC
    sve "ctermeq x10, x12"
    not9 SVE_INST_RETIRED
    any SVE_INST_SPEC, DP_SPEC
    sve "incw z0.s, all"
    count SVE, INT32
    sve "incp x11, p0.b"
    count SVE
    any ANY_INT, PREDICATED_OR_NOT
    sve "cntp x11, p0, p0.b"
    count SVE
    any ANY_INT, PREDICATED_OR_NOT
    sve "ptrue p1.s"
    count SVE
    any ANY_INT
    sve "whilelt p1.s, x10, x12"
    count SVE
    any ANY_INT
    sve "ands p1.b, p0/z, p0.b, p0.b"
    count SVE
    any ANY_INT, PREDICATED_OR_NOT

    /* Loads and stores. */
    sve "ld1d {z0.d}, p0/z, [x9]"
    count SVE_LOAD, PREDICATED
    sve "ld1rw {z0.s}, p0/z, [x9]"
    count SVE_LOAD, PREDICATED
    sve "ldnt1b {z0.b}, p0/z, [x9]"
    count SVE_LOAD, PREDICATED
    sve "ld3w {z0.s, z1.s, z2.s}, p0/z, [x9]"
    count SVE_LOAD, PREDICATED, ASE_SVE_LD_MULTI_SPEC
    sve "st1w {z0.s}, p0, [x9]"
    count SVE_STORE, PREDICATED
    sve "st2d {z0.d, z1.d}, p0, [x9]"
    count SVE_STORE, PREDICATED, ASE_SVE_ST_MULTI_SPEC
    sve "ld1d {z0.d}, p0/z, [x9]", setup="pfalse p0.b"
    count SVE_LOAD, SVE_PRED_SPEC, SVE_PRED_EMPTY_SPEC, SVE_PRED_NOT_FULL_SPEC
    sve "ld1w {z0.s}, p0/z, [x9, z1.s, uxtw]", setup="ptrue p0.b ; dup z1.s, #0"
    count SVE_LOAD, PREDICATED, SVE_LD_GATHER_SPEC
    sve "st1d {z0.d}, p0, [x9, z1.d]", setup="ptrue p0.b ; dup z1.d, #0"
    count SVE_STORE, PREDICATED, SVE_ST_SCATTER_SPEC
    sve "ldff1d {z0.d}, p0/z, [x9]"
    count SVE_LOAD, PREDICATED, SVE_LDFF_SPEC
    sve "ldnf1b {z0.b}, p0/z, [x9]"
    count SVE_LOAD, PREDICATED, SVE_LDFF_SPEC
    sve "ldr z0, [x9]"
    count SVE_LOAD, SVE_LDR_REG_SPEC
    sve "str z0, [x9]"
    count SVE_STORE, SVE_STR_REG_SPEC
    sve "ldr p1, [x9]"
    count SVE_LOAD, SVE_LDR_REG_SPEC, SVE_LDR_PREG_SPEC
    sve "str p1, [x9]"
    count SVE_STORE, SVE_STR_REG_SPEC, SVE_STR_PREG_SPEC
    sve "prfw pldl1keep, p0, [x9]"
    count SVE_INST_RETIRED, SVE_INST_SPEC, PRF_SPEC, SVE_PRF_CONTIG_SPEC, LDST_SPEC
    any LD_RETIRED, SIMD_INST_RETIRED, PREDICATED_OR_NOT
    any ASE_SVE_LD_SPEC
    sve "prfd pldl1keep, p0, [x9, z1.d, lsl #3]", setup="ptrue p0.b ; dup z1.d, #0"
    count SVE_INST_RETIRED, SVE_INST_SPEC, PRF_SPEC, SVE_PRF_GATHER_SPEC, LDST_SPEC
    any LD_RETIRED, SIMD_INST_RETIRED, PREDICATED_OR_NOT
    any ASE_SVE_LD_SPEC
    end_table

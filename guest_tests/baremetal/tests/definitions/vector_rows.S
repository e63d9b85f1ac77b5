/* SPDX-License-Identifier: GPL-2.0-or-later */

/* Advanced SIMD and the Cryptographic Extension: data processing, loads and stores. */
#include "tests/definitions/rows.inc"

#define VECTOR_LOAD LOAD, SIMD, ASE_SVE_LD_SPEC
#define VECTOR_STORE STORE, SIMD, ASE_SVE_ST_SPEC

    .arch armv8.8-a+crypto+sha3+sm4+fp16+fp16fml+bf16+i8mm+dotprod
    table vector_rows

    /* A vector of 128 bits has 4 single-precision elements. A fused multiply-add is 2 operations. */
    row "add v0.16b, v1.16b, v2.16b"
    count ASE_SPEC, SIMD, INT8
    row "sub v0.8h, v1.8h, v2.8h"
    count ASE_SPEC, SIMD, INT16
    row "mul v0.4s, v1.4s, v2.4s"
    count ASE_SPEC, SIMD, INT32
    row "add v0.2d, v1.2d, v2.2d"
    count ASE_SPEC, SIMD, INT64
    row "saddl v0.8h, v1.8b, v2.8b"
    count ASE_SPEC, SIMD, INT16
    row "umlal2 v0.2d, v1.4s, v2.4s"
    count ASE_SPEC, SIMD, INT64
    row "addv b0, v1.16b"
    count ASE_SPEC, SIMD, INT8
    row "sdot v0.4s, v1.16b, v2.16b"
    count ASE_SPEC, SIMD, INT32
    row "ummla v0.4s, v1.16b, v2.16b"
    count ASE_SPEC, SIMD, INT32
    row "abs v0.8h, v1.8h"
    count ASE_SPEC, SIMD, INT16
    row "eor v0.16b, v1.16b, v2.16b"
    count ASE_SPEC, SIMD
    any ANY_INT
    row "movi v0.4s, #1"
    count ASE_SPEC, SIMD
    any ANY_INT
    row "tbl v0.16b, {v1.16b}, v2.16b"
    count ASE_SPEC, SIMD
    any ANY_INT
    row "zip1 v0.8h, v1.8h, v2.8h"
    count ASE_SPEC, SIMD
    any ANY_INT
    row "add d0, d1, d2"
    count ASE_SPEC
    any SIMD_OR_NOT, ANY_INT

    row "fadd v0.4s, v1.4s, v2.4s"
    count ASE_SPEC, SIMD, FP_SP
    times 4, SP_OPS
    row "fmul v0.2s, v1.2s, v2.2s"
    count ASE_SPEC, SIMD, FP_SP
    times 2, SP_OPS
    row "fmla v0.2d, v1.2d, v2.2d"
    count ASE_SPEC, SIMD, FP_DP, FP_FMA_SPEC
    times 4, DP_OPS
    row "fmls v0.8h, v1.8h, v2.8h", needs=HAS_FP16
    count ASE_SPEC, SIMD, FP_HP, FP_FMA_SPEC
    times 16, HP_OPS
    row "fabd v0.4s, v1.4s, v2.4s"
    count ASE_SPEC, SIMD, FP_SP
    any ANY_FIXED_OPS
    row "fcmla v0.4s, v1.4s, v2.4s, #90", needs=HAS_FCMA
    count ASE_SPEC, SIMD, FP_SP, FP_FMA_SPEC
    any ANY_FIXED_OPS
    row "fcadd v0.4s, v1.4s, v2.4s, #90", needs=HAS_FCMA
    count ASE_SPEC, SIMD, FP_SP
    any ANY_FIXED_OPS
    row "fmlal v0.4s, v1.4h, v2.4h", needs=HAS_FHM
    count ASE_SPEC, SIMD, FP_SP, FP_FMA_SPEC
    any ANY_FIXED_OPS
    row "frecps v0.4s, v1.4s, v2.4s"
    count ASE_SPEC, SIMD, FP_SP
    any ANY_FIXED_OPS
    row "frecpe v0.4s, v1.4s"
    count ASE_SPEC, SIMD, FP_RECPE_SPEC
    any ANY_FP, ANY_FIXED_OPS, ANY_INT
    row "frsqrte d0, d1"
    count ASE_SPEC, FP_RECPE_SPEC
    any SIMD_OR_NOT, ANY_FP, ANY_FIXED_OPS, ANY_INT
    row "urecpe v0.4s, v1.4s"
    count ASE_SPEC, SIMD
    any ANY_INT, ANY_FP, ANY_FIXED_OPS
    row "fcvtzu v0.4s, v1.4s"
    count ASE_SPEC, SIMD, FP_CVT_SPEC
    any ANY_FP, ANY_FIXED_OPS, ANY_INT
    row "scvtf v0.2d, v1.2d"
    count ASE_SPEC, SIMD, FP_CVT_SPEC
    any ANY_FP, ANY_FIXED_OPS, ANY_INT
    row "fcvtn v0.4h, v1.4s"
    count ASE_SPEC, SIMD, FP_CVT_SPEC, FP_SP
    any ANY_FIXED_OPS, ANY_INT
    row "fcvtl v0.2d, v1.2s"
    count ASE_SPEC, SIMD, FP_CVT_SPEC, FP_DP
    any ANY_FIXED_OPS, ANY_INT
    row "fmaxv s0, v1.4s"
    count ASE_SPEC, FP_SP
    any SIMD_OR_NOT, ANY_FIXED_OPS
    row "faddp v0.4s, v1.4s, v2.4s"
    count ASE_SPEC, SIMD, FP_SP
    any ANY_FIXED_OPS
    row "fcmgt v0.4s, v1.4s, v2.4s"
    count ASE_SPEC, SIMD, FP_SP
    any ANY_FIXED_OPS
    row "fadd v0.8h, v1.8h, v2.8h", needs=HAS_FP16
    count ASE_SPEC, SIMD, FP_HP
    times 8, HP_OPS

    /* BFloat16 is floating point. The largest type of these is single precision. */
    row "bfmlalb v0.4s, v1.8h, v2.8h", needs=HAS_BF16
    count ASE_SPEC, SIMD, FP_SP, FP_FMA_SPEC
    any ANY_FIXED_OPS
    row "bfmlalt v0.4s, v1.8h, v2.h[1]", needs=HAS_BF16
    count ASE_SPEC, SIMD, FP_SP, FP_FMA_SPEC
    any ANY_FIXED_OPS
    row "bfdot v0.4s, v1.8h, v2.8h", needs=HAS_BF16
    count ASE_SPEC, SIMD, FP_SP
    any ANY_FIXED_OPS
    row "bfmmla v0.4s, v1.8h, v2.8h", needs=HAS_BF16
    count ASE_SPEC, SIMD, FP_SP
    any ANY_FIXED_OPS
    row "bfcvtn v0.4h, v1.4s", needs=HAS_BF16
    count ASE_SPEC, SIMD, FP_CVT_SPEC
    any ANY_FP, ANY_FIXED_OPS, ANY_INT

    /* What CRYPTO_SPEC counts, ASE_SPEC does not; ASE_INST_SPEC does. PMULL of 64 bits is no cryptography. */
    row "aese v0.16b, v1.16b", needs=HAS_CRYPTO
    count CRYPTO_SPEC, SIMD
    any ANY_INT
    row "aesimc v0.16b, v1.16b", needs=HAS_CRYPTO
    count CRYPTO_SPEC, SIMD
    any ANY_INT
    row "sha1c q0, s1, v2.4s", needs=HAS_CRYPTO
    count CRYPTO_SPEC, SIMD
    any ANY_INT
    row "sha256su0 v0.4s, v1.4s", needs=HAS_CRYPTO
    count CRYPTO_SPEC, SIMD
    any ANY_INT
    row "sha512h q0, q1, v2.2d", needs=HAS_CRYPTO
    count CRYPTO_SPEC, SIMD
    any ANY_INT
    row "eor3 v0.16b, v1.16b, v2.16b, v3.16b", needs=HAS_SHA3
    count CRYPTO_SPEC, SIMD
    any ANY_INT
    row "xar v0.2d, v1.2d, v2.2d, #3", needs=HAS_SHA3
    count CRYPTO_SPEC, SIMD
    any ANY_INT
    row "sm4e v0.4s, v1.4s", needs=HAS_SM4
    count CRYPTO_SPEC, SIMD
    any ANY_INT
    row "sm3partw1 v0.4s, v1.4s, v2.4s", needs=HAS_SM4
    count CRYPTO_SPEC, SIMD
    any ANY_INT
    row "pmull v0.1q, v1.1d, v2.1d", needs=HAS_CRYPTO
    count ASE_SPEC, SIMD
    any ANY_INT
    row "pmull2 v0.8h, v1.16b, v2.16b"
    count ASE_SPEC, SIMD, INT16

    /* Moves from and to general registers are integer data processing, as for DP_RETIRED. */
    row "umov w11, v0.s[1]"
    count DP_SPEC
    row "smov x11, v0.b[1]"
    count DP_SPEC
    row "dup v0.4s, w10"
    count DP_SPEC
    row "ins v0.d[1], x10"
    count DP_SPEC
    row "ins v0.s[1], v1.s[0]"
    count ASE_SPEC, SIMD
    any ANY_INT

    /* Loads and stores. Scalar ones but Q registers are SIMD if the implementation says so. */
    row "ld1 {v0.16b, v1.16b}, [x9]"
    count VECTOR_LOAD
    any ASE_SVE_LD_MULTI_SPEC
    row "ld2 {v0.4s, v1.4s}, [x9]"
    count VECTOR_LOAD, ASE_SVE_LD_MULTI_SPEC
    row "ld4 {v0.8h, v1.8h, v2.8h, v3.8h}, [x9]"
    count VECTOR_LOAD, ASE_SVE_LD_MULTI_SPEC
    row "ld1 {v0.s}[1], [x9]"
    count VECTOR_LOAD
    row "ld1r {v0.4s}, [x9]"
    count VECTOR_LOAD
    row "st1 {v0.16b, v1.16b}, [x9]"
    count VECTOR_STORE
    any ASE_SVE_ST_MULTI_SPEC
    row "st3 {v0.4s, v1.4s, v2.4s}, [x9]"
    count VECTOR_STORE, ASE_SVE_ST_MULTI_SPEC
    row "st1 {v0.d}[1], [x9]"
    count VECTOR_STORE
    row "ldr q0, [x9]"
    count LOAD, SIMD_INST_RETIRED
    any ASE_INST_SPEC, ASE_SVE_LD_SPEC
    row "stp q0, q1, [x9]"
    count STORE, SIMD_INST_RETIRED
    any ASE_INST_SPEC, ASE_SVE_ST_SPEC
    row "ldr d0, [x9]"
    count LOAD
    any SIMD_OR_NOT, ASE_SVE_LD_SPEC
    row "str s0, [x9]"
    count STORE
    any SIMD_OR_NOT, ASE_SVE_ST_SPEC
    row "ldur q0, [x9, #1]"
    count LOAD, SIMD_INST_RETIRED, UNALIGNED_LOAD
    any ASE_INST_SPEC, ASE_SVE_LD_SPEC
    row "ld1 {v0.4s}, [x10]", setup="add x10, x9, #4"
    count VECTOR_LOAD
    any ASE_SVE_LD_MULTI_SPEC
    row "ld1 {v0.2d}, [x10]", setup="add x10, x9, #4"
    count VECTOR_LOAD, UNALIGNED_LOAD
    any ASE_SVE_LD_MULTI_SPEC
    end_table

/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_DETAIL_ROWS_H
#define VPMU_DETAIL_ROWS_H

#include "vpmu/arm/insn.h"

/*
 * What the sources of instruction details mean where the names leave a choice. The definitions
 * follow Arm ARM D14.12 and the A64FX PMU Events document. They are also the contract of the tables
 * that use this file.
 *
 * LDREX, RC_LD, RC_ST: unprivileged and read-check-write variants are included. SWPA and LD<op>A
 *     with a destination of WZR or XZR do not acquire.
 * CRYPTO: SHA1, SHA256, SHA512, SHA3, SM3, SM4, AES; not polynomial multiplication. SVE2's EOR3,
 *     BCAX and XAR are integer arithmetic instead.
 * BASE_LD_REG, BASE_ST_REG: SET* and CPY* are not included, because they move memory. Instructions
 *     for allocation tags are.
 * ASE_VECTOR: includes the cryptographic instructions, of which none is ASE_SCALAR, and loads and
 *     stores of Q registers.
 * SVE_SCALAR: the non-SIMD SVE instructions of D14.1.1. SVE_SIMD: all others, also those that name
 *     predicate registers only. GOVERNED: a predicate determines active elements. SVE_PREG:
 *     otherwise names a predicate register or FFR.
 * FP_HP, FP_SP, FP_DP: the largest type of floating-point numbers that is read or written. Moves
 *     have none. BF16 arithmetic with single-precision results is FP_SP. Other BF16 and FP8
 *     arithmetic has none, is not fused, and has no operations.
 * FP_FMA: FTMAD is fused, dot products and matrix multiplications are not. FP_CVT: FLOGB and FRINT*
 *     are not conversions.
 * Operations: one for each element of the result, two if the instruction is fused, and all of a
 *     dot product or matrix multiplication. SVE's vectors count as 128 bits. FRECPX, FTSMUL,
 *     FTSSEL, FEXPA, FABS, FNEG and FRINT* have none.
 * VEC_INT*: the largest type of integer that is read or written; 64 bits for larger ones. Copies,
 *     permutations, reversals of elements and unpacking have none. Bitwise instructions without a
 *     size are of 8 bits in Advanced SIMD, and of 64 bits in SVE.
 */

/* How the instruction decides what its row leaves open. */
enum detail_kind {
    PLAIN,
    /* Integers, floating point, arithmetic with operations; fused, with 128 bits whatever Q is. */
    INT,
    FP,
    ARITH,
    FUSED,
    FUSED_WHOLE,
    /* An element is a sum of two products, of two in a matrix, of four in a matrix. */
    DOT,
    MATRIX,
    MATRIX_DOT,
    /* Acquire and release: bits 22 and 15, bits 23 and 22. */
    ORDER_CAS,
    ORDER_ATOMIC,
    /* Post-index and pre-index: bits [11:10], [24:23], bit 23. */
    INDEX_IMM,
    INDEX_PAIR,
    INDEX_STRUCT,
};

/* The size of an element: a constant, or the fields that encode it. */
enum detail_size {
    B,
    H,
    S,
    D,
    SIZE,      /* size, bits [23:22] */
    SIZE_UP,   /* twice that */
    SIZE_DOWN, /* half of that */
    SZ,        /* sz, bit 22: 32 or 64 bits */
    FTYPE,     /* bits [23:22] of scalar floating point */
    INDEXED,   /* size of instructions with an indexed element: 16, 16, 32, 64 bits */
    SIZE_17,   /* bits [18:17] */
    IMMH,      /* the highest bit of immh, bits [22:19] */
    IMMH_UP,
    TSZ_9, /* the highest bit of tsz: bits [23:22] and [9:8], bits [23:22] and [20:19] */
    TSZ_20,
    TSZ_20_UP,
    NO_SIZE,
};

/*
 * A row applies to instructions with insn & mask == value. Its result is a mask of DETAIL() and
 * GOVERNED, without EFFECTIVE, to which its kind adds. The first matching row decides. The last row
 * of each table matches everything.
 */
struct detail_row {
    uint32_t mask;
    uint32_t value;
    uint64_t result;
    uint8_t kind;
    uint8_t size;
};

_Static_assert(VPMU_SRC_DETAIL_END - VPMU_SRC_DETAIL < 64, "details fit in a row");

#define DETAIL_BIT(source) ((uint64_t)1 << ((source) - (unsigned)VPMU_SRC_DETAIL))
#define DETAIL(name) DETAIL_BIT(VPMU_SRC_##name)
/* Not a source: the instruction has a governing predicate. */
#define GOVERNED ((uint64_t)1 << 63)
#define OTHERS 0, 0
#define NO_DETAIL PLAIN, NO_SIZE

/* Names for the results that several tables have. */
#define ASE DETAIL(ASE_VECTOR)
#define CRYPTO DETAIL(CRYPTO)
#define ACQ DETAIL(RC_LD)
#define REL DETAIL(RC_ST)
#define CVT DETAIL(FP_CVT)
#define RECPE DETAIL(FP_RECPE)
#define FP_MV DETAIL(FP_MV)
#define LD_VEC DETAIL(ASE_SVE_LD)
#define ST_VEC DETAIL(ASE_SVE_ST)
#define BROADCAST DETAIL(LD_BROADCAST)

static inline const struct detail_row *vpmu_detail_find_(const struct detail_row *row,
                                                         uint32_t insn)
{
    while ((insn & row->mask) != row->value) {
        row++;
    }
    return row;
}

/* The tables of SVE by bits [31:29]. */
extern const struct detail_row *const vpmu_detail_sve_[8];
/* Scalar floating point; Advanced SIMD, vector and scalar; cryptographic instructions. */
extern const struct detail_row vpmu_detail_fp_[];
extern const struct detail_row vpmu_detail_simd_[];
extern const struct detail_row vpmu_detail_crypto_[];

/* The number of the governing predicate of an SVE instruction. */
unsigned vpmu_detail_predicate_(uint32_t insn);
/* The size of the elements that it governs, as log2 of bytes. */
unsigned vpmu_detail_element_(uint32_t insn);

#endif

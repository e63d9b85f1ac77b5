/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The sources that A64 instructions count as in detail. The tables follow Arm ARM C4.1, one group
 * of encodings each. detail_rows.h defines the sources.
 */
#include "detail_rows.h"

#define LD DETAIL(BASE_LD_REG)
#define ST DETAIL(BASE_ST_REG)
#define FP_LD DETAIL(FP_LD)
#define FP_ST DETAIL(FP_ST)
#define LDREX DETAIL(LDREX)
#define PRF DETAIL(PRF_BASE)
#define PRE DETAIL(PRE_INDEX)
#define POST DETAIL(POST_INDEX)
/* Advanced SIMD structures. */
#define LD_1 (ASE | LD_VEC)
#define LD_N (LD_1 | DETAIL(LD_MULTI))
#define ST_1 (ASE | ST_VEC)
#define ST_N (ST_1 | DETAIL(ST_MULTI))

static const struct detail_row nothing[] = {
    {OTHERS, 0, NO_DETAIL},
};

static const struct detail_row branches_system[] = {
    /* DC ZVA, DC GZVA. */
    {0xffffffe0, 0xd50b7420, DETAIL(DCZVA), NO_DETAIL},
    {0xffffffe0, 0xd50b7480, DETAIL(DCZVA), NO_DETAIL},
    {OTHERS, 0, NO_DETAIL},
};

static const struct detail_row loads_stores[] = {
    /* CAS, CASP, CAST and CASPT; LDAXR, LDXR, and STLXR, STXR, also of pairs; LDAR; STLR. */
    {0x3fa00000, 0x08a00000, LD | ST, ORDER_CAS, NO_SIZE},
    {0xbfa00000, 0x08200000, LD | ST, ORDER_CAS, NO_SIZE},
    {0x3f800000, 0x09800000, LD | ST, ORDER_CAS, NO_SIZE},
    {0x3ec08000, 0x08408000, LD | LDREX | ACQ, NO_DETAIL},
    {0x3ec00000, 0x08400000, LD | LDREX, NO_DETAIL},
    {0x3ec08000, 0x08008000, ST | REL, NO_DETAIL},
    {0x3ec00000, 0x08000000, ST, NO_DETAIL},
    {0x3fc00000, 0x08c00000, LD | ACQ, NO_DETAIL},
    {0x3fc00000, 0x08800000, ST | REL, NO_DETAIL},
    /* Advanced SIMD: structures of several elements, then LD1 and ST1. */
    {0xbf403000, 0x0c400000, LD_N, INDEX_STRUCT, NO_SIZE},
    {0xbf403000, 0x0c000000, ST_N, INDEX_STRUCT, NO_SIZE},
    {0xbf400000, 0x0c400000, LD_1, INDEX_STRUCT, NO_SIZE},
    {0xbf400000, 0x0c000000, ST_1, INDEX_STRUCT, NO_SIZE},
    /* LDAP1 and STL1; LD1R; one lane of LD1, of several; of ST1, of several. */
    {0xbffffc00, 0x0d418400, LD_1 | ACQ, NO_DETAIL},
    {0xbffffc00, 0x0d018400, ST_1 | REL, NO_DETAIL},
    {0xbf60e000, 0x0d40c000, LD_1 | BROADCAST, INDEX_STRUCT, NO_SIZE},
    {0xbf602000, 0x0d400000, LD_1, INDEX_STRUCT, NO_SIZE},
    {0xbf400000, 0x0d400000, LD_N, INDEX_STRUCT, NO_SIZE},
    {0xbf602000, 0x0d000000, ST_1, INDEX_STRUCT, NO_SIZE},
    {0xbf400000, 0x0d000000, ST_N, INDEX_STRUCT, NO_SIZE},
    /* Tags: LDG, LDGM, then those that store. */
    {0xff600c00, 0xd9600000, LD, NO_DETAIL},
    {0xff200000, 0xd9200000, ST, INDEX_IMM, NO_SIZE},
    /* 128-bit, read-check-write and unprivileged atomics; SET* and CPY*. */
    {0xbf200000, 0x19200000, LD | ST, ORDER_ATOMIC, NO_SIZE},
    {0x3b200c00, 0x19000400, 0, NO_DETAIL},
    /* STLUR, LDAPUR*; the same of SIMD and FP registers. */
    {0x3fe00c00, 0x19000000, ST | REL, NO_DETAIL},
    {0x3f200c00, 0x19000000, LD | ACQ, NO_DETAIL},
    {0x3f600c00, 0x1d000800, FP_ST | REL, NO_DETAIL},
    {0x3f600c00, 0x1d400800, FP_LD | ACQ, NO_DETAIL},
    /* STILP, LDIAPP; STLR with pre-index, LDAPR with post-index; GCSSTR. */
    {0xbfe0fc00, 0x99000800, ST | REL | PRE, NO_DETAIL},
    {0xbfe0fc00, 0x99400800, LD | ACQ | POST, NO_DETAIL},
    {0xbfe00c00, 0x99000800, ST | REL, NO_DETAIL},
    {0xbfe00c00, 0x99400800, LD | ACQ, NO_DETAIL},
    {0xbfe00c00, 0x99800800, ST | REL | PRE, NO_DETAIL},
    {0xbfe00c00, 0x99c00800, LD | ACQ | POST, NO_DETAIL},
    {0xffe00c00, 0xd9000c00, ST, NO_DETAIL},
    /* Literals: PRFM, then LDR. */
    {0xff000000, 0xd8000000, PRF, NO_DETAIL},
    {0x3f000000, 0x18000000, LD, NO_DETAIL},
    {0x3f000000, 0x1c000000, FP_LD, NO_DETAIL},
    /* Pairs. */
    {0x3e400000, 0x28000000, ST, INDEX_PAIR, NO_SIZE},
    {0x3e400000, 0x28400000, LD, INDEX_PAIR, NO_SIZE},
    {0x3e400000, 0x2c000000, FP_ST, INDEX_PAIR, NO_SIZE},
    {0x3e400000, 0x2c400000, FP_LD, INDEX_PAIR, NO_SIZE},
    /* LDAPR, LD64B, ST64B, ST64BV, ST64BV0, then atomics of general and of FP registers, first
       those without a result. */
    {0x3ffffc00, 0x38bfc000, LD | ACQ, NO_DETAIL},
    {0xfffffc00, 0xf83fd000, LD, NO_DETAIL},
    {0xfffffc00, 0xf83f9000, ST, NO_DETAIL},
    {0xffe0ec00, 0xf820a000, ST, NO_DETAIL},
    {0x3f200c1f, 0x3820001f, ST, ORDER_ATOMIC, NO_SIZE},
    {0x3f208c1f, 0x3c20801f, FP_ST, ORDER_ATOMIC, NO_SIZE},
    {0x3f200c00, 0x38200000, LD | ST, ORDER_ATOMIC, NO_SIZE},
    {0x3f200c00, 0x3c200000, FP_LD | FP_ST, ORDER_ATOMIC, NO_SIZE},
    /* LDRAA, LDRAB, with pre-index and without; PRFM, PRFUM, RPRFM. */
    {0xff200c00, 0xf8200c00, LD | PRE, NO_DETAIL},
    {0xff200c00, 0xf8200400, LD, NO_DETAIL},
    {0xfec00000, 0xf8800000, PRF, NO_DETAIL},
    /* Immediate offsets that are not scaled. */
    {0x3fe00000, 0x38000000, ST, INDEX_IMM, NO_SIZE},
    {0x3f200000, 0x38000000, LD, INDEX_IMM, NO_SIZE},
    {0x3f600000, 0x3c000000, FP_ST, INDEX_IMM, NO_SIZE},
    {0x3f600000, 0x3c400000, FP_LD, INDEX_IMM, NO_SIZE},
    /* Registers and scaled immediates as offsets. */
    {0x3ec00000, 0x38000000, ST, NO_DETAIL},
    {0x3e000000, 0x38000000, LD, NO_DETAIL},
    {0x3e400000, 0x3c000000, FP_ST, NO_DETAIL},
    {0x3e400000, 0x3c400000, FP_LD, NO_DETAIL},
    {OTHERS, 0, NO_DETAIL},
};

/* The table for an instruction: Arm ARM C4.1, groups by bits [28:25]. */
static const struct detail_row *table_of(uint32_t insn)
{
    unsigned group = insn >> 25 & 15;

    if (group == 2) {
        return vpmu_detail_sve_[insn >> 29];
    }
    if ((group & 5) == 4) {
        return loads_stores;
    }
    if ((group & 14) == 10) {
        return branches_system;
    }
    if (group == 7) {
        return insn >> 31 ? vpmu_detail_crypto_ : vpmu_detail_simd_;
    }
    if (group == 15) {
        return insn >> 30 & 1 ? vpmu_detail_simd_ : vpmu_detail_fp_;
    }
    return nothing;
}

static unsigned field(uint32_t insn, unsigned low, unsigned width)
{
    return insn >> low & ((1u << width) - 1);
}

static unsigned highest_bit(unsigned bits)
{
    return 31 - (unsigned)__builtin_clz(bits | 1);
}

/* The size of an element as log2 of its bytes. FTYPE 2 is not a precision. */
static unsigned size_of(uint8_t size, uint32_t insn)
{
    static const uint8_t ftypes[4] = {S, D, B, H};
    unsigned bits = field(insn, 22, 2);

    switch (size) {
    case SIZE:
        return bits;
    case SIZE_UP:
        return (bits + 1) & 3;
    case SIZE_DOWN:
        return (bits + 3) & 3;
    case SZ:
        return S + (bits & 1);
    case FTYPE:
        return ftypes[bits];
    case INDEXED:
        return bits ? bits : H;
    case SIZE_17:
        return field(insn, 17, 2);
    case IMMH:
        return highest_bit(field(insn, 19, 4));
    case IMMH_UP:
        return (highest_bit(field(insn, 19, 4)) + 1) & 3;
    case TSZ_9:
        return highest_bit(bits << 2 | field(insn, 8, 2));
    case TSZ_20:
        return highest_bit(bits << 2 | field(insn, 19, 2));
    case TSZ_20_UP:
        return (highest_bit(bits << 2 | field(insn, 19, 2)) + 1) & 3;
    default:
        return size;
    }
}

/* The elements of a result, whose size is log2 of bytes; those of an SVE vector of 128 bits. */
static unsigned elements_of(uint32_t insn, uint64_t result, unsigned size)
{
    if (!(result & (ASE | DETAIL(SVE_SIMD)))) {
        return 1;
    }
    return (result & ASE && !field(insn, 30, 1) ? 8u : 16u) >> size;
}

/* Floating-point operations of one element of a result. */
static const uint8_t operations[] = {
    [ARITH] = 1, [FUSED] = 2, [FUSED_WHOLE] = 2, [DOT] = 4, [MATRIX] = 4, [MATRIX_DOT] = 8,
};

/* What an instruction on floating-point numbers counts as, besides its row's result. */
static struct vpmu_insn_detail floating_point(uint32_t insn, const struct detail_row *row,
                                              uint64_t result)
{
    unsigned size = size_of(row->size, insn);
    unsigned ops = VPMU_SRC_FP_HP_FIXED_OPS;
    unsigned count;

    if (size == B) {
        return (struct vpmu_insn_detail){.sources = result};
    }
    result |= DETAIL(FP_HP) << (size - H);
    if (row->kind == FP) {
        return (struct vpmu_insn_detail){.sources = result};
    }
    if (result & DETAIL(SVE_SIMD)) {
        ops = VPMU_SRC_FP_HP_SCALE_OPS;
    }
    count = row->kind == FUSED_WHOLE ? 16u >> size : elements_of(insn, result, size);
    result |= DETAIL_BIT(ops + size - H);
    if (row->kind == FUSED || row->kind == FUSED_WHOLE) {
        result |= DETAIL(FP_FMA);
    }
    return (struct vpmu_insn_detail){
        .sources = result,
        .ops = (uint8_t)(operations[row->kind] * count),
    };
}

/* The order of accesses and the index mode that an instruction encodes. */
static uint64_t addressing(uint32_t insn, uint8_t kind)
{
    uint64_t result = 0;

    switch (kind) {
    case ORDER_CAS:
        result |= field(insn, 22, 1) ? ACQ : 0;
        result |= field(insn, 15, 1) ? REL : 0;
        break;
    case ORDER_ATOMIC:
        result |= field(insn, 23, 1) && field(insn, 0, 5) != 31 ? ACQ : 0;
        result |= field(insn, 22, 1) ? REL : 0;
        break;
    case INDEX_IMM:
        result |= field(insn, 10, 2) == 1 ? POST : 0;
        result |= field(insn, 10, 2) == 3 ? PRE : 0;
        break;
    case INDEX_PAIR:
        result |= field(insn, 23, 2) == 1 ? POST : 0;
        result |= field(insn, 23, 2) == 3 ? PRE : 0;
        break;
    case INDEX_STRUCT:
        result |= field(insn, 23, 1) ? POST : 0;
        break;
    default:
        break;
    }
    return result;
}

/* Does a load or store of SIMD&FP registers access all 128 bits of them? */
static bool is_quadword(uint32_t insn)
{
    bool pair_or_literal = field(insn, 27, 3) == 5 || field(insn, 24, 6) == 0x1c;

    return pair_or_literal ? field(insn, 30, 2) == 2
                           : field(insn, 30, 2) == 0 && field(insn, 23, 1) == 1;
}

struct vpmu_insn_detail vpmu_insn_a64_detail(uint32_t insn)
{
    const struct detail_row *row = vpmu_detail_find_(table_of(insn), insn);
    struct vpmu_insn_detail detail = {.sources = row->result};

    if (field(insn, 25, 4) == 15 && row->result & ASE && !(row->result & CRYPTO)) {
        detail.sources ^= ASE | DETAIL(ASE_SCALAR);
    }
    if (row->result & (FP_LD | FP_ST) && row->kind != ORDER_ATOMIC && is_quadword(insn)) {
        detail.sources |= ASE;
    }
    if (row->kind == INT) {
        detail.sources |= DETAIL(VEC_INT8) << size_of(row->size, insn);
    } else if (row->kind >= FP && row->kind <= MATRIX_DOT) {
        detail = floating_point(insn, row, (uint64_t)detail.sources);
    } else {
        detail.sources |= addressing(insn, row->kind);
    }
    if (!(row->result & DETAIL(MOVPRFX))) {
        detail.sources |= DETAIL(EFFECTIVE);
    }
    if (row->result & GOVERNED) {
        detail.sources &= ~(vpmu_sources)GOVERNED;
        detail.predicated = true;
        detail.predicate = (uint8_t)vpmu_detail_predicate_(insn);
        detail.element = (uint8_t)vpmu_detail_element_(insn);
    }
    detail.sources <<= VPMU_SRC_DETAIL;
    return detail;
}

/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The governing predicates of SVE instructions (Arm ARM C4.1.2), and the elements they govern. */
#include <stddef.h>

#include "detail_rows.h"

/* The size of an element as log2 of bytes: a constant, or how it is encoded. */
enum element {
    ELEMENT_S = 2,
    ELEMENT_D,
    ELEMENT_Q,
    OF_SIZE,    /* size, bits [23:22] */
    OF_FP_SIZE, /* the same; 0 is BF16 */
    OF_TSZ,     /* the highest bit of tszh:tszl, bits [23:22] and [9:8] */
    /* The larger one of a conversion: size, or opc2, bits [18:17], if bit 23 is 0. */
    OF_CONVERSION,
    OF_MSZ,      /* msz, bits [24:23] */
    OF_MSZ_13,   /* msz, bits [14:13] */
    OF_DTYPE,    /* dtype, bits [24:21] */
    OF_DTYPE_LH, /* dtypeh:dtypel, bits [24:23] and [14:13] */
    OF_STORE,    /* size, bits [22:21]; below msz, bits [24:23], it is a quadword */
};

/* The first row with insn & mask == value decides. */
static const struct element_row {
    uint32_t mask;
    uint32_t value;
    uint8_t element;
} elements[] = {
    /* Data processing: shifts by an immediate; REVD; FCVTXNT, FCVTX; conversions; others. */
    {0xff30e000, 0x04008000, OF_TSZ},
    {0xffffe000, 0x052e8000, ELEMENT_Q},
    {0xfeffe000, 0x640aa000, ELEMENT_D},
    {0xff30e000, 0x6510a000, OF_CONVERSION},
    {0xfe000000, 0x64000000, OF_FP_SIZE},
    {0x80000000, 0x00000000, OF_SIZE},
    /* Prefetches of adjacent elements; LD1R*; gathers of 32-bit elements. */
    {0xffc08010, 0x85c00000, OF_MSZ_13},
    {0xfe60e010, 0x8400c000, OF_MSZ},
    {0xfe408000, 0x84408000, OF_DTYPE_LH},
    {0xfe000000, 0x84000000, ELEMENT_S},
    /* LD1W, LD1D of quadwords; LD1RQ*, LD1RO*; LD2Q to LD4Q; LDNT1, LD2 to LD4; others. */
    {0xfe10e000, 0xa4102000, ELEMENT_Q},
    {0xfe00c000, 0xa4000000, OF_MSZ},
    {0xfe00e000, 0xa4008000, ELEMENT_Q},
    {0xfe10e000, 0xa410e000, ELEMENT_Q},
    {0xfe00c000, 0xa400c000, OF_MSZ},
    {0xfe000000, 0xa4000000, OF_DTYPE},
    /* LD1Q; gathers of 64-bit elements. */
    {0xfe60e000, 0xc400a000, ELEMENT_Q},
    {0xfe000000, 0xc4000000, ELEMENT_D},
    /* ST2Q to ST4Q; STNT1, ST2 to ST4; ST1. */
    {0xfe00e000, 0xe4000000, ELEMENT_Q},
    {0xfe00e000, 0xe4006000, OF_MSZ},
    {0xfe10e000, 0xe410e000, OF_MSZ},
    {0xfe00e000, 0xe4004000, OF_STORE},
    {0xfe00e000, 0xe400e000, OF_STORE},
    /* ST1Q; scatters of 64-bit and of 32-bit elements. */
    {0xfe60e000, 0xe4202000, ELEMENT_Q},
    {0xfe400000, 0xe4000000, ELEMENT_D},
    {0xfe60e000, 0xe440a000, ELEMENT_D},
    {0, 0, ELEMENT_S},
};

static unsigned bits_of(uint32_t insn, unsigned low, unsigned width)
{
    return insn >> low & ((1u << width) - 1);
}

/* Signed loads extend to elements that dtype does not show directly. */
static unsigned of_dtype(unsigned dtype)
{
    static const uint8_t sizes[16] = {0, 1, 2, 3, 3, 1, 2, 3, 3, 2, 2, 3, 3, 2, 1, 3};

    return sizes[dtype];
}

static unsigned of_store(uint32_t insn)
{
    unsigned size = bits_of(insn, 21, 2);

    return size < bits_of(insn, 23, 2) ? ELEMENT_Q : size;
}

unsigned vpmu_detail_element_(uint32_t insn)
{
    const struct element_row *row = elements;
    unsigned size = bits_of(insn, 22, 2);

    while ((insn & row->mask) != row->value) {
        row++;
    }
    switch (row->element) {
    case OF_SIZE:
        return size;
    case OF_FP_SIZE:
        return size ? size : 1;
    case OF_TSZ:
        return 31 - (unsigned)__builtin_clz((size << 2 | bits_of(insn, 8, 2)) | 1);
    case OF_CONVERSION:
        return size & 2 ? size : bits_of(insn, 17, 2);
    case OF_MSZ:
        return bits_of(insn, 23, 2);
    case OF_MSZ_13:
        return bits_of(insn, 13, 2);
    case OF_DTYPE:
        return of_dtype(bits_of(insn, 21, 4));
    case OF_DTYPE_LH:
        return of_dtype(bits_of(insn, 23, 2) << 2 | bits_of(insn, 13, 2));
    case OF_STORE:
        return of_store(insn);
    default:
        return row->element;
    }
}

unsigned vpmu_detail_predicate_(uint32_t insn)
{
    /* FCPY and CPY of immediates; SEL. */
    if ((insn & 0xff300000) == 0x05100000) {
        return bits_of(insn, 16, 4);
    }
    return bits_of(insn, 10, (insn & 0xff20c000) == 0x0520c000 ? 4 : 3);
}

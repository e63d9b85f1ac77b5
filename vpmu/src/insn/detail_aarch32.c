/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The sources that A32 and T32 instructions count as in detail: exclusive and ordered accesses,
 * prefetches, Advanced SIMD and cryptographic instructions. See Arm ARM F3.1 and F4.1.
 */
#include "detail_rows.h"

#define LDREX DETAIL(LDREX)
#define PRF DETAIL(PRF_BASE)

/* Condition 0b1111. */
static const struct detail_row unconditional[] = {
    /* SHA1 and SHA256 with three registers; AES; SHA1H; SHA1SU1, SHA256SU0. */
    {0xfe800f50, 0xf2000c40, ASE | CRYPTO, NO_DETAIL},
    {0xffb30f10, 0xf3b00300, ASE | CRYPTO, NO_DETAIL},
    {0xffb30fd0, 0xf3b102c0, ASE | CRYPTO, NO_DETAIL},
    {0xffb30f90, 0xf3b20380, ASE | CRYPTO, NO_DETAIL},
    /* Advanced SIMD data processing; loads and stores of elements and structures. */
    {0xfe000000, 0xf2000000, ASE, NO_DETAIL},
    {0xff100000, 0xf4000000, ASE, NO_DETAIL},
    /* VSEL, VRINT* and the like; then VCMLA, VDOT and the like. */
    {0xff000e00, 0xfe000a00, 0, NO_DETAIL},
    {0xff000f00, 0xfe000900, 0, NO_DETAIL},
    {0xfc000800, 0xfc000800, ASE, NO_DETAIL},
    /* PLD, PLDW and PLI of an immediate offset, and of a register. */
    {0xfe300000, 0xf4100000, PRF, NO_DETAIL},
    {0xfe300010, 0xf6100000, PRF, NO_DETAIL},
    {OTHERS, 0, NO_DETAIL},
};

static const struct detail_row a32[] = {
    /* LDREX; LDAEX; LDA; STLEX; STL. */
    {0x0f900ff0, 0x01900f90, LDREX, NO_DETAIL}, {0x0f900ff0, 0x01900e90, LDREX | ACQ, NO_DETAIL},
    {0x0f900ff0, 0x01900c90, ACQ, NO_DETAIL},   {0x0f900ff0, 0x01800e90, REL, NO_DETAIL},
    {0x0f900ff0, 0x01800c90, REL, NO_DETAIL},   {OTHERS, 0, NO_DETAIL},
};

static const struct detail_row t32[] = {
    /* LDREX; LDREXB, LDREXH, LDREXD; LDAEX; LDA; STLEX and STL. */
    {0xfff00f00, 0xe8500f00, LDREX, NO_DETAIL},
    {0xfff000c0, 0xe8d00040, LDREX, NO_DETAIL},
    {0xfff000c0, 0xe8d000c0, LDREX | ACQ, NO_DETAIL},
    {0xfff000c0, 0xe8d00080, ACQ, NO_DETAIL},
    {0xfff00080, 0xe8c00080, REL, NO_DETAIL},
    /* PLD, PLDW, PLI. */
    {0xfe50f000, 0xf810f000, PRF, NO_DETAIL},
    /* SHA1 and SHA256 with three registers; AES; SHA1H; SHA1SU1, SHA256SU0. */
    {0xef800f50, 0xef000c40, ASE | CRYPTO, NO_DETAIL},
    {0xffb30f10, 0xffb00300, ASE | CRYPTO, NO_DETAIL},
    {0xffb30fd0, 0xffb102c0, ASE | CRYPTO, NO_DETAIL},
    {0xffb30f90, 0xffb20380, ASE | CRYPTO, NO_DETAIL},
    /* As in A32. */
    {0xef000000, 0xef000000, ASE, NO_DETAIL},
    {0xff100000, 0xf9000000, ASE, NO_DETAIL},
    {0xff000e00, 0xfe000a00, 0, NO_DETAIL},
    {0xff000f00, 0xfe000900, 0, NO_DETAIL},
    {0xfc000800, 0xfc000800, ASE, NO_DETAIL},
    {OTHERS, 0, NO_DETAIL},
};

static struct vpmu_insn_detail detail_of(const struct detail_row *rows, uint32_t insn)
{
    uint64_t result = vpmu_detail_find_(rows, insn)->result | DETAIL(EFFECTIVE);

    return (struct vpmu_insn_detail){.sources = (vpmu_sources)result << VPMU_SRC_DETAIL};
}

struct vpmu_insn_detail vpmu_insn_a32_detail(uint32_t insn)
{
    return detail_of(insn >> 28 == 15 ? unconditional : a32, insn);
}

struct vpmu_insn_detail vpmu_insn_t32_detail(uint32_t insn)
{
    return detail_of(t32, insn);
}

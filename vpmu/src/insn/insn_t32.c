/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The sources that T32 instructions count as. The tables follow Arm ARM F3.1. */
#include "insn_rows.h"

static const struct insn_row narrow[] = {
    /* Shifts, additions, moves; registers r0 to r7. */
    {0xc000, 0x0000, DP},
    {0xfc00, 0x4000, DP},
    /* All registers: ADD PC; MOV PC, LR; MOV PC; BX LR; BX, BLX; other ADD, CMP, MOV. */
    {0xff87, 0x4487, DP | INDIRECT},
    {0xffff, 0x46f7, DP | RETURN},
    {0xff87, 0x4687, DP | INDIRECT},
    {0xfff8, 0x4770, RETURN},
    {0xff00, 0x4700, INDIRECT},
    {0xfc00, 0x4400, DP},
    /* LDR of a literal; LDRSB, LDR* with a register as offset, then STR*. */
    {0xf800, 0x4800, LD},
    {0xfe00, 0x5600, LD},
    {0xf800, 0x5800, LD},
    {0xf000, 0x5000, ST},
    /* STR*, LDR* of bytes, halfwords, words with an immediate, and STM, LDM: bit 11 is "load". */
    {0xe800, 0x6000, ST},
    {0xe800, 0x6800, LD},
    {0xe800, 0x8000, ST},
    {0xe800, 0x8800, LD},
    {0xf800, 0xc000, ST},
    {0xf800, 0xc800, LD},
    /* ADR, ADD from SP; ADD, SUB of SP; SXTH and the like; HLT; REV and the like. */
    {0xf000, 0xa000, DP},
    {0xff00, 0xb000, DP},
    {0xff00, 0xb200, DP},
    {0xffc0, 0xba80, NONE},
    {0xff00, 0xba00, DP},
    /* SETPAN, SETEND, CPS; hints, IT. */
    {0xff00, 0xb600, DP},
    {0xff00, 0xbf00, DP},
    /* CBZ, CBNZ; PUSH; POP {..., PC}; POP. */
    {0xf500, 0xb100, BR_IMMED},
    {0xfe00, 0xb400, ST},
    {0xff00, 0xbd00, LD | RETURN},
    {0xff00, 0xbc00, LD},
    /* UDF and SVC; B<cond>; B. */
    {0xfe00, 0xde00, NONE},
    {0xf000, 0xd000, JUMP},
    {0xf800, 0xe000, JUMP},
    /* The rest: BKPT. */
    {OTHERS, NONE},
};

static const struct insn_row wide[] = {
    /* RFE. */
    {0xffd00000, 0xe8100000, LD | EXC_RETURN},
    {0xffd00000, 0xe9900000, LD | EXC_RETURN},
    /* POP {..., PC}; LDM and LDMDB {..., PC}; TBB, TBH. */
    {0xffff8000, 0xe8bd8000, LD | RETURN},
    {0xfe508000, 0xe8108000, LD | INDIRECT},
    {0xfff000e0, 0xe8d00000, LD | INDIRECT},
    /* Other STM, LDM; SRS; STRD, LDRD; exclusive and ordered: bit 20 is "load". */
    {0xfe100000, 0xe8000000, ST},
    {0xfe100000, 0xe8100000, LD},
    /* Data processing: shifted register; immediate; register, multiplies, division. */
    {0xfe000000, 0xea000000, DP},
    {0xf8008000, 0xf0000000, DP},
    {0xfe000000, 0xfa000000, DP},
    /* BL, BLX; B. */
    {0xf800c000, 0xf000c000, JUMP},
    {0xf800d000, 0xf0009000, JUMP},
    /* DSB; DMB; ISB; BXJ; ERET; SUBS PC, LR. */
    {0xfffffff0, 0xf3bf8f40, DP | DSB},
    {0xfffffff0, 0xf3bf8f50, DP | DMB},
    {0xfffffff0, 0xf3bf8f60, ISB},
    {0xfff0d000, 0xf3c08000, INDIRECT},
    {0xfff0d0ff, 0xf3d08000, EXC_RETURN},
    {0xfff0d000, 0xf3d08000, DP | EXC_RETURN},
    /* MSR; CPS, hints, CLREX, SB; MRS; HVC, SMC, UDF; B<cond>. */
    {0xffe0d000, 0xf3808000, DP},
    {0xffe0d000, 0xf3a08000, DP},
    {0xffe0d000, 0xf3e08000, DP},
    {0xfb80d000, 0xf3808000, NONE},
    {0xf800d000, 0xf0008000, JUMP},
    /* STR*; PLD, PLI; LDR PC, [SP], #offset; LDR PC; LDR*. */
    {0xff100000, 0xf8000000, ST},
    {0xfe50f000, 0xf810f000, NONE},
    {0xfffffd00, 0xf85df900, LD | RETURN},
    {0xfff0f000, 0xf850f000, LD | INDIRECT},
    {0xfff0f000, 0xf8d0f000, LD | INDIRECT},
    {0xfe100000, 0xf8100000, LD},
    {OTHERS, NONE},
};

/* The stalls are this library's own definition, the same as for A64. */
static const struct insn_row stalls[] = {
    /* MUL, narrow. */
    {0xffffffc0, 0x00004340, 2},
    /* SDIV, UDIV; long multiplies, then others; CRC32. */
    {0xffd000f0, 0xfb9000f0, 8},
    {0xff800000, 0xfb800000, 3},
    {0xff800000, 0xfb000000, 2},
    {0xffe0f0c0, 0xfac0f080, 2},
    /* DSB, DMB, ISB. */
    {0xfffffff0, 0xf3bf8f40, 10},
    {0xfffffff0, 0xf3bf8f50, 4},
    {0xfffffff0, 0xf3bf8f60, 8},
    {OTHERS, 0},
};

/*
 * The A32 instruction with the same meaning, or 0. Coprocessor instructions have the same encoding
 * with condition 0b1110 or 0b1111. Advanced SIMD instructions have other upper bits.
 */
static uint32_t a32_of(uint32_t insn)
{
    uint32_t low = insn & 0x00ffffff;

    if ((insn & 0xef000000) == 0xef000000) {
        return 0xf2000000 | (insn >> 4 & 0x01000000) | low;
    }
    if ((insn & 0xec000000) == 0xec000000) {
        return insn;
    }
    if ((insn & 0xff100000) == 0xf9000000) {
        return 0xf4000000 | low;
    }
    return 0;
}

vpmu_sources vpmu_insn_t32(uint32_t insn)
{
    uint32_t a32 = a32_of(insn);

    if (a32 != 0) {
        return vpmu_insn_a32(a32);
    }
    return SRC(INST_RETIRED) | vpmu_insn_row_find_(insn <= 0xffff ? narrow : wide, insn);
}

unsigned vpmu_insn_t32_stall(uint32_t insn)
{
    uint32_t a32 = a32_of(insn);

    return a32 != 0 ? vpmu_insn_a32_stall(a32) : vpmu_insn_row_find_(stalls, insn);
}

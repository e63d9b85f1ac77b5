/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_INSN_ROWS_H
#define VPMU_INSN_ROWS_H

#include "vpmu/arm/insn.h"

/*
 * A row applies to instructions with insn & mask == value. Its result is a mask of sources without
 * INST_RETIRED in some tables and cycles in others. The first matching row decides. The last row of
 * each table matches everything.
 */
struct insn_row {
    uint32_t mask;
    uint32_t value;
    uint32_t result;
};

#define OTHERS 0, 0

/* Names for the tables of sources. */
#define SRC(name) ((uint32_t)VPMU_SRC_BIT(VPMU_SRC_##name))
#define NONE 0
#define LD SRC(LD_RETIRED)
#define ST SRC(ST_RETIRED)
#define LD_ST (LD | ST)
#define DP SRC(DP)
#define ASE SRC(ASE)
#define VFP SRC(VFP)
#define ISB SRC(ISB)
#define DSB SRC(DSB)
#define DMB SRC(DMB)
#define CID_WRITE SRC(CID_WRITE)
#define TTBR_WRITE SRC(TTBR_WRITE)
/*
 * A branch that depends on a register or on flags counts only as BR_IMMED here; the ones below are
 * always taken.
 */
#define BR_IMMED SRC(BR_IMMED)
#define JUMP (SRC(BR_IMMED) | SRC(PC_WRITE))
#define INDIRECT (SRC(BR_INDIRECT) | SRC(PC_WRITE))
#define RETURN (SRC(BR_RETURN) | SRC(PC_WRITE))
#define EXC_RETURN (SRC(EXC_RETURN) | SRC(PC_WRITE))

_Static_assert(VPMU_SRC_INSNS <= UINT32_MAX, "sources of an instruction fit in a row");

static inline uint32_t vpmu_insn_row_find_(const struct insn_row *row, uint32_t insn)
{
    while ((insn & row->mask) != row->value) {
        row++;
    }
    return row->result;
}

#endif

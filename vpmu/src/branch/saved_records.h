/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_SAVED_RECORDS_H
#define VPMU_SAVED_RECORDS_H

#include "../cursor.h"
#include "vpmu/branch.h"

/*
 * Reads or writes VPMU_BRANCH_RECORDS records of a saved state, the newest first: u64 from, u64 to,
 * u32 cycles, u8 type, u8 level, u8 flags, u8 tag.
 */
static inline void vpmu_pass_records_(struct vpmu_cursor_ *c, struct vpmu_branch *record)
{
    for (unsigned n = 0; n < VPMU_BRANCH_RECORDS; n++) {
        VPMU_PASS_(c, record[n].from);
        VPMU_PASS_(c, record[n].to);
        VPMU_PASS_(c, record[n].cycles);
        VPMU_PASS_(c, record[n].type);
        VPMU_PASS_(c, record[n].level);
        VPMU_PASS_(c, record[n].flags);
        VPMU_PASS_(c, record[n].tag);
    }
}

#endif

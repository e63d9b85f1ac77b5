/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Generated code that stores taken branches; include this file after
 * tcg/tcg-op.h and tcg/tcg-temp-internal.h
 */

#ifndef TCG_VPMU_TAKEN_OP_H
#define TCG_VPMU_TAKEN_OP_H

#include "tcg/vpmu-taken.h"

/* A mask finds the place. */
QEMU_BUILD_BUG_ON(VPMU_TAKEN_KEPT & (VPMU_TAKEN_KEPT - 1));

/* Returns where branches are stored. */
static inline TCGv_ptr gen_vpmu_stored(void)
{
    TCGv_ptr stored = tcg_temp_ebb_new_ptr();

    tcg_gen_ld_ptr(stored, tcg_env,
                   offsetof(ArchCPU, vpmu) - offsetof(ArchCPU, env));
    return stored;
}

/* Stores a branch over the oldest one; @slots is NULL if not tallied. */
static inline void gen_vpmu_store_taken(TCGv_i64 from, TCGv_i64 to,
                                        TCGv_i64 slots, TCGv_i32 desc,
                                        unsigned int ctx)
{
    int first = offsetof(VPMUStored, taken);
    TCGv_ptr stored = gen_vpmu_stored();
    TCGv_i64 size = tcg_temp_ebb_new_i64();
    TCGv_i64 place = tcg_temp_ebb_new_i64();
    TCGv_ptr taken = tcg_temp_ebb_new_ptr();

    tcg_gen_ld_i64(size, stored, offsetof(VPMUStored, size));
    tcg_gen_andi_i64(place, size, sizeof_field(VPMUStored, taken) - 1);
    tcg_gen_trunc_i64_ptr(taken, place);
    tcg_gen_add_ptr(taken, taken, stored);
    tcg_gen_st_i64(from, taken, first + offsetof(VPMUTaken, from));
    tcg_gen_st_i64(to, taken, first + offsetof(VPMUTaken, to));
    tcg_gen_st_i32(desc, taken, first + offsetof(VPMUTaken, desc));
    tcg_gen_st_i32(tcg_constant_i32(ctx), taken,
                   first + offsetof(VPMUTaken, ctx));
    if (slots) {
        tcg_gen_st_i64(slots, taken, first + offsetof(VPMUTaken, slots));
    }
    tcg_gen_addi_i64(size, size, sizeof(VPMUTaken));
    tcg_gen_st_i64(size, stored, offsetof(VPMUStored, size));
}

#endif

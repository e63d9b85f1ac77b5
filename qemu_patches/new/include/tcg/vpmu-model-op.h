/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Generated code that asks a PMU's models whether an access changes anything
 *
 * Include this file after tcg/tcg-op.h and tcg/tcg-temp-internal.h.  QEMU walks
 * all temporaries of a block at each of its labels, so those that end here are
 * used again.
 */

#ifndef TCG_VPMU_MODEL_OP_H
#define TCG_VPMU_MODEL_OP_H

#include "tcg/vpmu-model.h"

/* Branches to @same if the last fetch was from the line of @pc. */
static inline void gen_vpmu_fetched(TCGv_ptr model, TCGv_i64 pc,
                                    unsigned int line_shift, TCGLabel *same)
{
    TCGv_i64 line = tcg_temp_ebb_new_i64();

    tcg_gen_ld_i64(line, model, VPMU_MODEL_FETCH_LINE);
    tcg_gen_xor_i64(line, line, pc);
    tcg_gen_brcondi_i64(TCG_COND_LTU, line, 1 << line_shift, same);
    tcg_temp_free_i64(line);
}

/*
 * Branches to @hit if the line filter says that an access changes nothing.
 * @slots is VPMU_MODEL_LOAD, _STORE or _FETCH.
 */
static inline void gen_vpmu_filter(TCGv_ptr model, TCGv_i64 addr,
                                   unsigned int size, unsigned int line_shift,
                                   intptr_t slots, TCGLabel *hit)
{
    TCGv_ptr slot = tcg_temp_ebb_new_ptr();
    TCGv_i64 index = tcg_temp_ebb_new_i64();
    TCGv_i64 line = tcg_temp_ebb_new_i64();

    tcg_gen_shri_i64(index, addr, line_shift - 3);
    tcg_gen_andi_i64(index, index, (VPMU_MODEL_SLOTS - 1) * 8);
    tcg_gen_trunc_i64_ptr(slot, index);
    tcg_gen_add_ptr(slot, slot, model);
    tcg_gen_ld_i64(line, slot, slots);
    if (size > 1) {
        tcg_gen_addi_i64(index, addr, size - 1);
        tcg_gen_xor_i64(line, line, index);
    } else {
        tcg_gen_xor_i64(line, line, addr);
    }
    tcg_gen_brcondi_i64(TCG_COND_LTU, line, 1 << line_shift, hit);
    tcg_temp_free_i64(line);
    tcg_temp_free_i64(index);
    tcg_temp_free_ptr(slot);
}

/* Stores that the last fetch was from the line of @pc. */
static inline void gen_vpmu_fetch_line(TCGv_ptr model, TCGv_i64 pc,
                                       unsigned int line_shift)
{
    TCGv_i64 line = tcg_temp_ebb_new_i64();

    tcg_gen_andi_i64(line, pc, MAKE_64BIT_MASK(line_shift, 64 - line_shift));
    tcg_gen_st_i64(line, model, VPMU_MODEL_FETCH_LINE);
    tcg_temp_free_i64(line);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Generated code that predicts branches for a PMU and trains the predictor
 *
 * The target chooses the number of a branch, for example from its address.
 * Only the low bits matter.  Include this file after tcg/tcg-op.h and
 * tcg/tcg-temp-internal.h.
 */

#ifndef TCG_VPMU_PREDICTOR_OP_H
#define TCG_VPMU_PREDICTOR_OP_H

#include "tcg/vpmu-predictor.h"

/*
 * Returns the address of element @index of an array of (1 << @shift) bytes.
 * The caller frees it.
 */
static inline TCGv_ptr gen_vpmu_element(TCGv_ptr base, TCGv_i64 index,
                                        unsigned int shift)
{
    TCGv_ptr offset = tcg_temp_ebb_new_ptr();
    TCGv_i64 bytes = tcg_temp_ebb_new_i64();

    tcg_gen_shli_i64(bytes, index, shift);
    tcg_gen_trunc_i64_ptr(offset, bytes);
    tcg_gen_add_ptr(offset, offset, base);
    tcg_temp_free_i64(bytes);
    return offset;
}

/* Mixes @number with the history, then adds the outcome to the history. */
static inline void gen_vpmu_history(TCGv_ptr predictor, TCGv_i64 number,
                                    bool taken)
{
    TCGv_i64 history = tcg_temp_ebb_new_i64();

    tcg_gen_ld_i64(history, predictor, VPMU_PREDICT_HISTORY);
    tcg_gen_xor_i64(number, number, history);
    tcg_gen_shli_i64(history, history, 1);
    tcg_gen_ori_i64(history, history, taken);
    tcg_gen_st_i64(history, predictor, VPMU_PREDICT_HISTORY);
    tcg_temp_free_i64(history);
}

/*
 * Trains counter @number with a direction.  Branches to @right if the counter
 * already predicted it with the highest confidence.  Otherwise returns 1 if the
 * prediction was wrong, 0 if it was right.  Do not branch on the result: the
 * host mispredicts it as often as the guest.  Add it to a total instead.  The
 * caller frees it.
 */
static inline TCGv_i64 gen_vpmu_direction(TCGv_ptr predictor, TCGv_i64 number,
                                          bool taken, TCGLabel *right)
{
    TCGv_i64 counter = tcg_temp_ebb_new_i64();
    TCGv_i64 next = tcg_temp_ebb_new_i64();
    TCGv_ptr place = tcg_temp_ebb_new_ptr();

    QEMU_BUILD_BUG_ON(VPMU_PREDICT_TAKEN != 1 << 1 || VPMU_PREDICT_MAX != 3);
    tcg_gen_andi_i64(number, number, VPMU_PREDICT_COUNTERS - 1);
    tcg_gen_trunc_i64_ptr(place, number);
    tcg_gen_add_ptr(place, place, predictor);
    tcg_gen_ld8u_i64(counter, place, VPMU_PREDICT_COUNTER);
    tcg_gen_brcondi_i64(TCG_COND_EQ, counter, taken ? VPMU_PREDICT_MAX : 0,
                        right);
    tcg_gen_addi_i64(next, counter, taken ? 1 : -1);
    tcg_gen_st8_i64(next, place, VPMU_PREDICT_COUNTER);
    tcg_gen_shri_i64(counter, counter, 1);
    tcg_gen_xori_i64(counter, counter, taken);
    tcg_temp_free_i64(next);
    tcg_temp_free_ptr(place);
    return counter;
}

/* Branches to @wrong if the last target of branch @number at @pc differs. */
static inline void gen_vpmu_target(TCGv_ptr predictor, TCGv_i64 number,
                                   TCGv_i64 pc, TCGv_i64 target,
                                   TCGLabel *wrong)
{
    TCGv_i64 tag = tcg_temp_ebb_new_i64();
    TCGv_i64 last = tcg_temp_ebb_new_i64();
    TCGv_ptr place;

    tcg_gen_andi_i64(number, number, VPMU_PREDICT_TARGETS - 1);
    place = gen_vpmu_element(predictor, number, VPMU_PREDICT_TARGET_SHIFT);
    tcg_gen_ld_i64(last, place, VPMU_PREDICT_TARGET + 8);
    tcg_gen_xor_i64(last, last, target);
    tcg_gen_ld_i64(tag, place, VPMU_PREDICT_TARGET);
    tcg_gen_xor_i64(tag, tag, pc);
    tcg_gen_xori_i64(tag, tag, 1);
    tcg_gen_or_i64(last, last, tag);
    tcg_gen_brcondi_i64(TCG_COND_NE, last, 0, wrong);
    tcg_temp_free_ptr(place);
    tcg_temp_free_i64(last);
    tcg_temp_free_i64(tag);
}

/*
 * Moves the top of the return stack.  Returns the address of the element that a
 * push writes or a pop reads.  The caller frees it.
 */
static inline TCGv_ptr gen_vpmu_top(TCGv_ptr predictor, int by)
{
    TCGv_i64 top = tcg_temp_ebb_new_i64();
    TCGv_i64 next = tcg_temp_ebb_new_i64();
    TCGv_ptr place;

    tcg_gen_ld_i64(top, predictor, VPMU_PREDICT_TOP);
    tcg_gen_addi_i64(next, top, by);
    tcg_gen_andi_i64(next, next, VPMU_PREDICT_RETURNS - 1);
    tcg_gen_st_i64(next, predictor, VPMU_PREDICT_TOP);
    place = gen_vpmu_element(predictor, by > 0 ? top : next, 3);
    tcg_temp_free_i64(next);
    tcg_temp_free_i64(top);
    return place;
}

/* Pushes the return address of a call. */
static inline void gen_vpmu_push(TCGv_ptr predictor, TCGv_i64 next)
{
    TCGv_ptr place = gen_vpmu_top(predictor, 1);

    tcg_gen_st_i64(next, place, VPMU_PREDICT_RETURN);
    tcg_temp_free_ptr(place);
}

/* Branches to @right if the last call returns to @target. */
static inline void gen_vpmu_pop(TCGv_ptr predictor, TCGv_i64 target,
                                TCGLabel *right)
{
    TCGv_ptr place = gen_vpmu_top(predictor, -1);
    TCGv_i64 expected = tcg_temp_ebb_new_i64();

    tcg_gen_ld_i64(expected, place, VPMU_PREDICT_RETURN);
    tcg_gen_st_i64(tcg_constant_i64(-1), place, VPMU_PREDICT_RETURN);
    tcg_gen_brcond_i64(TCG_COND_EQ, expected, target, right);
    tcg_temp_free_i64(expected);
    tcg_temp_free_ptr(place);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Branch prediction in generated code
 *
 * Where a branch went is compared with what a table says, and the table is
 * told, as the functions of vpmu/predictor.h do it.  A helper is called if the
 * prediction was wrong.
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/translation-block.h"
#include "exec/translator.h"
#include "tcg/tcg-op.h"
#include "exec/helper-proto.h"
#include "exec/helper-gen.h"
#include "tcg/vpmu-predictor-op.h"
#include "translate.h"

static TCGv_i64 gen_address(TCGv address)
{
    TCGv_i64 wide = tcg_temp_new_i64();

    tcg_gen_extu_tl_i64(wide, address);
    return wide;
}

/* Goes to @right if the counter's direction is. */
static void gen_direction(TCGv_ptr predictor, TCGv_i64 from, bool taken,
                          TCGLabel *right)
{
    gen_vpmu_history(predictor, from, taken);
    gen_vpmu_direction(predictor, from, taken, right);
}

/* An indirect branch: tells the table itself if it went elsewhere before. */
static void gen_indirect(TCGv_ptr predictor, TCGv_i64 from, TCGv_i64 target,
                         TCGLabel *right)
{
    TCGLabel *wrong = gen_new_label();
    TCGv_i64 number = tcg_temp_new_i64();
    TCGv_i64 pc = tcg_temp_new_i64();

    tcg_gen_mov_i64(number, from);
    tcg_gen_shli_i64(pc, from, X86_PMU_PREDICT_SHIFT);
    gen_vpmu_target(predictor, number, pc, target, wrong);
    tcg_gen_br(right);
    gen_set_label(wrong);
    gen_helper_pmu_redirected(tcg_env, from, target);
}

void gen_pmu_branch(DisasPMU *s, TCGv next, TCGv target, int kind)
{
    TCGv_ptr predictor = tcg_temp_new_ptr();
    TCGv_i64 from = gen_address(next);
    TCGLabel *right;

    tcg_gen_ld_ptr(predictor, tcg_env, offsetof(CPUX86State, pmu.predictor));
    if (kind == X86_PMU_CALL || kind == X86_PMU_INDIRECT_CALL) {
        gen_vpmu_push(predictor, from);
    }
    if (kind == X86_PMU_CALL) {
        return;
    }
    right = gen_new_label();
    if (kind == X86_PMU_TAKEN || kind == X86_PMU_NOT_TAKEN) {
        gen_direction(predictor, from, kind == X86_PMU_TAKEN, right);
    } else if (kind == X86_PMU_RETURN) {
        gen_vpmu_pop(predictor, gen_address(target), right);
    } else {
        gen_indirect(predictor, from, gen_address(target), right);
    }
    gen_helper_pmu_mispredicted(tcg_env, tcg_constant_i32(s->ctx));
    gen_set_label(right);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Branch prediction in generated code
 *
 * The code compares the outcome of a branch with the predictor's tables and
 * trains the tables, like the functions of vpmu/predictor.h.  It calls a helper
 * if the prediction was wrong, for TAGE, for the first branch of an address
 * space, and for an indirect branch whose target has changed.
 */

#include "qemu/osdep.h"
#include "tcg/translate.h"
#include "tcg/tcg-temp-internal.h"
#include "tcg/vpmu-predictor-op.h"

/* Returns the tables of the address space; branches to @none if it has none. */
static TCGv_ptr gen_predictor(DisasContext *s, TCGLabel *none)
{
    TCGv_ptr predictor = tcg_temp_new_ptr();

    tcg_gen_ld_ptr(predictor, tcg_env, offsetof(CPUARMState, pmu.model));
    if (s->aarch64) {
        TCGv_i64 half = tcg_temp_new_i64();
        TCGv_ptr offset = tcg_temp_new_ptr();

        tcg_gen_shri_i64(half, s->pmu.branch_pc, 55 - 3);
        tcg_gen_andi_i64(half, half, 8);
        tcg_gen_trunc_i64_ptr(offset, half);
        tcg_gen_add_ptr(predictor, predictor, offset);
    }
    tcg_gen_ld_ptr(predictor, predictor, ARM_PMU_MODEL_PREDICTOR);
    tcg_gen_brcondi_ptr(TCG_COND_EQ, predictor, 0, none);
    return predictor;
}

/* Returns the number of the branch, which is the index in the tables. */
static TCGv_i64 gen_number(DisasContext *s)
{
    TCGv_i64 number = tcg_temp_new_i64();

    tcg_gen_shri_i64(number, s->pmu.branch_pc, 2);
    if (s->pc_curr & 2) {
        tcg_gen_xori_i64(number, number, ARM_PMU_PREDICT_BETWEEN);
    }
    return number;
}

/* Branches to @wrong if the branch had another target the last time. */
static void gen_target(DisasContext *s, TCGv_ptr predictor, TCGv_i64 target,
                       TCGLabel *wrong)
{
    gen_vpmu_target(predictor, gen_number(s), s->pmu.branch_pc, target, wrong);
}

static void gen_push(DisasContext *s, TCGv_ptr predictor)
{
    TCGv_i64 next = tcg_temp_new_i64();

    tcg_gen_addi_i64(next, s->pmu.branch_pc, s->base.pc_next - s->pc_curr);
    gen_vpmu_push(predictor, next);
}

/* Calls the model.  @target is where the branch goes if it is taken. */
static void gen_feed(DisasContext *s, int kind, TCGv_i64 target, bool taken)
{
    uint32_t desc = 0;

    desc = FIELD_DP32(desc, PMUBRANCH, SIZE, s->base.pc_next - s->pc_curr);
    desc = FIELD_DP32(desc, PMUBRANCH, CTX, s->pmu.tally - 1);
    desc = FIELD_DP32(desc, PMUBRANCH, KIND, kind);
    desc = FIELD_DP32(desc, PMUBRANCH, TAKEN, taken);
    gen_helper_pmu_branch(tcg_env, s->pmu.branch_pc, target,
                          tcg_constant_i32(desc));
}

static void gen_mispredicted(DisasContext *s)
{
    gen_helper_pmu_mispredicted(tcg_env, tcg_constant_i32(s->pmu.tally - 1));
}

/*
 * Adds a misprediction, which does not stall, to the total.  The code does not
 * branch on the outcome: the host would mispredict that as often as the guest.
 */
static void gen_add_mispredicted(DisasContext *s, TCGv_i64 wrong,
                                 TCGLabel *done)
{
    intptr_t total_offset =
        offsetof(CPUARMState, pmu.totals) +
        ((s->pmu.tally - 1) * ARM_PMU_ROW + ARM_PMU_BR_MIS_PRED) *
        sizeof(uint64_t);
    TCGv_i64 total = tcg_temp_ebb_new_i64();
    TCGv_i64 budget = tcg_temp_ebb_new_i64();
    TCGv_i64 left = tcg_temp_ebb_new_i64();

    tcg_gen_ld_i64(total, tcg_env, total_offset);
    tcg_gen_add_i64(total, total, wrong);
    tcg_gen_st_i64(total, tcg_env, total_offset);
    tcg_gen_ld_i64(budget, tcg_env, offsetof(CPUARMState, pmu.budget));
    tcg_gen_muli_i64(wrong, wrong, ARM_PMU_MOST_PER_LINE);
    tcg_gen_sub_i64(left, budget, wrong);
    tcg_gen_st_i64(left, tcg_env, offsetof(CPUARMState, pmu.budget));
    tcg_gen_brcond_i64(TCG_COND_GTU, budget, wrong, done);
    gen_helper_pmu_overspent(tcg_env);
}

static void gen_direction(DisasContext *s, TCGv_ptr predictor, bool taken,
                          TCGLabel *done)
{
    TCGv_i64 number = gen_number(s);
    TCGv_i64 wrong;

    if (s->pmu.predictor == ARM_PMU_PREDICT_TAGE) {
        wrong = tcg_temp_ebb_new_i64();
        gen_helper_pmu_tage(wrong, predictor, number, tcg_constant_i32(taken));
    } else {
        if (s->pmu.predictor == ARM_PMU_PREDICT_GSHARE) {
            gen_vpmu_history(predictor, number, taken);
        }
        wrong = gen_vpmu_direction(predictor, number, taken, done);
    }
    if (s->pmu.most_per_line == ARM_PMU_MOST_PER_LINE) {
        gen_add_mispredicted(s, wrong, done);
    } else {
        tcg_gen_brcondi_i64(TCG_COND_EQ, wrong, 0, done);
        gen_mispredicted(s);
    }
}

/* Handles a kind of branch, or branches to @unknown to call the model. */
static void gen_kind(DisasContext *s, int kind, TCGv_i64 target, bool taken,
                     TCGLabel *done, TCGLabel *unknown)
{
    TCGv_ptr predictor = gen_predictor(s, unknown);

    switch (kind) {
    case ARM_PMU_BRANCH_CONDITIONAL:
        gen_direction(s, predictor, taken, done);
        break;
    case ARM_PMU_BRANCH_RETURN:
        gen_vpmu_pop(predictor, target, done);
        gen_mispredicted(s);
        break;
    case ARM_PMU_BRANCH_CALL:
        gen_push(s, predictor);
        break;
    case ARM_PMU_BRANCH_INDIRECT_CALL:
        gen_target(s, predictor, target, unknown);
        gen_push(s, predictor);
        break;
    default:
        gen_target(s, predictor, target, unknown);
        break;
    }
    tcg_gen_br(done);
}

void gen_pmu_predict(DisasContext *s, int kind, TCGv_i64 target, bool taken)
{
    TCGLabel *unknown = gen_new_label();
    TCGLabel *done = gen_new_label();

    gen_kind(s, kind, target, taken, done, unknown);
    gen_set_label(unknown);
    gen_feed(s, kind, target, taken);
    gen_set_label(done);
}

/* A static prediction does not depend on earlier branches. */
void gen_pmu_predict_static(DisasContext *s, int64_t diff, bool taken)
{
    if ((diff <= 0) != taken) {
        gen_mispredicted(s);
    }
}

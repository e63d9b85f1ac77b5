/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Branches in generated code: predicts them, and records those that are taken
 */

#include "qemu/osdep.h"
#include "total.h"
#include "tcg/vpmu-profile.h"
#include "tcg/vpmu-taken-op.h"

static void gen_direct(DisasContext *s, int kind, int64_t diff, bool taken)
{
    TCGv_i64 target = tcg_temp_new_i64();

    tcg_gen_addi_i64(target, s->pmu.branch_pc, diff);
    gen_pmu_predict(s, kind, target, taken);
}

static bool models_branches(DisasContext *s)
{
    return (s->pmu.events & ARM_PMU_BRANCHES) &&
           s->pmu.branch_pc;
}

/* Gets the total of mispredictions before a branch if these are a cost. */
static TCGv_i64 gen_cost_begin(DisasContext *s)
{
    TCGv_i64 total;

    if (!s->pmu.costs || !models_branches(s)) {
        return NULL;
    }
    total = tcg_temp_new_i64();
    tcg_gen_ld_i64(total, tcg_env, total_offset(s, ARM_PMU_BR_MIS_PRED));
    return total;
}

static void gen_cost_end(DisasContext *s, VPMUCost cost, TCGv_i64 before)
{
    if (before) {
        TCGv_i64 wrong = tcg_temp_new_i64();

        tcg_gen_ld_i64(wrong, tcg_env, total_offset(s, ARM_PMU_BR_MIS_PRED));
        tcg_gen_sub_i64(wrong, wrong, before);
        gen_cost(s, cost, wrong);
        gen_cost_sum(s, cost, wrong);
    }
}

/* Gets the total of mispredictions before a branch that is recorded. */
static TCGv_i64 gen_unpredicted(DisasContext *s)
{
    TCGv_i64 total;

    if (!s->pmu.brbe || !models_branches(s)) {
        return NULL;
    }
    total = tcg_temp_new_i64();
    tcg_gen_ld_i64(total, tcg_env, total_offset(s, ARM_PMU_BR_MIS_PRED));
    return total;
}

/* Stores a branch if that is enough; otherwise calls the helper. */
static void gen_store_taken(DisasContext *s, TCGv_i64 target, TCGv_i32 desc)
{
    TCGLabel *off = gen_new_label();
    TCGLabel *done = gen_new_label();
    TCGv_i64 on = tcg_temp_ebb_new_i64();
    TCGv_i64 slots = NULL;

    tcg_gen_ld_i64(on, gen_vpmu_stored(), offsetof(VPMUStored, on));
    tcg_gen_brcondi_i64(TCG_COND_EQ, on, 0, off);
    if (s->pmu.tally && (s->pmu.events & ARM_PMU_MODEL_CYCLES)) {
        slots = tcg_temp_ebb_new_i64();
        tcg_gen_ld_i64(slots, tcg_env, total_offset(s, ARM_PMU_CYCLES));
    }
    gen_vpmu_store_taken(s->pmu.branch_pc, target, slots, desc,
                         s->pmu.tally ? s->pmu.tally - 1 : 0);
    tcg_gen_br(done);
    gen_set_label(off);
    gen_helper_pmu_taken(tcg_env, s->pmu.branch_pc, target, desc);
    gen_set_label(done);
}

/*
 * Records a branch that is taken.  It was mispredicted if the total is another
 * than @before, which is NULL if it was not predicted.
 */
static void gen_taken(DisasContext *s, unsigned int type, TCGv_i64 target,
                      TCGv_i64 before)
{
    TCGv_i32 desc = tcg_constant_i32(type);

    if (before) {
        TCGv_i64 wrong = tcg_temp_new_i64();

        desc = tcg_temp_new_i32();
        tcg_gen_ld_i64(wrong, tcg_env, total_offset(s, ARM_PMU_BR_MIS_PRED));
        tcg_gen_setcond_i64(TCG_COND_NE, wrong, wrong, before);
        tcg_gen_shli_i64(wrong, wrong, R_PMUTAKEN_MISPREDICTED_SHIFT);
        tcg_gen_ori_i64(wrong, wrong, type);
        tcg_gen_extrl_i64_i32(desc, wrong);
    }
    if (s->pmu.spe) {
        gen_helper_pmu_taken(tcg_env, s->pmu.branch_pc, target, desc);
    } else {
        gen_store_taken(s, target, desc);
    }
}

static void gen_taken_by(DisasContext *s, unsigned int type, int64_t diff,
                         TCGv_i64 before)
{
    if (s->pmu.brbe) {
        TCGv_i64 target = tcg_temp_new_i64();

        tcg_gen_addi_i64(target, s->pmu.branch_pc, diff);
        gen_taken(s, type, target, before);
    }
}

/*
 * For exact profiles
 */

static bool reports_calls(DisasContext *s)
{
    return s->pmu.calls && s->pmu.tally;
}

static TCGv_i32 gen_site(DisasContext *s)
{
    return tcg_constant_i32(vpmu_profile_site(&s->base, s->pc_curr,
                                              s->pmu.tally - 1));
}

static void gen_call(DisasContext *s, TCGv_i64 target)
{
    if (reports_calls(s)) {
        gen_helper_pmu_call(tcg_env, target,
                            tcg_constant_i64(s->base.pc_next), gen_site(s),
                            tcg_constant_i32(s->pmu.tally - 1));
    }
}

/*
 * Entries of a PLT end with BR X17, and veneers with BR X16: ADRP, ADD, BR.
 * Entries have LDR, too, and may begin with BTI (AAELF64).
 */
static int indirect_jump(DisasContext *s)
{
    return !s->aarch64 ? VPMU_JUMP_INDIRECT
           : s->insn == 0xd61f0220 ? VPMU_JUMP_STUB + 4 * 4
           : s->insn == 0xd61f0200 ? VPMU_JUMP_STUB + 2 * 4
           : VPMU_JUMP_INDIRECT;
}

static void gen_jump(DisasContext *s, TCGv_i64 target, int how)
{
    if (reports_calls(s)) {
        gen_helper_pmu_jump(tcg_env, tcg_constant_i64(s->pc_curr), target,
                            gen_site(s),
                            tcg_constant_i32(s->pmu.tally - 1),
                            tcg_constant_i32(how));
    }
}

/* An indirect branch that is no call may be a return. */
static void gen_leave(DisasContext *s, TCGv_i64 target)
{
    if (!s->pmu.returns) {
        gen_jump(s, target, indirect_jump(s));
    } else if (reports_calls(s)) {
        gen_helper_pmu_leave(tcg_env, target,
                             tcg_constant_i32(s->pmu.tally - 1),
                             tcg_constant_i32(VPMU_RETURN_EQUAL));
    }
}

void gen_pmu_jump_to(DisasContext *s, int64_t diff)
{
    gen_jump(s, tcg_constant_i64(s->pc_curr + diff), VPMU_JUMP_DIRECT);
}

/* B, or B.cond whose condition is always true */
void gen_pmu_direct(DisasContext *s, int64_t diff)
{
    gen_taken_by(s, extract32(s->insn, 30, 1) ? ARM_PMU_TAKEN_CONDITIONAL
                                              : ARM_PMU_TAKEN_DIRECT, diff,
                 NULL);
    gen_pmu_jump_to(s, diff);
}

static void gen_taken_to(DisasContext *s, TCGv_i64 target, bool call,
                         TCGv_i64 before)
{
    unsigned int stall;

    if (s->pmu.brbe && s->pmu.branch_pc) {
        gen_taken(s, arm_vpmu_decode(ARM_PMU_ISA_A64, s->insn, &stall) &
                     (1u << ARM_PMU_BR_RETURN) ? ARM_PMU_TAKEN_RETURN
                     : call ? ARM_PMU_TAKEN_INDIRECT_CALL
                     : ARM_PMU_TAKEN_INDIRECT, target, before);
    }
}

/* A branch to @target, after which a software step exception may be taken. */
void gen_pmu_stepped(DisasContext *s, TCGv_i64 target, bool call)
{
    gen_taken_to(s, target, call, NULL);
}

static void gen_predict_conditional(DisasContext *s, int64_t diff, bool taken)
{
    TCGv_i64 before = gen_cost_begin(s);

    if (!models_branches(s)) {
        return;
    }
    if (s->pmu.predictor == ARM_PMU_PREDICT_STATIC) {
        gen_pmu_predict_static(s, diff, taken);
    } else {
        gen_direct(s, ARM_PMU_BRANCH_CONDITIONAL, diff, taken);
    }
    gen_cost_end(s, VPMU_COST_CONDITIONAL_MISS, before);
}

/* Called where it is known whether a conditional branch by @diff is taken. */
void gen_pmu_conditional(DisasContext *s, int64_t diff, bool taken)
{
    TCGv_i64 before = taken ? gen_unpredicted(s) : NULL;

    if (taken && (s->pmu.events & (1u << ARM_PMU_PC_WRITE)) &&
        !(s->pmu.sources & (1u << ARM_PMU_PC_WRITE))) {
        gen_add(s, ARM_PMU_PC_WRITE, 1);
        gen_check_near(s);
    }
    gen_predict_conditional(s, diff, taken);
    if (taken) {
        gen_taken_by(s, ARM_PMU_TAKEN_CONDITIONAL, diff, before);
    }
}

void gen_pmu_call(DisasContext *s, int64_t diff)
{
    TCGv_i64 before = gen_unpredicted(s);

    if (models_branches(s)) {
        gen_direct(s, ARM_PMU_BRANCH_CALL, diff, true);
    }
    gen_taken_by(s, ARM_PMU_TAKEN_CALL, diff, before);
    gen_call(s, tcg_constant_i64(s->pc_curr + diff));
}

void gen_pmu_indirect(DisasContext *s, TCGv_i64 target, bool call)
{
    bool returns = s->pmu.sources & (1u << ARM_PMU_BR_RETURN);
    TCGv_i64 before = gen_unpredicted(s);
    TCGv_i64 costs = gen_cost_begin(s);

    if (models_branches(s)) {
        gen_pmu_predict(s, returns ? ARM_PMU_BRANCH_RETURN : call
                   ? ARM_PMU_BRANCH_INDIRECT_CALL : ARM_PMU_BRANCH_INDIRECT,
                   target, true);
    }
    gen_cost_end(s, returns ? VPMU_COST_RETURN_MISS : VPMU_COST_INDIRECT_MISS,
                 costs);
    gen_taken_to(s, target, call, before);
    if (call) {
        gen_call(s, target);
    } else {
        gen_leave(s, target);
    }
}

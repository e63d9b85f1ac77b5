/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Branch prediction in generated code
 *
 * The code compares the outcome of a branch with the predictor's tables and
 * trains the tables, like the functions of vpmu/predictor.h.  It calls a helper
 * if the target of an indirect branch has changed.
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/translation-block.h"
#include "exec/translator.h"
#include "tcg/tcg-op.h"
#include "tcg/tcg-temp-internal.h"
#include "exec/helper-proto.h"
#include "exec/helper-gen.h"
#include "tcg/vpmu-predictor-op.h"
#include "tcg/vpmu-profile.h"
#include "tcg/vpmu-taken-op.h"
#include "translate.h"

static TCGv_i64 gen_address(TCGv address)
{
    TCGv_i64 wide = tcg_temp_new_i64();

    tcg_gen_extu_tl_i64(wide, address);
    return wide;
}

/* Returns the source for mispredictions of a kind of branch. */
static unsigned int miss_of(int kind)
{
    switch (kind) {
    case X86_PMU_TAKEN:
        return X86_PMU_MISS_TAKEN;
    case X86_PMU_NOT_TAKEN:
        return X86_PMU_MISS_NOT_TAKEN;
    case X86_PMU_RETURN:
        return X86_PMU_MISS_RETURN;
    default:
        return X86_PMU_MISS_INDIRECT;
    }
}

static VPMUCost cost_of(int kind)
{
    return kind == X86_PMU_TAKEN || kind == X86_PMU_NOT_TAKEN
        ? VPMU_COST_CONDITIONAL_MISS
        : kind == X86_PMU_RETURN ? VPMU_COST_RETURN_MISS
                                 : VPMU_COST_INDIRECT_MISS;
}

/*
 * Calls a helper that adds @n mispredictions.  Generated code would be slow to
 * translate: most blocks need it in two places, and few get there.
 */
static void gen_mispredicted(DisasPMU *s, TCGv_i64 n, int kind)
{
    uint32_t desc = 0;

    desc = FIELD_DP32(desc, X86PMUMISS, CTX, s->ctx);
    desc = FIELD_DP32(desc, X86PMUMISS, SOURCE, miss_of(kind));
    desc = FIELD_DP32(desc, X86PMUMISS, CYCLES, s->cycles);
    gen_pmu_cost(s, cost_of(kind), n);
    gen_helper_pmu_mispredicted(tcg_env, n, tcg_constant_i32(desc));
}

/* Looks up an indirect branch; calls a helper if its target has changed. */
static void gen_indirect(TCGv_ptr predictor, TCGv_i64 from, TCGv_i64 target,
                         TCGLabel *right)
{
    TCGLabel *wrong = gen_new_label();
    TCGv_i64 number = tcg_temp_ebb_new_i64();
    TCGv_i64 pc = tcg_temp_ebb_new_i64();

    tcg_gen_mov_i64(number, from);
    tcg_gen_shli_i64(pc, from, X86_PMU_PREDICT_SHIFT);
    gen_vpmu_target(predictor, number, pc, target, wrong);
    tcg_temp_free_i64(pc);
    tcg_temp_free_i64(number);
    tcg_gen_br(right);
    gen_set_label(wrong);
    gen_helper_pmu_redirected(tcg_env, from, target);
}

static void gen_predict(DisasPMU *s, TCGv next, TCGv target, int kind)
{
    TCGv_ptr predictor = tcg_temp_ebb_new_ptr();
    TCGv_i64 from = gen_address(next);
    TCGv_i64 wrong = tcg_constant_i64(1);
    TCGLabel *right;

    tcg_gen_ld_ptr(predictor, tcg_env, offsetof(CPUX86State, pmu.predictor));
    if (kind == X86_PMU_CALL || kind == X86_PMU_INDIRECT_CALL) {
        gen_vpmu_push(predictor, from);
    }
    if (kind == X86_PMU_CALL) {
        tcg_temp_free_ptr(predictor);
        return;
    }
    right = gen_new_label();
    if (kind == X86_PMU_TAKEN || kind == X86_PMU_NOT_TAKEN) {
        if (!s->bimodal) {
            gen_vpmu_history(predictor, from, kind == X86_PMU_TAKEN);
        }
        wrong = gen_vpmu_direction(predictor, from, kind == X86_PMU_TAKEN,
                                   right);
    } else if (kind == X86_PMU_RETURN) {
        gen_vpmu_pop(predictor, gen_address(target), right);
    } else {
        gen_indirect(predictor, from, gen_address(target), right);
    }
    tcg_temp_free_ptr(predictor);
    gen_mispredicted(s, wrong, kind);
    tcg_temp_free_i64(wrong);
    gen_set_label(right);
}

void gen_pmu_branch(DisasPMU *s, TCGv next, TCGv target, int kind)
{
    bool taken = kind == X86_PMU_TAKEN;

    if (s->outcomes && (taken || kind == X86_PMU_NOT_TAKEN)) {
        gen_pmu_total(s, taken ? X86_PMU_BR_TAKEN : X86_PMU_BR_NOT_TAKEN,
                      tcg_constant_i64(1));
    }
    if (s->predicts) {
        gen_predict(s, next, target, kind);
    }
}

/* Returns the linear address of an EIP. */
static TCGv_i64 gen_linear(DisasPMU *s, TCGv eip)
{
    TCGv_i64 address = gen_address(eip);

    if (!s->code64) {
        tcg_gen_addi_i64(address, address, s->cs_base);
        tcg_gen_ext32u_i64(address, address);
    }
    return address;
}

/* Predicts a branch; returns X86PMUTAKEN. */
static TCGv_i32 gen_predict_taken(DisasPMU *s, TCGv next, TCGv target, int kind)
{
    TCGv_i64 before = gen_pmu_get(s, X86_PMU_BR_MISS);
    TCGv_i32 desc = tcg_temp_new_i32();
    TCGv_i64 after;

    gen_pmu_branch(s, next, target, kind);
    after = gen_pmu_get(s, X86_PMU_BR_MISS);
    tcg_gen_setcond_i64(TCG_COND_NE, after, after, before);
    tcg_gen_shli_i64(after, after, R_X86PMUTAKEN_MISPREDICTED_SHIFT);
    tcg_gen_ori_i64(after, after, kind);
    tcg_gen_extrl_i64_i32(desc, after);
    return desc;
}

void gen_pmu_taken(DisasPMU *s, TCGv from, TCGv next, TCGv target, int kind)
{
    TCGv_i32 desc = kind == X86_PMU_DIRECT || !s->predict
        ? tcg_constant_i32(kind) : gen_predict_taken(s, next, target, kind);

    if (s->stored) {
        gen_vpmu_store_taken(gen_linear(s, from), gen_linear(s, target),
                             s->cycles ? gen_pmu_get(s, X86_PMU_CYCLES) : NULL,
                             desc, s->ctx);
    } else {
        gen_helper_pmu_taken(tcg_env, gen_linear(s, from),
                             gen_linear(s, target), desc);
    }
}

#define ENDBR_SIZE 4

/*
 * Entries of a PLT are a jump through memory at an address behind RIP, which
 * may have ENDBR64 before it.
 */
static int indirect_jump(DisasPMU *s)
{
    CPUX86State *env = cpu_env(current_cpu);
    uint64_t pc = s->pc;
    uint8_t first = translator_ldub(env, s->profile, pc);

    /* BND or NOTRACK */
    if (first == 0xf2 || first == 0x3e) {
        first = translator_ldub(env, s->profile, ++pc);
    }
    return s->code64 && first == 0xff &&
           translator_ldub(env, s->profile, pc + 1) == 0x25
           ? VPMU_JUMP_STUB + ENDBR_SIZE : VPMU_JUMP_INDIRECT;
}

static TCGv_i32 gen_site(DisasPMU *s)
{
    return tcg_constant_i32(vpmu_profile_site(s->profile, s->pc, s->ctx));
}

static void gen_jump(DisasPMU *s, TCGv target, int how)
{
    gen_helper_pmu_jump(tcg_env, tcg_constant_i64(s->pc),
                        gen_linear(s, target), gen_site(s),
                        tcg_constant_i32(s->ctx), tcg_constant_i32(how));
}

void gen_pmu_call(DisasPMU *s, TCGv next, TCGv target, int kind)
{
    TCGv_i32 ctx = tcg_constant_i32(s->ctx);

    if (!s->tally) {
        return;
    }
    switch (kind) {
    case X86_PMU_CALL:
    case X86_PMU_INDIRECT_CALL:
        gen_helper_pmu_call(tcg_env, gen_linear(s, target), gen_linear(s, next),
                            gen_site(s), ctx);
        break;
    case X86_PMU_DIRECT:
        gen_jump(s, target, VPMU_JUMP_DIRECT);
        break;
    case X86_PMU_INDIRECT:
        gen_jump(s, target, indirect_jump(s));
        break;
    case X86_PMU_RETURN:
        gen_helper_pmu_leave(tcg_env, gen_linear(s, target), ctx,
                             tcg_constant_i32(VPMU_RETURN_ABOVE));
        break;
    }
}

void gen_pmu_far(DisasPMU *s, TCGv from, int kind)
{
    s->far_from = gen_linear(s, from);
    s->far_kind = kind;
}

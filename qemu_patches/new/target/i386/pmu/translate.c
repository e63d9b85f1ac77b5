/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What translation blocks tally for the PMU of an x86 CPU
 *
 * A block adds up what its instructions count as and adds that to the totals
 * of its context when it is entered; what turns out not to have been executed
 * is taken back.
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/translation-block.h"
#include "exec/translator.h"
#include "tcg/tcg-op.h"
#include "tcg/tcg-temp-internal.h"
#include "exec/helper-proto.h"
#include "exec/helper-gen.h"
#include "translate.h"

/* In the data of an instruction, above CC_OP: what it was tallied as. */
#define PMU_DATA_SHIFT 32

/* Add @n to the total of a source, and return that. */
static TCGv_i64 gen_total(DisasPMU *s, unsigned int source, int64_t n)
{
    TCGv_i64 total = tcg_temp_ebb_new_i64();
    int offset = offsetof(CPUX86State, pmu.totals) +
                 (s->ctx * X86_PMU_SOURCES + source) * sizeof(uint64_t);

    tcg_gen_ld_i64(total, tcg_env, offset);
    tcg_gen_addi_i64(total, total, n);
    tcg_gen_st_i64(total, tcg_env, offset);
    return total;
}

void pmu_init(DisasPMU *s, uint32_t flags)
{
    *s = (DisasPMU) {
        .tally = flags & HF_PMU_TALLY_MASK,
        .events = flags & HF_PMU_EVENTS_MASK,
        .predict = flags & HF_PMU_PREDICT_MASK,
        .ctx = x86_pmu_context(flags),
    };
}

void pmu_tb_start(DisasPMU *s)
{
    s->tb_start = tcg_last_op();
}

void pmu_except(DisasPMU *s)
{
    s->excepted = true;
}

void gen_pmu_repeat(DisasPMU *s)
{
    if (s->tally) {
        gen_total(s, X86_PMU_INSNS, -1);
    }
}

void gen_pmu_branch(DisasPMU *s, TCGv next, TCGv target, int kind)
{
    TCGv_i64 from = tcg_temp_new_i64();
    TCGv_i64 to = tcg_temp_new_i64();

    tcg_gen_extu_tl_i64(from, next);
    tcg_gen_extu_tl_i64(to, target);
    gen_helper_pmu_branch(tcg_env, from, to, tcg_constant_i32(kind));
}

static uint32_t pmu_decode(DisasContextBase *db, CPUX86State *env,
                           uint64_t next, bool code64)
{
    uint8_t insn[16];
    unsigned int len = MIN(next - db->pc_next, sizeof(insn));

    for (unsigned int i = 0; i < len; i++) {
        insn[i] = translator_ldub(env, db, db->pc_next + i);
    }
    return x86_vpmu_decode(insn, len, code64);
}

void pmu_insn(DisasPMU *s, DisasContextBase *db, CPUX86State *env,
              uint64_t next, bool code64)
{
    uint32_t sources = 1 << X86_PMU_INSNS;
    uint32_t cc_op;

    if (!s->tally || s->excepted) {
        s->excepted = false;
        return;
    }
    if (s->events) {
        sources = pmu_decode(db, env, next, code64);
    }
    for (uint32_t left = sources; left; left &= left - 1) {
        s->count[ctz32(left)]++;
    }
    cc_op = tcg_get_insn_start_param(db->insn_start, 1);
    tcg_set_insn_start_param(db->insn_start, 1,
                             cc_op | (uint64_t)sources << PMU_DATA_SHIFT);
}

/*
 * This must be the last thing to generate: it goes to the start of the block,
 * but what to add is known only now.  If the block would take the tally of
 * instructions past its limit, a helper has it executed in parts, such that an
 * overflow happens right after the instruction that causes it.  Plugins are
 * not to be told of a block that begins twice, so this comes before what they
 * have inserted.
 */
void gen_pmu_tally(DisasPMU *s)
{
    TCGv_i64 insns, limit;
    TCGLabel *beyond;

    if (!s->count[X86_PMU_INSNS]) {
        return;
    }
    beyond = gen_new_label();
    limit = tcg_temp_ebb_new_i64();

    tcg_ctx->emit_before_op = s->tb_start ? QTAILQ_NEXT(s->tb_start, link)
                                          : QTAILQ_FIRST(&tcg_ctx->ops);
    for (unsigned int i = X86_PMU_INSNS + 1; i < X86_PMU_INSN_SOURCES; i++) {
        if (s->count[i]) {
            gen_total(s, i, s->count[i]);
        }
    }
    insns = gen_total(s, X86_PMU_INSNS, s->count[X86_PMU_INSNS]);
    tcg_gen_ld_i64(limit, tcg_env, offsetof(CPUX86State, pmu.limit));
    tcg_gen_brcond_i64(TCG_COND_GTU, insns, limit, beyond);
    tcg_ctx->emit_before_op = NULL;

    gen_set_label(beyond);
    gen_helper_pmu_limit(tcg_env, tcg_constant_i32(s->count[X86_PMU_INSNS]));
}

void x86_pmu_uncount_int(CPUX86State *env)
{
    if (env->pmu.flags & HF_PMU_TALLY_MASK) {
        env->pmu.totals[x86_pmu_context(env->hflags)][X86_PMU_INSNS]--;
    }
    if (env->pmu.flags & HF_PMU_EVENTS_MASK) {
        env->pmu.totals[x86_pmu_context(env->hflags)][X86_PMU_BR_FAR]--;
    }
}

bool x86_pmu_counts_insns(const TranslationBlock *tb)
{
    return tb->flags & HF_PMU_TALLY_MASK;
}

void x86_pmu_uncount_insn(CPUState *cs, const TranslationBlock *tb,
                          const uint64_t *data, bool begun)
{
    CPUX86State *env = cpu_env(cs);
    unsigned int ctx = x86_pmu_context(tb->flags);

    for (uint64_t left = data[1] >> PMU_DATA_SHIFT; left; left &= left - 1) {
        env->pmu.totals[ctx][ctz64(left)]--;
    }
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What translation blocks tally for the PMU
 *
 * For most events, the encoding of an instruction says what it counts as.  A
 * block adds the events of all its instructions to the totals of its context
 * when it is entered.  The events of instructions that were not executed are
 * taken back, see arm_uncount_insn().  Other events, for example whether a
 * branch is taken, are added when they happen.
 */

#include "qemu/osdep.h"
#include "total.h"
#include "tcg/vpmu-profile-op.h"
#include "qemu/bitops.h"

/* Branches to @beyond if a total exceeds its limit, which is at @offset. */
static void gen_limit(TCGv_i64 total, intptr_t offset, TCGLabel *beyond)
{
    TCGv_i64 limit = tcg_temp_ebb_new_i64();

    tcg_gen_ld_i64(limit, tcg_env, offset);
    tcg_gen_brcond_i64(TCG_COND_GTU, total, limit, beyond);
}

/* Adds @count times @sign to the total of each source of @sources. */
static void gen_add_sources(DisasContext *s, uint32_t sources,
                            const uint16_t *count, int sign)
{
    static const unsigned int l1d[][2] = {
        { ARM_PMU_LD, ARM_PMU_L1D_RD },
        { ARM_PMU_ST, ARM_PMU_L1D_WR },
    };
    uint32_t left = sources & s->pmu.events;

    while (left) {
        unsigned int source = ctz32(left);

        gen_add(s, source, sign * (count ? count[source] : 1));
        left &= left - 1;
    }
    if (s->pmu.events & ARM_PMU_MEMORY) {
        for (unsigned int i = 0; i < ARRAY_SIZE(l1d); i++) {
            if (sources & (1u << l1d[i][0])) {
                gen_add(s, l1d[i][1], sign * (count ? count[l1d[i][0]] : 1));
            }
        }
    }
}

/*
 * A store-exclusive is not a store until it is known that it does not fail; see
 * gen_pmu_strex().
 */
static void gen_add_exclusives(DisasContext *s, int64_t n)
{
    if (s->pmu.events & (1u << ARM_PMU_ST)) {
        gen_add(s, ARM_PMU_ST, n);
    }
}

/* Adds those details of an instruction that are in @mask to the totals. */
static void gen_add_detail(DisasContext *s, uint64_t mask, int sign)
{
    const ARMPMUDetail *detail = &s->pmu.detail;

    for (uint64_t left = detail->sources & mask; left; left &= left - 1) {
        unsigned int n = ctz64(left);

        gen_add(s, ARM_PMU_DETAIL + n,
                sign * (int)arm_pmu_detail_count(detail, n));
    }
}

/* Adds the details that count at the start of the block to its counts. */
static void note_detail(DisasContext *s)
{
    ARMPMUDetail *detail = &s->pmu.detail;
    uint64_t left = detail->sources;

    if (s->pmu.conditional) {
        left &= ~ARM_PMU_DETAIL_PASSED;
    }
    for (; left; left &= left - 1) {
        unsigned int n = ctz64(left);

        s->pmu.detail_count[n] += arm_pmu_detail_count(detail, n);
    }
}

/* Adds the cycles and stalls of instructions; returns the total of cycles. */
static TCGv_i64 gen_add_cycles(DisasContext *s, int insns, int stalls)
{
    gen_add(s, ARM_PMU_STALL_BACKEND, stalls);
    gen_add(s, ARM_PMU_STALL_SLOT_BACKEND, stalls * s->pmu.width);
    return gen_total(s, ARM_PMU_CYCLES, insns + stalls * s->pmu.width);
}

void pmu_init_disas_context(DisasContext *s, CPUARMState *env,
                            CPUARMTBFlags tb_flags)
{
    s->pmu = (DisasPMU) {
        .tally = EX_TBFLAG_ANY(tb_flags, PMU_TALLY),
        .brbe = EX_TBFLAG_ANY(tb_flags, PMU_BRBE),
        .spe = EX_TBFLAG_ANY(tb_flags, PMU_SPE) &&
               EX_TBFLAG_ANY(tb_flags, PMU_BRBE),
        .described = EX_TBFLAG_ANY(tb_flags, PMU_SPE),
        .events = arm_pmu_events(tb_flags.flags, tb_flags.flags2),
        .line_shift = env->pmu.line_shift,
        .width = env->pmu.width,
        .predictor = env->pmu.predictor,
        .most_per_line = env->pmu.most_per_line,
        .profile = vpmu_profiles(s->base.tb),
        .costs = vpmu_profiles_costs(s->base.tb),
        .calls = vpmu_profiles_calls(s->base.tb),
    };
    if (s->pmu.profile) {
        vpmu_profile_begin();
    }
    if ((s->pmu.events & ARM_PMU_STEP) || s->pmu.spe) {
        s->base.max_insns = 1;
    } else if (s->pmu.events & ARM_PMU_MEMORY) {
        s->base.max_insns = MIN(s->base.max_insns, ARM_PMU_MOST_ACCESSES);
    }
}

void pmu_tb_start(DisasContext *s)
{
    s->pmu.tb_start = tcg_last_op();
}

void pmu_insn_start(DisasContext *s)
{
    s->pmu.sources = 0;
    s->pmu.detail = (ARMPMUDetail) { };
    s->pmu.stall = 0;
    s->pmu.exclusive = false;
    s->pmu.fed = false;
    s->pmu.fed_all = false;
    s->pmu.maintains = false;
    s->pmu.conditional = false;
    s->pmu.unaligned = NULL;
    s->pmu.predicate = NULL;
    s->pmu.outcomes = false;
    s->pmu.branch_pc = NULL;
    s->pmu.branch_diff = 0;
    if (s->pmu.profile) {
        vpmu_profile_insn(s->base.pc_next);
    }
}

/* Returns what each execution of an instruction with these sources costs. */
static uint32_t costs_of(uint32_t events, uint32_t sources)
{
    static const struct {
        unsigned int source;
        VPMUCost cost;
    } costs[] = {
        { ARM_PMU_LD, VPMU_COST_READ },
        { ARM_PMU_ST, VPMU_COST_WRITE },
        { ARM_PMU_BR_INDIRECT, VPMU_COST_INDIRECT },
        { ARM_PMU_BR_RETURN, VPMU_COST_RETURN },
    };
    uint32_t of = 0;

    if (!(events & ARM_PMU_MEMORY)) {
        sources &= ~LOADS_AND_STORES;
    }
    for (unsigned int i = 0; i < ARRAY_SIZE(costs); i++) {
        if (extract32(sources, costs[i].source, 1)) {
            of |= VPMU_COST_BIT(costs[i].cost);
        }
    }
    return of;
}

/* Adds @n to costs of this instruction, those that such sources have. */
static void gen_costs(DisasContext *s, uint32_t sources, int64_t n)
{
    uint32_t costs = s->pmu.costs ? costs_of(s->pmu.events, sources) : 0;

    for (; costs; costs &= costs - 1) {
        gen_cost(s, ctz32(costs), tcg_constant_i64(n));
    }
}

/* Notes what each execution of this instruction costs. */
static void note_costs(DisasContext *s, uint32_t sources)
{
    uint32_t costs = costs_of(s->pmu.events, sources);

    /* A branch that does not write the PC in any case is conditional. */
    if ((sources & (1u << ARM_PMU_BR_IMMED)) &&
        !(sources & (1u << ARM_PMU_PC_WRITE))) {
        costs |= VPMU_COST_BIT(VPMU_COST_CONDITIONAL);
        s->pmu.conditionals++;
    }
    vpmu_profile_insn_costs(costs);
}

/* Is this ERET, ERETAA or ERETAB? */
static bool is_exception_return(uint32_t insn)
{
    return insn == 0xd69f03e0 || insn == 0xd69f0bff || insn == 0xd69f0fff;
}

static bool is_store_exclusive(int isa, uint32_t insn)
{
    switch (isa) {
    case ARM_PMU_ISA_A64:
        /* CASP is encoded between STXR and STXP. */
        return (insn & 0x3ec00000) == 0x08000000 &&
               (insn & 0xbfa00000) != 0x08200000;
    case ARM_PMU_ISA_A32:
        return insn >> 28 != 15 && (insn & 0x0f900ef0) == 0x01800e90;
    default:
        return (insn & 0xfff00000) == 0xe8400000 ||
               (insn & 0xfff00040) == 0xe8c00040;
    }
}

/* Gets the address of the instruction if a branch record may need it. */
static void gen_brbe_pc(DisasContext *s, int isa, uint32_t insn)
{
    bool returns = is_exception_return(insn);
    unsigned int stall;

    if (returns || (arm_vpmu_decode(isa, insn, &stall) &
                    ARM_PMU_ALL_BRANCHES)) {
        s->pmu.branch_pc = tcg_temp_new_i64();
        gen_pmu_pc(s, s->pmu.branch_pc);
    }
    if (returns) {
        tcg_gen_st_i64(s->pmu.branch_pc, tcg_env,
                       offsetof(CPUARMState, pmu.brbe_eret));
    }
}

/* Evaluates the governing predicate, which the instruction may overwrite. */
static void gen_predicate(DisasContext *s)
{
    const ARMPMUDetail *detail = &s->pmu.detail;
    uint32_t desc = 0;

    desc = FIELD_DP32(desc, PMUPRED, REGISTER, detail->predicate);
    desc = FIELD_DP32(desc, PMUPRED, ELEMENT, detail->element);
    desc = FIELD_DP32(desc, PMUPRED, LENGTH, s->vl);
    s->pmu.predicate = tcg_temp_new_i64();
    gen_helper_pmu_predicate(s->pmu.predicate, tcg_env,
                             tcg_constant_i32(desc));
}

/* Forgets what helpers noted about another instruction. */
static void gen_clear_outcomes(DisasContext *s)
{
    s->pmu.outcomes = true;
    tcg_gen_st8_i32(tcg_constant_i32(0), tcg_env,
                    offsetof(CPUARMState, pmu.outcomes));
}

/* Prepares what a detail needs that is known only at run time. */
static void gen_begin_detail(DisasContext *s)
{
    const uint64_t ldff = 1ull << (ARM_PMU_SVE_LDFF - ARM_PMU_DETAIL);

    if (s->pmu.detail.predicated) {
        gen_predicate(s);
    }
    if ((s->pmu.sources & LOADS_AND_STORES) &&
        (s->mte_active[0] || s->mte_active[1] ||
         (s->pmu.detail.sources & ldff))) {
        gen_clear_outcomes(s);
    }
}

/* This instruction is sampled.  What the fetch did is not a part of it. */
static void gen_sampled(DisasContext *s, uint32_t insn)
{
    TCGv_i64 pc = tcg_temp_new_i64();

    gen_pmu_pc(s, pc);
    gen_helper_pmu_sampled(tcg_env, pc, tcg_constant_i32(insn));
}

void pmu_insn(DisasContext *s, int isa, uint32_t insn)
{
    if (s->pmu.brbe) {
        gen_brbe_pc(s, isa, insn);
    }
    if (s->pmu.calls) {
        /* Or BR X30, by which longjmp() returns. */
        s->pmu.returns = (arm_vpmu_decode(isa, insn, &s->pmu.stall) &
                          (1u << ARM_PMU_BR_RETURN)) ||
                         (isa == ARM_PMU_ISA_A64 && insn == 0xd61f03c0);
    }
    if (!s->pmu.tally || !s->pmu.events) {
        return;
    }
    s->pmu.sources = arm_vpmu_decode(isa, insn, &s->pmu.stall);
    s->pmu.exclusive = is_store_exclusive(isa, insn);
    if (s->pmu.events & ARM_PMU_IN_DETAIL) {
        s->pmu.detail = arm_vpmu_detail(isa, insn);
        s->pmu.insn = insn;
        gen_begin_detail(s);
    }
    if (s->pmu.events & ARM_PMU_MEMORY) {
        gen_pmu_fetch(s);
        if (s->pmu.sources & LOADS_AND_STORES) {
            gen_charged(s, s->pc_curr);
        }
    }
    if ((s->pmu.events & ((1u << ARM_PMU_UNALIGNED) | ARM_PMU_IN_DETAIL)) &&
        (s->pmu.sources & LOADS_AND_STORES)) {
        s->pmu.unaligned = tcg_temp_new_i64();
        tcg_gen_movi_i64(s->pmu.unaligned, 0);
    }
    if ((s->pmu.events & ARM_PMU_BRANCHES) && !s->pmu.branch_pc &&
        (s->pmu.sources & ARM_PMU_ALL_BRANCHES)) {
        s->pmu.branch_pc = tcg_temp_new_i64();
        gen_pmu_pc(s, s->pmu.branch_pc);
    }
    if (s->pmu.spe ||
        (s->pmu.described && (s->pmu.sources & LOADS_AND_STORES))) {
        gen_sampled(s, insn);
    }
}

/* Branches that are tallied as others if their condition fails */
#define RETURNS (1u << ARM_PMU_BR_RETURN | 1u << ARM_PMU_EXC_RETURN)

void gen_pmu_condition(DisasContext *s)
{
    uint64_t detail;
    uint32_t failed = arm_vpmu_cond_failed(s->pmu.sources, &detail);

    if (s->pmu.sources && !s->pmu.conditional) {
        s->pmu.conditional = true;
        gen_add_sources(s, s->pmu.sources & ~failed, NULL, 1);
        gen_add_sources(s, failed & ~s->pmu.sources, NULL, -1);
        gen_costs(s, s->pmu.sources & ~failed, 1);
        gen_costs(s, failed & ~s->pmu.sources, -1);
        gen_add_exclusives(s, s->pmu.exclusive ? -1 : 0);
        if (s->pmu.events & ARM_PMU_IN_DETAIL) {
            s->pmu.detail.sources |= detail;
        }
        gen_add_detail(s, ARM_PMU_DETAIL_PASSED, 1);
        gen_add_detail(s, ARM_PMU_DETAIL_FAILED, -1);
        gen_check_near(s);
    }
}

/* Do misses add cycles to counters? */
static bool misses_stall(DisasContext *s)
{
    return s->pmu.most_per_line > ARM_PMU_MOST_PER_LINE;
}

/*
 * May this instruction be the one that overflows a counter of modelled events?
 * A fetch of another line must be the first of a block.
 */
static bool may_miss(DisasContext *s)
{
    return (s->pmu.sources & LOADS_AND_STORES) || misses_stall(s) ||
           s->pmu.maintains ||
           (s->base.pc_next ^ s->pc_curr) >> s->pmu.line_shift;
}

/*
 * Must the block end here, because a counter is close to overflow?  Cycles have
 * a limit of their own, unless models are fed.  After cache maintenance, the
 * next instruction's line may have to be fetched again, as a block does at its
 * start.
 */
static bool ends_block(DisasContext *s)
{
    if (s->pmu.maintains) {
        return true;
    }
    if (!(s->pmu.events & ARM_PMU_NEAR)) {
        return false;
    }
    return (s->pmu.events & s->pmu.sources) || s->pmu.detail.sources ||
           s->pmu.unaligned ||
           ((s->pmu.events & ARM_PMU_MEMORY) && may_miss(s));
}

/* Has the block tallied something by itself, which may be an overflow? */
static bool block_counts(DisasContext *s)
{
    uint32_t events = s->pmu.events;

    if ((events & ARM_PMU_IN_DETAIL) || misses_stall(s)) {
        return true;
    }
    if (events & ARM_PMU_MEMORY) {
        events |= LOADS_AND_STORES;
    }
    for (unsigned int source = 0; source < ARM_PMU_INSN_SOURCES; source++) {
        if (extract32(events, source, 1) && s->pmu.count[source]) {
            return true;
        }
    }
    return false;
}

/* Adds a value that is known only at run time to a total. */
static void gen_add_value(DisasContext *s, unsigned int source, TCGv_i64 value)
{
    TCGv_i64 total = tcg_temp_new_i64();

    tcg_gen_ld_i64(total, tcg_env, total_offset(s, source));
    tcg_gen_add_i64(total, total, value);
    tcg_gen_st_i64(total, tcg_env, total_offset(s, source));
}

static void gen_tally_unaligned(DisasContext *s)
{
    if (s->pmu.events & (1u << ARM_PMU_UNALIGNED)) {
        gen_add_value(s, ARM_PMU_UNALIGNED, s->pmu.unaligned);
    }
    if (s->pmu.events & ARM_PMU_IN_DETAIL) {
        if (s->pmu.sources & (1u << ARM_PMU_LD)) {
            gen_add_value(s, ARM_PMU_UNALIGNED_LD, s->pmu.unaligned);
        }
        if (s->pmu.sources & (1u << ARM_PMU_ST)) {
            gen_add_value(s, ARM_PMU_UNALIGNED_ST, s->pmu.unaligned);
        }
    }
    gen_check_near(s);
}

static void gen_tally_predicate(DisasContext *s)
{
    TCGv_ptr at = tcg_temp_new_ptr();
    TCGv_i64 total = tcg_temp_new_i64();
    int offset = total_offset(s, ARM_PMU_SVE_PRED_EMPTY);

    tcg_gen_shli_i64(total, s->pmu.predicate, 3);
    tcg_gen_trunc_i64_ptr(at, total);
    tcg_gen_add_ptr(at, at, tcg_env);
    tcg_gen_ld_i64(total, at, offset);
    tcg_gen_addi_i64(total, total, 1);
    tcg_gen_st_i64(total, at, offset);
    gen_check_near(s);
}

static void gen_tally_outcomes(DisasContext *s)
{
    TCGv_i64 outcomes = tcg_temp_new_i64();
    TCGv_i64 one = tcg_temp_new_i64();

    tcg_gen_ld8u_i64(outcomes, tcg_env, offsetof(CPUARMState, pmu.outcomes));
    tcg_gen_andi_i64(one, outcomes, ARM_PMU_TAG_CHECKED);
    if (s->pmu.sources & (1u << ARM_PMU_LD)) {
        gen_add_value(s, ARM_PMU_CHECKED_RD, one);
    }
    if (s->pmu.sources & (1u << ARM_PMU_ST)) {
        gen_add_value(s, ARM_PMU_CHECKED_WR, one);
    }
    tcg_gen_extract_i64(one, outcomes, ctz32(ARM_PMU_FFR_CLEARED), 1);
    gen_add_value(s, ARM_PMU_SVE_LDFF_FAULT, one);
    gen_check_near(s);
}

void gen_pmu_strex(DisasContext *s, TCGv_i64 failed)
{
    TCGv_i64 passed;

    if (!(s->pmu.events & (ARM_PMU_IN_DETAIL | 1u << ARM_PMU_ST))) {
        return;
    }
    passed = tcg_temp_new_i64();
    tcg_gen_subfi_i64(passed, 1, failed);
    if (s->pmu.events & (1u << ARM_PMU_ST)) {
        gen_add_value(s, ARM_PMU_ST, passed);
    }
    if (s->pmu.events & ARM_PMU_IN_DETAIL) {
        gen_add_value(s, ARM_PMU_STREX_FAIL, failed);
        gen_add_value(s, ARM_PMU_STREX_PASS, passed);
    }
    gen_check_near(s);
}

/* FEAT_NV2 has turned this MRS or MSR into a load or store. */
void gen_pmu_nv2(DisasContext *s, TCGv_i64 addr, bool is_read, int mmu_idx)
{
    if (!s->pmu.sources) {
        return;
    }
    s->pmu.sources &= ~(1u << ARM_PMU_DP);
    s->pmu.sources |= 1u << (is_read ? ARM_PMU_LD : ARM_PMU_ST);
    gen_charged(s, s->pc_curr);
    gen_pmu_access(s, addr, 8, 8, !is_read, mmu_idx);
}

void pmu_insn_end(DisasContext *s)
{
    uint32_t sources = s->pmu.sources;
    uint64_t data;

    if (!s->pmu.tally || !s->pmu.events) {
        return;
    }
    if (s->pmu.conditional) {
        sources = arm_vpmu_cond_failed(sources, &data);
    }
    for (uint32_t left = sources; left; left &= left - 1) {
        s->pmu.count[ctz32(left)]++;
    }
    if (s->pmu.costs) {
        note_costs(s, sources);
    }
    if (s->pmu.exclusive && !s->pmu.conditional) {
        s->pmu.exclusives++;
    }
    s->pmu.stalls += s->pmu.stall;

    data = deposit64(0, ARM_PMU_DATA_SOURCES, 16, sources);
    data = deposit64(data, ARM_PMU_DATA_STALL, 8, s->pmu.stall);
    data = deposit64(data, ARM_PMU_DATA_BEGUN, 16,
                     s->pmu.sources & ~sources);
    data = deposit64(data, ARM_PMU_DATA_EXCLUSIVE, 1, s->pmu.exclusive);
    tcg_set_insn_start_param(s->base.insn_start, 1,
                             s->pmu.condexec_bits | data);
    if (s->pmu.events & ARM_PMU_IN_DETAIL) {
        note_detail(s);
        data = tcg_get_insn_start_param(s->base.insn_start, 2);
        tcg_set_insn_start_param(s->base.insn_start, 2,
                                 deposit64(data, ARM_PMU_DATA_INSN, 32,
                                           s->pmu.insn));
    }
    if (s->pmu.unaligned) {
        gen_tally_unaligned(s);
    }
    if (s->pmu.predicate) {
        gen_tally_predicate(s);
    }
    if (s->pmu.outcomes) {
        gen_tally_outcomes(s);
    }
    if (s->base.is_jmp == DISAS_NEXT && ends_block(s)) {
        s->base.is_jmp = DISAS_TOO_MANY;
    }
}

/*
 * Generates the tally of this block.  This code belongs at the start of the
 * block, but must be generated last, when it is known what to add.  If the
 * block would exceed the limit of instructions or cycles, a helper has it
 * executed in parts, so that an overflow happens right after the instruction
 * that causes it.  The code comes before that of plugins, because they must not
 * see the start of such a block twice.
 */
void gen_pmu_tally(DisasContext *s)
{
    TCGv_i64 insns, cycles = NULL;
    TCGLabel *beyond;

    if (!s->pmu.tally) {
        return;
    }
    beyond = gen_new_label();

    tcg_ctx->emit_before_op = s->pmu.tb_start
                              ? QTAILQ_NEXT(s->pmu.tb_start, link)
                              : QTAILQ_FIRST(&tcg_ctx->ops);
    if (s->pmu.events & ARM_PMU_STEP) {
        /* The last instruction is tallied completely, this one not at all. */
        gen_helper_pmu_step(tcg_env);
    }
    insns = gen_total(s, ARM_PMU_INSNS, s->base.num_insns);
    if (s->pmu.profile) {
        gen_profile(vpmu_profile_block(&s->base, s->pmu.tally - 1),
                    tcg_constant_i64(1));
        if (s->pmu.conditionals) {
            gen_cost_sum(s, VPMU_COST_CONDITIONAL,
                         tcg_constant_i64(s->pmu.conditionals));
        }
    }
    if (s->pmu.events) {
        gen_add_sources(s, MAKE_64BIT_MASK(1, ARM_PMU_INSN_SOURCES - 1),
                        s->pmu.count, 1);
        gen_add_exclusives(s, -(int64_t)s->pmu.exclusives);
    }
    if (s->pmu.events & ARM_PMU_IN_DETAIL) {
        for (unsigned int n = 0; n < ARRAY_SIZE(s->pmu.detail_count); n++) {
            gen_add(s, ARM_PMU_DETAIL + n, s->pmu.detail_count[n]);
        }
    }
    if (s->pmu.events & ARM_PMU_MODEL_CYCLES) {
        cycles = gen_add_cycles(s, s->base.num_insns, s->pmu.stalls);
    }
    gen_limit(insns, offsetof(CPUARMState, pmu.limit), beyond);
    if (cycles && !(s->pmu.events & ARM_PMU_STEP)) {
        gen_limit(cycles, offsetof(CPUARMState, pmu.cycles_limit), beyond);
    }
    if (block_counts(s)) {
        gen_check_near(s);
    }
    if (s->pmu.fetches_first) {
        gen_pmu_first_fetch(s);
    }
    tcg_ctx->emit_before_op = NULL;

    gen_set_label(beyond);
    gen_helper_pmu_limit(tcg_env, tcg_constant_i32(s->base.num_insns),
                         tcg_constant_i32(s->pmu.stalls));
}

/*
 * Takes back the tally of the current instruction, which raises an exception
 * without unwinding.  It must be the last one of its block.
 */
void gen_pmu_uncount(DisasContext *s)
{
    if (!s->pmu.tally) {
        return;
    }
    gen_add(s, ARM_PMU_INSNS, -1);
    if (s->pmu.profile) {
        gen_profile(vpmu_profile_undone(&s->base, s->pc_curr,
                                        s->pmu.tally - 1, 0),
                    tcg_constant_i64(1));
        gen_costs(s, s->pmu.sources, -1);
    }
    if (s->pmu.events) {
        gen_add_sources(s, s->pmu.sources, NULL, -1);
        gen_add_exclusives(s, s->pmu.exclusive ? 1 : 0);
        gen_add_detail(s, ~(uint64_t)ARM_PMU_DETAIL_FAILED, -1);
    }
    if (s->pmu.events & ARM_PMU_MODEL_CYCLES) {
        gen_add_cycles(s, -1, -s->pmu.stall);
    }
}

/*
 * Leaving a block early
 */

bool arm_pmu_counts_insns(const TranslationBlock *tb)
{
    return FIELD_EX32(tb->flags, TBFLAG_ANY, PMU_TALLY);
}

/* Restores what take_back_access() took, if the instruction at @pc faults. */
static void restore_excepted(CPUARMState *env, unsigned int ctx, uint64_t pc)
{
    if (env->pmu.excepted_place == arm_pmu_place(pc) &&
        env->pmu.excepted_insns == env->pmu.totals[ctx][ARM_PMU_INSNS]) {
        env->pmu.totals[ctx][ARM_PMU_L1D_RD] +=
            extract32(env->pmu.excepted, 0, 1);
        env->pmu.totals[ctx][ARM_PMU_L1D_WR] +=
            extract32(env->pmu.excepted, 1, 1);
        vpmu_cost_charge(env->pmu.profile, VPMU_COST_READ,
                         extract32(env->pmu.excepted, 0, 1));
        vpmu_cost_charge(env->pmu.profile, VPMU_COST_WRITE,
                         extract32(env->pmu.excepted, 1, 1));
    }
}

/* Returns what an instruction counted as in detail. */
static ARMPMUDetail detail_of_tb(const TranslationBlock *tb,
                                 const uint64_t *data, bool begun)
{
    int isa = FIELD_EX32(tb->flags, TBFLAG_ANY, AARCH64_STATE)
              ? ARM_PMU_ISA_A64
              : FIELD_EX32(tb->cs_base, TBFLAG_AM32, THUMB)
              ? ARM_PMU_ISA_T32 : ARM_PMU_ISA_A32;
    ARMPMUDetail detail =
        arm_vpmu_detail(isa, extract64(data[2], ARM_PMU_DATA_INSN, 32));
    uint32_t passed = extract64(data[1], ARM_PMU_DATA_BEGUN, 16);

    if (!begun && passed) {
        /* It is conditional, and tallied as if its condition failed. */
        uint64_t failed;

        arm_vpmu_cond_failed(passed, &failed);
        detail.sources &= ~ARM_PMU_DETAIL_PASSED;
        detail.sources |= failed;
    }
    return detail;
}

/* Takes back what gen_pmu_condition() has charged. */
static void uncharge_passed(CPUState *cs, const TranslationBlock *tb,
                            const uint64_t *data)
{
    uint32_t events = arm_pmu_events(tb->flags, tb->cs_base);
    uint32_t passed = extract64(data[1], ARM_PMU_DATA_BEGUN, 16);

    vpmu_cost_charge_at(cs, tb, data[0], costs_of(events, passed), -1);
    if (passed & RETURNS) {
        vpmu_cost_charge_at(cs, tb, data[0],
                            VPMU_COST_BIT(VPMU_COST_INDIRECT), 1);
    }
}

/* The data of an instruction says what it counted as, see pmu_insn_end(). */
void arm_pmu_uncount_insn_of_tb(CPUState *cs, const TranslationBlock *tb,
                             const uint64_t *data, bool begun)
{
    CPUARMState *env = cpu_env(cs);
    unsigned int tally = FIELD_EX32(tb->flags, TBFLAG_ANY, PMU_TALLY);
    uint32_t sources = extract64(data[1], ARM_PMU_DATA_SOURCES, 16);
    uint32_t events = arm_pmu_events(tb->flags, tb->cs_base);

    if (begun) {
        uint32_t passed = extract64(data[1], ARM_PMU_DATA_BEGUN, 16);

        if (passed & RETURNS) {
            sources &= ~(1u << ARM_PMU_BR_INDIRECT);
        }
        sources |= passed;
        restore_excepted(env, tally - 1, data[0]);
    }
    env->pmu.excepted = 0;
    if (extract64(data[1], ARM_PMU_DATA_EXCLUSIVE, 1) &&
        (sources & events & (1u << ARM_PMU_ST))) {
        /* It faults, so it has not been counted as a store. */
        env->pmu.totals[tally - 1][ARM_PMU_ST]++;
    }
    arm_pmu_uncount(env, tally - 1, events, sources,
                    extract64(data[1], ARM_PMU_DATA_STALL, 8));
    if (vpmu_profiles(tb)) {
        vpmu_profile_uncount(cs, tb, data[0]);
    }
    if (begun && vpmu_profiles_costs(tb)) {
        uncharge_passed(cs, tb, data);
    }
    if (events & ARM_PMU_IN_DETAIL) {
        arm_pmu_uncount_detail(env, tally - 1, detail_of_tb(tb, data, begun));
    }
}

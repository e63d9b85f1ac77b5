/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fetches, loads and stores in generated code: feeds the models of caches and
 * TLBs, notes unaligned accesses, and describes samples
 */

#include "qemu/osdep.h"
#include "total.h"
#include "tcg/vpmu-model-op.h"

/* Gets the address of the block, before its first instruction. */
static TCGv_i64 gen_block_pc(DisasContext *s)
{
    TCGv_i64 pc = tcg_temp_new_i64();

    if (!(tb_cflags(s->base.tb) & CF_PCREL)) {
        tcg_gen_movi_i64(pc, s->base.pc_first);
    } else if (s->aarch64) {
        tcg_gen_ld_i64(pc, tcg_env, offsetof(CPUARMState, pc));
    } else {
        tcg_gen_ld32u_i64(pc, tcg_env, offsetof(CPUARMState, regs[15]));
    }
    return pc;
}

/*
 * Close to an overflow, the first instruction is fetched before anything else:
 * if that is the event, the helper has the instruction executed alone.
 */
void gen_pmu_first_fetch(DisasContext *s)
{
    TCGv_ptr model = tcg_temp_new_ptr();
    TCGv_i64 pc = gen_block_pc(s);
    TCGLabel *same = gen_new_label();

    tcg_gen_ld_ptr(model, tcg_env, offsetof(CPUARMState, pmu.model));
    gen_vpmu_fetched(model, pc, s->pmu.line_shift, same);
    gen_charged(s, s->base.pc_first);
    gen_helper_pmu_fetch_first(tcg_env, pc,
                               tcg_constant_i32(s->pmu.tally - 1),
                               tcg_constant_i32(s->base.num_insns));
    gen_set_label(same);
}

/* Feeds the model with a fetch, if this instruction lies in another line. */
void gen_pmu_fetch(DisasContext *s)
{
    uint64_t last = s->pmu.last_pc;
    TCGv_ptr model;
    TCGv_i64 pc;
    TCGLabel *same, *hit;

    s->pmu.last_pc = s->pc_curr;
    if (s->base.num_insns > 1 &&
        !((s->pc_curr ^ last) >> s->pmu.line_shift)) {
        return;
    }
    if (s->pmu.events & ARM_PMU_NEAR) {
        /* Blocks end with their line. */
        s->pmu.fetches_first = true;
        return;
    }
    model = tcg_temp_new_ptr();
    pc = tcg_temp_new_i64();
    same = gen_new_label();
    hit = gen_new_label();

    gen_pmu_pc(s, pc);
    tcg_gen_ld_ptr(model, tcg_env, offsetof(CPUARMState, pmu.model));
    if (s->base.num_insns == 1) {
        gen_vpmu_fetched(model, pc, s->pmu.line_shift, same);
    }
    gen_vpmu_filter(model, pc, 1, s->pmu.line_shift, VPMU_MODEL_FETCH, hit);
    gen_charged(s, s->pc_curr);
    gen_helper_pmu_fetch(tcg_env, pc, tcg_constant_i32(s->pmu.tally - 1));
    tcg_gen_br(same);
    gen_set_label(hit);
    gen_vpmu_fetch_line(model, pc, s->pmu.line_shift);
    gen_total(s, ARM_PMU_L1I, 1);
    gen_set_label(same);
}

static void gen_unaligned(DisasContext *s, TCGv_i64 addr, unsigned int align)
{
    TCGv_i64 low = tcg_temp_new_i64();

    tcg_gen_andi_i64(low, addr, align - 1);
    tcg_gen_setcondi_i64(TCG_COND_NE, low, low, 0);
    tcg_gen_or_i64(s->pmu.unaligned, s->pmu.unaligned, low);
}

/* Feeds the model, unless its filter says that nothing would change. */
static void gen_memory(DisasContext *s, TCGv_i64 addr, unsigned int size,
                       bool is_write, int mmu_idx)
{
    TCGv_ptr model = tcg_temp_new_ptr();
    TCGLabel *hit = gen_new_label();
    uint32_t desc = 0;

    tcg_debug_assert(size > 0 && size <= 1 << R_PMUDATA_LAST_LENGTH);
    desc = FIELD_DP32(desc, PMUDATA, LAST, size - 1);
    desc = FIELD_DP32(desc, PMUDATA, WRITE, is_write);
    desc = FIELD_DP32(desc, PMUDATA, MIDX, mmu_idx);
    desc = FIELD_DP32(desc, PMUDATA, CTX, s->pmu.tally - 1);
    desc = FIELD_DP32(desc, PMUDATA, PLACE, arm_pmu_place(s->pc_curr));
    if (!s->pmu.fed) {
        /* The helper may have to take back what the instruction counts as. */
        desc = FIELD_DP32(desc, PMUDATA, TALLIED,
                          extract32(s->pmu.sources, ARM_PMU_LD, 2));
        s->pmu.fed = true;
    }

    tcg_gen_ld_ptr(model, tcg_env, offsetof(CPUARMState, pmu.model));
    gen_vpmu_filter(model, addr, size, s->pmu.line_shift,
                    is_write ? VPMU_MODEL_STORE : VPMU_MODEL_LOAD, hit);
    gen_helper_pmu_data(tcg_env, addr, tcg_constant_i32(desc));
    gen_set_label(hit);
}

static void gen_sampled_access(DisasContext *s, TCGv_i64 addr,
                               unsigned int align, bool is_write, int mmu_idx)
{
    uint32_t desc = FIELD_DP32(0, PMUDATA, WRITE, is_write);

    desc = FIELD_DP32(desc, PMUDATA, MIDX, mmu_idx);
    desc = FIELD_DP32(desc, PMUDATA, ALIGN, align);
    gen_helper_pmu_sampled_access(tcg_env, addr, tcg_constant_i32(desc));
}

void gen_pmu_access(DisasContext *s, TCGv_i64 addr, unsigned int size,
                    unsigned int align, bool is_write, int mmu_idx)
{
    if (!(s->pmu.sources & LOADS_AND_STORES) || s->pmu.fed_all) {
        return;
    }
    if (s->pmu.unaligned && align > 1) {
        gen_unaligned(s, addr, align);
    }
    if (s->pmu.described) {
        gen_sampled_access(s, addr, align, is_write, mmu_idx);
    }
    if (s->pmu.events & ARM_PMU_MEMORY) {
        /* The models treat all accesses of an atomic as writes. */
        is_write |= (s->pmu.sources & (1u << ARM_PMU_ST)) != 0;
        gen_memory(s, addr, size, is_write, mmu_idx);
    }
}

void gen_pmu_accesses(DisasContext *s, TCGv_i64 addr, unsigned int size,
                      unsigned int align, bool is_write, int mmu_idx)
{
    gen_pmu_access(s, addr, size, align, is_write, mmu_idx);
    s->pmu.fed_all = true;
}

void gen_aa32_pmu_access(DisasContext *s, TCGv_i32 a32, MemOp op,
                         bool is_write, int index)
{
    unsigned int bits = memop_alignment_bits(op);
    unsigned int align = bits ? 1 << bits : memop_size(op);
    TCGv_i64 addr = tcg_temp_new_i64();

    tcg_gen_extu_i32_i64(addr, a32);
    gen_pmu_access(s, addr, memop_size(op), align, is_write, index);
}

void gen_aa32_pmu_accesses(DisasContext *s, TCGv_i32 a32, int size,
                           unsigned int align, bool is_write, int index)
{
    TCGv_i64 addr = tcg_temp_new_i64();

    tcg_gen_extu_i32_i64(addr, a32);
    gen_pmu_accesses(s, addr, size, align, is_write, index);
}

void gen_pmu_untally(DisasContext *s)
{
    bool loads = s->pmu.sources & (1u << ARM_PMU_LD);
    bool stores = s->pmu.sources & (1u << ARM_PMU_ST);

    if (s->pmu.events & ARM_PMU_MEMORY) {
        gen_add(s, ARM_PMU_L1D_RD, loads ? -1 : 0);
        gen_add(s, ARM_PMU_L1D_WR, stores ? -1 : 0);
        gen_cost(s, VPMU_COST_READ, tcg_constant_i64(-loads));
        gen_cost(s, VPMU_COST_WRITE, tcg_constant_i64(-stores));
    }
}

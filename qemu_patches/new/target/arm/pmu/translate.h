/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tallying for the PMU: what a translator keeps of a block, and calls
 */

#ifndef TARGET_ARM_PMU_TRANSLATE_H
#define TARGET_ARM_PMU_TRANSLATE_H

typedef struct DisasContext DisasContext;

typedef struct DisasPMU {
    /* The context to tally for, plus 1; 0 for none. */
    uint8_t tally;
    /* Are branches recorded? */
    bool brbe;
    /* SPE samples the instruction of this block. */
    bool spe;
    /* A recording describes the accesses of this block. */
    bool described;
    /* What the block counts, from its flags: see arm_pmu_events() */
    uint32_t events;
    uint8_t line_shift;
    uint8_t width;
    uint8_t predictor;
    uint32_t most_per_line;
    /* The last op before those of plugins for the whole block, or NULL */
    TCGOp *tb_start;
    /* Does code at the start of the block feed the first fetch? */
    bool fetches_first;

    /* For this instruction: what it counts as; its address if it branches */
    uint32_t sources;
    ARMPMUDetail detail;
    uint32_t insn;
    unsigned int stall;
    bool conditional;
    /* A store-exclusive: may it not store? */
    bool exclusive;
    /* Has the code fed one access, or all of them, to the models? */
    bool fed;
    bool fed_all;
    /* Does it maintain the modelled caches? */
    bool maintains;
    uint8_t condexec_bits;
    TCGv_i64 unaligned;
    /* How its governing predicate counts; see HELPER(pmu_predicate) */
    TCGv_i64 predicate;
    /* Will the outcomes that helpers note be tallied? */
    bool outcomes;
    TCGv_i64 branch_pc;
    /* The distance of a direct branch of A32 or T32 that may be skipped */
    int64_t branch_diff;
    /* Is the block profiled? */
    bool profile;
    /* Does it count costs? */
    bool costs;
    /* Does it report calls, and is this instruction a return? */
    bool calls;
    bool returns;
    /* The address of the instruction before this one */
    uint64_t last_pc;

    /* For the block so far: number of events by source, and stalls */
    uint16_t count[ARM_PMU_INSN_SOURCES];
    uint16_t detail_count[ARM_PMU_DETAIL_END - ARM_PMU_DETAIL];
    unsigned int stalls;
    /* Conditional branches, if costs are counted */
    unsigned int conditionals;
    unsigned int exclusives;
} DisasPMU;

/*
 * A translator calls these functions in this order.
 *
 * At the start of a block, and at the start of each instruction:
 */
void pmu_init_disas_context(DisasContext *s, CPUARMState *env,
                            CPUARMTBFlags tb_flags);
void pmu_tb_start(DisasContext *s);
void pmu_insn_start(DisasContext *s);
/* After an instruction was read, before any code is generated for it: */
void pmu_insn(DisasContext *s, int isa, uint32_t insn);
/* Where the condition of a conditional instruction has passed: */
void gen_pmu_condition(DisasContext *s);
/* Where it is known whether a store-exclusive fails: 0 or 1 */
void gen_pmu_strex(DisasContext *s, TCGv_i64 failed);
/* For each address that the instruction accesses: */
void gen_pmu_access(DisasContext *s, TCGv_i64 addr, unsigned int size,
                    unsigned int align, bool is_write, int mmu_idx);
/* Or once, for all its accesses: */
void gen_pmu_accesses(DisasContext *s, TCGv_i64 addr, unsigned int size,
                      unsigned int align, bool is_write, int mmu_idx);
/* The same for AArch32: */
void gen_aa32_pmu_access(DisasContext *s, TCGv_i32 a32, MemOp op,
                         bool is_write, int index);
void gen_aa32_pmu_accesses(DisasContext *s, TCGv_i32 a32, int size,
                           unsigned int align, bool is_write, int index);
/* For the access that FEAT_NV2 makes in the place of an MRS or MSR: */
void gen_pmu_nv2(DisasContext *s, TCGv_i64 addr, bool is_read, int mmu_idx);
/* If a helper feeds the models itself, after the call of the helper: */
void gen_pmu_untally(DisasContext *s);
/* For a branch, where its outcome is known: */
void gen_pmu_conditional(DisasContext *s, int64_t diff, bool taken);
void gen_pmu_call(DisasContext *s, int64_t diff);
void gen_pmu_indirect(DisasContext *s, TCGv_i64 target, bool call);
/* The same for branches that only branch records and exact profiles need: */
void gen_pmu_direct(DisasContext *s, int64_t diff);
void gen_pmu_jump_to(DisasContext *s, int64_t diff);
void gen_pmu_stepped(DisasContext *s, TCGv_i64 target, bool call);
/* After a write of a system or CP15 register, TLBI, DC and IC: */
void gen_pmu_sys(DisasContext *s, unsigned int op0, unsigned int op1,
                 unsigned int crn, unsigned int crm, unsigned int op2,
                 TCGv_i64 value);
void gen_pmu_cp15(DisasContext *s, bool is64, unsigned int opc1,
                  unsigned int crn, unsigned int crm, unsigned int opc2,
                  int rt);
/* If the instruction raises an exception instead of being executed: */
void gen_pmu_uncount(DisasContext *s);
/* At the end of each instruction, and at the end of the block: */
void pmu_insn_end(DisasContext *s);
void gen_pmu_tally(DisasContext *s);

/*
 * Implemented in translate/memory.c for block.c: feeds the model with the
 * fetch of this instruction, or of the block's first one before the block.
 */
void gen_pmu_fetch(DisasContext *s);
void gen_pmu_first_fetch(DisasContext *s);

/* Implemented in translate/predict.c for branches: feeds the model with one. */
void gen_pmu_predict(DisasContext *s, int kind, TCGv_i64 target, bool taken);
void gen_pmu_predict_static(DisasContext *s, int64_t diff, bool taken);

/* Implemented by the translators: gets the address of this instruction. */
void gen_pmu_pc(DisasContext *s, TCGv_i64 pc);
void gen_a64_pc(DisasContext *s, TCGv_i64 dest);

#endif

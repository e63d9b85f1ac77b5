/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is tallied for the PMU while a block is translated
 */

#ifndef TARGET_ARM_PMU_TRANSLATE_H
#define TARGET_ARM_PMU_TRANSLATE_H

typedef struct DisasContext DisasContext;

typedef struct DisasPMU {
    /* Which context to tally for, plus 1; 0 for none. */
    uint8_t tally;
    /* TBFLAG_PMU, EVENTS */
    uint32_t events;
    uint8_t line_shift;
    uint8_t width;
    uint8_t predictor;
    uint32_t most_per_line;
    /* The last op before those of plugins for the whole block, or NULL. */
    TCGOp *tb_start;

    /* Of this instruction: what it counts as, and where it is if a branch */
    uint32_t sources;
    unsigned int stall;
    bool conditional;
    /* Have the models been told of an access, or of all? */
    bool told;
    bool told_all;
    uint8_t condexec_bits;
    TCGv_i64 unaligned;
    TCGv_i64 branch_pc;
    /* How far it goes, if it is direct and A32's or T32's condition may fail */
    int64_t branch_diff;
    /* Of the instruction before it */
    target_ulong last_pc;

    /* Of the block so far */
    uint16_t count[ARM_PMU_INSN_SOURCES];
    unsigned int stalls;
} DisasPMU;

/* At the start of a block and of each instruction, ... */
void pmu_init_disas_context(DisasContext *s, CPUARMState *env,
                            CPUARMTBFlags tb_flags);
void pmu_tb_start(DisasContext *s);
void pmu_insn_start(DisasContext *s);
/* ... when it is read, before anything is generated for it, ... */
void pmu_insn(DisasContext *s, int isa, uint32_t insn);
/* ... where its condition passes, if it has one, ... */
void gen_pmu_condition(DisasContext *s);
/* ... for each address that it accesses, ... */
void gen_pmu_access(DisasContext *s, TCGv_i64 addr, unsigned int size,
                    unsigned int align, bool is_write, int mmu_idx);
/* ... or for all at once, ... */
void gen_pmu_accesses(DisasContext *s, TCGv_i64 addr, unsigned int size,
                      unsigned int align, bool is_write, int mmu_idx);
/* ... the same from AArch32, ... */
void gen_aa32_pmu_access(DisasContext *s, TCGv_i32 a32, MemOp op,
                         bool is_write, int index);
void gen_aa32_pmu_accesses(DisasContext *s, TCGv_i32 a32, int size,
                           unsigned int align, bool is_write, int index);
/* ... after the helper of an instruction has told of them itself, ... */
void gen_pmu_told(DisasContext *s);
/* ... for a branch, where it is decided, ... */
void gen_pmu_conditional(DisasContext *s, int64_t diff, bool taken);
void gen_pmu_call(DisasContext *s, int64_t diff);
void gen_pmu_indirect(DisasContext *s, TCGv_i64 target, bool call);
/* ... after a system register or one of CP15 is written, or a TLBI, ... */
void gen_pmu_sys(DisasContext *s, unsigned int op0, unsigned int op1,
                 unsigned int crn, unsigned int crm, unsigned int op2,
                 TCGv_i64 value);
void gen_pmu_cp15(DisasContext *s, bool is64, unsigned int opc1,
                  unsigned int crn, unsigned int crm, unsigned int opc2,
                  int rt);
/* ... if it raises an exception instead of being executed, ... */
void gen_pmu_uncount(DisasContext *s);
/* ... and at its end and that of the block. */
void pmu_insn_end(DisasContext *s);
void gen_pmu_tally(DisasContext *s);

/* For this, from predict.c: a branch that a model is to know of. */
void gen_pmu_predict(DisasContext *s, int kind, TCGv_i64 target, bool taken);
void gen_pmu_predict_static(DisasContext *s, int64_t diff, bool taken);

/* For this, from translate.c and translate-a64.c: where this instruction is. */
void gen_pmu_pc(DisasContext *s, TCGv_i64 pc);
void gen_a64_pc(DisasContext *s, TCGv_i64 dest);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the translator knows about the PMU while it translates a block
 */

#ifndef TARGET_I386_PMU_TRANSLATE_H
#define TARGET_I386_PMU_TRANSLATE_H

#include "tcg/vpmu-costs.h"

typedef struct DisasPMU {
    bool tally;
    bool events;
    /* The CPU has a PMU, whether or not anything is counted. */
    bool exists;
    /* It needs gen_pmu_branch(); for the predictor; to tally outcomes. */
    bool predict;
    bool predicts;
    bool outcomes;
    /* The block tallies loads and stores; it feeds the models. */
    bool memory;
    bool models;
    /* All accesses are reported; a recording describes some of them. */
    bool sampled;
    bool described;
    /* The block tallies cycles; it has one instruction, to evaluate each. */
    bool cycles;
    bool step;
    /* It tallies instructions in detail. */
    bool detail;
    /* No other CPU can exist. */
    bool only_cpu;
    /* Near branches that are taken, and far branches, are reported. */
    bool taken;
    bool far;
    /* Near branches that are taken are stored instead. */
    bool stored;
    /* The address of a far branch while it is translated, or NULL. */
    TCGv_i64 far_from;
    int far_kind;
    /* To make linear addresses of EIP. */
    bool code64;
    uint32_t cs_base;
    uint8_t ctx;
    /* Issue slots of a cycle. */
    uint8_t width;
    /* The predictor of directions ignores the history. */
    bool bimodal;
    /* The last op before those that plugins insert at the start, or NULL. */
    TCGOp *tb_start;
    /* The present instruction raises an exception and is not executed. */
    bool excepted;
    /*
     * The present instruction is the first of its block, or the one before it
     * may have removed the line that both are in.
     */
    bool first;
    bool removed;
    /* X86_PMU_LOAD and X86_PMU_STORE of this instruction; its address. */
    uint8_t accesses;
    /* The same, of those with 16 bytes. */
    uint8_t halves;
    uint64_t pc;
    /* Of the block so far: instructions by source, and stall cycles. */
    uint16_t count[X86_PMU_INSN_SOURCES];
    uint16_t modifying;
    uint16_t both;
    uint16_t locked;
    uint64_t fp[X86_PMU_FP_LAST - X86_PMU_FP + 1];
    uint32_t stalls;
    /* Does it repeat a string instruction? */
    bool repeats;
    /* The block if it is profiled, or NULL. */
    DisasContextBase *profile;
    /* It reports calls, and counts costs. */
    bool calls;
    bool costs;
} DisasPMU;

/* Returns the offset in CPUX86State of the limits of the block's context. */
int pmu_room_offset(DisasPMU *s);
/* Subtracts from one of these limits, at @field; returns what is left. */
TCGv_i64 gen_pmu_spend(DisasPMU *s, int field, TCGv_i64 amount);
/* Adds @n to the total of a source in the block's context; returns the sum. */
TCGv_i64 gen_pmu_total(DisasPMU *s, unsigned int source, TCGv_i64 n);
/* Adds @n to a cost of the present instruction. */
void gen_pmu_cost(DisasPMU *s, VPMUCost cost, TCGv_i64 n);
/* Returns the total of a source in the block's context. */
TCGv_i64 gen_pmu_get(DisasPMU *s, unsigned int source);

/* Called at the start of a block. */
void pmu_init(DisasPMU *s, DisasContextBase *db);
void pmu_tb_start(DisasPMU *s);
/* Called before each instruction; true if it needs gen_pmu_fetch(). */
bool pmu_insn_start(DisasPMU *s, DisasContextBase *db);
/* The instruction lies in another line than the one before. */
void gen_pmu_fetch(DisasPMU *s, TCGv eip, uint64_t cs_base);
/*
 * Called before a helper accesses an operand in memory.  @size is 0 if only the
 * helper knows the addresses.
 */
void gen_pmu_operand(DisasPMU *s, TCGv addr, int mmu_idx, unsigned int size,
                     bool is_write);
/*
 * The instruction maintains the caches: X86_PMU_CLEAN, X86_PMU_FLUSH; or all of
 * them, without @addr.
 */
void gen_pmu_maintain(DisasPMU *s, TCGv addr, int what);
/* Called after each element of a string; to leave the block if needed. */
void gen_pmu_element(DisasPMU *s);
void gen_pmu_stop(DisasPMU *s, TCGLabel *leave);
/* Called if another element follows in this block, or (-1) does not. */
void gen_pmu_next(DisasPMU *s, int n);
/* Called for an instruction that raises an exception. */
void pmu_except(DisasPMU *s);
/* Called where a repeated instruction is left before its end. */
void gen_pmu_repeat(DisasPMU *s);
/* Called for a near branch of a @kind of pmu.h; @next is the address behind. */
void gen_pmu_branch(DisasPMU *s, TCGv next, TCGv target, int kind);
/* The same for one that is taken, if the block reports branches. */
void gen_pmu_taken(DisasPMU *s, TCGv from, TCGv next, TCGv target, int kind);
/* The same, if the block reports calls. */
void gen_pmu_call(DisasPMU *s, TCGv next, TCGv target, int kind);
/* Called before a far branch of a @kind of pmu.h at @from. */
void gen_pmu_far(DisasPMU *s, TCGv from, int kind);
/* Called after each instruction; @next is the address behind it. */
void pmu_insn(DisasPMU *s, DisasContextBase *db, CPUX86State *env,
              uint64_t next, bool code64);
/* Called at the end of the block. */
void gen_pmu_tally(DisasPMU *s);

#endif

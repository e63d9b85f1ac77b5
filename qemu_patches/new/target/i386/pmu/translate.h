/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is tallied for the PMU while a block is translated
 */

#ifndef TARGET_I386_PMU_TRANSLATE_H
#define TARGET_I386_PMU_TRANSLATE_H

typedef struct DisasPMU {
    bool tally;
    bool events;
    bool predict;
    uint8_t ctx;
    /* The last op before those of plugins for the whole block, or NULL. */
    TCGOp *tb_start;
    /* This instruction raises an exception instead of being executed. */
    bool excepted;
    /* Of the block so far, by source */
    uint16_t count[X86_PMU_INSN_SOURCES];
} DisasPMU;

/* At the start of a block, ... */
void pmu_init(DisasPMU *s, uint32_t flags);
void pmu_tb_start(DisasPMU *s);
/* ... for an instruction that is an exception, ... */
void pmu_except(DisasPMU *s);
/* ... where a repeated one is left before it is done, ... */
void gen_pmu_repeat(DisasPMU *s);
/* ... for a near branch, which @next follows, as pmu.h calls its @kind, ... */
void gen_pmu_branch(DisasPMU *s, TCGv next, TCGv target, int kind);
/* ... when an instruction has been translated, @next is behind it, ... */
void pmu_insn(DisasPMU *s, DisasContextBase *db, CPUX86State *env,
              uint64_t next, bool code64);
/* ... and at the end of the block. */
void gen_pmu_tally(DisasPMU *s);

#endif

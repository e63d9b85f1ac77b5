/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is tallied for the PMU while a block is translated
 */

#ifndef TARGET_I386_PMU_TRANSLATE_H
#define TARGET_I386_PMU_TRANSLATE_H

typedef struct DisasPMU {
    bool tally;
    bool events;
    /* This CPU has one, whatever is counted. */
    bool exists;
    bool predict;
    /* It tallies what reads and writes memory, and feeds the models. */
    bool memory;
    bool models;
    /* It tallies cycles; it is one instruction, and the PMU sees each cycle. */
    bool cycles;
    bool step;
    uint8_t ctx;
    /* Slots of a cycle, and those that a misprediction stalls. */
    uint8_t width;
    uint32_t miss_slots;
    /* Directions are predicted without their history. */
    bool bimodal;
    /* The last op before those of plugins for the whole block, or NULL. */
    TCGOp *tb_start;
    /* This instruction raises an exception instead of being executed. */
    bool excepted;
    /* It reads and writes memory: a mask of sources; where it is. */
    uint8_t accesses;
    uint64_t pc;
    /* Of the block so far, by source; cycles for which instructions stall */
    uint16_t count[X86_PMU_INSN_SOURCES];
    uint32_t stalls;
} DisasPMU;

/* Where in CPUX86State the block's context has what says how far it may go. */
int pmu_room_offset(DisasPMU *s);
/* Add @n to the total of a source in the block's context, and return that. */
TCGv_i64 gen_pmu_total(DisasPMU *s, unsigned int source, TCGv_i64 n);

/* At the start of a block, ... */
void pmu_init(DisasPMU *s, DisasContextBase *db);
void pmu_tb_start(DisasPMU *s);
/* ... at that of each instruction, which says if it needs ... */
bool pmu_insn_start(DisasPMU *s, DisasContextBase *db);
/* ... this: it is in another line than the one before, ... */
void gen_pmu_fetch(DisasPMU *s, TCGv eip, uint64_t cs_base);
/*
 * ... before a helper accesses an operand in memory (of size 0 if that is at
 * places that only it knows), ...
 */
void gen_pmu_operand(DisasPMU *s, TCGv addr, int mmu_idx, unsigned int size,
                     bool is_write);
/* ... after each element of a string, and to leave after it if need be, ... */
void gen_pmu_element(DisasPMU *s);
void gen_pmu_stop(DisasPMU *s, TCGLabel *leave);
/* ... when another element follows in this block, or does not after all, ... */
void gen_pmu_next(DisasPMU *s, int n);
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

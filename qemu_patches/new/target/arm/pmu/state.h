/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU's parts of CPUARMState and ARMCPU
 */

#ifndef TARGET_ARM_PMU_STATE_H
#define TARGET_ARM_PMU_STATE_H

/*
 * The numbers of the vpmu library that generated code knows: the name here, the
 * library's name without VPMU_, and the number.  The library's headers may be
 * missing where this file is included, so tally.c compares.
 */
#define ARM_PMU_NUMBERS(X)                                                \
    /* Known from the encoding; all but the first are tallied if armed */ \
    X(INSNS, SRC_INST_RETIRED, 0)                                         \
    X(LD, SRC_LD_RETIRED, 1)                                              \
    X(ST, SRC_ST_RETIRED, 2)                                              \
    X(DP, SRC_DP, 3)                                                      \
    X(BR_IMMED, SRC_BR_IMMED, 6)                                          \
    X(BR_RETURN, SRC_BR_RETURN, 7)                                        \
    X(BR_INDIRECT, SRC_BR_INDIRECT, 8)                                    \
    X(EXC_RETURN, SRC_EXC_RETURN, 14)                                     \
    X(PC_WRITE, SRC_PC_WRITE, 15)                                         \
    X(INSN_SOURCES, SRC_INSN_END, 16)                                     \
    X(UNALIGNED, SRC_UNALIGNED, 16)                                       \
    X(CYCLES, SRC_CPU_CYCLES, 17)                                         \
    X(L1I, SRC_L1I_CACHE, 19)                                             \
    X(L1D_RD, SRC_L1D_CACHE_RD, 21)                                       \
    X(L1D_WR, SRC_L1D_CACHE_WR, 22)                                       \
    X(BR_MIS_PRED, SRC_BR_MIS_PRED, 41)                                   \
    X(STALL_BACKEND, SRC_STALL_BACKEND, 43)                               \
    X(STALL_SLOT_BACKEND, SRC_STALL_SLOT_BACKEND, 44)                     \
    /* Details of instructions; the operations are a part of them */      \
    X(DETAIL, SRC_DETAIL, 61)                                             \
    X(SVE_LDFF, SRC_SVE_LDFF, 90)                                         \
    X(OPS, SRC_OPS, 109)                                                  \
    X(DETAIL_END, SRC_DETAIL_END, 115)                                    \
    X(STREX_PASS, SRC_STREX_PASS, 115)                                    \
    X(STREX_FAIL, SRC_STREX_FAIL, 116)                                    \
    X(SVE_PRED_EMPTY, SRC_SVE_PRED_EMPTY, 117)                            \
    X(SVE_PRED_FULL, SRC_SVE_PRED_FULL, 118)                              \
    X(SVE_PRED_PARTIAL, SRC_SVE_PRED_PARTIAL, 119)                        \
    X(SVE_LDFF_FAULT, SRC_SVE_LDFF_FAULT, 120)                            \
    X(CHECKED_RD, SRC_MEM_ACCESS_CHECKED_RD, 121)                         \
    X(CHECKED_WR, SRC_MEM_ACCESS_CHECKED_WR, 122)                         \
    X(UNALIGNED_LD, SRC_UNALIGNED_LD, 123)                                \
    X(UNALIGNED_ST, SRC_UNALIGNED_ST, 124)                                \
    /* EL0 to EL2 in Secure, Non-secure and Realm state, then EL3 */      \
    X(CONTEXTS, CTX_COUNT, 10)                                            \
    /* Totals from one context to the next */                             \
    X(ROW, SRC_ROW, 136)                                                  \
    /* Predictors, and kinds of branches for them */                      \
    X(PREDICT_TAGE, BRANCH_TAGE, 0)                                       \
    X(PREDICT_GSHARE, BRANCH_GSHARE, 1)                                   \
    X(PREDICT_BIMODAL, BRANCH_BIMODAL, 2)                                 \
    X(PREDICT_STATIC, BRANCH_STATIC, 3)                                   \
    X(BRANCH_CONDITIONAL, BRANCH_CONDITIONAL, 0)                          \
    X(BRANCH_DIRECT, BRANCH_DIRECT, 1)                                    \
    X(BRANCH_CALL, BRANCH_CALL, 2)                                        \
    X(BRANCH_INDIRECT_CALL, BRANCH_INDIRECT_CALL, 3)                      \
    X(BRANCH_INDIRECT, BRANCH_INDIRECT, 4)                                \
    X(BRANCH_RETURN, BRANCH_RETURN, 5)                                    \
    /* Set in the number of a T32 branch that is not aligned to a word */ \
    X(PREDICT_BETWEEN, PREDICTOR_BETWEEN, 0x100)

#define ARM_PMU_NUMBER(name, of_library, number) \
    enum { ARM_PMU_##name = number };
ARM_PMU_NUMBERS(ARM_PMU_NUMBER)

/*
 * What a translation block counts besides instructions.  Bits up to
 * ARM_PMU_UNALIGNED are sources.  The others are models to feed, and whether
 * sources from ARM_PMU_DETAIL on are tallied, all of them.  pmu.h has their
 * places in a block's flags.
 */
#define ARM_PMU_FIRST_MODEL 17
enum {
    ARM_PMU_MEMORY = 1 << 17,
    ARM_PMU_BRANCHES = 1 << 18,
    ARM_PMU_MODEL_CYCLES = 1 << 19,
    /* A counter is close to overflow: end after what it may count. */
    ARM_PMU_NEAR = 1 << 20,
    /* A counter has a threshold: evaluate each cycle. */
    ARM_PMU_STEP = 1 << 21,
    ARM_PMU_IN_DETAIL = 1 << 22,
};

/* What helpers found out about an instruction. */
enum {
    /* It compares an allocation tag. */
    ARM_PMU_TAG_CHECKED = 1 << 0,
    /* It writes 0 to a bit of FFR. */
    ARM_PMU_FFR_CLEARED = 1 << 1,
};

/* Readers of sampled instructions. */
enum {
    ARM_PMU_SAMPLED_BY_SPE = 1 << 0,
    /* A recording may need a description of its access. */
    ARM_PMU_SAMPLED_OUTSIDE = 1 << 1,
};

/* In CPUARMState: totals that generated code tallies, and limits. */
typedef struct CPUARMPMUState {
    uint64_t totals[ARM_PMU_CONTEXTS][ARM_PMU_ROW];
    /* Totals of instructions and cycles at which this context must stop. */
    uint64_t limit;
    uint64_t cycles_limit;
    /* Events that models may tally before the limit must be renewed. */
    uint64_t budget;
    /* A mask of the contexts in which anything is tallied. */
    uint32_t contexts;
    /* What each context counts besides instructions. */
    uint32_t events[ARM_PMU_CONTEXTS];
    /* A counter is close to overflow in this context. */
    bool near;
    /* ARM_PMU_TAG_CHECKED and so on; see gen_clear_outcomes() */
    uint8_t outcomes;
    /*
     * An access that does not go to the caches was taken back from
     * ARM_PMU_L1D_RD and _WR.  @excepted is ARM_PMU_LD and ARM_PMU_ST of the
     * instruction, in two bits.  The instruction is identified by its place in
     * the block and the total of ARM_PMU_INSNS.  If it faults, the tally must
     * not be taken back a second time.
     */
    uint8_t excepted;
    uint16_t excepted_place;
    uint64_t excepted_insns;
    /* Branches are recorded in this state of the CPU; in some state. */
    bool brbe;
    bool brbe_enabled;
    /* A recording records branches in this state of the CPU. */
    bool branches;
    /*
     * Readers of the next instruction: ARM_PMU_SAMPLED_BY_SPE and so on.  SPE
     * samples in some state.
     */
    uint8_t sampled;
    bool spe_enabled;
    /* The address of the last exception return where branches are recorded. */
    uint64_t brbe_eret;
    /* The models; NULL until a counter needs them. */
    void *model;
    /* The counters of an exact profile; see tcg/vpmu-profile.h */
    void *profile;
    /* The most that one line of an access can add to a counter. */
    uint32_t most_per_line;
    uint8_t line_shift;
    uint8_t width;
    uint8_t predictor;
} CPUARMPMUState;

/* In ARMCPU: the user's configuration of the PMU. */
typedef struct ARMPMUConfig {
    /* Configuration of the models */
    struct vpmu_model_config *model;
    /* The guest reads about the modelled caches */
    bool cache_told;
    /* The last property that was set, for error messages; or NULL */
    const char *by;
    /* PMMIR_EL1.THWIDTH, and the features that PMMIR_EL1.EDGE announces */
    uint8_t threshold_width;
    bool edge;
    bool th2;
    /* ID_AA64DFR0_EL1.BRBE and BRBIDR0_EL1.NUMREC */
    uint8_t brbe;
    uint8_t brbe_records;
    /* ID_AA64DFR0_EL1.PMSVer */
    uint8_t spe;

    /* With KVM: the host's PMU; NULL: any */
    char *kvm_host;
    /* The state may be restored to fewer counters */
    bool kvm_truncate;
    /* The PMU's registers are written separately from the others */
    bool kvm_apart;
    /* The user has set the number of counters */
    bool counters_set;
} ARMPMUConfig;

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU's parts of CPUARMState and ARMCPU
 */

#ifndef TARGET_ARM_PMU_STATE_H
#define TARGET_ARM_PMU_STATE_H

/*
 * Sources of the PMU's events: enum vpmu_source and enum vpmu_arm_source of the
 * library, which tally.c compares.  Contexts are EL0 to EL2 in Secure,
 * Non-secure and Realm state, then EL3.
 */
enum {
    /* Known from the encoding.  All except the first are tallied if armed. */
    ARM_PMU_INSNS,
    ARM_PMU_LD,
    ARM_PMU_ST,
    ARM_PMU_BR_IMMED = 6,
    ARM_PMU_BR_RETURN,
    ARM_PMU_BR_INDIRECT,
    ARM_PMU_PC_WRITE = 15,
    ARM_PMU_INSN_SOURCES,

    ARM_PMU_UNALIGNED = ARM_PMU_INSN_SOURCES,
    ARM_PMU_CYCLES,
    ARM_PMU_L1I = 19,
    ARM_PMU_L1D_RD = 21,
    ARM_PMU_L1D_WR,
    ARM_PMU_BR_MIS_PRED = 41,
    ARM_PMU_STALL_BACKEND = 43,
    ARM_PMU_STALL_SLOT_BACKEND,

    ARM_PMU_EXC_UNDEF = 48,
    ARM_PMU_EXC_SVC,
    ARM_PMU_EXC_PABORT,
    ARM_PMU_EXC_DABORT,
    ARM_PMU_EXC_IRQ,
    ARM_PMU_EXC_FIQ,
    ARM_PMU_EXC_SMC,
    ARM_PMU_EXC_HVC,
    ARM_PMU_EXC_TRAP_PABORT,
    ARM_PMU_EXC_TRAP_DABORT,
    ARM_PMU_EXC_TRAP_OTHER,
    ARM_PMU_EXC_TRAP_IRQ,
    ARM_PMU_EXC_TRAP_FIQ,

    /* What instructions do in detail; of these, the operations they perform. */
    ARM_PMU_DETAIL,
    ARM_PMU_SVE_LDFF = 87,
    ARM_PMU_OPS = 106,
    ARM_PMU_DETAIL_END = 112,
    ARM_PMU_STREX_PASS = ARM_PMU_DETAIL_END,
    ARM_PMU_STREX_FAIL,
    ARM_PMU_SVE_PRED_EMPTY,
    ARM_PMU_SVE_PRED_FULL,
    ARM_PMU_SVE_PRED_PARTIAL,
    ARM_PMU_SVE_LDFF_FAULT,
    ARM_PMU_CHECKED_RD,
    ARM_PMU_CHECKED_WR,
    ARM_PMU_UNALIGNED_LD,
    ARM_PMU_UNALIGNED_ST,
    ARM_PMU_L1D_TLB_REFILL_RD,
    ARM_PMU_L1D_CACHE_REFILL_OUTER = 127,
    ARM_PMU_SOURCES,
};
#define ARM_PMU_CONTEXTS 10
/* Totals from one context to the next, see VPMU_SRC_ROW */
#define ARM_PMU_ROW 136

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

/* Who samples an instruction. */
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
     * Who samples the next instruction: ARM_PMU_SAMPLED_BY_SPE and so on.  SPE
     * samples in some state.
     */
    uint8_t sampled;
    bool spe_enabled;
    /* The address of the last exception return where branches are recorded. */
    uint64_t brbe_eret;
    /* The models; NULL until a counter needs them. */
    void *model;
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

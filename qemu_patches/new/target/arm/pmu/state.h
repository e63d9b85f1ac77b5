/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an Arm CPU has for its PMU: parts of CPUARMState and ARMCPU
 */

#ifndef TARGET_ARM_PMU_STATE_H
#define TARGET_ARM_PMU_STATE_H

/*
 * What the PMU's events come from, and where: EL0 to EL2 in Secure,
 * Non-secure and Realm state, then EL3.
 */
enum {
    /* These show when an instruction is decoded, all but the first if armed. */
    ARM_PMU_INSNS,
    ARM_PMU_LD,
    ARM_PMU_ST,
    ARM_PMU_BR_IMMED = 6,
    ARM_PMU_BR_RETURN,
    ARM_PMU_BR_INDIRECT,
    ARM_PMU_PC_WRITE = 15,
    ARM_PMU_INSN_SOURCES,

    ARM_PMU_UNALIGNED = ARM_PMU_INSN_SOURCES,
    ARM_PMU_EXC_UNDEF,
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
    ARM_PMU_CYCLES,
    ARM_PMU_L1D_RD = 34,
    ARM_PMU_L1D_WR,
    ARM_PMU_BR_MIS_PRED = 54,
    ARM_PMU_STALL_BACKEND = 56,
    ARM_PMU_STALL_SLOT,
    ARM_PMU_SOURCES,
};
#define ARM_PMU_CONTEXTS 10

/*
 * What a translation block counts besides instructions.  Bits up to
 * ARM_PMU_UNALIGNED are sources, TBFLAG_PMU, EVENTS; the others are models to
 * feed, TBFLAG_ANY, PMU_MODELS.
 */
#define ARM_PMU_FIRST_MODEL 17
enum {
    ARM_PMU_MEMORY = 1 << 17,
    ARM_PMU_BRANCHES = 1 << 18,
    ARM_PMU_MODEL_CYCLES = 1 << 19,
    /* Some counter is about to overflow: end after what may be counted. */
    ARM_PMU_NEAR = 1 << 20,
    /* Some counter has a threshold: cycles are told apart, one by one. */
    ARM_PMU_STEP = 1 << 21,
};

/* In CPUARMState: what the PMU has generated code tally; see vpmu.c. */
typedef struct CPUARMPMUState {
    uint64_t totals[ARM_PMU_CONTEXTS][ARM_PMU_SOURCES];
    /* In this context, where tallies of instructions and cycles must stop. */
    uint64_t limit;
    uint64_t cycles_limit;
    /* What models may still count before the limit must be renewed. */
    uint64_t budget;
    /* A mask of the contexts in which anything is tallied. */
    uint32_t contexts;
    /* What is counted in each of them, besides instructions. */
    uint32_t events[ARM_PMU_CONTEXTS];
    /* In this context, some counter is about to overflow. */
    bool near;
    /*
     * ARM_PMU_LD and ARM_PMU_ST, in two bits, of an instruction whose access
     * is not one of caches: they have been taken back from ARM_PMU_L1D_RD and
     * _WR.  Which instruction that is: its place in the block, and what
     * ARM_PMU_INSNS said; if it faults, that is not to be done again.
     */
    uint8_t excepted;
    uint16_t excepted_place;
    uint64_t excepted_insns;
    /* Models of caches and more; NULL until some counter needs them. */
    void *model;
    /* What a line of an access can make a counter move by. */
    uint32_t most_per_line;
    uint8_t line_shift;
    uint8_t width;
    uint8_t predictor;
} CPUARMPMUState;

/* In ARMCPU: what PMU the user wants. */
typedef struct ARMPMUConfig {
    /* What models of caches and more it has */
    struct vpmu_model_config *model;
    /* The property, if any, that said what it is to be like */
    const char *by;
    /* PMMIR_EL1.THWIDTH, and the features that PMMIR_EL1.EDGE announces */
    uint8_t threshold_width;
    bool edge;
    bool th2;

    /* With KVM: which PMU the host counts with; NULL: any */
    char *kvm_host;
    /* Its state may be restored to fewer counters */
    bool kvm_truncate;
    /* Its registers are written apart from the others */
    bool kvm_apart;
    /* The user has said how many counters it is to have */
    bool kvm_counters_set;
} ARMPMUConfig;

#endif

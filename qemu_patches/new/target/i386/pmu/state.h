/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU's part of CPUX86State
 */

#ifndef TARGET_I386_PMU_STATE_H
#define TARGET_I386_PMU_STATE_H

/*
 * The numbers of the vpmu library that generated code knows: the name here, the
 * library's name without VPMU_X86_, and the number.  The library's headers may
 * be missing where this file is included, so vpmu.c compares.
 */
#define X86_PMU_NUMBERS(X)                                                \
    /* Known when an instruction is decoded */                            \
    X(INSNS, SRC_INST, 0)                                                 \
    X(LOAD, SRC_LOAD, 1)                                                  \
    X(STORE, SRC_STORE, 2)                                                \
    X(BR_COND, SRC_BR_COND, 3)                                            \
    X(BR_INDIRECT, SRC_BR_INDIRECT, 5)                                    \
    X(BR_RETURN, SRC_BR_RETURN, 6)                                        \
    X(BR_FAR, SRC_BR_FAR, 7)                                              \
    X(INSN_SOURCES, SRC_INSN_END, 9)                                      \
    X(RECOVERY, SRC_RECOVERY, 9)                                          \
    X(SLOT_RECOVERY, SRC_SLOT_RECOVERY, 11)                               \
    X(CYCLES, SRC_CYCLES, 17)                                             \
    X(L1I, SRC_L1I, 19)                                                   \
    X(L1D_RD, SRC_L1D_RD, 21)                                             \
    X(L1D_WR, SRC_L1D_WR, 22)                                             \
    X(BR_MISS, SRC_BR_MISS, 41)                                           \
    X(STALL_FRONTEND, SRC_STALL_FRONTEND, 42)                             \
    X(STALL_BACKEND, SRC_STALL_BACKEND, 43)                               \
    X(SLOT_BACKEND, SRC_SLOT_BACKEND, 44)                                 \
    X(SLOT_FRONTEND, SRC_SLOT_FRONTEND, 45)                               \
    X(BR_TAKEN, SRC_BR_TAKEN, 50)                                         \
    X(BR_NOT_TAKEN, SRC_BR_NOT_TAKEN, 51)                                 \
    X(MISS_TAKEN, SRC_MISS_TAKEN, 52)                                     \
    X(MISS_NOT_TAKEN, SRC_MISS_NOT_TAKEN, 53)                             \
    X(MISS_INDIRECT, SRC_MISS_INDIRECT, 54)                               \
    X(MISS_RETURN, SRC_MISS_RETURN, 55)                                   \
    X(SPLIT, SRC_SPLIT_LOAD, 64)                                          \
    X(RMW, SRC_RMW, 69)                                                   \
    X(RMW_LESS, SRC_RMW_LESS, 70)                                         \
    X(RMW_LESS_AGAIN, SRC_RMW_LESS_AGAIN, 71)                             \
    X(FP, SRC_FP_SCALAR_DOUBLE, 72)                                       \
    X(FP_LAST, SRC_PREFETCH_W, 125)                                       \
    X(BOTH_LESS, SRC_BOTH_LESS, 126)                                      \
    X(LOCKED_LOAD, SRC_LOCKED_LOAD, 127)                                  \
    X(SOURCES, SRC_COUNT, 128)                                            \
    /* Contexts */                                                        \
    X(USER, CTX_USER, 0)                                                  \
    X(KERNEL, CTX_KERNEL, 1)                                              \
    X(GUEST_USER, CTX_GUEST_USER, 2)                                      \
    X(GUEST_KERNEL, CTX_GUEST_KERNEL, 3)                                  \
    X(SMM, CTX_SMM, 4)                                                    \
    X(CONTEXTS, CTX_COUNT, 5)

#define X86_PMU_NUMBER(name, of_library, number) \
    enum { X86_PMU_##name = number };
X86_PMU_NUMBERS(X86_PMU_NUMBER)

/*
 * What a translation block does for the PMU: flags in bits that
 * CPUX86State.hflags does not use.
 */
/* It tallies its instructions. */
#define HF_PMU_TALLY_MASK   (1u << 29)
/* It also tallies branches by kind. */
#define HF_PMU_EVENTS_MASK  (1u << 30)
/* It feeds the model of branch prediction. */
#define HF_PMU_PREDICT_MASK (1u << 31)
/*
 * It tallies instructions, loads and stores.  With this bit, the bit for
 * tallying means that the block feeds the cache models.
 */
#define HF_PMU_MEMORY_MASK  (1u << 2)
#define HF_PMU_MODELS_MASK  HF_PMU_TALLY_MASK

/*
 * hflags has no more free bits.  The following flags are in the upper half of a
 * block's cs_base, whose lower half is a 32-bit address, or 0.
 */
#define X86_PMU_FLAGS_SHIFT 32
/* The block tallies cycles: issue slots and stalls of instructions. */
#define X86_PMU_CYCLES_MASK (1ull << 32)
/* The PMU evaluates each cycle, so the block has one instruction. */
#define X86_PMU_STEP_MASK   (1ull << 33)
/* The block tallies conditional branches by their outcome. */
#define X86_PMU_OUTCOMES_MASK (1ull << 35)
/* Near branches that are taken are reported, because some are recorded. */
#define X86_PMU_NEAR_MASK   (1ull << 36)
/* So are far branches. */
#define X86_PMU_FAR_MASK    (1ull << 37)
/* The block has one instruction, and all of its accesses are reported. */
#define X86_PMU_SAMPLED_MASK (1ull << 38)
/* PEBS or a recording may describe an instruction of the block. */
#define X86_PMU_DESCRIBED_MASK (1ull << 40)
/*
 * The block tallies instructions in detail: those that modify memory or lock
 * it, and those of x87, MMX, SSE and AVX.
 */
#define X86_PMU_DETAIL_MASK (1ull << 41)

/*
 * If an overflow may name an instruction: this close to it, a repeated string
 * instruction is executed alone.
 */
#define X86_PMU_NEAR_ACCESSES 8

/* How far a context may go before counters must be settled. */
typedef struct X86PMURoom {
    /* The total of instructions that must not be exceeded. */
    uint64_t limit;
    /* The total of cycles, in slots, that must not be exceeded. */
    uint64_t cycles_limit;
    /* How many events helpers may tally while blocks are executed. */
    int64_t budget;
    /* How many fetches may happen before helpers must see each of them. */
    int64_t fetches;
    /* How many accesses a block may have without an overflow. */
    int64_t accesses;
    /* The total of mispredictions at which counters must be settled. */
    uint64_t miss_limit;
} X86PMURoom;

/* In CPUX86State; see vpmu.c. */
typedef struct CPUX86PMUState {
    /* Something depends on the context, so changes of it must be noticed. */
    bool follows;
    /* INT n is being delivered. */
    bool delivers;
    /* A clock depends on the context. */
    bool clocks_follow;
    /* Branches are recorded at some CPL, by the guest or by a recording. */
    bool branches;
    /* hflags when the context was last passed to the PMU. */
    uint32_t place;
    /* A program was interrupted since, with this stack pointer. */
    bool interrupted;
    uint64_t interrupted_sp;
    /* The flags of blocks in that context, and in each context. */
    uint64_t flags;
    uint64_t flags_in[X86_PMU_CONTEXTS];
    X86PMURoom room[X86_PMU_CONTEXTS];
    /*
     * The lines beyond the first that the present instruction has read and
     * written so far, which totals from X86_PMU_SPLIT on have counted it, its
     * page offset, and the total of instructions.  They are taken back if the
     * instruction faults.
     */
    uint16_t more_read;
    uint16_t more_written;
    uint8_t more_split;
    uint32_t more_place;
    uint64_t more_insns;
    /*
     * How many elements of repeated string instructions blocks have executed
     * that feed the models.  It tells the elements of one instruction apart.
     */
    uint64_t elements;
    /* The properties that the user has set; see properties.c. */
    void *config;
    /* Slots of a cycle; slots and cycles for which a misprediction stalls. */
    uint8_t width;
    uint32_t miss_slots;
    uint32_t miss_cycles;
    /* The predictor of directions ignores the history. */
    bool bimodal;
    /* The model of branch prediction. */
    void *predictor;
    /* Models of caches and TLBs; NULL until some counter needs them. */
    void *model;
    /* The counters of an exact profile; see tcg/vpmu-profile.h */
    void *profile;
    /* By how much one line of an access can move a counter. */
    uint32_t most_per_line;
    uint64_t totals[X86_PMU_CONTEXTS][X86_PMU_SOURCES];
} CPUX86PMUState;

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an x86 CPU has for its PMU: a part of CPUX86State
 */

#ifndef TARGET_I386_PMU_STATE_H
#define TARGET_I386_PMU_STATE_H

/*
 * What the PMU's events come from, and where: at CPL 3 to 1 and at CPL 0, of
 * the host and of a guest of SVM, and in SMM.  Those of vpmu/x86.h.
 */
enum {
    /* These show when an instruction is decoded. */
    X86_PMU_INSNS,
    X86_PMU_LOAD,
    X86_PMU_STORE,
    X86_PMU_BR_FAR = 14,
    X86_PMU_INSN_SOURCES = 16,
    X86_PMU_CYCLES = 30,
    X86_PMU_L1D_RD = 34,
    X86_PMU_L1D_WR,
    X86_PMU_BR_MISS = 54,
    X86_PMU_STALL_FRONTEND,
    X86_PMU_STALL_BACKEND,
    X86_PMU_STALL_SLOT,
    X86_PMU_SOURCES = 58,
};

enum {
    X86_PMU_USER,
    X86_PMU_KERNEL,
    X86_PMU_GUEST_USER,
    X86_PMU_GUEST_KERNEL,
    X86_PMU_SMM,
    X86_PMU_CONTEXTS,
};
/* There are as many rows of totals as any architecture has contexts. */
#define X86_PMU_ROWS 10

/*
 * What a translation block does for the PMU; flags beside those of
 * CPUX86State.hflags.
 */
/* It tallies its instructions. */
#define HF_PMU_TALLY_MASK   (1u << 29)
/* It tallies what they count as as well. */
#define HF_PMU_EVENTS_MASK  (1u << 30)
/* It feeds the model of branch prediction. */
#define HF_PMU_PREDICT_MASK (1u << 31)
/*
 * It tallies its instructions, and which of them read and write memory; then
 * the bit for tallying says that it feeds the models of caches.
 */
#define HF_PMU_MEMORY_MASK  (1u << 2)
#define HF_PMU_MODELS_MASK  HF_PMU_TALLY_MASK

/*
 * There are no more bits in hflags.  Flags from here on are in the upper half
 * of a block's cs_base, whose lower half is an address of 32 bits, or 0.
 */
#define X86_PMU_FLAGS_SHIFT 32
/* The block tallies cycles: issue slots, and what instructions stall. */
#define X86_PMU_CYCLES_MASK (1ull << 32)
/* It tells the PMU of each cycle, so it is of one instruction. */
#define X86_PMU_STEP_MASK   (1ull << 33)

/* How far a context may go before the PMU must be looked at. */
typedef struct X86PMURoom {
    /* Where its tally of instructions must stop. */
    uint64_t limit;
    /* Where its tally of cycles, in slots, must stop. */
    uint64_t cycles_limit;
    /*
     * How many accesses and what follows from them may be tallied while a
     * block is executed.
     */
    int64_t budget;
    /* Where its tally of mispredictions must be looked at. */
    uint64_t miss_limit;
} X86PMURoom;

/* In CPUX86State: what the PMU has generated code tally; see vpmu.c. */
typedef struct CPUX86PMUState {
    /* Does anything depend on where the CPU is?  If not, nothing follows it. */
    bool follows;
    /* INT n is being delivered. */
    bool delivers;
    /* Do clocks?  If not, time need not be looked at there. */
    bool clocks_follow;
    /* The part of hflags that says where the PMU thinks it is. */
    uint32_t place;
    /* The flags of blocks there, and in each context. */
    uint64_t flags;
    uint64_t flags_in[X86_PMU_CONTEXTS];
    X86PMURoom room[X86_PMU_CONTEXTS];
    /*
     * How many lines beyond its first an instruction has accessed so far, read
     * and written, where it is, and what X86_PMU_INSNS said: if it faults, they
     * are taken back.
     */
    uint16_t more_read;
    uint16_t more_written;
    uint32_t more_place;
    uint64_t more_insns;
    /* What the user wants it to be like; see properties.c. */
    void *config;
    /* Slots of a cycle; for how many a misprediction stalls, 0 if for none. */
    uint8_t width;
    uint32_t miss_slots;
    /* Directions are predicted without their history. */
    bool bimodal;
    /* The model of branch prediction. */
    void *predictor;
    /* Models of caches and TLBs; NULL until some counter needs them. */
    void *model;
    /* What a line of an access can make a counter move by. */
    uint32_t most_per_line;
    uint64_t totals[X86_PMU_ROWS][X86_PMU_SOURCES];
} CPUX86PMUState;

#endif

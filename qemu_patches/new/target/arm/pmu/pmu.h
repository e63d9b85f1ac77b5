/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU of an Arm CPU, for the rest of target/arm
 *
 * Included by internals.h.  What is called arm_vpmu is there if QEMU was
 * built with the vpmu library; without, and in user mode, it does nothing.
 */

#ifndef TARGET_ARM_PMU_PMU_H
#define TARGET_ARM_PMU_PMU_H

#include "tcg/vpmu-model.h"

#define ARM_CPU_FREQ 1000000000 /* FIXME: 1 GHz, should be configurable */

/* Where the CPU is, as the PMU counts: an index of env->pmu.totals. */
static inline unsigned int arm_pmu_context(CPUARMState *env)
{
    int el = arm_current_el(env);

    if (el == 3) {
        return ARM_PMU_CONTEXTS - 1;
    }
    switch (arm_security_space_below_el3(env)) {
    case ARMSS_Secure:
        return el;
    case ARMSS_Realm:
        return 6 + el;
    default:
        return 3 + el;
    }
}

/* What a block with these flags counts besides instructions. */
static inline uint32_t arm_pmu_events(uint32_t flags, uint64_t flags2)
{
    return FIELD_EX64(flags2, TBFLAG_PMU, EVENTS) << 1 |
           FIELD_EX32(flags, TBFLAG_ANY, PMU_MODELS) << ARM_PMU_FIRST_MODEL;
}

/* Say in the flags of blocks what they are to tally where the CPU is. */
static inline void arm_pmu_add_tb_flags(CPUARMState *env, CPUARMTBFlags *flags)
{
    unsigned int ctx;
    uint32_t events;

    if (likely(!env->pmu.contexts)) {
        return;
    }
    ctx = arm_pmu_context(env);
    if (extract32(env->pmu.contexts, ctx, 1)) {
        events = env->pmu.events[ctx] | (env->pmu.near ? ARM_PMU_NEAR : 0);
        DP_TBFLAG_ANY((*flags), PMU_TALLY, ctx + 1);
        DP_TBFLAG_ANY((*flags), PMU_MODELS, events >> ARM_PMU_FIRST_MODEL);
        DP_TBFLAG_PMU((*flags), EVENTS, events >> 1);
    }
}

#define ARM_PMU_ALL_BRANCHES                                            \
    ((1u << ARM_PMU_BR_IMMED) | (1u << ARM_PMU_BR_RETURN) |             \
     (1u << ARM_PMU_BR_INDIRECT))

/*
 * Data of an instruction, beside the condition bits: what was tallied for it
 * when its block began, and what is tallied when it begins itself.
 */
#define ARM_PMU_DATA_SOURCES 8
#define ARM_PMU_DATA_STALL   24
#define ARM_PMU_DATA_BEGUN   32

/*
 * One line of an access makes no counter move by more than this, stalls left
 * aside: it may be refilled, push another line out at each level, and walk.
 */
#define ARM_PMU_MOST_PER_LINE 16

/* Instructions of a block that feeds the models with accesses. */
#define ARM_PMU_MOST_ACCESSES 32

/* An access, for the helper that feeds the models; LAST is its size less 1. */
FIELD(PMUDATA, LAST, 0, 10)
FIELD(PMUDATA, WRITE, 10, 1)
FIELD(PMUDATA, MIDX, 11, 5)
FIELD(PMUDATA, CTX, 16, 4)
FIELD(PMUDATA, TALLIED, 20, 2)
FIELD(PMUDATA, PLACE, 22, 10)

/* A branch. */
FIELD(PMUBRANCH, SIZE, 0, 3)
FIELD(PMUBRANCH, CTX, 3, 4)
FIELD(PMUBRANCH, KIND, 7, 3)
FIELD(PMUBRANCH, TAKEN, 10, 1)

/*
 * Where in a block an instruction is.  A block has at most 512 instructions,
 * TCG_MAX_INSNS, of 4 bytes, so no two of them are alike in these bits.
 */
static inline uint32_t arm_pmu_place(uint64_t pc)
{
    return extract64(pc, 1, R_PMUDATA_PLACE_LENGTH);
}

/* Where generated code finds things in env->pmu.model; see vpmu/model.h. */
#define ARM_PMU_MODEL_PREDICTOR  (VPMU_MODEL_FETCH_LINE + 8)

/* T32 has branches between words: the numbers of these differ in this bit. */
#define ARM_PMU_PREDICT_BETWEEN  0x100

enum {
    ARM_PMU_PREDICT_TAGE,
    ARM_PMU_PREDICT_GSHARE,
    ARM_PMU_PREDICT_BIMODAL,
    ARM_PMU_PREDICT_STATIC,
};

enum {
    ARM_PMU_BRANCH_CONDITIONAL,
    ARM_PMU_BRANCH_DIRECT,
    ARM_PMU_BRANCH_CALL,
    ARM_PMU_BRANCH_INDIRECT_CALL,
    ARM_PMU_BRANCH_INDIRECT,
    ARM_PMU_BRANCH_RETURN,
};

/* A TLBI: fields of A64's encoding, or A32's and T32's as A64 has them. */
FIELD(PMUTLBI, OP1, 0, 3)
FIELD(PMUTLBI, CRM, 3, 4)
FIELD(PMUTLBI, OP2, 7, 3)
FIELD(PMUTLBI, A32, 10, 1)

enum {
    ARM_PMU_ISA_A64,
    ARM_PMU_ISA_A32,
    ARM_PMU_ISA_T32,
};

/* An instruction that was tallied for context @ctx has not been executed. */
static inline void arm_pmu_uncount(CPUARMState *env, unsigned int ctx,
                                   uint32_t events, uint32_t sources,
                                   unsigned int stall)
{
    uint64_t *totals = env->pmu.totals[ctx];

    totals[ARM_PMU_INSNS]--;
    for (uint32_t left = sources & events; left; left &= left - 1) {
        totals[ctz32(left)]--;
    }
    if (events & ARM_PMU_MEMORY) {
        totals[ARM_PMU_L1D_RD] -= extract32(sources, ARM_PMU_LD, 1);
        totals[ARM_PMU_L1D_WR] -= extract32(sources, ARM_PMU_ST, 1);
    }
    if (events & ARM_PMU_MODEL_CYCLES) {
        totals[ARM_PMU_CYCLES] -= 1 + stall * env->pmu.width;
        totals[ARM_PMU_STALL_BACKEND] -= stall;
        totals[ARM_PMU_STALL_SLOT] -= stall * env->pmu.width;
    }
}

/*
 * The current instruction, a system instruction and the last of its block, is
 * not going to be executed, and the exception that says so is raised without
 * unwinding.
 */
static inline void arm_pmu_uncount_insn(CPUARMState *env)
{
    unsigned int tally = EX_TBFLAG_ANY(env->hflags, PMU_TALLY);

    if (tally) {
        arm_pmu_uncount(env, tally - 1,
                        arm_pmu_events(env->hflags.flags, env->hflags.flags2),
                        0, 0);
    }
}

/* May the user say what the PMU is like?  Not with KVM. */
bool arm_may_configure_pmu(const char *name, Error **errp);

/* Is an interrupt pending that is going to be taken before anything else? */
bool arm_cpu_has_unmasked_interrupt(CPUState *cs);

/* As the property pmu-version has it; empty if it has no such version. */
const char *arm_pmu_version_name(ARMCPU *cpu);

/* Add the properties of the PMU's models; the name of one, or NULL. */
void arm_vpmu_add_properties(Object *obj);
const char *arm_vpmu_property_name(unsigned int i);

/* Was QEMU built with the vpmu library?  Without, only KVM has a PMU. */
bool arm_vpmu_available(void);

/* Can a CPU have a PMU?  In user mode it seems so: ID registers say it. */
bool arm_pmu_available(void);

/* Add the properties that say what a CPU's PMU is like. */
void arm_pmu_add_properties(Object *obj);

/**
 * arm_vpmu_realize: give a CPU the PMU that its ID registers announce
 *
 * Returns false, with @errp set, if there cannot be such a PMU.
 */
bool arm_vpmu_realize(ARMCPU *cpu, Error **errp);
void arm_vpmu_finalize(ARMCPU *cpu);
void arm_vpmu_reset(ARMCPU *cpu);

/* Define the system registers of the PMU that a CPU has. */
void arm_vpmu_define_regs(ARMCPU *cpu);

/*
 * The exception level or the security state was set otherwise than by an
 * exception, or by what calls the hooks of such changes.  With the BQL.
 */
void arm_vpmu_moved(CPUARMState *env);

/* MDCR_EL2 or MDCR_EL3 has been written. */
void arm_vpmu_mdcr_el2_changed(CPUARMState *env, uint64_t old);
void arm_vpmu_mdcr_el3_changed(CPUARMState *env, uint64_t old);

/* The CPU is about to stop executing: let due overflows happen. */
void arm_vpmu_sync(CPUARMState *env);

/*
 * The CPU is about to execute: if the limit is reached, let the overflow
 * happen.  The first block would do it; but in a replay there is none, when
 * the interrupt of the overflow is what comes next.
 */
void arm_vpmu_exec_enter(CPUState *cs);

/*
 * A block of @n instructions, with so many stalled cycles, would take a tally
 * past its limit.  Returns how many instructions may be executed before that;
 * @n or more: the block may be tried again.
 */
uint64_t arm_vpmu_insns_left(CPUARMState *env, unsigned int n,
                             unsigned int stalls);

/*
 * What an instruction counts as: a mask of the sources below
 * ARM_PMU_INSN_SOURCES, the first left out; and how many cycles the modelled
 * pipeline stalls for it.
 */
uint32_t arm_vpmu_decode(int isa, uint32_t insn, unsigned int *stall);

/*
 * CPU_INTERRUPT_PMU is set: let an overflow happen before any interrupt is
 * taken that came after it.  Returns what interrupts are requested then.
 */
int arm_vpmu_interrupt(CPUState *cs);

/*
 * An exception is about to be taken from where the CPU is now.  Had a counter
 * overflowed before, and is its interrupt to be taken?  Then the CPU is back
 * at the instruction that causes the exception.
 */
bool arm_vpmu_comes_first(ARMCPU *cpu);

/* An exception is taken from where the CPU is now. */
void arm_vpmu_exception(ARMCPU *cpu);

/* An instruction has been executed: evaluate the cycles that it took. */
void arm_vpmu_step(CPUARMState *env);

/* If an event of this context made a counter overflow, see to it soon. */
void arm_vpmu_near(CPUARMState *env);

/* The budget is used up, or a counter is close to its end. */
void arm_vpmu_overspent(CPUARMState *env);

/* Feed the models. */
void arm_vpmu_data(CPUARMState *env, uint64_t addr, uint32_t desc);
void arm_vpmu_fetch(CPUARMState *env, uint64_t pc, unsigned int ctx);
void arm_vpmu_branch(CPUARMState *env, uint64_t pc, uint64_t target,
                     uint32_t desc);
void arm_vpmu_mispredicted(CPUARMState *env, unsigned int ctx);

/* TAGE learns how a branch went; returns whether it was mispredicted. */
bool arm_vpmu_tage(void *predictor, uint64_t number, bool taken);

/*
 * For helpers whose instructions make accesses of any number, which generated
 * code has not tallied (gen_pmu_told()): feed the models, if they are fed, as
 * arm_pmu_models_memory() says, when such an access cannot fault any more.
 */
void arm_vpmu_accessed(CPUARMState *env, uint64_t addr, unsigned int size,
                       bool write, int mmu_idx);

/*
 * The same for SET* and CPY*, which are done in parts.  However these are
 * cut and resumed, each line is one access: it is made by the part that has
 * its first byte, backwards the last one.  The line in the middle of which
 * all begins is another part, if @size is not 0, by the prologue.
 */
typedef enum ARMPMUPart {
    ARM_PMU_FORWARDS,
    /* @addr is the last byte. */
    ARM_PMU_BACKWARDS,
    ARM_PMU_START,
    ARM_PMU_START_BACKWARDS,
} ARMPMUPart;

void arm_vpmu_lines(CPUARMState *env, uint64_t addr, uint64_t size,
                    bool write, int mmu_idx, ARMPMUPart part);

static inline bool arm_pmu_models_memory(CPUARMState *env)
{
    return unlikely(env->pmu.contexts) &&
           (env->pmu.events[arm_pmu_context(env)] & ARM_PMU_MEMORY);
}

static inline void arm_pmu_was_set(CPUARMState *env, uint64_t addr,
                                   uint64_t size, int mmu_idx,
                                   ARMPMUPart part)
{
    if (arm_pmu_models_memory(env)) {
        arm_vpmu_lines(env, addr, size, true, mmu_idx, part);
    }
}

static inline void arm_pmu_was_copied(CPUARMState *env, uint64_t to,
                                      uint64_t from, uint64_t size,
                                      int to_idx, int from_idx,
                                      ARMPMUPart part)
{
    if (arm_pmu_models_memory(env)) {
        arm_vpmu_lines(env, from, size, false, from_idx, part);
        arm_vpmu_lines(env, to, size, true, to_idx, part);
    }
}

/* A register has been written that says what addresses mean. */
void arm_vpmu_model_moved(CPUARMState *env);

/* TLB maintenance: @what is a PMUTLBI, @value what the register holds. */
void arm_vpmu_tlbi(CPUARMState *env, uint32_t what, uint64_t value);

/*
 * A migration stream begins; it has a register that is not in our list.  If
 * it is the PMU's, as a QEMU without vpmu sends them, it is kept until
 * arm_vpmu_post_load().
 */
void arm_vpmu_pre_load(ARMCPU *cpu);
bool arm_vpmu_take_register(ARMCPU *cpu, uint64_t kvm_id, uint64_t value);

/* The state came in by migration: take it over, after all other registers. */
bool arm_vpmu_post_load(ARMCPU *cpu, Error **errp);
extern const VMStateDescription vmstate_arm_vpmu;

/*
 * For machine.c: a stream begins; it has a register at @v that is not in our
 * list, or at @v and behind it; it has been read.  Those that return a bool
 * report what is wrong and return false.
 */
void arm_pmu_pre_load(ARMCPU *cpu);
bool arm_pmu_take_register(ARMCPU *cpu, int v);
void arm_pmu_take_registers(ARMCPU *cpu, int v);
bool arm_pmu_post_load(ARMCPU *cpu);

/* TCGCPUOps */
bool arm_pmu_counts_insns(const TranslationBlock *tb);
void arm_pmu_uncount_insn_of_tb(CPUState *cs, const TranslationBlock *tb,
                                const uint64_t *data, bool begun);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU of an Arm CPU, for the rest of target/arm
 *
 * Included by internals.h.  Functions that begin with arm_vpmu_ do nothing in
 * user mode, and if QEMU was built without the vpmu library.
 */

#ifndef TARGET_ARM_PMU_PMU_H
#define TARGET_ARM_PMU_PMU_H

#include "tcg/vpmu-model.h"
#include "tcg/vpmu-profile.h"

#define ARM_CPU_FREQ 1000000000 /* FIXME: 1 GHz, should be configurable */

/* Returns the context in which the PMU counts: an index of env->pmu.totals. */
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

/*
 * The PMU's flags of a block, in all modes; cpu.h has the other flags.
 *
 * The context to tally instructions for, plus 1; 0 for none
 */
FIELD(TBFLAG_ANY, PMU_TALLY, 14, 4)
/* The models to feed in that context, see ARM_PMU_MEMORY */
FIELD(TBFLAG_ANY, PMU_MODELS, 18, 5)
/*
 * Sources to tally in that context, from the second one on: the first three in
 * flags, the others in flags2
 */
FIELD(TBFLAG_ANY, PMU_SOURCES, 23, 3)
FIELD(TBFLAG_PMU, SOURCES, 51, 13)
#define TBFLAG_PMU_FIRST_SOURCE (1 + R_TBFLAG_ANY_PMU_SOURCES_LENGTH)
/* Sources from ARM_PMU_DETAIL on are tallied in that context */
FIELD(TBFLAG_ANY, PMU_DETAIL, 26, 1)
/* Branches are recorded */
FIELD(TBFLAG_ANY, PMU_BRBE, 27, 1)
/*
 * With PMU_BRBE, SPE samples the instruction of the block.  Without, a
 * recording describes the accesses of the block.
 */
FIELD(TBFLAG_ANY, PMU_SPE, 28, 1)

/* Returns what a block with these flags counts besides instructions. */
static inline uint32_t arm_pmu_events(uint32_t flags, uint64_t flags2)
{
    return FIELD_EX32(flags, TBFLAG_ANY, PMU_SOURCES) << 1 |
           FIELD_EX64(flags2, TBFLAG_PMU, SOURCES) << TBFLAG_PMU_FIRST_SOURCE |
           FIELD_EX32(flags, TBFLAG_ANY, PMU_MODELS) << ARM_PMU_FIRST_MODEL |
           (FIELD_EX32(flags, TBFLAG_ANY, PMU_DETAIL) ? ARM_PMU_IN_DETAIL : 0);
}

/* Adds to the flags of a block what it has to tally in the current context. */
static inline void arm_pmu_add_tb_flags(CPUARMState *env, CPUARMTBFlags *flags)
{
    unsigned int ctx;
    uint32_t events;

    if (unlikely(env->pmu.brbe | env->pmu.branches)) {
        DP_TBFLAG_ANY((*flags), PMU_BRBE, 1);
    }
    if (unlikely(env->pmu.sampled)) {
        DP_TBFLAG_ANY((*flags), PMU_SPE, 1);
        if (env->pmu.sampled & ARM_PMU_SAMPLED_BY_SPE) {
            DP_TBFLAG_ANY((*flags), PMU_BRBE, 1);
        }
    }
    if (likely(!env->pmu.contexts)) {
        return;
    }
    ctx = arm_pmu_context(env);
    if (extract32(env->pmu.contexts, ctx, 1)) {
        events = env->pmu.events[ctx] | (env->pmu.near ? ARM_PMU_NEAR : 0);
        DP_TBFLAG_ANY((*flags), PMU_TALLY, ctx + 1);
        DP_TBFLAG_ANY((*flags), PMU_MODELS, events >> ARM_PMU_FIRST_MODEL);
        DP_TBFLAG_ANY((*flags), PMU_SOURCES, events >> 1);
        DP_TBFLAG_PMU((*flags), SOURCES, events >> TBFLAG_PMU_FIRST_SOURCE);
        DP_TBFLAG_ANY((*flags), PMU_DETAIL, !!(events & ARM_PMU_IN_DETAIL));
    }
}

#define ARM_PMU_ALL_BRANCHES                                            \
    ((1u << ARM_PMU_BR_IMMED) | (1u << ARM_PMU_BR_RETURN) |             \
     (1u << ARM_PMU_BR_INDIRECT))

/*
 * Bits of an instruction's data, above the condition bits: what was tallied for
 * it at the beginning of its block, and what is tallied when it begins.
 */
#define ARM_PMU_DATA_SOURCES 8
#define ARM_PMU_DATA_STALL   24
#define ARM_PMU_DATA_BEGUN   32
/* It is a store-exclusive, which is counted as a store if it does not fail. */
#define ARM_PMU_DATA_EXCLUSIVE 48
/*
 * In its third word, above the syndrome: the instruction, if it is tallied in
 * detail.
 */
#define ARM_PMU_DATA_INSN    32

/*
 * The most that one line of an access adds to a counter, without stalls: the
 * line is refilled, a line is written back at each level, and the TLB walks.
 */
#define ARM_PMU_MOST_PER_LINE 16

/* The most instructions in a block that feeds the models with accesses. */
#define ARM_PMU_MOST_ACCESSES 32

/*
 * An access, for the helper that feeds the models.  LAST is its size minus 1.
 */
FIELD(PMUDATA, LAST, 0, 10)
FIELD(PMUDATA, WRITE, 10, 1)
FIELD(PMUDATA, MIDX, 11, 5)
FIELD(PMUDATA, CTX, 16, 4)
FIELD(PMUDATA, TALLIED, 20, 2)
FIELD(PMUDATA, PLACE, 22, 10)
/* In place of PLACE, if it is sampled: the alignment it should have, or 0 */
FIELD(PMUDATA, ALIGN, 22, 10)

/*
 * Cache maintenance, for the helper that performs it in the models.  The first
 * values of WHAT are those of enum vpmu_maintenance.
 */
enum {
    ARM_PMU_CLEAN_L1,
    ARM_PMU_CLEAN,
    ARM_PMU_FLUSH,
    ARM_PMU_DISCARD,
    ARM_PMU_INVALIDATE_FETCH,
    ARM_PMU_EMPTY,
    ARM_PMU_EMPTY_FETCH,
};
FIELD(PMUMAINTAIN, WHAT, 0, 3)
FIELD(PMUMAINTAIN, CTX, 3, 4)

/* A branch, for the helper that feeds the models. */
FIELD(PMUBRANCH, SIZE, 0, 3)
FIELD(PMUBRANCH, CTX, 3, 4)
FIELD(PMUBRANCH, KIND, 7, 3)
FIELD(PMUBRANCH, TAKEN, 10, 1)

/*
 * Returns the place of an instruction in its block.  A block has at most 512
 * instructions (TCG_MAX_INSNS) of 4 bytes, so these bits are unique in it.
 */
static inline uint32_t arm_pmu_place(uint64_t pc)
{
    return extract64(pc, 1, R_PMUDATA_PLACE_LENGTH);
}

/* An offset in env->pmu.model, for generated code; see vpmu/model.h. */
#define ARM_PMU_MODEL_PREDICTOR  (VPMU_MODEL_FETCH_LINE + 8)

/* Types of branches in branch records */
enum {
    ARM_PMU_TAKEN_DIRECT = 0,
    ARM_PMU_TAKEN_INDIRECT = 1,
    ARM_PMU_TAKEN_CALL = 2,
    ARM_PMU_TAKEN_INDIRECT_CALL = 3,
    ARM_PMU_TAKEN_RETURN = 5,
    ARM_PMU_TAKEN_CONDITIONAL = 8,
};

/* What the helper gets of a branch that is recorded */
FIELD(PMUTAKEN, TYPE, 0, 6)
FIELD(PMUTAKEN, MISPREDICTED, 6, 1)

/* An SVE predicate, for the helper that evaluates it; LENGTH in bytes */
FIELD(PMUPRED, REGISTER, 0, 4)
FIELD(PMUPRED, ELEMENT, 4, 3)
FIELD(PMUPRED, LENGTH, 7, 9)

/* A TLBI, by the fields of A64's encoding.  A32's and T32's are translated. */
FIELD(PMUTLBI, OP1, 0, 3)
FIELD(PMUTLBI, CRM, 3, 4)
FIELD(PMUTLBI, OP2, 7, 3)
FIELD(PMUTLBI, A32, 10, 1)

enum {
    ARM_PMU_ISA_A64,
    ARM_PMU_ISA_A32,
    ARM_PMU_ISA_T32,
};

/*
 * What an instruction counts as in detail: a mask of sources from
 * ARM_PMU_DETAIL on, in which bit 0 is that source, and how much a source from
 * ARM_PMU_OPS on counts.  All others count once.  If an SVE instruction is
 * predicated: the number of its governing predicate, and the size of the
 * elements, as log2 of bytes.
 */
typedef struct ARMPMUDetail {
    uint64_t sources;
    unsigned int ops;
    bool predicated;
    uint8_t predicate;
    uint8_t element;
} ARMPMUDetail;

/* Counted only if the condition of the instruction fails: LD_SKIPPED etc. */
#define ARM_PMU_DETAIL_FAILED 7
/* All but MOVPRFX count as this. */
#define ARM_PMU_DETAIL_EFFECTIVE 8
/* Counts only if the instruction's condition passes: LDREX_SPEC */
#define ARM_PMU_DETAIL_PASSED 16

ARMPMUDetail arm_vpmu_detail(int isa, uint32_t insn);

/*
 * Returns what an instruction counts as if its condition fails.  @detail is set
 * to what it counts as in detail for that reason alone.
 */
uint32_t arm_vpmu_cond_failed(uint32_t sources, uint64_t *detail);

/* Called when an access compares an allocation tag. */
static inline void arm_pmu_checked_tag(CPUARMState *env)
{
    env->pmu.outcomes |= ARM_PMU_TAG_CHECKED;
}

/* Called when a load writes 0 to bits of FFR. */
static inline void arm_pmu_cleared_ffr(CPUARMState *env)
{
    env->pmu.outcomes |= ARM_PMU_FFR_CLEARED;
}

/* Returns how much source ARM_PMU_DETAIL + @n counts. */
static inline unsigned int arm_pmu_detail_count(const ARMPMUDetail *detail,
                                                unsigned int n)
{
    return ARM_PMU_DETAIL + n >= ARM_PMU_OPS ? detail->ops : 1;
}

/* Takes back the tally of an instruction of @ctx that was not executed. */
static inline void arm_pmu_uncount_detail(CPUARMState *env, unsigned int ctx,
                                          ARMPMUDetail detail)
{
    for (uint64_t left = detail.sources; left; left &= left - 1) {
        unsigned int n = ctz64(left);

        env->pmu.totals[ctx][ARM_PMU_DETAIL + n] -=
            arm_pmu_detail_count(&detail, n);
    }
}

/* The same of the sources that its encoding shows, and of its cycles. */
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
        totals[ARM_PMU_STALL_SLOT_BACKEND] -= stall * env->pmu.width;
    }
}

/*
 * Takes back the tally of the current instruction, which raises an exception
 * without unwinding.  It must count as @sources and be the last one of its
 * block.
 */
static inline void arm_pmu_uncount_insn(CPUARMState *env, uint32_t sources)
{
    unsigned int tally = EX_TBFLAG_ANY(env->hflags, PMU_TALLY);
    uint32_t events;

    if (tally) {
        events = arm_pmu_events(env->hflags.flags, env->hflags.flags2);
        arm_pmu_uncount(env, tally - 1, events, sources, 0);
        vpmu_profile_uncount_at(env_cpu(env),
                                is_a64(env) ? env->pc : env->regs[15],
                                tally - 1);
        if (events & ARM_PMU_IN_DETAIL) {
            arm_pmu_uncount_detail(env, tally - 1, (ARMPMUDetail) {
                .sources = ARM_PMU_DETAIL_EFFECTIVE,
            });
        }
    }
}

/* Is an interrupt pending that is taken before the next instruction? */
bool arm_cpu_has_unmasked_interrupt(CPUState *cs);

/* Returns the version as in the property pmu-version; empty if it has none. */
const char *arm_pmu_version_name(ARMCPU *cpu);

/* Add the properties of the PMU's models; return the name of one, or NULL. */
void arm_vpmu_add_properties(Object *obj);
const char *arm_vpmu_property_name(unsigned int i);

/*
 * With pmu-cache-told=on: adds the modelled caches of a CPU to the device tree,
 * where the CPU's node is @cpu_node.
 */
void arm_pmu_add_cache_nodes(ARMCPU *cpu, void *fdt, const char *cpu_node);

/* Was QEMU built with the vpmu library?  Without it, only KVM has a PMU. */
bool arm_vpmu_available(void);

/*
 * Can a CPU have a PMU?  True in user mode, because ID registers announce one.
 */
bool arm_pmu_available(void);

/* Adds the properties that configure a CPU's PMU. */
void arm_pmu_add_properties(Object *obj);

/**
 * arm_vpmu_realize: create the PMU that a CPU's ID registers announce
 *
 * Returns false, with @errp set, if such a PMU is not possible.
 */
bool arm_vpmu_realize(ARMCPU *cpu, Error **errp);
void arm_vpmu_finalize(ARMCPU *cpu);
void arm_vpmu_reset(ARMCPU *cpu);

/* Defines the system registers of the CPU's PMU. */
void arm_vpmu_define_regs(ARMCPU *cpu);

/*
 * Called after the exception level or the security state has changed without a
 * call of the EL change hooks, for example by gdb.  The BQL is held.
 */
void arm_vpmu_moved(CPUARMState *env);

/*
 * Called when QEMU sets EL3 up in place of firmware: lets Non-secure state use
 * what the PMU of the CPU has.
 */
void arm_vpmu_emulate_firmware(CPUARMState *env);

/* Called after MDCR_EL2 or MDCR_EL3 has been written. */
void arm_vpmu_mdcr_el2_changed(CPUARMState *env, uint64_t old);
void arm_vpmu_mdcr_el3_changed(CPUARMState *env, uint64_t old);

/* Called when the CPU is about to stop executing: performs due overflows. */
void arm_vpmu_sync(CPUARMState *env);

/*
 * Called when the CPU is about to execute: performs the overflow if the limit
 * is reached.  The first block would do it.  But in a replay there is no block
 * before the interrupt of the overflow.
 */
void arm_vpmu_exec_enter(CPUState *cs);

/*
 * Called when a block of @n instructions and @stalls stalled cycles would
 * exceed a limit.  Returns how many instructions may be executed before the
 * limit.  If that is @n or more, the limit has moved, and the block is started
 * again.
 */
uint64_t arm_vpmu_insns_left(CPUARMState *env, unsigned int n,
                             unsigned int stalls);

/*
 * Returns what an instruction counts as: a mask of the sources below
 * ARM_PMU_INSN_SOURCES, without the first one.  Sets @stall to the number of
 * cycles that the modelled pipeline stalls for it.
 */
uint32_t arm_vpmu_decode(int isa, uint32_t insn, unsigned int *stall);

/*
 * Called when CPU_INTERRUPT_PMU is set: performs an overflow before any later
 * interrupt is taken.  Returns the interrupts that are requested after that.
 */
int arm_vpmu_interrupt(CPUState *cs);

/*
 * Called before an exception is taken.  Returns true if a counter overflowed
 * before the exception and its interrupt must be taken first.  The PC is then
 * that of the instruction that causes the exception.
 */
bool arm_vpmu_comes_first(ARMCPU *cpu);

/* Counts an exception, before it is taken. */
void arm_vpmu_exception(ARMCPU *cpu);

/* Evaluates the cycles of the instruction that has been executed. */
void arm_vpmu_step(CPUARMState *env);

/* Ends the block if an event of this context made a counter overflow. */
void arm_vpmu_near(CPUARMState *env);

/* Has an event of this context made a counter overflow? */
bool arm_vpmu_overflows(CPUARMState *env);

/* Lets at most @insns more instructions be executed until it settles. */
void arm_vpmu_stop_after(CPUARMState *env, uint64_t insns);

/* Called when the budget is used up, or a counter is close to overflow. */
void arm_vpmu_overspent(CPUARMState *env);

/* Feed the models with an access, a fetch, a branch. */
void arm_vpmu_data(CPUARMState *env, uint64_t addr, uint32_t desc);
void arm_vpmu_fetch(CPUARMState *env, uint64_t pc, unsigned int ctx);

/* The same close to an overflow; returns whether a counter has overflowed. */
bool arm_vpmu_fetch_first(CPUARMState *env, uint64_t pc, unsigned int ctx);
void arm_vpmu_branch(CPUARMState *env, uint64_t pc, uint64_t target,
                     uint32_t desc);
void arm_vpmu_mispredicted(CPUARMState *env, unsigned int ctx);

/* Maintains the modelled caches.  @desc is a PMUMAINTAIN. */
void arm_vpmu_maintain(CPUARMState *env, uint64_t addr, uint32_t desc);

/*
 * Records a branch that is taken.  @desc has PMUTAKEN's fields; TYPE is one of
 * ARM_PMU_TAKEN, as in BRBINF<n>_EL1.TYPE.
 */
void arm_vpmu_taken(CPUARMState *env, uint64_t from, uint64_t to,
                    uint32_t desc);

/*
 * For an instruction that is sampled: called before it, and before each of its
 * accesses.  @desc has WRITE, MIDX and ALIGN of PMUDATA.
 */
void arm_vpmu_sampled(CPUARMState *env, uint64_t pc, uint32_t insn);
void arm_vpmu_sampled_access(CPUARMState *env, uint64_t addr, uint32_t desc);
void arm_vpmu_sampled_copy(CPUARMState *env, uint64_t to, uint64_t from,
                           int to_idx, int from_idx);

/* Trains TAGE with a branch.  Returns whether the branch was mispredicted. */
bool arm_vpmu_tage(void *predictor, uint64_t number, bool taken);

/*
 * Feeds the models with an access of a helper whose number of accesses is known
 * only at run time, so that generated code does not tally them
 * (gen_pmu_untally()).  Call it if arm_pmu_models_memory() returns true,
 * when the access can no longer fault.
 */
void arm_vpmu_accessed(CPUARMState *env, uint64_t addr, unsigned int size,
                       bool write, int mmu_idx);

/*
 * The same for SET* and CPY*, which are executed in parts.  Each line is one
 * access, wherever an instruction is interrupted and resumed.  The part with
 * the first byte of a line makes the access; if it goes backwards, the part
 * with the last byte.  If the first line does not begin at its first byte, and
 * @size is not 0, the prologue makes that access.
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
        if (unlikely(env->pmu.sampled)) {
            arm_vpmu_sampled_copy(env, addr, addr, mmu_idx, mmu_idx);
        }
        arm_vpmu_lines(env, addr, size, true, mmu_idx, part);
    }
}

static inline void arm_pmu_was_copied(CPUARMState *env, uint64_t to,
                                      uint64_t from, uint64_t size,
                                      int to_idx, int from_idx,
                                      ARMPMUPart part)
{
    if (arm_pmu_models_memory(env)) {
        if (unlikely(env->pmu.sampled)) {
            arm_vpmu_sampled_copy(env, to, from, to_idx, from_idx);
        }
        arm_vpmu_lines(env, from, size, false, from_idx, part);
        arm_vpmu_lines(env, to, size, true, to_idx, part);
    }
}

/* Called after a register that controls address translation was written. */
void arm_vpmu_model_moved(CPUARMState *env);

/*
 * Performs TLB maintenance.  @what is a PMUTLBI, @value the register's value.
 */
void arm_vpmu_tlbi(CPUARMState *env, uint32_t what, uint64_t value);

/*
 * Called when a migration stream begins, and for a register in it that is not
 * in our list.  Registers of the PMU, which a QEMU without vpmu sends, are kept
 * until arm_vpmu_post_load().
 */
void arm_vpmu_pre_load(ARMCPU *cpu);

/*
 * Returns the number of the PMU's register that has the id @kvm_id of KVM;
 * VPMU_REG_COUNT if it is a part of another one; -1 if the PMU has none.
 */
int arm_vpmu_reg_of_id(ARMCPU *cpu, uint64_t kvm_id);
bool arm_vpmu_take_register(ARMCPU *cpu, uint64_t kvm_id, uint64_t value);

/*
 * Call these when the stream has been read: before its registers are written,
 * to see whether it has a PMU; and after that, to load the PMU's state.
 */
bool arm_vpmu_in_stream(ARMCPU *cpu, Error **errp);
bool arm_vpmu_post_load(ARMCPU *cpu, Error **errp);
extern const VMStateDescription vmstate_arm_vpmu;

/*
 * For machine.c: called when a stream begins; when the list of registers has
 * been read; for a register with the id @id of KVM that is not in our list;
 * before QEMU 11, for the register at index @v and all after it; and when the
 * stream has been read.  Those that return a bool report an error and return
 * false.
 */
void arm_pmu_pre_load(ARMCPU *cpu);
bool arm_pmu_knows_registers(void *opaque, int version_id);
bool arm_pmu_take_register(ARMCPU *cpu, uint64_t id, uint64_t value);
bool arm_pmu_take_registers(ARMCPU *cpu, int v);
bool arm_pmu_post_load(ARMCPU *cpu);

/* TCGCPUOps */
bool arm_pmu_counts_insns(const TranslationBlock *tb);
void arm_pmu_uncount_insn_of_tb(CPUState *cs, const TranslationBlock *tb,
                                const uint64_t *data, bool begun);

#endif

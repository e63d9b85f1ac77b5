/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU of an x86 CPU, for the rest of target/i386
 *
 * cpu.h includes this file.  Functions whose names begin with x86_vpmu do
 * nothing in user mode, or if QEMU is built without the vpmu library.
 */

#ifndef TARGET_I386_PMU_PMU_H
#define TARGET_I386_PMU_PMU_H

#if QEMU_VERSION_MAJOR < 11
#include "hw/registerfields.h"
#else
#include "hw/core/registerfields.h"
#endif

/* The bits of hflags that decide the context, and EFER.SVME. */
#define X86_PMU_PLACE_MASK \
    (HF_CPL_MASK | HF_SMM_MASK | HF_GUEST_MASK | HF_SVME_MASK)

/* Returns the index in env->pmu.totals for hflags or the flags of a block. */
static inline unsigned int x86_pmu_context(uint32_t flags)
{
    if (flags & HF_SMM_MASK) {
        return X86_PMU_SMM;
    }
    return (flags & HF_GUEST_MASK ? X86_PMU_GUEST_USER : X86_PMU_USER) +
           !(flags & HF_CPL_MASK);
}

/* Returns whether a block with these flags tallies anything. */
static inline bool x86_pmu_tallies(uint32_t flags)
{
    return flags & (HF_PMU_TALLY_MASK | HF_PMU_MEMORY_MASK);
}

/* Returns whether a block with these flags feeds the cache models. */
static inline bool x86_pmu_feeds_models(uint32_t flags)
{
    return (flags & HF_PMU_MEMORY_MASK) && (flags & HF_PMU_MODELS_MASK);
}

/* The context of the CPU has changed since it was last passed to the PMU. */
void x86_vpmu_moved(CPUX86State *env);

/*
 * Returns the flags of blocks in the present context.  Every change of context
 * ends a block and looks up the next one, so this notices all of them.
 */
static inline uint64_t x86_pmu_tb_flags(CPUX86State *env)
{
    if (likely(!env->pmu.follows)) {
        return 0;
    }
    if ((env->hflags ^ env->pmu.place) & X86_PMU_PLACE_MASK) {
        x86_vpmu_moved(env);
    }
    return env->pmu.flags;
}

/* Adds the properties "pmu", which is on by default with TCG, and others. */
void x86_pmu_add_property(ObjectClass *oc);

/**
 * x86_vpmu_realize: give a CPU the PMU that its vendor's CPUs have
 *
 * To be called when its features are known.  With KVM it does nothing.
 * Returns false, with @errp set, if a PMU is wanted and there cannot be one.
 */
bool x86_vpmu_realize(X86CPU *cpu, Error **errp);
void x86_vpmu_unrealize(X86CPU *cpu);

/*
 * To be called when it is known which caches the guest is told.  If a property
 * of the models is wrong, returns false, with @errp set, and removes the PMU.
 */
bool x86_vpmu_realize_model(X86CPU *cpu, Error **errp);

/* CPUID leaves 0AH, 1CH and 8000_0022H; returns false if that is not ours. */
bool x86_vpmu_cpuid(X86CPU *cpu, uint32_t index, uint32_t *eax, uint32_t *ebx,
                    uint32_t *ecx, uint32_t *edx);

/*
 * RDMSR and WRMSR; false if it is no register of the PMU.  May raise #GP, with
 * the state as it was at @ra.
 */
bool x86_vpmu_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *val,
                    uintptr_t ra);
bool x86_vpmu_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val,
                    uintptr_t ra);

/* RDPMC; false if there is no PMU. */
bool x86_vpmu_rdpmc(CPUX86State *env, uint64_t *val, uintptr_t ra);

/* The CPU begins to execute; it ends, perhaps since it has halted. */
void x86_vpmu_exec_enter(X86CPU *cpu);
void x86_vpmu_exec_exit(X86CPU *cpu);

/*
 * One of @interrupts is about to be taken: let overflows come before it.
 * Returns them with what that has made pending.
 */
int x86_vpmu_sync(X86CPU *cpu, int interrupts);

/*
 * An exception is about to be delivered.  Has a counter overflowed before, and
 * is its interrupt one that is taken?  Then the exception is dropped: the
 * instruction that raises it does so again.
 */
bool x86_vpmu_comes_first(X86CPU *cpu);

/* Takes back an INT n that was tallied but not executed. */
void x86_pmu_uncount_int(CPUX86State *env);

/*
 * Called when an exception is raised.  If INT n is being delivered, it has not
 * been executed.
 */
static inline void x86_pmu_raises(CPUX86State *env)
{
    if (unlikely(env->pmu.delivers)) {
        env->pmu.delivers = false;
        x86_pmu_uncount_int(env);
    }
}

/*
 * Called if a block of @n instructions, which stall for @stalls cycles, would
 * take a tally past its limit, or if one of its @accesses may have to be
 * described.  Returns how many instructions may be executed before that.  If it
 * is @n or more, the block is entered again.
 */
uint64_t x86_vpmu_insns_left(CPUX86State *env, unsigned int n,
                             unsigned int stalls, unsigned int accesses);

/* Evaluates the cycles of the instruction that was tallied last. */
void x86_vpmu_step(CPUX86State *env);

/* Kinds of near branches.  Bit 0 of a conditional one is its outcome. */
enum {
    X86_PMU_NOT_TAKEN,
    X86_PMU_TAKEN,
    X86_PMU_CALL,
    X86_PMU_INDIRECT,
    X86_PMU_INDIRECT_CALL,
    X86_PMU_RETURN,
    /* A relative jump: it is not predicted, only recorded. */
    X86_PMU_DIRECT,
};

/*
 * The predictor identifies a branch by the address behind it, shifted left,
 * because its tables are indexed by words and x86 instructions are not aligned.
 */
#define X86_PMU_PREDICT_SHIFT 2

/* The target of an indirect branch has changed; @from is the address behind. */
void x86_vpmu_redirected(CPUX86State *env, uint64_t from, uint64_t to);

/* Returns the linear address of the next instruction. */
static inline uint64_t x86_pmu_ip(const CPUX86State *env)
{
    uint64_t ip = env->segs[R_CS].base + env->eip;

    return env->hflags & HF_CS64_MASK ? ip : (uint32_t)ip;
}

/*
 * An exception or an interrupt is being delivered.  If it interrupts a program,
 * its stack pointer is noted, before the kernel has its own.  Returns
 * x86_pmu_ip().
 */
static inline uint64_t x86_pmu_interrupted(CPUX86State *env)
{
    if ((env->hflags & HF_CPL_MASK) == 3) {
        env->pmu.interrupted = true;
        env->pmu.interrupted_sp = env->regs[R_ESP];
    }
    return x86_pmu_ip(env);
}

/* Kinds of far branches */
enum {
    X86_PMU_FAR_JUMP,
    X86_PMU_FAR_CALL,
    X86_PMU_FAR_RETURN,
    /* SYSCALL and SYSENTER; SYSRET, SYSEXIT and IRET */
    X86_PMU_SYSTEM_CALL,
    X86_PMU_SYSTEM_RETURN,
};

/* A near branch that is taken, for x86_vpmu_taken(): its kind */
FIELD(X86PMUTAKEN, KIND, 0, 3)
FIELD(X86PMUTAKEN, MISPREDICTED, 3, 1)
/* A far branch, for x86_vpmu_far(): its kind and its length in bytes */
FIELD(X86PMUFAR, KIND, 0, 3)
FIELD(X86PMUFAR, LENGTH, 3, 4)

/*
 * Branch records: a near branch was taken; a far branch at @from has been
 * executed; an interrupt or exception has been delivered, @next is where it
 * returns to.  Addresses are linear.
 */
void x86_vpmu_taken(CPUX86State *env, uint64_t from, uint64_t to,
                    uint32_t desc);
void x86_vpmu_far(CPUX86State *env, uint64_t from, uint32_t desc);
void x86_vpmu_delivered(CPUX86State *env, int intno, bool is_hw, uint64_t from,
                        uint64_t next);

static inline void x86_pmu_delivered(CPUX86State *env, int intno, bool is_hw,
                                     uint64_t from, uint64_t next)
{
    if (unlikely(env->pmu.branches)) {
        x86_vpmu_delivered(env, intno, is_hw, from, next);
    }
}

/*
 * Describes a memory access to the models: its size less 1, whether it writes,
 * its MMU index and context, and the page offset of its instruction.  With
 * LOCKED, there is no access: the accesses of the sampled instruction, which
 * have been reported, were locked.
 */
FIELD(X86PMUDATA, LAST, 0, 10)
FIELD(X86PMUDATA, WRITE, 10, 1)
FIELD(X86PMUDATA, MIDX, 11, 4)
FIELD(X86PMUDATA, CTX, 15, 3)
FIELD(X86PMUDATA, PLACE, 18, 12)
FIELD(X86PMUDATA, LOCKED, 30, 1)
/* The second half of an access of 32 bytes, which may begin a line */
FIELD(X86PMUDATA, HALF, 31, 1)

/* What an instruction does to the caches: write a line back, flush it; all. */
enum {
    X86_PMU_CLEAN,
    X86_PMU_FLUSH,
    X86_PMU_EMPTY,
};

/* Cache maintenance: one of these, and the context */
FIELD(X86PMUMAINTAIN, WHAT, 0, 2)
FIELD(X86PMUMAINTAIN, CTX, 2, 3)

/* Mispredictions: their context and source, and whether they stall the block */
FIELD(X86PMUMISS, CTX, 0, 3)
FIELD(X86PMUMISS, SOURCE, 3, 8)
FIELD(X86PMUMISS, CYCLES, 11, 1)

/* The binary logarithm of the size of a cache line. */
#define X86_PMU_LINE_SHIFT 6

/*
 * Called before an access, and before an instruction is fetched from another
 * line.  @ra is in the block, which may be left to be executed again.
 */
void x86_vpmu_data(CPUX86State *env, uint64_t addr, uint32_t desc,
                   uintptr_t ra);
void x86_vpmu_maintain(CPUX86State *env, uint64_t addr, uint32_t desc,
                       uintptr_t ra);
void x86_vpmu_fetch(CPUX86State *env, uint64_t pc, unsigned int ctx,
                    uintptr_t ra);

/* The elements of a string instruction have used up the budget. */
void x86_vpmu_spent(CPUX86State *env);

/* CR3 was written; the TLB entry of @page, or the whole TLB, was flushed. */
void x86_vpmu_new_space(CPUX86State *env);
void x86_vpmu_flush_page(CPUX86State *env, uint64_t page);
void x86_vpmu_flush_tlb(CPUX86State *env);

static inline void x86_pmu_new_space(CPUX86State *env)
{
    if (env->pmu.model) {
        x86_vpmu_new_space(env);
    }
}

static inline void x86_pmu_flush_page(CPUX86State *env, uint64_t page)
{
    if (env->pmu.model) {
        x86_vpmu_flush_page(env, page);
    }
}

static inline void x86_pmu_flush_tlb(CPUX86State *env)
{
    if (env->pmu.model) {
        x86_vpmu_flush_tlb(env);
    }
}

/* Returns the sources of an instruction; sets @stall to its stall cycles. */
uint32_t x86_vpmu_decode(const uint8_t *insn, unsigned int len, bool code64,
                         unsigned int *stall);

/* Returns whether an instruction that reads and writes memory modifies it. */
bool x86_vpmu_modifies(const uint8_t *insn, unsigned int len, bool code64);

/*
 * Returns the kind of an instruction of x87, MMX, SSE or AVX; adds @times what
 * it counts as to the totals of X86_PMU_FP and the following sources.
 */
unsigned int x86_vpmu_fp(const uint8_t *insn, unsigned int len, bool code64);
void x86_vpmu_fp_add(uint64_t *totals, unsigned int kind, int64_t times);

/* Returns whether an instruction locks its access to memory. */
bool x86_vpmu_locks(const uint8_t *insn, unsigned int len, bool code64);

/* Loads the migrated state.  All other registers have been loaded before. */
bool x86_vpmu_post_load(X86CPU *cpu);
extern const VMStateDescription vmstate_x86_vpmu;

/* TCGCPUOps */
bool x86_pmu_counts_insns(const TranslationBlock *tb);
void x86_pmu_uncount_insn(CPUState *cs, const TranslationBlock *tb,
                          const uint64_t *data, bool begun);

#endif

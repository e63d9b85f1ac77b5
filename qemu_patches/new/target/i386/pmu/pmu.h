/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU of an x86 CPU, for the rest of target/i386
 *
 * Included by cpu.h.  What is called x86_vpmu is there if QEMU was built with
 * the vpmu library; without, and in user mode, it does nothing.
 */

#ifndef TARGET_I386_PMU_PMU_H
#define TARGET_I386_PMU_PMU_H

#include "hw/registerfields.h"

/* What of hflags says where the CPU is, and whether it may run guests. */
#define X86_PMU_PLACE_MASK \
    (HF_CPL_MASK | HF_SMM_MASK | HF_GUEST_MASK | HF_SVME_MASK)

/* An index of env->pmu.totals, from hflags or the flags of a block. */
static inline unsigned int x86_pmu_context(uint32_t flags)
{
    if (flags & HF_SMM_MASK) {
        return X86_PMU_SMM;
    }
    return (flags & HF_GUEST_MASK ? X86_PMU_GUEST_USER : X86_PMU_USER) +
           !(flags & HF_CPL_MASK);
}

/* Does a block with these flags tally? */
static inline bool x86_pmu_tallies(uint32_t flags)
{
    return flags & (HF_PMU_TALLY_MASK | HF_PMU_MEMORY_MASK);
}

/* Does it feed the models of caches? */
static inline bool x86_pmu_feeds_models(uint32_t flags)
{
    return (flags & HF_PMU_MEMORY_MASK) && (flags & HF_PMU_MODELS_MASK);
}

/* The CPU is elsewhere than the PMU thinks. */
void x86_vpmu_moved(CPUX86State *env);

/*
 * What blocks are to do where the CPU is.  All changes of where that is end a
 * block, and have the next one looked up.
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

/* Add the property "pmu": for TCG on unless said otherwise. */
void x86_pmu_add_property(ObjectClass *oc);

/**
 * x86_vpmu_realize: give a CPU the PMU that its vendor's CPUs have
 *
 * To be called when its features are known.  With KVM it does nothing.
 * Returns false, with @errp set, if a PMU is wanted and there cannot be one.
 */
bool x86_vpmu_realize(X86CPU *cpu, Error **errp);
void x86_vpmu_unrealize(X86CPU *cpu);

/* CPUID leaves 0AH and 8000_0022H; returns false if that is not ours. */
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

/* INT n has been tallied, but not executed. */
void x86_pmu_uncount_int(CPUX86State *env);

/*
 * An exception is raised.  If that is while INT n is delivered, that has not
 * been executed after all.
 */
static inline void x86_pmu_raises(CPUX86State *env)
{
    if (unlikely(env->pmu.delivers)) {
        env->pmu.delivers = false;
        x86_pmu_uncount_int(env);
    }
}

/*
 * A block of @n instructions, which stall for @stalls cycles, would take a
 * tally past its limit.  Returns how many may be executed before that; @n or
 * more: the block may be tried again.
 */
uint64_t x86_vpmu_insns_left(CPUX86State *env, unsigned int n,
                             unsigned int stalls);

/* Cycles are looked at one by one; the last instruction has been tallied. */
void x86_vpmu_step(CPUX86State *env);

/* A near branch; the last bit of one that is conditional says how it went. */
enum {
    X86_PMU_NOT_TAKEN,
    X86_PMU_TAKEN,
    X86_PMU_CALL,
    X86_PMU_INDIRECT,
    X86_PMU_INDIRECT_CALL,
    X86_PMU_RETURN,
};

/*
 * The predictor knows a branch by the address behind it, shifted: its tables
 * are looked up by words, and instructions here have bytes.
 */
#define X86_PMU_PREDICT_SHIFT 2

/* An indirect branch went elsewhere than before; @from is behind it. */
void x86_vpmu_redirected(CPUX86State *env, uint64_t from, uint64_t to);

/*
 * An access to memory that the models are fed: its size, less 1, whether it
 * writes, how it is translated, in which context, and where its instruction
 * is: the offset in its page.
 */
FIELD(X86PMUDATA, LAST, 0, 10)
FIELD(X86PMUDATA, WRITE, 10, 1)
FIELD(X86PMUDATA, MIDX, 11, 4)
FIELD(X86PMUDATA, CTX, 15, 3)
FIELD(X86PMUDATA, PLACE, 18, 12)

/* Lines of caches have this many bytes, as a binary logarithm. */
#define X86_PMU_LINE_SHIFT 6

/*
 * An access is about to be made, or an instruction to be fetched from another
 * line; @ra is in the block, which may be left to be executed again.
 */
void x86_vpmu_data(CPUX86State *env, uint64_t addr, uint32_t desc,
                   uintptr_t ra);
void x86_vpmu_fetch(CPUX86State *env, uint64_t pc, unsigned int ctx,
                    uintptr_t ra);

/* The budget is spent, by elements of a string. */
void x86_vpmu_spent(CPUX86State *env);

/* CR3 was written; @page, or all of the TLB, was flushed. */
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

/* What an instruction counts as: sources, and the cycles it stalls for. */
uint32_t x86_vpmu_decode(const uint8_t *insn, unsigned int len, bool code64,
                         unsigned int *stall);

/* The state came in by migration, all other registers before it. */
bool x86_vpmu_post_load(X86CPU *cpu);
extern const VMStateDescription vmstate_x86_vpmu;

/* TCGCPUOps */
bool x86_pmu_counts_insns(const TranslationBlock *tb);
void x86_pmu_uncount_insn(CPUState *cs, const TranslationBlock *tb,
                          const uint64_t *data, bool begun);

#endif

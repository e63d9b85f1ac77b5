/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact profiles: how often each instruction was executed
 *
 * While a CPU is profiled, it executes blocks with CF_VPMU_PROFILE in contexts
 * that somebody wants; no other CPU does.  Each of them adds one to a counter
 * of its CPU and its code.
 * Instructions that are taken back from the totals are counted separately.
 */

#ifndef TCG_VPMU_PROFILE_H
#define TCG_VPMU_PROFILE_H

#include "exec/translation-block.h"
#include "tcg/vpmu-calls.h"
#include "tcg/vpmu-costs.h"

/*
 * Bits of TranslationBlock.cflags that QEMU does not use: the block is
 * profiled, it reports calls, and it counts costs.
 */
#define CF_VPMU_PROFILE 0x00080000
#define CF_VPMU_CALLS 0x00100000
#define CF_VPMU_COSTS 0x00200000

QEMU_BUILD_BUG_ON((CF_VPMU_PROFILE | CF_VPMU_CALLS | CF_VPMU_COSTS) &
                  (CF_COUNT_MASK | CF_NO_GOTO_TB | CF_NO_GOTO_PTR |
                   CF_SINGLE_STEP | CF_MEMI_ONLY | CF_USE_ICOUNT | CF_INVALID |
                   CF_PARALLEL | CF_NOIRQ | CF_PCREL | CF_BP_PAGE |
                   CF_CLUSTER_MASK));

struct DisasContextBase;

#ifdef CONFIG_USER_ONLY
static inline bool vpmu_profiles(const TranslationBlock *tb)
{
    return false;
}

static inline bool vpmu_profiles_calls(const TranslationBlock *tb)
{
    return false;
}

static inline bool vpmu_profiles_costs(const TranslationBlock *tb)
{
    return false;
}
#else
static inline bool vpmu_profiles(const TranslationBlock *tb)
{
    return tb_cflags(tb) & CF_VPMU_PROFILE;
}

static inline bool vpmu_profiles_calls(const TranslationBlock *tb)
{
    return tb_cflags(tb) & CF_VPMU_CALLS;
}

static inline bool vpmu_profiles_costs(const TranslationBlock *tb)
{
    return tb_cflags(tb) & CF_VPMU_COSTS;
}
#endif

/*
 * For the translator of a block for which vpmu_profiles() is true: it begins;
 * it has an instruction at @pc that is tallied.  Each execution of this has
 * @costs, a mask of VPMU_COST_BIT().
 */
void vpmu_profile_begin(void);
void vpmu_profile_insn(uint64_t pc);
void vpmu_profile_insn_costs(uint32_t costs);

/*
 * At its end, return the offset of the block's counter, and in its middle that
 * of the counter of how often the tallied instruction at @pc was taken back,
 * with its @costs.  @ctx is the context of the block.
 */
intptr_t vpmu_profile_block(const struct DisasContextBase *db,
                            unsigned int ctx);
intptr_t vpmu_profile_undone(const struct DisasContextBase *db, uint64_t pc,
                             unsigned int ctx, uint32_t costs);

/*
 * Returns the number of the instruction at @pc, for costs and calls.  If the
 * block reports calls: when the call is executed, pass it to
 * vpmu_profile_call(); returns are passed to vpmu_profile_leave(), jumps to
 * vpmu_profile_jump(), and changes of the context to vpmu_profile_depart() and
 * vpmu_profile_arrive().  @profile: what the CPU's state has.  For the rest see
 * vpmu-calls.h.
 */
uint32_t vpmu_profile_site(const struct DisasContextBase *db, uint64_t pc,
                           unsigned int ctx);
void vpmu_profile_call(void *profile, VPMUCaller *who, uint32_t site,
                       uint64_t target, uint64_t back, uint64_t sp);
void vpmu_profile_leave(void *profile, VPMUCaller *who, uint64_t target,
                        VPMUReturn how);
void vpmu_profile_jump(void *profile, VPMUCaller *who, uint32_t site,
                       uint64_t from, uint64_t target, int how);
void vpmu_profile_arrive(void *profile, VPMUCaller *who);
void vpmu_profile_depart(void *profile, unsigned int ctx,
                         const uint64_t *totals, const uint64_t *sp);

/*
 * Take back an instruction: of a block of any kind, where @pc may lack all but
 * the offset in its page; or one that the CPU has executed in context @ctx.
 */
void vpmu_profile_uncount(CPUState *cs, const TranslationBlock *tb,
                          uint64_t pc);
void vpmu_profile_uncount_at(CPUState *cs, uint64_t pc, unsigned int ctx);

/*
 * Start and stop to profile a CPU.  Called on its thread.  vpmu_profile_on()
 * returns false if there is no memory.  @calls: count calls, too, in contexts
 * of the mask @wanted.  @costs: a mask of VPMU_COST_BIT(), which the calls cost
 * beside instructions.  If it is not 0, all costs of instructions are counted.
 */
bool vpmu_profile_on(CPUState *cs, bool calls, uint32_t costs,
                     uint32_t wanted);
void *vpmu_profile_off(CPUState *cs);

/*
 * A profiled CPU executes in context @ctx from now on.  If nobody wants this
 * context, its blocks are those of a CPU that is not profiled, so that they
 * need not be translated again.  A target that does not call this profiles all
 * contexts.
 */
void vpmu_profile_follow(CPUState *cs, unsigned int ctx);

/*
 * Returns the instructions that the CPU has executed, an array of VPMUProfiled
 * (system/vpmu_profile.h) in the order of their addresses.  @counters is what
 * vpmu_profile_off() returned; @contexts the wanted contexts of each world.
 * @cost: the number of a cost, or VPMU_COST_COUNT for the instructions.
 */
GArray *vpmu_profile_read(const void *counters, const uint16_t *contexts,
                          unsigned int cost);

/*
 * The same for calls, an array of VPMUProfiledCall.  Those of a cost have no
 * numbers of calls.
 */
GArray *vpmu_profile_read_calls(const void *counters, const uint16_t *contexts,
                                unsigned int cost);

/* Frees the counters; NULL is allowed. */
void vpmu_profile_free(void *counters);

/* Was there no room for some code, or some calls? */
bool vpmu_profile_is_full(const void *counters);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What generated code calls for the PMU of an x86 CPU
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/helper-proto.h"
#include "exec/target_page.h"
#include "exec/translation-block.h"
#include "tcg/tcg.h"
#include "tcg/vpmu-profile.h"
#include "accel/tcg/getpc.h"
#include "caller.h"
#include "compat.h"

void HELPER(pmu_step)(CPUX86State *env)
{
    x86_vpmu_step(env);
}

void HELPER(pmu_limit)(CPUX86State *env, uint32_t insns, uint32_t stalls,
                       uint32_t accesses)
{
    CPUState *cs = env_cpu(env);
    const TranslationBlock *tb = tcg_tb_lookup(GETPC());
    uint64_t left;

    /* None of the block has been executed yet. */
    cpu_restore_tb_start(cs, GETPC());
    left = x86_vpmu_insns_left(env, insns, stalls, accesses);
    /* QEMU limits a block that modifies itself, or it begins again forever. */
    if (left < insns || tb_cflags(tb) & CF_COUNT_MASK) {
        cpu_loop_exit_max_insns(cs, MIN(left, insns));
    }
    cpu_loop_exit_noexc(cs);
}

void HELPER(pmu_data)(CPUX86State *env, uint64_t addr, uint32_t desc)
{
    x86_vpmu_data(env, addr, desc, GETPC());
}

void HELPER(pmu_maintain)(CPUX86State *env, uint64_t addr, uint32_t desc)
{
    x86_vpmu_maintain(env, addr, desc, GETPC());
}

void HELPER(pmu_fetch)(CPUX86State *env, uint64_t pc, uint32_t ctx)
{
    x86_vpmu_fetch(env, pc, ctx, GETPC());
}

void HELPER(pmu_spent)(CPUX86State *env)
{
    x86_vpmu_spent(env);
}

void HELPER(pmu_mispredicted)(CPUX86State *env, uint64_t n, uint32_t desc)
{
    unsigned int ctx = FIELD_EX32(desc, X86PMUMISS, CTX);
    uint64_t *totals = env->pmu.totals[ctx];
    X86PMURoom *room = &env->pmu.room[ctx];
    /* As in generated code, nothing branches on @n, which the host predicts. */
    uint64_t slots = n * env->pmu.miss_slots, cycles = n * env->pmu.miss_cycles;

    totals[FIELD_EX32(desc, X86PMUMISS, SOURCE)] += n;
    totals[X86_PMU_BR_MISS] += n;
    if (FIELD_EX32(desc, X86PMUMISS, CYCLES)) {
        totals[X86_PMU_STALL_FRONTEND] += cycles;
        totals[X86_PMU_SLOT_FRONTEND] += slots;
        totals[X86_PMU_RECOVERY] += cycles;
        totals[X86_PMU_SLOT_RECOVERY] += slots;
        totals[X86_PMU_CYCLES] += slots;
        room->budget -= slots;
        if (env->pmu.miss_slots && room->budget <= 0) {
            room->limit = 0;
        }
    }
    /* The next block finds its limit used up. */
    if (totals[X86_PMU_BR_MISS] >= room->miss_limit) {
        room->limit = 0;
    }
}

void HELPER(pmu_redirected)(CPUX86State *env, uint64_t from, uint64_t to)
{
    x86_vpmu_redirected(env, from, to);
}

void HELPER(pmu_taken)(CPUX86State *env, uint64_t from, uint64_t to,
                       uint32_t desc)
{
    x86_vpmu_taken(env, from, to, desc);
}

void HELPER(pmu_far)(CPUX86State *env, uint64_t from, uint32_t desc)
{
    x86_vpmu_far(env, from, desc);
}

/* The return address has been pushed. */
void HELPER(pmu_call)(CPUX86State *env, uint64_t target, uint64_t back,
                      uint32_t site, uint32_t ctx)
{
    unsigned int size = env->hflags & HF_CS64_MASK ? 8 : 4;
    VPMUCaller who = x86_pmu_caller(env, ctx, env->regs[R_ESP] + size);

    vpmu_profile_call(env->pmu.profile, &who, site, target, back,
                      env->regs[R_ESP]);
}

/* The return address has been popped. */
void HELPER(pmu_leave)(CPUX86State *env, uint64_t target, uint32_t ctx,
                       uint32_t how)
{
    VPMUCaller who = x86_pmu_caller(env, ctx, env->regs[R_ESP]);

    vpmu_profile_leave(env->pmu.profile, &who, target, how);
}

void HELPER(pmu_jump)(CPUX86State *env, uint64_t from, uint64_t target,
                      uint32_t site, uint32_t ctx, uint32_t how)
{
    VPMUCaller who = x86_pmu_caller(env, ctx, env->regs[R_ESP]);

    vpmu_profile_jump(env->pmu.profile, &who, site, from, target, how);
}

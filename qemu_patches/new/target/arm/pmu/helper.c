/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Helpers that generated code calls for the PMU
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "internals.h"
#include "accel/tcg/getpc.h"
#include "tcg/vpmu-helpers.h"
#include "caller.h"
#include "compat.h"

/* QEMU 11 needs the data of helpers once for each file of definitions. */
#if QEMU_VERSION_MAJOR >= 11
#define HELPER_H "pmu/helper-defs.h"
#include "exec/helper-info.c.inc"
#undef HELPER_H
#endif

void HELPER(pmu_limit)(CPUARMState *env, uint32_t insns, uint32_t stalls)
{
    CPUState *cs = env_cpu(env);
    uint64_t left;

    /* No instruction of the block has been executed yet. */
    cpu_restore_tb_start(cs, GETPC());
    left = arm_vpmu_insns_left(env, insns, stalls);
    if (left && left < insns) {
        cpu_loop_exit_max_insns(cs, left);
    }
    if (!left) {
        arm_vpmu_sync(env);
    }
    cpu_loop_exit_noexc(cs);
}

void HELPER(pmu_step)(CPUARMState *env)
{
    arm_vpmu_step(env);
}

void HELPER(pmu_near)(CPUARMState *env)
{
    arm_vpmu_near(env);
}

void HELPER(pmu_data)(CPUARMState *env, uint64_t addr, uint32_t desc)
{
    arm_vpmu_data(env, addr, desc);
}

void HELPER(pmu_fetch)(CPUARMState *env, uint64_t pc, uint32_t ctx)
{
    arm_vpmu_fetch(env, pc, ctx);
}

/* Close to an overflow: no instruction of the block has been executed yet. */
void HELPER(pmu_fetch_first)(CPUARMState *env, uint64_t pc, uint32_t ctx,
                             uint32_t insns)
{
    CPUState *cs = env_cpu(env);

    if (!arm_vpmu_fetch_first(env, pc, ctx)) {
        return;
    }
    if (insns == 1) {
        arm_vpmu_near(env);
        return;
    }
    cpu_restore_tb_start(cs, GETPC());
    arm_vpmu_stop_after(env, 1);
    cpu_loop_exit_max_insns(cs, 1);
}

void HELPER(pmu_branch)(CPUARMState *env, uint64_t pc, uint64_t target,
                        uint32_t desc)
{
    arm_vpmu_branch(env, pc, target, desc);
}

void HELPER(pmu_taken)(CPUARMState *env, uint64_t from, uint64_t to,
                       uint32_t desc)
{
    arm_vpmu_taken(env, from, to, desc);
}

void HELPER(pmu_sampled)(CPUARMState *env, uint64_t pc, uint32_t insn)
{
    arm_vpmu_sampled(env, pc, insn);
}

void HELPER(pmu_sampled_access)(CPUARMState *env, uint64_t addr, uint32_t desc)
{
    arm_vpmu_sampled_access(env, addr, desc);
}

void HELPER(pmu_overspent)(CPUARMState *env)
{
    arm_vpmu_overspent(env);
}

uint64_t HELPER(pmu_tage)(void *predictor, uint64_t number, uint32_t taken)
{
    return arm_vpmu_tage(predictor, number, taken);
}

void HELPER(pmu_mispredicted)(CPUARMState *env, uint32_t ctx)
{
    arm_vpmu_mispredicted(env, ctx);
}

void HELPER(pmu_maintain)(CPUARMState *env, uint64_t addr, uint32_t desc)
{
    arm_vpmu_maintain(env, addr, desc);
}

void HELPER(pmu_regime)(CPUARMState *env)
{
    arm_vpmu_model_moved(env);
}

void HELPER(pmu_tlbi)(CPUARMState *env, uint32_t what, uint64_t value)
{
    arm_vpmu_tlbi(env, what, value);
}

void HELPER(pmu_call)(CPUARMState *env, uint64_t target, uint64_t back,
                      uint32_t site, uint32_t ctx)
{
    VPMUCaller who = arm_pmu_caller(env, ctx);

    vpmu_profile_call(env->pmu.profile, &who, site, target, back, who.sp);
}

void HELPER(pmu_leave)(CPUARMState *env, uint64_t target, uint32_t ctx,
                       uint32_t how)
{
    VPMUCaller who = arm_pmu_caller(env, ctx);

    vpmu_profile_leave(env->pmu.profile, &who, target, how);
}

void HELPER(pmu_jump)(CPUARMState *env, uint64_t from, uint64_t target,
                      uint32_t site, uint32_t ctx, uint32_t how)
{
    VPMUCaller who = arm_pmu_caller(env, ctx);

    vpmu_profile_jump(env->pmu.profile, &who, site, from, target, how);
}

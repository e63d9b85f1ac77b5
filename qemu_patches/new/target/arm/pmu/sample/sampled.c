/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What SPE and a recording of accesses share: whether the next instruction is
 * sampled, and what the models' totals tell of its access
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "internals.h"
#include "system/tcg.h"
#include "target/arm/pmu/private.h"

/* Generated code depends on whether the next instruction is sampled. */
void arm_vpmu_set_sampled(CPUARMState *env, uint8_t by, bool sampled)
{
    uint8_t now = sampled ? env->pmu.sampled | by : env->pmu.sampled & ~by;

    if (now != env->pmu.sampled) {
        env->pmu.sampled = now;
        if (tcg_enabled()) {
            arm_rebuild_hflags(env);
        }
    }
}

ARMVPMUResults arm_vpmu_results(const uint64_t *row)
{
    return (ARMVPMUResults) {
        .l1d_refill = row[VPMU_SRC_L1D_CACHE_REFILL_RD] +
                      row[VPMU_SRC_L1D_CACHE_REFILL_WR],
        .l2d_refill = row[VPMU_SRC_L2D_CACHE_REFILL_RD] +
                      row[VPMU_SRC_L2D_CACHE_REFILL_WR],
        .from_memory = row[VPMU_SRC_BUS_ACCESS_RD],
        .l2_tlb_hit = row[VPMU_SRC_DTLB_L2_HIT_RD] +
                      row[VPMU_SRC_DTLB_L2_HIT_WR],
        .walk = row[VPMU_SRC_DTLB_WALK_RD] + row[VPMU_SRC_DTLB_WALK_WR],
    };
}

enum vpmu_data_level arm_vpmu_data_level(ARMCPU *cpu,
                                         const ARMVPMUResults *before,
                                         const ARMVPMUResults *now)
{
    if (now->from_memory != before->from_memory) {
        return VPMU_DATA_DRAM;
    }
    if (cpu->vpmu->peers) {
        return cpu->vpmu->peers & VPMU_PEER_MODIFIED ? VPMU_DATA_PEER
                                                     : VPMU_DATA_SHARED;
    }
    if (now->l2d_refill != before->l2d_refill) {
        return VPMU_DATA_LLC;
    }
    if (now->l1d_refill == before->l1d_refill) {
        return VPMU_DATA_L1;
    }
    return cpu->pmu_config.model->l2.size ? VPMU_DATA_L2 : VPMU_DATA_LLC;
}

enum vpmu_translated arm_vpmu_translated(const ARMVPMUResults *before,
                                         const ARMVPMUResults *now)
{
    return now->walk != before->walk ? VPMU_TLB_WALK :
           now->l2_tlb_hit != before->l2_tlb_hit ? VPMU_TLB_L2 : VPMU_TLB_L1;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accesses to memory that a recording describes, of x86 CPUs
 *
 * Close to the end of a period, instructions are noted and executed alone, as
 * they are for PEBS (limit.c), and report their accesses (model.c).
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "target/i386/pmu/private.h"
#include "system/vpmu_sample.h"

#define STORES                                                          \
    (VPMU_SRC_BIT(VPMU_X86_SRC_STORE) | VPMU_SRC_BIT(VPMU_X86_SRC_L1D_WR) | \
     VPMU_SRC_BIT(VPMU_X86_SRC_L1D_MISS_WR) |                           \
     VPMU_SRC_BIT(VPMU_X86_SRC_L2_MISS_WR) |                            \
     VPMU_SRC_BIT(VPMU_X86_SRC_L2_STORE_HIT) |                          \
     VPMU_SRC_BIT(VPMU_X86_SRC_LL_MISS_WR) |                            \
     VPMU_SRC_BIT(VPMU_X86_SRC_LL_STORE_HIT) |                          \
     VPMU_SRC_BIT(VPMU_X86_SRC_DTLB_L2_HIT_WR) |                        \
     VPMU_SRC_BIT(VPMU_X86_SRC_DTLB_WALK_WR))

void x86_accesses_set(X86CPU *cpu, const VPMUObservedCPU *on)
{
    cpu->vpmu->accesses = 0;
    for (unsigned int i = 0; on && i < on->base.record->events; i++) {
        const struct vpmu_observer *counter = &on->sampler[i].counter;

        for (unsigned int w = 0; w < VPMU_WORLD_COUNT; w++) {
            cpu->vpmu->accesses |= counter->period ? counter->ctx_mask[w] : 0;
        }
    }
    x86_vpmu_rearm(cpu);
}

/* The period of a repeated string instruction may end at any element. */
static bool access_is_last(CPUX86State *env)
{
    const X86VPMU *vpmu = env_archcpu(env)->vpmu;
    uint64_t insns = env->pmu.totals[vpmu->noted_ctx][X86_PMU_INSNS];

    return vpmu->noted_ctx == vpmu->pmu.count.ctx &&
           (x86_vpmu_is_noted(env) ||
            (insns == vpmu->noted_insns && x86_pmu_ip(env) == vpmu->noted));
}

bool x86_accesses_describe(CPUState *cs, const struct vpmu_observer *counter,
                           struct vpmu_record_access *access)
{
    X86CPU *cpu = X86_CPU(cs);
    const struct vpmu_x86_data_accesses *sampled =
        &x86_vpmu_sampled(&cpu->env)->all;
    bool loads = sampled->load.level != VPMU_DATA_UNKNOWN;
    bool stores = sampled->store.level != VPMU_DATA_UNKNOWN;
    bool is_store = stores && (!loads || !(counter->sources & ~STORES));
    const struct vpmu_x86_data_access *data = is_store ? &sampled->store
                                                       : &sampled->load;

    if (!(loads || stores) || !access_is_last(&cpu->env)) {
        return false;
    }
    access->pc = cpu->vpmu->noted;
    access->address = data->address;
    access->level = data->level;
    access->translated = data->translated;
    access->flags = (is_store ? VPMU_RECORD_STORE : VPMU_RECORD_LOAD) |
                    (sampled->locked ? VPMU_RECORD_LOCKED : 0);
    return true;
}

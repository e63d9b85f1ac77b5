/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies the PMU of an Arm CPU while the CPU executes
 *
 * The state of a PMU changes only under the BQL: TCG takes it for every change
 * of exception level and every access to a PMU register.  A monitor command
 * holds the BQL as well, so the state does not change during a command.  If a
 * counter has a threshold, counters are settled after each instruction without
 * the BQL; another lock excludes that.  Only the totals change meanwhile, and
 * the copy contains the part of them that is certain.  No CPU has to stop.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "exec/translation-block.h"
#include "internals.h"
#include "system/tcg.h"
#include "private.h"
#include "vpmu/arm/insn.h"
#include "vpmu/arm/regs.h"
#include "vpmu/arm/snapshot.h"

/* TCG_MAX_INSNS, the most instructions in a block. */
#define MOST_INSNS (CF_COUNT_MASK + 1)

struct ARMVPMUSnapshot {
    struct vpmu_snapshot snapshot;
    uint64_t ahead[VPMU_SRC_COUNT];
};

/* Sets the most that a block adds to each total when it begins. */
static void vpmu_set_ahead(const struct vpmu *pmu, uint64_t *ahead)
{
    uint64_t stalls = MOST_INSNS * UINT8_MAX;
    unsigned int units = pmu->config.cycle_units;

    for (unsigned int i = 0; i < VPMU_SRC_INSN_END; i++) {
        ahead[i] = MOST_INSNS;
    }
    for (unsigned int i = VPMU_SRC_DETAIL; i < VPMU_SRC_DETAIL_END; i++) {
        ahead[i] = MOST_INSNS * (i < VPMU_SRC_OPS ? 1 : VPMU_MAX_OPS);
    }
    ahead[VPMU_SRC_L1D_CACHE_RD] = MOST_INSNS;
    ahead[VPMU_SRC_L1D_CACHE_WR] = MOST_INSNS;
    if (!(pmu->config.timed & VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES))) {
        ahead[VPMU_SRC_CPU_CYCLES] = MOST_INSNS + stalls * units;
        ahead[VPMU_SRC_STALL_BACKEND] = stalls;
        ahead[VPMU_SRC_STALL_SLOT_BACKEND] = stalls * units;
    }
}

/* Is the CPU sure not to execute guest code while the BQL is held? */
static bool vpmu_at_rest(CPUState *cs)
{
    return cs->stopped || (cs->halted && !cpu_has_work(cs));
}

static void take_snapshot(CPUState *cs, run_on_cpu_data data)
{
    ARMCPU *cpu = ARM_CPU(cs);
    struct ARMVPMUSnapshot *s = cpu->vpmu->snapshot;
    bool here = qemu_cpu_is_self(cs);

    qemu_spin_lock(&cpu->vpmu->stepping_lock);
    vpmu_snapshot_take(&s->snapshot, &cpu->vpmu->pmu,
                       here || vpmu_at_rest(cs) ? NULL : s->ahead);
    qemu_spin_unlock(&cpu->vpmu->stepping_lock);
}

void *arm_vpmu_snapshot(CPUState *cs)
{
    ARMCPU *cpu = ARM_CPU(cs);

    if (!cpu->vpmu->snapshot) {
        cpu->vpmu->snapshot = g_new0(struct ARMVPMUSnapshot, 1);
        vpmu_set_ahead(&cpu->vpmu->pmu, cpu->vpmu->snapshot->ahead);
    }
    if (HOST_LONG_BITS < 64) {
        /* The host cannot read 64 bits while another thread writes them. */
        run_on_cpu(cs, take_snapshot, RUN_ON_CPU_NULL);
    } else {
        take_snapshot(cs, RUN_ON_CPU_NULL);
    }
    return &cpu->vpmu->snapshot->snapshot.pmu;
}

bool arm_vpmu_counter_used(const struct vpmu *pmu, unsigned int index)
{
    const struct vpmu_counter *c = &pmu->count.counter[index];

    return pmu->regs.type[index] || c->value || (pmu->regs.cnten >> index & 1);
}

uint16_t arm_vpmu_counter_event(const struct vpmu *pmu, unsigned int index)
{
    switch (index) {
    case VPMU_CYCLE_COUNTER:
        return VPMU_EVENT_CPU_CYCLES;
    case VPMU_INST_COUNTER:
        return VPMU_EVENT_INST_RETIRED;
    default:
        return pmu->regs.type[index] & VPMU_TYPER_EVENT;
    }
}

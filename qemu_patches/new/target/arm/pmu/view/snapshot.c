/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A copy of the PMU of an Arm CPU, for monitor commands
 *
 * A block adds its counts when it begins.  So the CPU's own thread copies them,
 * between two blocks.  A CPU that waits is not woken up: the state of its PMU
 * changes only under the BQL, which a monitor command holds.
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "internals.h"
#include "target/arm/pmu/private.h"
#include "system/vpmu_target.h"
#include "vpmu/arm/regs.h"
#include "vpmu/arm/snapshot.h"

/* Is the CPU sure not to execute guest code while the BQL is held? */
static bool at_rest(CPUState *cs)
{
    return cs->stopped || (cs->halted && !cpu_has_work(cs));
}

static void take_snapshot(CPUState *cs, run_on_cpu_data data)
{
    ARMCPU *cpu = ARM_CPU(cs);
    struct vpmu_now now = arm_vpmu_now(cpu);

    vpmu_arm_snapshot_take(cpu->vpmu->snapshot, &cpu->vpmu->pmu, &now);
}

void *arm_vpmu_snapshot(CPUState *cs)
{
    ARMVPMU *vpmu = ARM_CPU(cs)->vpmu;

    if (!vpmu->snapshot) {
        vpmu->snapshot = g_new(struct vpmu_arm_snapshot, 1);
    }
    if (at_rest(cs)) {
        take_snapshot(cs, RUN_ON_CPU_NULL);
    } else {
        vpmu_run_on_cpu(cs, take_snapshot, RUN_ON_CPU_NULL);
    }
    return &vpmu->snapshot->pmu;
}

bool arm_vpmu_counter_used(const struct vpmu_arm *pmu, unsigned int index)
{
    const struct vpmu_counter *c = &pmu->count.counter[index];

    return pmu->regs.type[index] || c->value || (pmu->regs.cnten >> index & 1);
}

uint16_t arm_vpmu_counter_event(const struct vpmu_arm *pmu, unsigned int index)
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

VPMUCounter arm_vpmu_counter(const struct vpmu_arm *pmu, unsigned int index)
{
    return (VPMUCounter) {
        .index = index,
        .event = arm_vpmu_counter_event(pmu, index),
        .type = pmu->regs.type[index],
        .value = pmu->count.counter[index].value,
        .enabled = pmu->regs.cnten >> index & 1,
        .counting = pmu->count.counting >> index & 1,
        .overflow = pmu->regs.ovs >> index & 1,
        .interrupt = pmu->regs.inten >> index & 1,
        .has_overflows = true,
        .overflows = pmu->count.overflows[index],
        .has_interrupts = true,
        .interrupts = pmu->interrupts[index],
    };
}

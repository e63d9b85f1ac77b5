/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU of Arm CPUs as a target of system/vpmu: how it acts on what is due,
 * and the tables that QEMU calls
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "internals.h"
#include "compat.h"
#include "system/vpmu_target.h"
#include "sample/sample.h"

/* Sets the level of the interrupt line. */
static void update_irq(ARMCPU *cpu)
{
    BQL_LOCK_GUARD();
    gicv5_update_ppi_state(&cpu->env, GICV5_PPI_PMUIRQ, cpu->vpmu->pmu.irq);
    qemu_set_irq(cpu->pmu_interrupt, cpu->vpmu->pmu.irq);
}

static struct vpmu_count *acts_count(CPUState *cs)
{
    return &ARM_CPU(cs)->vpmu->pmu.count;
}

static VPMULimits *acts_limits(CPUState *cs)
{
    return &ARM_CPU(cs)->vpmu->limits;
}

static void acts_interrupt(CPUState *cs)
{
    update_irq(ARM_CPU(cs));
}

static void acts_arm(CPUState *cs)
{
    arm_vpmu_arm(ARM_CPU(cs));
}

static const VPMUActs arm_acts = {
    .count = acts_count,
    .limits = acts_limits,
    .interrupt = acts_interrupt,
    .arm = acts_arm,
    .spans = arm_vpmu_record_spans,
};

static const VPMUTarget arm_target = {
    .acts = &arm_acts,
    .counting = &arm_vpmu_counting,
    .samples = &arm_samples,
    .threads = &arm_threads,
    .meter = &arm_meter,
};

static void register_target(void)
{
    vpmu_register_target(&arm_target);
}

type_init(register_target);

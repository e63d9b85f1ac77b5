/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What all records of branches of an Arm CPU need: the branch record buffer's,
 * and those of a recording
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "internals.h"
#include "target/arm/pmu/private.h"
#include "vpmu/arm/brbe.h"

uint32_t arm_branch_events(ARMCPU *cpu, bool predictions, bool cycles)
{
    enum vpmu_cycles mode = cpu->pmu_config.model->cycles;
    uint32_t events = predictions ? ARM_PMU_BRANCHES : 0;

    if (cycles && mode != VPMU_CYCLES_CLOCK) {
        events |= ARM_PMU_MODEL_CYCLES;
        if (mode == VPMU_CYCLES_MODEL) {
            events |= ARM_PMU_MEMORY | ARM_PMU_BRANCHES;
        }
    }
    return events;
}

uint64_t arm_branch_slots(ARMCPU *cpu)
{
    const CPUARMState *env = &cpu->env;
    uint64_t slots = 0;

    for (unsigned int i = 0; i < ARM_PMU_CONTEXTS; i++) {
        slots += env->pmu.totals[i][ARM_PMU_CYCLES];
    }
    return slots;
}

enum vpmu_branch_type arm_branch_exception_type(ARMCPU *cpu,
                                                unsigned int from_el,
                                                unsigned int to_el, bool tge)
{
    switch (CPU(cpu)->exception_index) {
    case EXCP_IRQ:
    case EXCP_VIRQ:
    case EXCP_NMI:
    case EXCP_VINMI:
        return VPMU_BRTYPE_IRQ;
    case EXCP_FIQ:
    case EXCP_VFIQ:
    case EXCP_VFNMI:
        return VPMU_BRTYPE_FIQ;
    case EXCP_VSERR:
        return VPMU_BRTYPE_SERROR;
    default:
        return vpmu_brbe_exception_type(cpu->env.exception.syndrome, from_el,
                                        to_el, tge);
    }
}

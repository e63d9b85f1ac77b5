/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * KVM's part of the PMU, for a QEMU without KVM
 */

#include "qemu/osdep.h"
#include "target/arm/pmu/kvm.h"

bool kvm_arm_pmu_configurable(void)
{
    g_assert_not_reached();
}

bool kvm_arm_pmu_setup(ARMCPU *cpu, int irq, Error **errp)
{
    g_assert_not_reached();
}

void kvm_arm_pmu_add_properties(Object *obj)
{
    g_assert_not_reached();
}

bool kvm_arm_pmu_restore(ARMCPU *cpu, Error **errp)
{
    g_assert_not_reached();
}

bool kvm_arm_take_register(ARMCPU *cpu, uint64_t regidx, uint64_t value,
                           Error **errp)
{
    g_assert_not_reached();
}

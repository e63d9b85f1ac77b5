/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Without the kvm_glue library, QEMU only switches KVM's PMU on, with the
 * kernel's defaults
 */

#include "qemu/osdep.h"
#include <linux/kvm.h>
#include "qapi/error.h"
#include "system/kvm.h"
#include "cpu.h"
#include "kvm_arm.h"
#include "target/arm/pmu/kvm.h"

bool kvm_arm_pmu_configurable(void)
{
    return false;
}

static bool set_attr(ARMCPU *cpu, uint64_t attr, int *value, Error **errp)
{
    struct kvm_device_attr device_attr = {
        .group = KVM_ARM_VCPU_PMU_V3_CTRL,
        .attr = attr,
        .addr = (uintptr_t)value,
    };
    int ret = kvm_vcpu_ioctl(CPU(cpu), KVM_SET_DEVICE_ATTR, &device_attr);

    if (ret < 0) {
        error_setg_errno(errp, -ret, "KVM refuses to set up the guest's PMU "
                         "(attribute %d); use pmu=off for a guest without PMU",
                         (int)attr);
    }
    return ret >= 0;
}

bool kvm_arm_pmu_setup(ARMCPU *cpu, int irq, Error **errp)
{
    return (irq < 0 || set_attr(cpu, KVM_ARM_VCPU_PMU_V3_IRQ, &irq, errp)) &&
           set_attr(cpu, KVM_ARM_VCPU_PMU_V3_INIT, NULL, errp);
}

void kvm_arm_pmu_add_properties(Object *obj)
{
}

bool kvm_arm_is_pmu_reg(uint64_t regidx)
{
    return false;
}

bool kvm_arm_pmu_has_all_regs(ARMCPU *cpu)
{
    return false;
}

bool kvm_arm_pmu_restore(ARMCPU *cpu, Error **errp)
{
    return true;
}

uint32_t kvm_arm_pmu_vcpu_features(ARMCPU *cpu)
{
    return 1 << KVM_ARM_VCPU_PMU_V3;
}

bool kvm_arm_take_register(ARMCPU *cpu, uint64_t regidx, uint64_t value,
                           Error **errp)
{
    error_setg(errp, "CPU %d has no register 0x%" PRIx64 ", which is in the "
               "stream: the source has other CPU features",
               CPU(cpu)->cpu_index, regidx);
    return false;
}

void kvm_arm_pmu_add_accel_properties(ObjectClass *oc)
{
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Without the kvm_glue library, QEMU has no meter at KVM's exit path
 */

#include "qemu/osdep.h"
#include "system/kvm_vpmu.h"

void kvm_vpmu_enter_metered(CPUState *cpu)
{
    g_assert_not_reached();
}

void kvm_vpmu_exit_metered(CPUState *cpu, int ret, uint32_t reason)
{
    g_assert_not_reached();
}

void kvm_vpmu_init_vcpu(CPUState *cpu)
{
}

void kvm_vpmu_destroy_vcpu(CPUState *cpu)
{
}

void kvm_vpmu_add_properties(ObjectClass *oc)
{
}

void kvm_vpmu_set_host_pmu(uint32_t type)
{
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Without the vpmu library, Arm CPUs have a PMU with KVM only
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "internals.h"
#include "migration/vmstate.h"

bool arm_vpmu_available(void)
{
    return false;
}

bool arm_vpmu_realize(ARMCPU *cpu, Error **errp)
{
    g_assert_not_reached();
}

const char *arm_vpmu_property_name(unsigned int i)
{
    return NULL;
}

void arm_vpmu_add_properties(Object *obj)
{
}

void arm_vpmu_reset(ARMCPU *cpu)
{
}

void arm_vpmu_define_regs(ARMCPU *cpu)
{
}

void arm_vpmu_pre_load(ARMCPU *cpu)
{
}

bool arm_vpmu_take_register(ARMCPU *cpu, uint64_t kvm_id, uint64_t value)
{
    return false;
}

bool arm_vpmu_post_load(ARMCPU *cpu, Error **errp)
{
    return true;
}

static bool vpmu_never(void *opaque)
{
    return false;
}

const VMStateDescription vmstate_arm_vpmu = {
    .name = "cpu/vpmu",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = vpmu_never,
    .fields = (const VMStateField[]) {
        VMSTATE_END_OF_LIST()
    }
};

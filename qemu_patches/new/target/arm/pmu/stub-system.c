/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Without the vpmu library, Arm CPUs have a PMU with KVM only
 */

#include "qemu/osdep.h"
#include "qemu/error-report.h"
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

void arm_pmu_add_cache_nodes(ARMCPU *cpu, void *fdt, const char *cpu_node)
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

int arm_vpmu_reg_of_id(ARMCPU *cpu, uint64_t kvm_id)
{
    return -1;
}

bool arm_vpmu_take_register(ARMCPU *cpu, uint64_t kvm_id, uint64_t value)
{
    return false;
}

bool arm_vpmu_in_stream(ARMCPU *cpu, Error **errp)
{
    return true;
}

bool arm_vpmu_post_load(ARMCPU *cpu, Error **errp)
{
    return true;
}

static bool is_never_needed(void *opaque)
{
    return false;
}

static int pre_load(void *opaque)
{
    error_report("the stream has an emulated PMU: this QEMU was built without "
                 "the vpmu library");
    return -EINVAL;
}

const VMStateDescription vmstate_arm_vpmu = {
    .name = "cpu/vpmu",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = is_never_needed,
    .pre_load = pre_load,
    .fields = (const VMStateField[]) {
        VMSTATE_END_OF_LIST()
    }
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Without the vpmu library, Arm CPUs have a PMU with KVM only
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/qapi-commands-vpmu.h"
#include "cpu.h"
#include "internals.h"
#include "migration/vmstate.h"
#include "qmp.h"

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

static void vpmu_missing(Error **errp)
{
    error_setg(errp, "this QEMU was built without the vpmu library");
}

void qmp_vpmu_observe(const char *event, const char *name, bool has_gate,
                      uint8_t gate, bool has_lease, uint32_t lease,
                      Error **errp)
{
    vpmu_missing(errp);
}

void qmp_vpmu_unobserve(const char *name, Error **errp)
{
    vpmu_missing(errp);
}

const struct VPMURecorder *arm_vpmu_recorder(Error **errp)
{
    vpmu_missing(errp);
    return NULL;
}

void arm_vpmu_meter(bool enable, Error **errp)
{
    vpmu_missing(errp);
}

VPMUInfoList *arm_vpmu_query(Error **errp)
{
    vpmu_missing(errp);
    return NULL;
}

VPMUEventList *arm_vpmu_query_events(Error **errp)
{
    vpmu_missing(errp);
    return NULL;
}

void arm_vpmu_describe(GString *text)
{
    g_string_append(text, "this QEMU was built without the vpmu library\n");
}

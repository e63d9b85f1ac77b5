/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Properties of the models of an Arm CPU's PMU
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "cpu.h"
#include "internals.h"
#include "system/vpmu_model.h"
#include "target/arm/pmu/kvm.h"
#include "target/arm/pmu/private.h"

bool arm_vpmu_available(void)
{
    return true;
}

static void get_property(Object *obj, Visitor *v, const char *name,
                              void *opaque, Error **errp)
{
    vpmu_model_property_get(opaque, v, ARM_CPU(obj)->pmu_config.model, errp);
}

static void set_property(Object *obj, Visitor *v, const char *name,
                              void *opaque, Error **errp)
{
    ARMCPU *cpu = ARM_CPU(obj);

    if (arm_may_configure_pmu(obj, name, errp) &&
        vpmu_model_property_set(opaque, v, cpu->pmu_config.model, errp)) {
        cpu->pmu_config.by = vpmu_model_property_name(opaque);
    }
}

const char *arm_vpmu_property_name(unsigned int i)
{
    const VPMUModelProperty *property = vpmu_model_property(i);

    return property ? vpmu_model_property_name(property) : NULL;
}

/*
 * Issue slots of a cycle: PMMIR_EL1.SLOTS of a core, where it is published.
 * Linux's tools/perf/pmu-events has formulas that contain the number.
 */
static const struct {
    uint32_t part;
    uint8_t width;
} widths[] = {
    { 0x41d40, 8 }, /* Neoverse V1: perf's metrics.json; TRM 101427 */
    { 0x41d47, 5 }, /* Cortex-A710: the core of N2; TRM 101800 */
    { 0x41d49, 5 }, /* Neoverse N2: perf before #slots; TRM 102099 */
};

static uint8_t default_width(const ARMCPU *cpu)
{
    uint32_t part = extract64(cpu->midr, 24, 8) << 12 |
                    extract64(cpu->midr, 4, 12);

    for (unsigned int i = 0; i < ARRAY_SIZE(widths); i++) {
        if (widths[i].part == part) {
            return widths[i].width;
        }
    }
    return vpmu_model_default.width;
}

void arm_vpmu_add_properties(Object *obj)
{
    ARMCPU *cpu = ARM_CPU(obj);
    const VPMUModelProperty *property;

    cpu->pmu_config.model = g_memdup2(&vpmu_model_default,
                                      sizeof(vpmu_model_default));
    cpu->pmu_config.model->width = default_width(cpu);
    for (unsigned int i = 0; (property = vpmu_model_property(i)); i++) {
        const char *name = vpmu_model_property_name(property);

        object_property_add(obj, name, vpmu_model_property_type(property),
                            get_property, set_property, NULL,
                            (void *)property);
        object_property_set_description(obj, name,
            vpmu_model_property_description(property));
    }
}

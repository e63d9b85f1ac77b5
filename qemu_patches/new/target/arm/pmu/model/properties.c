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

void arm_vpmu_add_properties(Object *obj)
{
    ARMCPU *cpu = ARM_CPU(obj);
    const VPMUModelProperty *property;

    cpu->pmu_config.model = g_new(struct vpmu_model_config, 1);
    arm_vpmu_model_default(cpu, cpu->pmu_config.model);
    for (unsigned int i = 0; (property = vpmu_model_property(i)); i++) {
        const char *name = vpmu_model_property_name(property);

        object_property_add(obj, name, vpmu_model_property_type(property),
                            get_property, set_property, NULL,
                            (void *)property);
        object_property_set_description(obj, name,
            vpmu_model_property_description(property));
    }
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU properties that configure the PMU of an x86 CPU
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "cpu.h"
#include "system/kvm.h"
#include "system/vpmu_model.h"
#include "system/vpmu_property.h"
#include "private.h"

X86PMUConfig *x86_pmu_config(X86CPU *cpu)
{
    X86PMUConfig *config = cpu->env.pmu.config;

    if (!config) {
        config = g_new0(X86PMUConfig, 1);
        config->model = vpmu_model_default;
        cpu->env.pmu.config = config;
    }
    return config;
}

static bool get_pmu(Object *obj, Error **errp)
{
    return X86_CPU(obj)->enable_pmu;
}

static void set_pmu(Object *obj, bool value, Error **errp)
{
    X86CPU *cpu = X86_CPU(obj);

    cpu->enable_pmu = value;
    cpu->pmu_said = true;
}

static bool may_configure(Object *cpu, const char *name, Error **errp)
{
    if (kvm_enabled()) {
        error_setg(errp, "'%s' cannot be set with KVM: the PMU is the host's",
                   name);
        return false;
    }
    return vpmu_property_may_change(cpu, name, errp);
}

static void get_model(Object *obj, Visitor *v, const char *name,
                      void *opaque, Error **errp)
{
    vpmu_model_property_get(opaque, v, &x86_pmu_config(X86_CPU(obj))->model,
                            errp);
}

static void set_model(Object *obj, Visitor *v, const char *name,
                      void *opaque, Error **errp)
{
    X86PMUConfig *config = x86_pmu_config(X86_CPU(obj));

    if (!may_configure(obj, name, errp) ||
        !vpmu_model_property_set(opaque, v, &config->model, errp)) {
        return;
    }
    config->by = vpmu_model_property_name(opaque);
    config->set |= vpmu_model_property_bit(opaque);
    if (g_str_equal(name, "pmu-width")) {
        config->width_set = true;
    }
}

static void get_counters(Object *obj, Visitor *v, const char *name,
                         void *opaque, Error **errp)
{
    X86CPU *cpu = X86_CPU(obj);
    uint8_t value = cpu->vpmu ? cpu->vpmu->pmu.config.counters
                              : x86_pmu_config(cpu)->counters;

    visit_type_uint8(v, name, &value, errp);
}

static void set_counters(Object *obj, Visitor *v, const char *name,
                         void *opaque, Error **errp)
{
    uint8_t value;

    if (!may_configure(obj, name, errp) ||
        !visit_type_uint8(v, name, &value, errp)) {
        return;
    }
    if (value < 1 || value > VPMU_X86_MAX_COUNTERS) {
        error_setg(errp, "'%s' must be 1 to %u, not %u", name,
                   VPMU_X86_MAX_COUNTERS, value);
        return;
    }
    x86_pmu_config(X86_CPU(obj))->counters = value;
    x86_pmu_config(X86_CPU(obj))->by = "num-pmu-counters";
}

static bool get_lbr(Object *obj, Error **errp)
{
    return x86_pmu_config(X86_CPU(obj))->lbr;
}

static void set_lbr(Object *obj, bool value, Error **errp)
{
    if (!value || may_configure(obj, "lbr", errp)) {
        x86_pmu_config(X86_CPU(obj))->lbr = value;
        x86_pmu_config(X86_CPU(obj))->by = "lbr";
    }
}

static bool get_cache_told(Object *obj, Error **errp)
{
    return x86_pmu_config(X86_CPU(obj))->cache_told;
}

static void set_cache_told(Object *obj, bool value, Error **errp)
{
    X86PMUConfig *config = x86_pmu_config(X86_CPU(obj));

    if (!value || may_configure(obj, "pmu-cache-told", errp)) {
        config->cache_told = value;
        config->by = value ? "pmu-cache-told" : config->by;
    }
}

void x86_pmu_add_property(ObjectClass *oc)
{
    const VPMUModelProperty *property;

    object_class_property_add_bool(oc, "pmu", get_pmu, set_pmu);
    object_class_property_set_description(oc, "pmu",
        "The CPU has a PMU, which counts; default: on with TCG");
    object_class_property_add(oc, "num-pmu-counters", "uint8",
                              get_counters, set_counters, NULL,
                              NULL);
    object_class_property_set_description(oc, "num-pmu-counters",
        "General counters of the PMU. Intel: 1 to 8; AMD: 4, or 6 to 15");
    object_class_property_add_bool(oc, "lbr", get_lbr, set_lbr);
    object_class_property_set_description(oc, "lbr",
        "The CPU has last branch records, for perf record -b; default: off");
    object_class_property_add_bool(oc, "pmu-cache-told", get_cache_told,
                                   set_cache_told);
    object_class_property_set_description(oc, "pmu-cache-told",
        "CPUID describes the caches that the PMU models; default: off");
    for (unsigned int i = 0; (property = vpmu_model_property(i)); i++) {
        const char *name = vpmu_model_property_name(property);

        object_class_property_add(oc, name,
                                  vpmu_model_property_type(property),
                                  get_model, set_model, NULL,
                                  (void *)property);
        object_class_property_set_description(oc, name,
            vpmu_model_property_description(property));
    }
}

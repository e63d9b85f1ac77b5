/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU properties that configure the PMU of an Arm CPU
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "cpu.h"
#include "internals.h"
#include "compat.h"
#include "system/kvm.h"
#include "system/vpmu_property.h"
#include "target/arm/pmu/kvm.h"
#include "target/arm/pmu/qmp.h"

#define MAX_PMU_COUNTERS 31

/* Of the CPU type max: what perf stat -d -d -d counts fits, and more. */
#define MAX_TYPE_PMU_COUNTERS 31

bool arm_pmu_available(void)
{
    return kvm_enabled() || arm_vpmu_available();
}

static bool kvm_arm_may_configure_pmu(Object *cpu, const char *name,
                                      Error **errp)
{
    if (!kvm_arm_pmu_configurable()) {
        error_setg(errp, "'%s' cannot be set with KVM: this QEMU was built "
                   "without the kvm_glue library", name);
        return false;
    }
    return vpmu_property_may_change(cpu, name, errp);
}

static void arm_get_num_pmu_counters(Object *obj, Visitor *v, const char *name,
                                     void *opaque, Error **errp)
{
    uint32_t value = pmu_num_counters(&ARM_CPU(obj)->env);

    visit_type_uint32(v, name, &value, errp);
}

static void set_num_pmu_counters(ARMCPU *cpu, unsigned int counters)
{
    cpu->isar.reset_pmcr_el0 = deposit64(cpu->isar.reset_pmcr_el0,
                                         PMCRN_SHIFT, 5, counters);
}

static void arm_set_num_pmu_counters(Object *obj, Visitor *v, const char *name,
                                     void *opaque, Error **errp)
{
    ARMCPU *cpu = ARM_CPU(obj);
    uint32_t value;

    if (!(kvm_enabled() ? kvm_arm_may_configure_pmu(obj, name, errp)
                        : arm_may_configure_pmu(obj, name, errp)) ||
        !visit_type_uint32(v, name, &value, errp)) {
        return;
    }
    if (value > MAX_PMU_COUNTERS) {
        error_setg(errp, "'%s' must be 0 to %d, not %" PRIu32, name,
                   MAX_PMU_COUNTERS, value);
        return;
    }
    set_num_pmu_counters(cpu, value);
    cpu->pmu_config.counters_set = true;
    cpu->pmu_config.by = "num-pmu-counters";
}

/* The index is ID_AA64DFR0_EL1.PMUVer. */
static const char *const pmu_versions[] = {
    [1] = "v3", [4] = "p1", [5] = "p4", [6] = "p5",
    [7] = "p7", [8] = "p8", [9] = "p9",
};

const char *arm_pmu_version_name(ARMCPU *cpu)
{
    unsigned int version = FIELD_EX64_IDREG(&cpu->isar, ID_AA64DFR0, PMUVER);

    return version < ARRAY_SIZE(pmu_versions) && pmu_versions[version]
           ? pmu_versions[version] : "";
}

static char *arm_get_pmu_version(Object *obj, Error **errp)
{
    return g_strdup(arm_pmu_version_name(ARM_CPU(obj)));
}

static void arm_set_pmu_version(Object *obj, const char *value, Error **errp)
{
    ARMCPU *cpu = ARM_CPU(obj);
    unsigned int i;

    if (!arm_may_configure_pmu(obj, "pmu-version", errp)) {
        return;
    }
    if (!arm_feature(&cpu->env, ARM_FEATURE_V8)) {
        error_setg(errp, "'pmu-version' needs a CPU of Armv8 or later");
        return;
    }
    for (i = 0; i < ARRAY_SIZE(pmu_versions); i++) {
        if (pmu_versions[i] && g_str_equal(pmu_versions[i], value)) {
            break;
        }
    }
    if (i == ARRAY_SIZE(pmu_versions)) {
        error_setg(errp, "'pmu-version' must be one of v3, p1, p4, p5, p7, p8 "
                   "and p9, not '%s'", value);
        return;
    }
    FIELD_DP64_IDREG(&cpu->isar, ID_AA64DFR0, PMUVER, i);
    FIELD_DP32_IDREG(&cpu->isar, ID_DFR0, PERFMON, i == 1 ? 3 : i);
    cpu->pmu_config.by = "pmu-version";
}

static bool arm_get_pmu_icntr(Object *obj, Error **errp)
{
    return FIELD_EX64_IDREG(&ARM_CPU(obj)->isar, ID_AA64DFR1, PMICNTR);
}

static void arm_set_pmu_icntr(Object *obj, bool value, Error **errp)
{
    ARMCPU *cpu = ARM_CPU(obj);

    if (!arm_may_configure_pmu(obj, "pmu-icntr", errp)) {
        return;
    }
    FIELD_DP64_IDREG(&cpu->isar, ID_AA64DFR1, PMICNTR, value);
    cpu->pmu_config.by = "pmu-icntr";
}

#define MAX_PMU_THRESHOLD_WIDTH 12

static void arm_get_pmu_threshold_width(Object *obj, Visitor *v,
                                        const char *name, void *opaque,
                                        Error **errp)
{
    visit_type_uint8(v, name, &ARM_CPU(obj)->pmu_config.threshold_width, errp);
}

static void arm_set_pmu_threshold_width(Object *obj, Visitor *v,
                                        const char *name, void *opaque,
                                        Error **errp)
{
    ARMCPU *cpu = ARM_CPU(obj);
    uint32_t value;

    if (!arm_may_configure_pmu(obj, name, errp) ||
        !visit_type_uint32(v, name, &value, errp)) {
        return;
    }
    if (value > MAX_PMU_THRESHOLD_WIDTH) {
        error_setg(errp, "'%s' must be 0 to %d, not %" PRIu32, name,
                   MAX_PMU_THRESHOLD_WIDTH, value);
        return;
    }
    cpu->pmu_config.threshold_width = value;
    cpu->pmu_config.by = "pmu-threshold-width";
}

static bool arm_get_pmu_edge(Object *obj, Error **errp)
{
    return ARM_CPU(obj)->pmu_config.edge;
}

static void arm_set_pmu_edge(Object *obj, bool value, Error **errp)
{
    if (arm_may_configure_pmu(obj, "pmu-edge", errp)) {
        ARM_CPU(obj)->pmu_config.edge = value;
        ARM_CPU(obj)->pmu_config.by = "pmu-edge";
    }
}

static bool arm_get_pmu_th2(Object *obj, Error **errp)
{
    return ARM_CPU(obj)->pmu_config.th2;
}

static void arm_set_pmu_th2(Object *obj, bool value, Error **errp)
{
    if (arm_may_configure_pmu(obj, "pmu-th2", errp)) {
        ARM_CPU(obj)->pmu_config.th2 = value;
        ARM_CPU(obj)->pmu_config.by = "pmu-th2";
    }
}

/* The index is ID_AA64DFR0_EL1.BRBE. */
static const char *const brbe_versions[] = { "off", "v1", "v1p1" };

static char *arm_get_brbe(Object *obj, Error **errp)
{
    return g_strdup(brbe_versions[ARM_CPU(obj)->pmu_config.brbe]);
}

static void arm_set_brbe(Object *obj, const char *value, Error **errp)
{
    if (!arm_may_configure_pmu(obj, "brbe", errp)) {
        return;
    }
    for (unsigned int i = 0; i < ARRAY_SIZE(brbe_versions); i++) {
        if (g_str_equal(brbe_versions[i], value)) {
            ARM_CPU(obj)->pmu_config.brbe = i;
            ARM_CPU(obj)->pmu_config.by = "brbe";
            return;
        }
    }
    error_setg(errp, "'brbe' must be one of off, v1 and v1p1, not '%s'", value);
}

static void arm_get_brbe_records(Object *obj, Visitor *v, const char *name,
                                 void *opaque, Error **errp)
{
    visit_type_uint8(v, name, &ARM_CPU(obj)->pmu_config.brbe_records, errp);
}

static void arm_set_brbe_records(Object *obj, Visitor *v, const char *name,
                                 void *opaque, Error **errp)
{
    uint32_t value;

    if (!arm_may_configure_pmu(obj, name, errp) ||
        !visit_type_uint32(v, name, &value, errp)) {
        return;
    }
    if (value != 8 && value != 16 && value != 32 && value != 64) {
        error_setg(errp, "'%s' must be 8, 16, 32 or 64, not %" PRIu32, name,
                   value);
        return;
    }
    ARM_CPU(obj)->pmu_config.brbe_records = value;
    ARM_CPU(obj)->pmu_config.by = "brbe-records";
}

static void add_brbe_properties(Object *obj)
{
    ARM_CPU(obj)->pmu_config.brbe_records = 64;
    object_property_add_str(obj, "brbe", arm_get_brbe, arm_set_brbe);
    object_property_set_description(obj, "brbe",
                                    "Branch records (FEAT_BRBE): off, v1 or "
                                    "v1p1");
    object_property_add(obj, "brbe-records", "uint8", arm_get_brbe_records,
                        arm_set_brbe_records, NULL, NULL);
    object_property_set_description(obj, "brbe-records",
                                    "Branch records that are kept: 8, 16, 32 "
                                    "or 64");
}

/* The index is ID_AA64DFR0_EL1.PMSVer. */
static const char *const spe_versions[] = {
    "off", "v1p0", "v1p1", "v1p2", "v1p3", "v1p4",
};
#define SPE_DEFAULT_VERSION 3

static char *arm_get_spe(Object *obj, Error **errp)
{
    return g_strdup(spe_versions[ARM_CPU(obj)->pmu_config.spe]);
}

static void arm_set_spe(Object *obj, const char *value, Error **errp)
{
    unsigned int version = SPE_DEFAULT_VERSION;

    if (!arm_may_configure_pmu(obj, "spe", errp)) {
        return;
    }
    if (!g_str_equal(value, "on")) {
        for (version = 0; version < ARRAY_SIZE(spe_versions); version++) {
            if (g_str_equal(spe_versions[version], value)) {
                break;
            }
        }
    }
    if (version == ARRAY_SIZE(spe_versions)) {
        error_setg(errp, "'spe' must be one of off, on, v1p0, v1p1, v1p2, v1p3 "
                   "and v1p4, not '%s'", value);
        return;
    }
    ARM_CPU(obj)->pmu_config.spe = version;
    ARM_CPU(obj)->pmu_config.by = "spe";
}

static void add_spe_property(Object *obj)
{
    object_property_add_str(obj, "spe", arm_get_spe, arm_set_spe);
    object_property_set_description(obj, "spe",
                                    "Statistical profiling (FEAT_SPE): off, "
                                    "on, or v1p0 to v1p4; on is v1p2");
}

static bool get_cache_told(Object *obj, Error **errp)
{
    return ARM_CPU(obj)->pmu_config.cache_told;
}

static void set_cache_told(Object *obj, bool value, Error **errp)
{
    if (arm_may_configure_pmu(obj, "pmu-cache-told", errp)) {
        ARM_CPU(obj)->pmu_config.cache_told = value;
        ARM_CPU(obj)->pmu_config.by = "pmu-cache-told";
    }
}

static void add_cache_told_property(Object *obj)
{
    object_property_add_bool(obj, "pmu-cache-told", get_cache_told,
                             set_cache_told);
    object_property_set_description(obj, "pmu-cache-told",
                                    "CLIDR, CCSIDR and the device tree "
                                    "describe the caches that the PMU models; "
                                    "default: off");
}

static void add_threshold_properties(Object *obj)
{
    object_property_add(obj, "pmu-threshold-width", "uint8",
                        arm_get_pmu_threshold_width,
                        arm_set_pmu_threshold_width, NULL, NULL);
    object_property_set_description(obj, "pmu-threshold-width",
                                    "Bits of the PMU's thresholds, 0 to 12; "
                                    "needs pmu-version=p8 and "
                                    "pmu-cycles=model");
    object_property_add_bool(obj, "pmu-edge",
                             arm_get_pmu_edge, arm_set_pmu_edge);
    object_property_set_description(obj, "pmu-edge",
                                    "Counting of edges of a threshold's "
                                    "condition");
    object_property_add_bool(obj, "pmu-th2",
                             arm_get_pmu_th2, arm_set_pmu_th2);
    object_property_set_description(obj, "pmu-th2",
                                    "Linking of odd counters to even ones; "
                                    "needs pmu-edge=on");
}

/* The properties of an emulated PMU, and those with KVM. */
static const char *const pmu_properties[] = {
    "num-pmu-counters", "pmu-version", "pmu-icntr", "pmu-threshold-width",
    "pmu-edge", "pmu-th2", "brbe", "brbe-records", "spe",
    "pmu-cache-told",
};
static const char *const kvm_pmu_properties[] = {
    "num-pmu-counters", "host-pmu", "kvm-pmu-truncate",
};

const char *arm_pmu_property_name(unsigned int i)
{
    if (kvm_enabled()) {
        return i < ARRAY_SIZE(kvm_pmu_properties) ? kvm_pmu_properties[i]
                                                  : NULL;
    }
    return i < ARRAY_SIZE(pmu_properties)
           ? pmu_properties[i]
           : arm_vpmu_property_name(i - ARRAY_SIZE(pmu_properties));
}

void arm_pmu_add_properties(Object *obj)
{
    if (kvm_enabled()) {
        kvm_arm_pmu_add_properties(obj);
    } else if (object_dynamic_cast(obj, ARM_CPU_TYPE_NAME("max"))) {
        set_num_pmu_counters(ARM_CPU(obj), MAX_TYPE_PMU_COUNTERS);
    }
    arm_vpmu_add_properties(obj);
    object_property_add(obj, "num-pmu-counters", "uint32",
                        arm_get_num_pmu_counters, arm_set_num_pmu_counters,
                        NULL, NULL);
    object_property_set_description(obj, "num-pmu-counters",
                                    "Event counters of the PMU, 0 to 31");
    object_property_add_str(obj, "pmu-version",
                            arm_get_pmu_version, arm_set_pmu_version);
    object_property_set_description(obj, "pmu-version",
                                    "Version of PMUv3: v3, p1, p4, p5, p7, "
                                    "p8 or p9");
    object_property_add_bool(obj, "pmu-icntr",
                             arm_get_pmu_icntr, arm_set_pmu_icntr);
    object_property_set_description(obj, "pmu-icntr",
                                    "Fixed instruction counter; needs "
                                    "pmu-version=p9");
    add_threshold_properties(obj);
    add_brbe_properties(obj);
    add_spe_property(obj);
    add_cache_told_property(obj);
}

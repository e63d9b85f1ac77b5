/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings that the PMUs of all vCPUs of a KVM guest share
 *
 * They are properties of the accelerator, except the host's PMU and the number
 * of counters, which are CPU properties.
 */

#include "qemu/osdep.h"
#include <sched.h>
#include "qemu/error-report.h"
#include "qapi/error.h"
#include "qapi/qapi-types-common.h"
#include "cpu.h"
#include "internals.h"
#include "kvm_arm.h"
#include "target/arm/pmu/kvm.h"
#include "system/kvm.h"
#include "system/kvm_int.h"
#include "system/kvm_vpmu.h"
#include "kvm_glue/host_pmu.h"
#include "kvm_glue/setup.h"

#define PMU_V3 (1u << KVM_ARM_VCPU_PMU_V3)

/* The properties of the accelerator.  There is only one accelerator. */
static struct {
    OnOffAuto strict;
    bool fixed_counters;
    bool partition;
} chosen;

/*
 * Properties
 */

static int get_strict(Object *obj, Error **errp)
{
    return chosen.strict;
}

static void set_strict(Object *obj, int value, Error **errp)
{
    chosen.strict = value;
}

static bool get_fixed_counters(Object *obj, Error **errp)
{
    return chosen.fixed_counters;
}

static void set_fixed_counters(Object *obj, bool value, Error **errp)
{
    chosen.fixed_counters = value;
}

static bool get_partition(Object *obj, Error **errp)
{
    return chosen.partition;
}

static void set_partition(Object *obj, bool value, Error **errp)
{
    chosen.partition = value;
}

void kvm_arm_pmu_add_accel_properties(ObjectClass *oc)
{
    kvm_pmu_filter_add_property(oc);
    object_class_property_add_enum(oc, "pmu-strict", "OnOffAuto",
                                   &OnOffAuto_lookup, get_strict, set_strict);
    object_class_property_set_description(oc, "pmu-strict",
        "Show the guest PMMIR_EL1.SLOTS and STALL_SLOT events of the host's "
        "PMU (Linux 7.3): on, off, or auto, which is on if the kernel can");
    object_class_property_add_bool(oc, "pmu-fixed-counters",
                                   get_fixed_counters, set_fixed_counters);
    object_class_property_set_description(oc, "pmu-fixed-counters",
        "Set on for PMUs without event counters, which count on all cores of "
        "hosts with different PMUs");
    object_class_property_add_bool(oc, "pmu-partition",
                                   get_partition, set_partition);
    object_class_property_set_description(oc, "pmu-partition",
        "Set on to give guests counters of the host's PMU for themselves");
}

/*
 * The host's PMU
 */

static void thread_cpus(struct kvm_glue_cpus *cpus)
{
    cpu_set_t set;

    memset(cpus, 0, sizeof(*cpus));
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) < 0) {
        memset(&set, 0xff, sizeof(set));
    }
    for (unsigned int i = 0; i < MIN(CPU_SETSIZE, KVM_GLUE_MAX_CPUS); i++) {
        if (CPU_ISSET(i, &set)) {
            cpus->bits[i / 64] |= 1ull << (i % 64);
        }
    }
}

/*
 * Chooses the PMU that the user names, or that of the CPUs where vCPUs may run.
 */
static bool find_host_pmu(ARMCPU *cpu, int *type, Error **errp)
{
    g_autofree struct kvm_glue_host_pmus *pmus =
        g_new0(struct kvm_glue_host_pmus, 1);
    struct kvm_glue_error err;
    struct kvm_glue_cpus cpus;
    int ret = kvm_glue_host_pmus_find(&kvm_glue_os_linux, pmus, &err);

    if (ret == 0 && cpu->pmu_config.kvm_host) {
        ret = kvm_glue_host_pmu_by_name(pmus, cpu->pmu_config.kvm_host, &err);
    } else if (ret == 0) {
        thread_cpus(&cpus);
        ret = kvm_glue_host_pmu_choose(pmus, &cpus, &err);
    }
    if (ret < 0) {
        error_setg(errp, "%s", err.text);
        return false;
    }
    *type = ret;
    return true;
}

/*
 * The feature STRICT
 */

/* Decided when the first vCPU is created. */
static bool strict;

static bool kernel_has_strict(void)
{
    return kvm_glue_vcpu_features(&kvm_glue_os_linux, kvm_state->fd) & ~PMU_V3;
}

/* With STRICT, KVM has no default for the host's PMU, so there must be one. */
static bool choose_strict(ARMCPU *cpu)
{
    int type;

    return chosen.strict != ON_OFF_AUTO_OFF && !chosen.fixed_counters &&
           kernel_has_strict() &&
           (chosen.strict == ON_OFF_AUTO_ON || find_host_pmu(cpu, &type, NULL));
}

uint32_t kvm_arm_pmu_vcpu_features(ARMCPU *cpu)
{
    static bool decided;

    if (!decided) {
        decided = true;
        strict = choose_strict(cpu);
    }
    return strict ? kvm_glue_vcpu_features(&kvm_glue_os_linux, kvm_state->fd)
                  : PMU_V3;
}

static bool check_strict(Error **errp)
{
    if (chosen.strict != ON_OFF_AUTO_ON || strict) {
        return true;
    }
    if (chosen.fixed_counters) {
        error_setg(errp, "pmu-strict=on needs one PMU of the host, and "
                   "pmu-fixed-counters=on uses all: set one of them");
    } else {
        error_setg(errp, "pmu-strict=on needs KVM_ARM_VCPU_PMU_V3_STRICT, "
                   "which this kernel does not have: Linux 7.3 does; use "
                   "pmu-strict=auto");
    }
    return false;
}

/*
 * Set-up
 */

/* The kernel chooses if nothing needs a certain PMU of the host. */
static bool choose_host_pmu(ARMCPU *cpu, int *type, Error **errp)
{
    *type = KVM_GLUE_DEFAULT;
    if (!cpu->pmu_config.kvm_host && !strict &&
        (!cpu->pmu_config.counters_set || chosen.fixed_counters)) {
        return true;
    }
    if (!find_host_pmu(cpu, type, errp)) {
        return false;
    }
    kvm_vpmu_set_host_pmu(*type);
    return true;
}

uint32_t kvm_arm_pmu_setup_flags(void)
{
    return (chosen.fixed_counters ? KVM_GLUE_FIXED_COUNTERS : 0) |
           (chosen.partition ? KVM_GLUE_PARTITION : 0);
}

bool kvm_arm_pmu_setup_machine(ARMCPU *cpu, struct kvm_glue_setup *setup,
                               Error **errp)
{
    struct kvm_glue_filter filter;
    struct kvm_glue_error err;

    if (!check_strict(errp) || !kvm_pmu_filter_get(&filter, errp) ||
        !choose_host_pmu(cpu, &setup->host_pmu, errp)) {
        return false;
    }
    setup->filter = &filter;
    if (kvm_glue_setup_vm(&kvm_glue_os_linux, CPU(cpu)->kvm_fd, setup,
                          &err) < 0) {
        error_setg(errp, "%s", err.text);
        return false;
    }
    setup->filter = NULL;
    return true;
}

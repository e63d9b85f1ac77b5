/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KVM_GLUE_HOST_PMU_H
#define KVM_GLUE_HOST_PMU_H

#include <stdbool.h>
#include <stdint.h>

#include "kvm_glue/error.h"
#include "kvm_glue/os.h"
#include "vpmu/decls.h"

VPMU_DECLS_BEGIN

enum {
    KVM_GLUE_MAX_CPUS = 4096,
    KVM_GLUE_MAX_HOST_PMUS = 16,
};

/**
 * struct kvm_glue_cpus - a set of CPUs
 * @bits: bit n % 64 of element n / 64 is set if CPU n is in the set.
 */
struct kvm_glue_cpus {
    uint64_t bits[KVM_GLUE_MAX_CPUS / 64];
};

/**
 * struct kvm_glue_host_pmu - a PMU of the host's cores
 * @name: its name in sysfs.
 * @type: its number in perf_event_attr.type and in KVM's attributes.
 * @cpus: the CPUs that have it.
 */
struct kvm_glue_host_pmu {
    char name[64];
    int32_t type;
    struct kvm_glue_cpus cpus;
};

/**
 * struct kvm_glue_host_pmus - all PMUs of the host's cores
 * @count: the number of PMUs.
 * @pmu: the PMUs, sorted by type.
 */
struct kvm_glue_host_pmus {
    uint32_t count;
    struct kvm_glue_host_pmu pmu[KVM_GLUE_MAX_HOST_PMUS];
};

/**
 * kvm_glue_cpus_parse() - parse a list of CPUs
 * @text: a list in the kernel's format, such as "0-3,8\n". An empty list is allowed.
 * @cpus: is filled in.
 *
 * Return: 0; -EINVAL if @text is not a list; -E2BIG for a CPU number of KVM_GLUE_MAX_CPUS or above.
 */
int kvm_glue_cpus_parse(const char *text, struct kvm_glue_cpus *cpus);

/**
 * kvm_glue_host_pmus_find() - find the PMUs of the host's cores
 * @os: the kernel.
 * @found: is filled in: the devices in /sys/bus/event_source/devices that have a "cpus" file.
 *     Uncore PMUs do not have one.
 * @err: is filled in on an error; may be NULL.
 *
 * Return: 0, also if there is no PMU; -E2BIG for more than KVM_GLUE_MAX_HOST_PMUS; or the kernel's
 * error.
 */
int kvm_glue_host_pmus_find(const struct kvm_glue_os *os, struct kvm_glue_host_pmus *found,
                            struct kvm_glue_error *err);

/**
 * kvm_glue_host_pmu_by_name() - look up a PMU that a user names
 * @pmus: the host's PMUs.
 * @name: the name in sysfs, or the type as a decimal number.
 * @err: is filled in on an error, with all names; may be NULL.
 *
 * Return: the PMU's type, or -ENOENT.
 */
int kvm_glue_host_pmu_by_name(const struct kvm_glue_host_pmus *pmus, const char *name,
                              struct kvm_glue_error *err);

/**
 * kvm_glue_host_pmu_choose() - the PMU of the CPUs that vCPUs run on
 * @pmus: the host's PMUs.
 * @cpus: the CPUs on which the vCPUs' threads may run; not empty.
 * @err: is filled in on an error; may be NULL.
 *
 * KVM does not keep vCPUs away from CPUs with another PMU; KVM_RUN fails there. So all CPUs must
 * have the same PMU.
 *
 * Return: the PMU's type; -ENOENT if there is no PMU; -EXDEV if the CPUs have different PMUs or
 * none.
 */
int kvm_glue_host_pmu_choose(const struct kvm_glue_host_pmus *pmus,
                             const struct kvm_glue_cpus *cpus, struct kvm_glue_error *err);

VPMU_DECLS_END

#endif

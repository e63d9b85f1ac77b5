/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KVM_GLUE_HOST_PMU_H
#define KVM_GLUE_HOST_PMU_H

#include <stdbool.h>
#include <stdint.h>

#include "kvm_glue/error.h"
#include "kvm_glue/os.h"

#define KVM_GLUE_MAX_CPUS 4096u
#define KVM_GLUE_MAX_HOST_PMUS 16u

struct kvm_glue_cpus {
    uint64_t bits[KVM_GLUE_MAX_CPUS / 64];
};

/* A PMU of the host's cores. @type is what perf and KVM call it by. */
struct kvm_glue_host_pmu {
    char name[64];
    int type;
    struct kvm_glue_cpus cpus;
};

struct kvm_glue_host_pmus {
    unsigned count;
    struct kvm_glue_host_pmu pmu[KVM_GLUE_MAX_HOST_PMUS];
};

/**
 * kvm_glue_cpus_parse() - read a list of CPUs
 * @text: as the kernel writes it: "0-3,8\n". Empty is no CPU.
 * @cpus: is filled in.
 *
 * Return: 0, -EINVAL for what is no list, -E2BIG for CPUs from KVM_GLUE_MAX_CPUS.
 */
int kvm_glue_cpus_parse(const char *text, struct kvm_glue_cpus *cpus);

/**
 * kvm_glue_host_pmus_find() - the PMUs of the host's cores
 * @os: the kernel.
 * @found: is filled in: what has a "cpus" file in /sys/bus/event_source/devices, sorted by type.
 *     Uncore PMUs have none.
 *
 * Return: 0, also if there is none; -E2BIG for more than KVM_GLUE_MAX_HOST_PMUS; or what the kernel
 * says.
 */
int kvm_glue_host_pmus_find(const struct kvm_glue_os *os, struct kvm_glue_host_pmus *found,
                            struct kvm_glue_error *err);

/**
 * kvm_glue_host_pmu_by_name() - the PMU that a user names
 * @pmus: what there is.
 * @name: its name in sysfs, or its type as a decimal number.
 *
 * Return: its type, or -ENOENT with all names in @err.
 */
int kvm_glue_host_pmu_by_name(const struct kvm_glue_host_pmus *pmus, const char *name,
                              struct kvm_glue_error *err);

/**
 * kvm_glue_host_pmu_choose() - the PMU of the CPUs that vCPUs run on
 * @pmus: what there is.
 * @cpus: where the vCPUs' threads may run, not empty.
 *
 * KVM does not keep vCPUs off CPUs with another PMU: there KVM_RUN fails. So there must be one PMU
 * for all of them.
 *
 * Return: its type; -ENOENT if there is no PMU; -EXDEV if the CPUs have several, or none.
 */
int kvm_glue_host_pmu_choose(const struct kvm_glue_host_pmus *pmus,
                             const struct kvm_glue_cpus *cpus, struct kvm_glue_error *err);

#endif

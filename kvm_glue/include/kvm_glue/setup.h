/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KVM_GLUE_SETUP_H
#define KVM_GLUE_SETUP_H

#include <stdbool.h>

#include "kvm_glue/error.h"
#include "kvm_glue/filter.h"
#include "kvm_glue/os.h"

/* Where a part of the description is left to the kernel. */
#define KVM_GLUE_DEFAULT (-1)

/**
 * struct kvm_glue_setup - the PMU that a guest is to have
 * @host_pmu: type of the host's PMU that counts for it, or KVM_GLUE_DEFAULT.
 * @counters: number of event counters, 0 to 31, or KVM_GLUE_DEFAULT for all that the PMU has.
 *     Otherwise @host_pmu must be given as well: the kernel wants it chosen first.
 * @filter: the event filter, or NULL. No pointer to it is stored.
 * @irq: interrupt of overflows: a PPI, 16 to 31, the same for all vCPUs, or an SPI, 32 to 1019,
 *     another one for each; or KVM_GLUE_DEFAULT if the interrupt controller is not the kernel's.
 */
struct kvm_glue_setup {
    int host_pmu;
    int counters;
    const struct kvm_glue_filter *filter;
    int irq;
};

/**
 * kvm_glue_setup_vm() - what all vCPUs of a machine have in common
 * @os: the kernel.
 * @vcpu_fd: any vCPU of the machine, made with KVM_ARM_VCPU_INIT and the feature
 *     KVM_ARM_VCPU_PMU_V3.
 * @s: the description.
 *
 * SET_PMU, SET_NR_COUNTERS and FILTER, in this order: a choice of PMU after the filter is refused,
 * and a new choice undoes the number of counters. Must be called before any vCPU has run, and
 * before kvm_glue_setup_vcpu() for this vCPU; once is enough, so a vCPU that is plugged in later
 * needs only kvm_glue_setup_vcpu(). An attribute that this kernel does not have is refused before
 * anything is changed.
 *
 * Return: 0, or a negative errno; @err names the attribute.
 * Source: Documentation/virt/kvm/devices/vcpu.rst.
 */
int kvm_glue_setup_vm(const struct kvm_glue_os *os, int vcpu_fd, const struct kvm_glue_setup *s,
                      struct kvm_glue_error *err);

/**
 * kvm_glue_setup_vcpu() - what each vCPU has of its own
 * @os: the kernel.
 * @vcpu_fd: the vCPU, made as above, before its first run; the kernel's GIC must be initialized.
 * @s: the description.
 *
 * IRQ and INIT. Where the kernel is too old for SET_NR_COUNTERS, the number of counters is set
 * through PMCR_EL0.N here, and verified.
 *
 * Return: 0, or a negative errno; @err names the attribute.
 */
int kvm_glue_setup_vcpu(const struct kvm_glue_os *os, int vcpu_fd, const struct kvm_glue_setup *s,
                        struct kvm_glue_error *err);

#endif

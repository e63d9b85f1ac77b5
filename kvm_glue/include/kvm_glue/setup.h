/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KVM_GLUE_SETUP_H
#define KVM_GLUE_SETUP_H

#include <stdbool.h>
#include <stdint.h>

#include "kvm_glue/error.h"
#include "kvm_glue/filter.h"
#include "kvm_glue/os.h"
#include "vpmu/decls.h"

VPMU_DECLS_BEGIN

struct kvm_vcpu_init;

enum {
    /* The kernel chooses this part of the description. */
    KVM_GLUE_DEFAULT = -1,
    /* The interrupt of all vCPUs with a GICv5 (Linux 7.3). KVM_GLUE_DEFAULT means the same. */
    KVM_GLUE_IRQ_GICV5 = 0x20000017,
};

/*
 * kvm_glue_setup.flags. No released kernel has these attributes: Linux 7.3 does not. Their patches
 * use the same number; kvm_glue_setup_vm() detects which one a kernel has.
 */
enum {
    /* FIXED_COUNTERS_ONLY: no event counters; vCPUs can run on all cores of any host. */
    KVM_GLUE_FIXED_COUNTERS = 1 << 0,
    /* ENABLE_PARTITION: the guest owns some counters of the host's PMU, without perf events. */
    KVM_GLUE_PARTITION = 1 << 1,
};

/**
 * kvm_glue_vcpu_features() - features of KVM_ARM_VCPU_INIT for a vCPU with a PMU
 * @os: the kernel.
 * @kvm_fd: /dev/kvm, or a machine.
 *
 * Return: the bits to set in kvm_vcpu_init.features[0]: KVM_ARM_VCPU_PMU_V3, and on Linux 7.3 and
 * later KVM_ARM_VCPU_PMU_V3_STRICT. With STRICT the guest sees PMMIR_EL1.SLOTS of the host and the
 * events STALL_SLOT*, and there is no default PMU, so kvm_glue_setup.host_pmu must name one.
 * Without it, or if vCPUs run on cores with different PMUs, set KVM_ARM_VCPU_PMU_V3 alone. All
 * vCPUs of a machine must have the same features.
 */
uint32_t kvm_glue_vcpu_features(const struct kvm_glue_os *os, int kvm_fd);

/**
 * kvm_glue_vcpu_init() - call KVM_ARM_VCPU_INIT
 * @os: the kernel.
 * @vcpu_fd: the vCPU.
 * @init: the kernel's structure: a target, such as that of KVM_ARM_PREFERRED_TARGET, and features,
 *     such as those of kvm_glue_vcpu_features().
 * @err: is filled in on an error, with the features; may be NULL.
 *
 * A VMM can make the call itself. This function adds what an error means.
 *
 * Return: 0, or a negative errno.
 * Source: Documentation/virt/kvm/api.rst.
 */
int kvm_glue_vcpu_init(const struct kvm_glue_os *os, int vcpu_fd, const struct kvm_vcpu_init *init,
                       struct kvm_glue_error *err);

/**
 * struct kvm_glue_setup - the PMU that a guest gets
 * @host_pmu: the type of the host PMU that counts for it, or KVM_GLUE_DEFAULT, which is impossible
 *     for vCPUs with the feature KVM_ARM_VCPU_PMU_V3_STRICT.
 * @counters: the number of event counters, 0 to 31, or KVM_GLUE_DEFAULT for all that the PMU has. A
 *     number requires @host_pmu, because the kernel demands that the PMU is chosen first.
 * @filter: the event filter, or NULL. The pointer is not stored.
 * @irq: the overflow interrupt: a PPI, 16 to 31, the same for all vCPUs; or an SPI, 32 to 1019, a
 *     different one for each vCPU; or KVM_GLUE_IRQ_GICV5; or KVM_GLUE_DEFAULT if the interrupt
 *     controller is a GICv5 or not the kernel's.
 * @flags: KVM_GLUE_FIXED_COUNTERS or KVM_GLUE_PARTITION, or 0. With KVM_GLUE_FIXED_COUNTERS
 *     @host_pmu must be KVM_GLUE_DEFAULT and @counters 0 or KVM_GLUE_DEFAULT. KVM_GLUE_PARTITION
 * can lower the number of counters that the guest may have.
 */
struct kvm_glue_setup {
    int32_t host_pmu;
    int32_t counters;
    const struct kvm_glue_filter *filter;
    int32_t irq;
    uint32_t flags;
};

/**
 * kvm_glue_setup_vm() - set what all vCPUs of a machine have in common
 * @os: the kernel.
 * @vcpu_fd: any vCPU of the machine, initialised by KVM_ARM_VCPU_INIT with the feature
 *     KVM_ARM_VCPU_PMU_V3.
 * @s: the description.
 * @err: is filled in on an error, with the attribute's name; may be NULL.
 *
 * Sets SET_PMU, FIXED_COUNTERS_ONLY or ENABLE_PARTITION, SET_NR_COUNTERS and FILTER, in this order:
 * the kernel refuses a choice of PMU after the filter, and a new choice resets the number of
 * counters. An attribute that this kernel does not have is refused before anything is changed.
 *
 * Context: before any vCPU has run, and before kvm_glue_setup_vcpu() for this vCPU. One call is
 * enough, so a vCPU that is plugged in later needs only kvm_glue_setup_vcpu().
 * Return: 0, or a negative errno.
 * Source: Documentation/virt/kvm/devices/vcpu.rst.
 */
int kvm_glue_setup_vm(const struct kvm_glue_os *os, int vcpu_fd, const struct kvm_glue_setup *s,
                      struct kvm_glue_error *err);

/**
 * kvm_glue_setup_vcpu() - set what belongs to one vCPU
 * @os: the kernel.
 * @vcpu_fd: the vCPU, initialised as for kvm_glue_setup_vm().
 * @s: the description.
 * @err: is filled in on an error, with the attribute's name; may be NULL.
 *
 * Sets IRQ and INIT. If the kernel is too old for SET_NR_COUNTERS, it also sets the number of
 * counters through PMCR_EL0.N and verifies it.
 *
 * Context: before the vCPU's first run, after the kernel's GIC is initialised.
 * Return: 0, or a negative errno.
 * Source: Documentation/virt/kvm/devices/vcpu.rst.
 */
int kvm_glue_setup_vcpu(const struct kvm_glue_os *os, int vcpu_fd, const struct kvm_glue_setup *s,
                        struct kvm_glue_error *err);

VPMU_DECLS_END

#endif

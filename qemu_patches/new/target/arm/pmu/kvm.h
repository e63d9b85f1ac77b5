/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU of KVM guests
 */

#ifndef TARGET_ARM_PMU_KVM_H
#define TARGET_ARM_PMU_KVM_H

#include "qapi/qapi-types-vpmu.h"
#include "cpu.h"

struct kvm_glue_filter;
struct VPMURecorder;

/**
 * kvm_arm_pmu_configurable:
 *
 * Returns: true if users can say what the PMU is to be like
 */
bool kvm_arm_pmu_configurable(void);

/**
 * kvm_arm_pmu_setup:
 * @cpu: a vCPU with a PMU, realized, as is the interrupt controller
 * @irq: the overflow interrupt, or -1 if it is not the kernel's
 * @errp: why it failed
 *
 * Set up the vCPU's PMU and, with the first vCPU, what is common to all.
 *
 * Returns: false on failure
 */
bool kvm_arm_pmu_setup(ARMCPU *cpu, int irq, Error **errp);

/**
 * kvm_arm_pmu_restore:
 * @cpu: a vCPU that does not run
 * @errp: why it failed
 *
 * Write the PMU's registers from the list of registers to KVM, in the
 * order that it wants.
 *
 * Returns: false on failure, an unsuitable number of counters included
 */
bool kvm_arm_pmu_restore(ARMCPU *cpu, Error **errp);

/* Offers the properties of CPUs that are only there with KVM. */
void kvm_arm_pmu_add_properties(Object *obj);

/*
 * Is this a register that kvm_arm_pmu_restore() writes?  Only if KVM has
 * all of them.
 */
bool kvm_arm_is_pmu_reg(uint64_t regidx);
bool kvm_arm_pmu_has_all_regs(ARMCPU *cpu);

/* What the guest has set its counters to. */
VPMUInfoList *kvm_arm_query_vpmu(Error **errp);

/* Who takes samples; see vpmu_record.h.  NULL if nobody does, and why. */
const struct VPMURecorder *kvm_arm_recorder(Error **errp);

/* Offers the accelerator's property for a filter of events. */
void kvm_pmu_filter_add_property(ObjectClass *oc);

/* The filter that the accelerator was given; has no rules if none was. */
bool kvm_pmu_filter_get(struct kvm_glue_filter *filter, Error **errp);

#endif

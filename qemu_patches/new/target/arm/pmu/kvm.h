/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU of KVM guests
 */

#ifndef TARGET_ARM_PMU_KVM_H
#define TARGET_ARM_PMU_KVM_H

#include "cpu.h"
#include "system/kvm.h"
#include "system/vpmu_property.h"

struct kvm_glue_filter;
struct kvm_glue_setup;

/**
 * kvm_arm_pmu_configurable:
 *
 * Returns: true if users can configure the PMU
 */
bool kvm_arm_pmu_configurable(void);

/**
 * kvm_arm_pmu_setup:
 * @cpu: a realized vCPU with a PMU; the interrupt controller is realized, too
 * @irq: the overflow interrupt, or -1 if the kernel does not deliver it
 * @errp: the reason of a failure
 *
 * Set up the vCPU's PMU and, with the first vCPU, what all vCPUs share.
 *
 * Returns: false on failure
 */
bool kvm_arm_pmu_setup(ARMCPU *cpu, int irq, Error **errp);

/**
 * kvm_arm_pmu_restore:
 * @cpu: a vCPU that does not run
 * @errp: the reason of a failure
 *
 * Write the PMU's registers from the list of registers to KVM, in the
 * order that KVM needs.
 *
 * Returns: false on failure, also if the number of counters does not fit
 */
bool kvm_arm_pmu_restore(ARMCPU *cpu, Error **errp);

/**
 * kvm_arm_pmu_setup_machine:
 * @cpu: the first vCPU
 * @setup: gets the type of the host's PMU
 * @errp: the reason of a failure
 *
 * Set up what all vCPUs share.  KVM takes these settings from any vCPU.
 *
 * Returns: false on failure
 */
bool kvm_arm_pmu_setup_machine(ARMCPU *cpu, struct kvm_glue_setup *setup,
                               Error **errp);

/* Returns kvm_glue_setup.flags that the user chose. */
uint32_t kvm_arm_pmu_setup_flags(void);

/* Returns features[0] of KVM_ARM_VCPU_INIT for a vCPU with a PMU. */
uint32_t kvm_arm_pmu_vcpu_features(ARMCPU *cpu);

/**
 * kvm_arm_take_register:
 * @cpu: the vCPU that is loaded
 * @regidx: a register of the stream that this kernel does not have
 * @value: its value
 * @errp: the reason of a failure
 *
 * Returns: true if the guest does not need the register
 */
bool kvm_arm_take_register(ARMCPU *cpu, uint64_t regidx, uint64_t value,
                           Error **errp);

/* Adds the CPU properties that exist only with KVM. */
void kvm_arm_pmu_add_properties(Object *obj);

/*
 * Does kvm_arm_pmu_restore() write this register?  It does only if KVM has all
 * registers of the PMU.
 */
bool kvm_arm_is_pmu_reg(uint64_t regidx);
bool kvm_arm_pmu_has_all_regs(ARMCPU *cpu);

/* Adds all properties of the accelerator. */
void kvm_arm_pmu_add_accel_properties(ObjectClass *oc);

/* Adds the accelerator's property for the event filter. */
void kvm_pmu_filter_add_property(ObjectClass *oc);

/* Gets the accelerator's filter, which has no rules if none was given. */
bool kvm_pmu_filter_get(struct kvm_glue_filter *filter, Error **errp);

/*
 * May the user set this property of the PMU?  Not if the CPU has been realized,
 * and most not with KVM.
 */
static inline bool arm_may_configure_pmu(Object *cpu, const char *name,
                                         Error **errp)
{
    if (kvm_enabled()) {
        error_setg(errp, "'%s' cannot be set with KVM: the PMU is the host's",
                   name);
        return false;
    }
    return vpmu_property_may_change(cpu, name, errp);
}

#endif

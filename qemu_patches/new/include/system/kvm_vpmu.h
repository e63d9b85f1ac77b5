/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What all KVM guests have: a meter at the exit path, which measures where the
 * time of vCPUs goes, and a recorder
 */

#ifndef SYSTEM_KVM_VPMU_H
#define SYSTEM_KVM_VPMU_H

#include "hw/core/cpu.h"

#ifdef CONFIG_KVM

/*
 * Called right before and right after KVM_RUN, on the vCPU's thread.  @ret is
 * what KVM_RUN returned, @reason is kvm_run.exit_reason.
 */
void kvm_vpmu_enter_metered(CPUState *cpu);
void kvm_vpmu_exit_metered(CPUState *cpu, int ret, uint32_t reason);

static inline void kvm_vpmu_enter(CPUState *cpu)
{
    if (unlikely(cpu->kvm_meter)) {
        kvm_vpmu_enter_metered(cpu);
    }
}

static inline void kvm_vpmu_exit(CPUState *cpu, int ret, uint32_t reason)
{
    if (unlikely(cpu->kvm_meter)) {
        kvm_vpmu_exit_metered(cpu, ret, reason);
    }
}

/* Called on a vCPU's thread, after KVM has created the vCPU, and at its end. */
void kvm_vpmu_init_vcpu(CPUState *cpu);
void kvm_vpmu_destroy_vcpu(CPUState *cpu);

/* Adds the accelerator's properties. */
void kvm_vpmu_add_properties(ObjectClass *oc);

/* Sets the perf type of the PMU that vCPUs use, if the host has several. */
void kvm_vpmu_set_host_pmu(uint32_t type);

/* Returns that type; PERF_TYPE_HARDWARE if all CPUs have the same PMU. */
uint32_t kvm_vpmu_host_pmu(void);

/* Records with perf events of the vCPUs' threads.  Needs kvm_glue. */
extern const struct VPMURecorder kvm_vpmu_recorder;

#endif

#endif

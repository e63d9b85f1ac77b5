/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the time of KVM's vCPUs goes: a meter at the exit path
 */

#ifndef SYSTEM_KVM_VPMU_H
#define SYSTEM_KVM_VPMU_H

#include "hw/core/cpu.h"

#ifdef CONFIG_KVM

/*
 * Right before and right after KVM_RUN, on the vCPU's thread.  @ret and
 * @reason are what it returned and kvm_run.exit_reason.
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

/* A vCPU's thread begins, with KVM's side of the vCPU there; or ends. */
void kvm_vpmu_init_vcpu(CPUState *cpu);
void kvm_vpmu_destroy_vcpu(CPUState *cpu);

/* Offers the accelerator's properties. */
void kvm_vpmu_add_properties(ObjectClass *oc);

/* The host's PMU that vCPUs run with is this one, of several. */
void kvm_vpmu_set_host_pmu(uint32_t type);

/* That PMU; PERF_TYPE_HARDWARE if all CPUs have the same. */
uint32_t kvm_vpmu_host_pmu(void);

/*
 * Switch the meters of all vCPUs, those too that are yet to come: on,
 * beginning with zero, perhaps with the software events of their threads;
 * or off, forgetting.  Holds the BQL.
 */
bool kvm_vpmu_meter(bool enable, bool software, Error **errp);

/* What the meters found, for people. */
void kvm_vpmu_describe(GString *text);

#else

static inline bool kvm_vpmu_meter(bool enable, bool software, Error **errp)
{
    g_assert_not_reached();
}

static inline void kvm_vpmu_describe(GString *text)
{
    g_assert_not_reached();
}

#endif

#endif

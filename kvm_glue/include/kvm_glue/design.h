/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KVM_GLUE_DESIGN_H
#define KVM_GLUE_DESIGN_H

#include "kvm_glue/os.h"
#include "vpmu/decls.h"

VPMU_DECLS_BEGIN

/* How the host's KVM gives counters to guests. docs/kvm.md says what each design means for users.
 */
enum kvm_glue_design {
    KVM_GLUE_DESIGN_EVENTS,      /* each counter of a guest is a perf event of the host */
    KVM_GLUE_DESIGN_MEDIATED,    /* x86: a guest that runs has the PMU for itself */
    KVM_GLUE_DESIGN_PARTITIONED, /* arm64: guests may have some counters for themselves */
};

/**
 * kvm_glue_design() - tell how this host's KVM gives counters to guests
 * @os: the kernel.
 *
 * Reads the parameter enable_mediated_pmu of kvm_intel and kvm_amd (Linux 7.3), and
 * arm_pmuv3.reserved_host_counters, which is in no released kernel. They say what the host allows;
 * a single machine may still use perf events.
 *
 * Return: the design; KVM_GLUE_DESIGN_EVENTS if no parameter names another.
 */
enum kvm_glue_design kvm_glue_design(const struct kvm_glue_os *os);

/**
 * kvm_glue_design_name() - the name of a design
 * @design: the design, any value.
 *
 * Return: a constant: "events", "mediated", "partitioned", or "unknown".
 */
const char *kvm_glue_design_name(enum kvm_glue_design design);

VPMU_DECLS_END

#endif

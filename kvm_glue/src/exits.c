/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The figures of exits: names and sums. */
#include <string.h>

#include "internal.h"
#include "kvm_glue/meter.h"

/* Source: Linux, include/uapi/linux/kvm.h, KVM_EXIT_*. */
static const char *const reasons[KVM_GLUE_REASONS] = {
    "unknown",
    "exception",
    "io",
    "hypercall",
    "debug",
    "hlt",
    "mmio",
    "irq-window-open",
    "shutdown",
    "fail-entry",
    "intr",
    "set-tpr",
    "tpr-access",
    "s390-sieic",
    "s390-reset",
    "dcr",
    "nmi",
    "internal-error",
    "osi",
    "papr-hcall",
    "s390-ucontrol",
    "watchdog",
    "s390-tsch",
    "epr",
    "system-event",
    "s390-stsi",
    "ioapic-eoi",
    "hyperv",
    "arm-nisv",
    "x86-rdmsr",
    "x86-wrmsr",
    "dirty-ring-full",
    "ap-reset-hold",
    "x86-bus-lock",
    "xen",
    "riscv-sbi",
    "riscv-csr",
    "notify",
    "loongarch-iocsr",
    "memory-fault",
    "tdx",
    [KVM_GLUE_REASON_INTERRUPTED] = "interrupted",
    [KVM_GLUE_REASON_OTHER] = "other",
};

static const char *const parts[KVM_GLUE_PARTS] = {
    [KVM_GLUE_GUEST_CYCLES] = "guest-cycles",
    [KVM_GLUE_KERNEL_CYCLES] = "kernel-cycles",
    [KVM_GLUE_VMM_CYCLES] = "vmm-cycles",
    [KVM_GLUE_BLACKOUT_CYCLES] = "blackout-cycles",
    [KVM_GLUE_BLACKOUT_NO_HV_CYCLES] = "blackout-no-hv-cycles",
    [KVM_GLUE_RUN_NS] = "run-nanoseconds",
    [KVM_GLUE_VMM_NS] = "vmm-nanoseconds",
};

const char *kvm_glue_reason_name(unsigned reason)
{
    return reason < KVM_GLUE_REASONS ? reasons[reason] : NULL;
}

const char *kvm_glue_part_name(unsigned part)
{
    return part < KVM_GLUE_PARTS ? parts[part] : NULL;
}

void kvm_glue_exits_clear(struct kvm_glue_exits *exits)
{
    memset(exits, 0, sizeof(*exits));
    for (unsigned part = 0; part < KVM_GLUE_PARTS; part++) {
        exits->part[part].min = UINT64_MAX;
    }
}

static void spread_merge(struct vpmu_spread *sum, const struct vpmu_spread *more)
{
    sum->sum += more->sum;
    sum->min = more->min < sum->min ? more->min : sum->min;
    sum->max = more->max > sum->max ? more->max : sum->max;
    for (unsigned i = 0; i < VPMU_LOG2_BUCKETS; i++) {
        sum->log2[i] += more->log2[i];
    }
}

void kvm_glue_exits_add(struct kvm_glue_exits *sum, const struct kvm_glue_exits *more)
{
    sum->exits += more->exits;
    sum->measured += more->measured;
    sum->scaled += more->scaled;
    sum->negative += more->negative;
    for (size_t i = 0; i < KVM_GLUE_COUNT_OF(sum->blackout); i++) {
        sum->blackout[i] += more->blackout[i];
    }
    for (size_t i = 0; i < KVM_GLUE_SOFTWARE_EVENTS; i++) {
        sum->software[i] += more->software[i];
    }
    for (size_t i = 0; i < KVM_GLUE_PARTS; i++) {
        spread_merge(&sum->part[i], &more->part[i]);
    }
}

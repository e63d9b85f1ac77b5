/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KVM_GLUE_MODE_H
#define KVM_GLUE_MODE_H

#include "kvm_glue/error.h"
#include "kvm_glue/group.h"

/* Where the host's kernel runs. docs/kvm.md says how it is found out, and how far that goes. */
enum kvm_glue_mode {
    KVM_GLUE_MODE_UNKNOWN,
    KVM_GLUE_MODE_VHE,  /* at EL2; also hosts that are not Arm: no hypervisor below the kernel */
    KVM_GLUE_MODE_NVHE, /* at EL1, KVM's switch at EL2 */
    KVM_GLUE_MODE_PROTECTED, /* as NVHE, and EL2 does not trust the host */
};

/* "VHE", "nVHE", "protected nVHE", "unknown". */
const char *kvm_glue_mode_name(enum kvm_glue_mode mode);

/**
 * kvm_glue_mode_hint() - what can be known without running a guest
 * @os: the kernel.
 * @kvm_fd: /dev/kvm or a machine, for KVM_CHECK_EXTENSION.
 *
 * Return: the mode; KVM_GLUE_MODE_UNKNOWN if only a probe can tell.
 */
enum kvm_glue_mode kvm_glue_mode_hint(const struct kvm_glue_os *os, int kvm_fd);

/**
 * kvm_glue_mode_probe_open() - start to count what only runs at an EL2 below the kernel
 * @g: a closed group.
 * @os: the kernel.
 * @type: perf_event_attr.type of cycles on the CPUs that it runs on.
 * @config: perf_event_attr.config of them.
 * @tid: a vCPU's thread, 0 for the calling one.
 *
 * Cycles with exclude_user and exclude_kernel: on nVHE, EL2 and nothing else; on VHE, nothing. Some
 * exits later kvm_glue_mode_probe_result() tells.
 */
int kvm_glue_mode_probe_open(struct kvm_glue_group *g, const struct kvm_glue_os *os, uint32_t type,
                             uint64_t config, pid_t tid, struct kvm_glue_error *err);

/**
 * kvm_glue_mode_probe_result() - the verdict of an open probe
 *
 * Return: the mode, KVM_GLUE_MODE_UNKNOWN if the probe had no counter.
 */
enum kvm_glue_mode kvm_glue_mode_probe_result(struct kvm_glue_group *g);

#endif

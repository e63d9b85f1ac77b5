/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KVM_GLUE_MODE_H
#define KVM_GLUE_MODE_H

#include "kvm_glue/error.h"
#include "kvm_glue/group.h"
#include "vpmu/decls.h"

VPMU_DECLS_BEGIN

/*
 * Where the host's kernel runs. docs/kvm.md describes how this is determined and the limits of
 * that.
 */
enum kvm_glue_mode {
    KVM_GLUE_MODE_UNKNOWN,
    KVM_GLUE_MODE_VHE,       /* at EL2; also for hosts that are not Arm */
    KVM_GLUE_MODE_NVHE,      /* at EL1, KVM's switch at EL2 */
    KVM_GLUE_MODE_PROTECTED, /* nVHE, and EL2 does not trust the host */
};

/**
 * kvm_glue_mode_name() - the name of a mode
 * @mode: the mode, any value.
 *
 * Return: a constant: "VHE", "nVHE", "protected nVHE" or "unknown".
 */
const char *kvm_glue_mode_name(enum kvm_glue_mode mode);

/**
 * kvm_glue_mode_hint() - determine the mode without running a guest
 * @os: the kernel.
 * @kvm_fd: /dev/kvm or a machine, for KVM_CHECK_EXTENSION.
 *
 * Return: the mode; KVM_GLUE_MODE_UNKNOWN if only a probe can tell.
 */
enum kvm_glue_mode kvm_glue_mode_hint(const struct kvm_glue_os *os, int kvm_fd);

/**
 * kvm_glue_mode_probe_open() - start a probe, which counts what runs at an EL2 below the kernel
 * @g: a closed group.
 * @os: the kernel. It must outlive @g.
 * @type: perf_event_attr.type of cycles on the CPUs that the vCPU runs on.
 * @config: perf_event_attr.config of cycles.
 * @tid: the vCPU's thread; 0: the calling thread.
 * @err: is filled in on an error; may be NULL.
 *
 * The probe counts cycles with exclude_user and exclude_kernel. On nVHE these are the cycles of
 * EL2, on VHE there are none. After some exits, kvm_glue_mode_probe_result() gives the result.
 *
 * Return: as for kvm_glue_group_open().
 */
int kvm_glue_mode_probe_open(struct kvm_glue_group *g, const struct kvm_glue_os *os, uint32_t type,
                             uint64_t config, pid_t tid, struct kvm_glue_error *err);

/**
 * kvm_glue_mode_probe_result() - the result of a probe
 * @g: the open probe.
 *
 * Context: as for kvm_glue_group_read().
 * Return: KVM_GLUE_MODE_NVHE or KVM_GLUE_MODE_VHE; KVM_GLUE_MODE_UNKNOWN if the probe had no
 * counter.
 */
enum kvm_glue_mode kvm_glue_mode_probe_result(struct kvm_glue_group *g);

VPMU_DECLS_END

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Explains errors of KVM's calls: their cause, and the way out.
 *
 * Source: Linux 7.3, virt/kvm/kvm_main.c, kvm_vcpu_ioctl(); arch/arm64/kvm/arm.c,
 * kvm_arch_vcpu_ioctl(); arch/arm64/kvm/sys_regs.c.
 */
#include <errno.h>

#include "internal.h"

struct meaning {
    int error;
    const char *sentence;
};

/* Errors of each call. */
static const struct meaning any_call[] = {
    {EBADF, "the descriptor is closed; pass the one that KVM_CREATE_VCPU returned"},
    {ENOTTY, "the descriptor is not a vCPU's; pass the one that KVM_CREATE_VCPU returned"},
    {EIO,
     "another process created the VM, or the kernel has given it up; call from the process that "
     "created the VM, or create it again"},
    {EINTR, "a signal ends this process; call again if it does not"},
    {ENOEXEC, "the vCPU is not initialized; call KVM_ARM_VCPU_INIT first"},
    {EFAULT, "the kernel cannot read the argument; it must be mapped memory"},
    {ENOMEM, "the kernel is out of memory; free some"},
    {EPERM, "a security policy forbids the call; allow the ioctls of vCPUs that docs/kvm.md lists"},
    {EACCES,
     "a security policy forbids the call; allow the ioctls of vCPUs that docs/kvm.md lists"},
};

/* Errors of KVM_GET_ONE_REG and KVM_SET_ONE_REG, beside those of each call. */
static const struct meaning registers[] = {
    {ENOENT,
     "the vCPU does not have the register; make the vCPU with the feature KVM_ARM_VCPU_PMU_V3"},
    {EINVAL, "KVM refuses the value; restore the PMU on a host with the same PMU"},
    {EBUSY, "a vCPU has run, which fixes the value; restore the PMU into a new VM"},
};

static const char *find(const struct meaning *meanings, size_t count, int error)
{
    for (size_t i = 0; i < count; i++) {
        if (meanings[i].error == error) {
            return meanings[i].sentence;
        }
    }
    return NULL;
}

const char *kvm_glue_meaning_(int error)
{
    const char *sentence = find(any_call, KVM_GLUE_COUNT_OF(any_call), error);

    return sentence != NULL ? sentence : "unexpected";
}

const char *kvm_glue_register_meaning_(int error)
{
    const char *sentence = find(registers, KVM_GLUE_COUNT_OF(registers), error);

    return sentence != NULL ? sentence : kvm_glue_meaning_(error);
}

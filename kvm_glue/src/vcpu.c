/* SPDX-License-Identifier: GPL-2.0-or-later */
/* KVM_ARM_VCPU_INIT: the features of a vCPU with a PMU, and why KVM refuses them. */
#include <errno.h>
#include <string.h>

#include "internal.h"
#include "kvm_arm64.h"
#include "kvm_glue/setup.h"

uint32_t kvm_glue_vcpu_features(const struct kvm_glue_os *os, int kvm_fd)
{
    int strict = os->ioctl(kvm_fd, KVM_CHECK_EXTENSION, (void *)GLUE_CAP_ARM_PMU_V3_STRICT);

    return GLUE_FEATURE_PMU_V3 | (strict > 0 ? GLUE_FEATURE_PMU_V3_STRICT : 0);
}

/* Source: Linux 7.3, arch/arm64/kvm/arm.c, kvm_vcpu_set_target(). */
static const char *meaning_of(int error, uint32_t features)
{
    switch (error) {
    case ENOENT:
        return "this kernel does not know one of the features; ask KVM_CHECK_EXTENSION for each, "
               "as kvm_glue_vcpu_features() does";
    case EINVAL:
        if ((features & GLUE_FEATURE_PMU_V3_STRICT) && !(features & GLUE_FEATURE_PMU_V3)) {
            return "KVM_ARM_VCPU_PMU_V3_STRICT is set without KVM_ARM_VCPU_PMU_V3; set both";
        }
        return "this host does not have one of the features, another vCPU of the VM has others, "
               "or the target is not this host's; use the target of KVM_ARM_PREFERRED_TARGET, "
               "and the same features for all vCPUs";
    case ENODEV:
        return "the CPU that this thread runs on has no PMU; move the thread to one that has";
    default:
        return kvm_glue_meaning_(error);
    }
}

int kvm_glue_vcpu_init(const struct kvm_glue_os *os, int vcpu_fd, const struct kvm_vcpu_init *init,
                       struct kvm_glue_error *err)
{
    struct glue_vcpu_init copy;
    int ret;

    memcpy(&copy, init, sizeof(copy));
    ret = os->ioctl(vcpu_fd, GLUE_ARM_VCPU_INIT, &copy);
    if (ret < 0) {
        return kvm_glue_fail_(err, ret, "KVM_ARM_VCPU_INIT: features %#x: %s: %s", copy.features[0],
                              strerror(-ret), meaning_of(-ret, copy.features[0]));
    }
    return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PMMIR_EL1, which says how many slots a cycle has. Before Linux 7.3 every KVM guest reads it as 0,
 * and KVM does not have the register. From 7.3 on a guest of a vCPU with the feature
 * KVM_ARM_VCPU_PMU_V3_STRICT sees SLOTS of the host's PMU; others still read 0. Before the first
 * run, a write of 0 hides SLOTS; all other writes must be the value that is there.
 *
 * Source: Linux, arch/arm64/kvm/sys_regs.c, set_pmmir().
 */
#include "pmmir.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "internal.h"
#include "kvm_arm64.h"

/* The value here, and whether the kernel has the register. */
static int read_here(const struct kvm_glue_os *os, int fd, uint64_t *pmmir, bool *known,
                     struct kvm_glue_error *err)
{
    int ret = kvm_glue_get_reg_(os, fd, GLUE_SYSREG(GLUE_ENC_PMMIR), pmmir);

    *known = ret == 0;
    if (ret == -ENOENT) {
        *pmmir = 0;
        return 0;
    }
    if (ret < 0) {
        return kvm_glue_fail_(err, ret, "PMMIR_EL1 cannot be read: %s: %s", strerror(-ret),
                              kvm_glue_register_meaning_(-ret));
    }
    return 0;
}

int kvm_glue_pmmir_save_(const struct kvm_glue_os *os, int fd, uint64_t *pmmir,
                         struct kvm_glue_error *err)
{
    bool known;

    return read_here(os, fd, pmmir, &known, err);
}

int kvm_glue_pmmir_check_(const struct kvm_glue_os *os, int fd, uint64_t pmmir,
                          struct kvm_glue_error *err)
{
    uint64_t here = 0;
    bool known = false;
    int ret = read_here(os, fd, &here, &known, err);

    if (ret < 0 || pmmir == 0 || pmmir == here) {
        return ret;
    }
    if (pmmir & ~GLUE_PMMIR_SLOTS) {
        return kvm_glue_fail_(err, -EINVAL,
                              "the saved PMU is damaged: PMMIR_EL1 is %#llx; it can be 0 to 0xff",
                              (unsigned long long)pmmir);
    }
    if (!known) {
        return kvm_glue_fail_(err, -ERANGE,
                              "the saved PMU has PMMIR_EL1.SLOTS %llu, and this kernel has no "
                              "PMMIR_EL1; restore it on Linux 7.3 or later",
                              (unsigned long long)pmmir);
    }
    return kvm_glue_fail_(err, -ERANGE,
                          "the saved PMU has PMMIR_EL1.SLOTS %llu, this vCPU has %llu; restore it "
                          "on a host with the same PMU, in a vCPU with the feature "
                          "KVM_ARM_VCPU_PMU_V3_STRICT",
                          (unsigned long long)pmmir, (unsigned long long)here);
}

int kvm_glue_pmmir_restore_(const struct kvm_glue_os *os, int fd, uint64_t pmmir,
                            struct kvm_glue_error *err)
{
    uint64_t here = 0;
    bool known = false;
    int ret = read_here(os, fd, &here, &known, err);

    if (ret < 0 || pmmir == here) {
        return ret;
    }
    ret = kvm_glue_set_reg_(os, fd, GLUE_SYSREG(GLUE_ENC_PMMIR), pmmir);
    if (ret < 0) {
        return kvm_glue_fail_(err, ret,
                              "PMMIR_EL1 cannot be changed from SLOTS %llu to %llu: %s: %s",
                              (unsigned long long)here, (unsigned long long)pmmir, strerror(-ret),
                              kvm_glue_register_meaning_(-ret));
    }
    return 0;
}

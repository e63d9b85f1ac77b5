/* SPDX-License-Identifier: GPL-2.0-or-later */
/* KVM's device attributes of a vCPU's PMU, and what their errors mean. */
#include "attr.h"

#include <errno.h>
#include <string.h>

#include "internal.h"

/*
 * Source: Linux, Documentation/virt/kvm/devices/vcpu.rst, and the commits that added the
 * attributes. The last two are not merged; both patch series use number 5.
 */
static const struct {
    const char *name;
    const char *since; /* NULL: in no released kernel */
    uint64_t number;
} attrs[GLUE_ATTRS] = {
    [GLUE_ATTR_IRQ] = {"IRQ", "4.6", 0},
    [GLUE_ATTR_INIT] = {"INIT", "4.6", 1},
    [GLUE_ATTR_FILTER] = {"FILTER", "5.10", 2},
    [GLUE_ATTR_SET_PMU] = {"SET_PMU", "5.18", 3},
    [GLUE_ATTR_SET_NR_COUNTERS] = {"SET_NR_COUNTERS", "6.16", 4},
    [GLUE_ATTR_FIXED_COUNTERS_ONLY] = {"FIXED_COUNTERS_ONLY", NULL, 5},
    [GLUE_ATTR_ENABLE_PARTITION] = {"ENABLE_PARTITION", NULL, 5},
};

/* An error of any attribute. */
#define ANY GLUE_ATTRS

/*
 * The meaning of KVM's errors, and what to do instead. The first row that matches holds; errors of
 * each call of KVM are in explain.c. Source: Linux 7.3, arch/arm64/kvm/pmu-emul.c,
 * kvm_arm_pmu_v3_set_attr(); for the last two attributes, the patches.
 */
static const struct {
    int attr;
    int error;
    const char *meaning;
} meanings[] = {
    {GLUE_ATTR_SET_PMU, ENXIO,
     "KVM knows no such PMU of the host; choose one of the host's cores by its type in sysfs"},
    {GLUE_ATTR_SET_PMU, EBUSY,
     "too late: the vCPU's PMU is initialized or has fixed counters only, a vCPU has run, or a "
     "filter is set for another PMU; choose the PMU first"},
    {GLUE_ATTR_SET_NR_COUNTERS, EBUSY,
     "too late: the vCPU's PMU is initialized, a vCPU has run or a filter is set; set the number "
     "of counters right after SET_PMU"},
    {GLUE_ATTR_SET_NR_COUNTERS, EINVAL,
     "the host's PMU has fewer counters, or none was chosen by SET_PMU; ask for fewer"},
    {GLUE_ATTR_FILTER, EBUSY,
     "too late: the vCPU's PMU is initialized, a vCPU has run or the PMU has fixed counters only; "
     "set the filter before INIT, for a PMU with event counters"},
    {GLUE_ATTR_FILTER, EINVAL,
     "a range is out of bounds; events have 10 bits in PMUv3, 16 from PMUv3p1"},
    {GLUE_ATTR_FILTER, ENXIO,
     "no PMU of the host was chosen, and with KVM_ARM_VCPU_PMU_V3_STRICT there is no default; set "
     "SET_PMU first"},
    {GLUE_ATTR_IRQ, EBUSY,
     "the interrupt is already set, or the vCPU's PMU is initialized; set it once for each vCPU, "
     "before INIT"},
    {GLUE_ATTR_IRQ, EINVAL,
     "KVM refuses the interrupt: it must be the same PPI for all vCPUs, or an SPI of the "
     "interrupt controller that no other vCPU has, and the controller must be the kernel's; with "
     "a GICv5 it must be 0x20000017"},
    {GLUE_ATTR_INIT, ENODEV, "the kernel's GIC is not initialized; do so first"},
    {GLUE_ATTR_INIT, ENXIO,
     "the interrupt is not set, or KVM_ARM_VCPU_PMU_V3_STRICT is and no PMU of the host was "
     "chosen; set IRQ, and SET_PMU, first"},
    {GLUE_ATTR_INIT, EBUSY, "the vCPU's PMU is already initialized; do so once"},
    {GLUE_ATTR_INIT, EINVAL,
     "the kernel's interrupt controller has fewer SPIs; give it more, or choose a lower one"},
    {GLUE_ATTR_INIT, EEXIST, "the interrupt belongs to another device; choose another one"},
    {GLUE_ATTR_FIXED_COUNTERS_ONLY, EBUSY,
     "too late: the vCPU's PMU is initialized, a vCPU has run, or a filter or a PMU of the host "
     "was chosen; set it first, and do not choose a PMU"},
    {GLUE_ATTR_ENABLE_PARTITION, EBUSY,
     "too late: the vCPU's PMU is initialized or a vCPU has run; set it before INIT"},
    {GLUE_ATTR_ENABLE_PARTITION, EPERM,
     "this host does not partition its PMU; it must run in VHE mode, and be booted with "
     "arm_pmuv3.reserved_host_counters=N"},
    {ANY, ENODEV,
     "the vCPU or the host has no PMU; make the vCPU with the feature KVM_ARM_VCPU_PMU_V3, on a "
     "host with a PMUv3"},
    {ANY, ENXIO, "this kernel does not have the attribute; use a later one"},
};

static const char *meaning_of(enum glue_attr attr, int error)
{
    for (size_t i = 0; i < KVM_GLUE_COUNT_OF(meanings); i++) {
        if ((meanings[i].attr == (int)attr || meanings[i].attr == ANY) &&
            meanings[i].error == error) {
            return meanings[i].meaning;
        }
    }
    return kvm_glue_meaning_(error);
}

static int call_attr(const struct kvm_glue_os *os, int fd, unsigned long request,
                     enum glue_attr attr, void *addr)
{
    struct kvm_device_attr device_attr = {
        .group = GLUE_PMU_V3_CTRL,
        .attr = attrs[attr].number,
        .addr = (uint64_t)(uintptr_t)addr,
    };
    int ret = os->ioctl(fd, request, &device_attr);

    return ret < 0 ? ret : 0;
}

bool kvm_glue_has_attr_(const struct kvm_glue_os *os, int fd, enum glue_attr attr)
{
    return call_attr(os, fd, KVM_HAS_DEVICE_ATTR, attr, NULL) == 0;
}

int kvm_glue_set_attr_(const struct kvm_glue_os *os, int fd, enum glue_attr attr, void *addr,
                       struct kvm_glue_error *err)
{
    int ret = call_attr(os, fd, KVM_SET_DEVICE_ATTR, attr, addr);

    if (ret < 0) {
        return kvm_glue_fail_(err, ret, "KVM_ARM_VCPU_PMU_V3_%s: %s: %s", attrs[attr].name,
                              strerror(-ret), meaning_of(attr, -ret));
    }
    return 0;
}

/* KVM returns ENXIO both for an unknown attribute and for a vCPU without a PMU. */
int kvm_glue_need_attr_(const struct kvm_glue_os *os, int fd, enum glue_attr attr,
                        struct kvm_glue_error *err)
{
    int ret = call_attr(os, fd, KVM_HAS_DEVICE_ATTR, GLUE_ATTR_INIT, NULL);

    if (ret == -ENXIO) {
        return kvm_glue_fail_(
            err, ret,
            "KVM_ARM_VCPU_PMU_V3_INIT: %s: this vCPU can have no PMU; make it with "
            "the feature KVM_ARM_VCPU_PMU_V3, on a host with a PMUv3",
            strerror(-ret));
    }
    if (ret == 0) {
        ret = call_attr(os, fd, KVM_HAS_DEVICE_ATTR, attr, NULL);
    }
    if (ret == -ENXIO) {
        return kvm_glue_fail_(err, ret,
                              "KVM_ARM_VCPU_PMU_V3_%s: %s: this kernel does not have it; Linux %s",
                              attrs[attr].name, strerror(-ret),
                              attrs[attr].since ? attrs[attr].since : "7.3 does not, either");
    }
    if (ret < 0) {
        return kvm_glue_fail_(err, ret, "KVM_ARM_VCPU_PMU_V3_%s: %s: %s", attrs[attr].name,
                              strerror(-ret), kvm_glue_meaning_(-ret));
    }
    return 0;
}

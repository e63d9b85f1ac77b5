/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets up a guest's PMU with KVM's device attributes, in the order that they require. */
#include "kvm_glue/setup.h"

#include <errno.h>
#include <string.h>

#include "internal.h"
#include "kvm_arm64.h"
#include "kvm_glue/state.h"
#include "vpmu/arm/regs.h"

#define MAX_COUNTERS 31
#define FIRST_PPI 16
#define LAST_SPI 1019
/* kvm_pmu_event_filter.nevents has 16 bits, so a range of all 65536 events is split in two. */
#define MAX_RANGE 0x8000u

/*
 * Source: Linux, Documentation/virt/kvm/devices/vcpu.rst, and the commits that added the
 * attributes.
 */
static const struct {
    const char *name;
    const char *since;
} attrs[GLUE_ATTRS] = {
    [GLUE_ATTR_IRQ] = {"IRQ", "4.6"},
    [GLUE_ATTR_INIT] = {"INIT", "4.6"},
    [GLUE_ATTR_FILTER] = {"FILTER", "5.10"},
    [GLUE_ATTR_SET_PMU] = {"SET_PMU", "5.18"},
    [GLUE_ATTR_SET_NR_COUNTERS] = {"SET_NR_COUNTERS", "6.16"},
};

/* The meaning of KVM's errors, and what to do instead. */
static const struct {
    int attr;
    int error;
    const char *meaning;
} meanings[] = {
    {GLUE_ATTR_SET_PMU, ENXIO,
     "KVM knows no such PMU of the host; choose one of the host's cores by its type in sysfs"},
    {GLUE_ATTR_SET_PMU, EBUSY,
     "too late: the vCPU's PMU is initialized, a vCPU has run or a filter is set for another PMU; "
     "choose the PMU first"},
    {GLUE_ATTR_SET_NR_COUNTERS, EBUSY,
     "too late: the vCPU's PMU is initialized, a vCPU has run or a filter is set; set the number "
     "of "
     "counters right after SET_PMU"},
    {GLUE_ATTR_SET_NR_COUNTERS, EINVAL,
     "the host's PMU has fewer counters, or none was chosen by SET_PMU; ask for fewer"},
    {GLUE_ATTR_FILTER, EBUSY,
     "too late: the vCPU's PMU is initialized or a vCPU has run; set the filter before INIT"},
    {GLUE_ATTR_FILTER, EINVAL,
     "a range is out of bounds; events have 10 bits in PMUv3, 16 from PMUv3p1"},
    {GLUE_ATTR_FILTER, ENOMEM, "the kernel is out of memory"},
    {GLUE_ATTR_IRQ, EBUSY, "the interrupt is already set; set it once for each vCPU"},
    {GLUE_ATTR_IRQ, EINVAL,
     "KVM refuses the interrupt: it must be the same PPI for all vCPUs, or an SPI of the "
     "interrupt controller that no other vCPU has, and the controller must be the kernel's"},
    {GLUE_ATTR_INIT, ENODEV, "initialize the kernel's GIC first"},
    {GLUE_ATTR_INIT, ENXIO, "the interrupt is not set; set IRQ first"},
    {GLUE_ATTR_INIT, EBUSY, "the vCPU's PMU is already initialized; do so once"},
    {GLUE_ATTR_INIT, EEXIST, "the interrupt belongs to another device; choose another one"},
};

static const char *meaning_of(enum glue_attr attr, int error)
{
    for (size_t i = 0; i < KVM_GLUE_COUNT_OF(meanings); i++) {
        if (meanings[i].attr == (int)attr && meanings[i].error == error) {
            return meanings[i].meaning;
        }
    }
    if (error == ENODEV) {
        return "the vCPU or the host has no PMU; make the vCPU with the feature "
               "KVM_ARM_VCPU_PMU_V3, on a host with a PMUv3";
    }
    return "unexpected";
}

static int call_attr(const struct kvm_glue_os *os, int fd, unsigned long request,
                     enum glue_attr attr, void *addr)
{
    struct kvm_device_attr device_attr = {
        .group = GLUE_PMU_V3_CTRL,
        .attr = attr,
        .addr = (uint64_t)(uintptr_t)addr,
    };
    int ret = os->ioctl(fd, request, &device_attr);

    return ret < 0 ? ret : 0;
}

static int set_attr(const struct kvm_glue_os *os, int fd, enum glue_attr attr, void *addr,
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
static int need_attr(const struct kvm_glue_os *os, int fd, enum glue_attr attr,
                     struct kvm_glue_error *err)
{
    int ret = call_attr(os, fd, KVM_HAS_DEVICE_ATTR, GLUE_ATTR_INIT, NULL);

    if (ret < 0) {
        return kvm_glue_fail_(
            err, ret,
            "KVM_ARM_VCPU_PMU_V3_INIT: %s: this vCPU can have no PMU; make it with "
            "the feature KVM_ARM_VCPU_PMU_V3, on a host with a PMUv3",
            strerror(-ret));
    }
    ret = call_attr(os, fd, KVM_HAS_DEVICE_ATTR, attr, NULL);
    if (ret < 0) {
        return kvm_glue_fail_(err, ret,
                              "KVM_ARM_VCPU_PMU_V3_%s: %s: this kernel does not have it; Linux %s "
                              "and later do",
                              attrs[attr].name, strerror(-ret), attrs[attr].since);
    }
    return 0;
}

static bool wants_filter(const struct kvm_glue_setup *s)
{
    return s->filter != NULL && s->filter->count != 0;
}

static bool has_nr_counters(const struct kvm_glue_os *os, int fd)
{
    return call_attr(os, fd, KVM_HAS_DEVICE_ATTR, GLUE_ATTR_SET_NR_COUNTERS, NULL) == 0;
}

static int check_numbers(const struct kvm_glue_setup *s, struct kvm_glue_error *err)
{
    if (s->host_pmu < KVM_GLUE_DEFAULT) {
        return kvm_glue_fail_(err, -EINVAL,
                              "KVM_ARM_VCPU_PMU_V3_SET_PMU: %d is no type of a PMU; see type in "
                              "/sys/bus/event_source/devices/*",
                              s->host_pmu);
    }
    if (s->counters < KVM_GLUE_DEFAULT || s->counters > MAX_COUNTERS) {
        return kvm_glue_fail_(err, -EINVAL,
                              "KVM_ARM_VCPU_PMU_V3_SET_NR_COUNTERS: a PMU cannot have %d event "
                              "counters; there can be 0 to 31",
                              s->counters);
    }
    if (s->counters != KVM_GLUE_DEFAULT && s->host_pmu == KVM_GLUE_DEFAULT) {
        return kvm_glue_fail_(err, -EINVAL,
                              "KVM_ARM_VCPU_PMU_V3_SET_NR_COUNTERS: choose the host's PMU as well; "
                              "KVM wants SET_PMU first");
    }
    return 0;
}

static int check_irq(const struct kvm_glue_setup *s, struct kvm_glue_error *err)
{
    if (s->irq != KVM_GLUE_DEFAULT && (s->irq < FIRST_PPI || s->irq > LAST_SPI)) {
        return kvm_glue_fail_(err, -EINVAL,
                              "KVM_ARM_VCPU_PMU_V3_IRQ: %d is no PPI, 16 to 31, and no SPI, 32 to "
                              "1019",
                              s->irq);
    }
    return 0;
}

/* If the guest's PMUVer cannot be read, KVM checks the range itself. */
static int check_filter(const struct kvm_glue_os *os, int fd, const struct kvm_glue_setup *s,
                        struct kvm_glue_error *err)
{
    uint64_t dfr0 = 0;
    unsigned pmuver = 0;

    if (kvm_glue_get_reg_(os, fd, GLUE_SYSREG(GLUE_ENC_ID_AA64DFR0), &dfr0) == 0) {
        pmuver = GLUE_PMUVER(dfr0);
    }
    return kvm_glue_filter_check(s->filter, pmuver, err);
}

/* Checks everything that can be refused before anything is changed. */
static int check_vm(const struct kvm_glue_os *os, int fd, const struct kvm_glue_setup *s,
                    struct kvm_glue_error *err)
{
    int ret = check_numbers(s, err);

    if (ret == 0) {
        ret = need_attr(os, fd, GLUE_ATTR_INIT, err);
    }
    if (ret == 0 && s->host_pmu != KVM_GLUE_DEFAULT) {
        ret = need_attr(os, fd, GLUE_ATTR_SET_PMU, err);
    }
    if (ret == 0 && wants_filter(s)) {
        ret = need_attr(os, fd, GLUE_ATTR_FILTER, err);
    }
    if (ret == 0 && wants_filter(s)) {
        ret = check_filter(os, fd, s, err);
    }
    return ret;
}

static int set_range(const struct kvm_glue_os *os, int fd, const struct kvm_glue_rule *rule,
                     struct kvm_glue_error *err)
{
    uint32_t next = rule->first;
    uint32_t left = (uint32_t)rule->last - rule->first + 1;

    while (left != 0) {
        uint32_t events = left < MAX_RANGE ? left : MAX_RANGE;
        struct glue_event_filter filter = {
            .base_event = (uint16_t)next,
            .nevents = (uint16_t)events,
            .action = rule->action,
        };
        int ret = set_attr(os, fd, GLUE_ATTR_FILTER, &filter, err);

        if (ret < 0) {
            return ret;
        }
        next += events;
        left -= events;
    }
    return 0;
}

static int set_filter(const struct kvm_glue_os *os, int fd, const struct kvm_glue_setup *s,
                      struct kvm_glue_error *err)
{
    int ret = 0;

    for (unsigned i = 0; ret == 0 && i < s->filter->count; i++) {
        ret = set_range(os, fd, &s->filter->rules[i], err);
    }
    return ret;
}

int kvm_glue_setup_vm(const struct kvm_glue_os *os, int vcpu_fd, const struct kvm_glue_setup *s,
                      struct kvm_glue_error *err)
{
    int host_pmu = s->host_pmu;
    unsigned counters = (unsigned)s->counters;
    int ret = check_vm(os, vcpu_fd, s, err);

    if (ret == 0 && s->host_pmu != KVM_GLUE_DEFAULT) {
        ret = set_attr(os, vcpu_fd, GLUE_ATTR_SET_PMU, &host_pmu, err);
    }
    if (ret == 0 && s->counters != KVM_GLUE_DEFAULT && has_nr_counters(os, vcpu_fd)) {
        ret = set_attr(os, vcpu_fd, GLUE_ATTR_SET_NR_COUNTERS, &counters, err);
    }
    if (ret == 0 && wants_filter(s)) {
        ret = set_filter(os, vcpu_fd, s, err);
    }
    return ret;
}

/*
 * In Linux 6.7 to 6.15, a write of PMCR_EL0.N sets the number of counters. Older kernels ignore it.
 */
static int set_counters_by_pmcr(const struct kvm_glue_os *os, int fd, unsigned counters,
                                struct kvm_glue_error *err)
{
    struct kvm_glue_register pmcr;
    uint64_t field = VPMU_PMCR_N_MASK << VPMU_PMCR_N_SHIFT;
    uint64_t value = 0;
    int ret;

    kvm_glue_register(0, &pmcr);
    ret = kvm_glue_get_reg_(os, fd, pmcr.id, &value);
    if (ret == 0) {
        value = (value & ~field) | (uint64_t)counters << VPMU_PMCR_N_SHIFT;
        ret = kvm_glue_set_reg_(os, fd, pmcr.id, value);
    }
    if (ret == 0) {
        ret = kvm_glue_get_reg_(os, fd, pmcr.id, &value);
    }
    if (ret < 0) {
        return kvm_glue_fail_(err, ret, "PMCR_EL0 cannot be accessed: %s", strerror(-ret));
    }
    if ((value >> VPMU_PMCR_N_SHIFT & VPMU_PMCR_N_MASK) != counters) {
        return kvm_glue_fail_(
            err, -ENXIO,
            "KVM_ARM_VCPU_PMU_V3_SET_NR_COUNTERS: this kernel does not have it, and "
            "PMCR_EL0.N stays %u, not %u; Linux 6.7 and later can give a guest "
            "fewer counters than the host has, none can give it more",
            (unsigned)(value >> VPMU_PMCR_N_SHIFT & VPMU_PMCR_N_MASK), counters);
    }
    return 0;
}

int kvm_glue_setup_vcpu(const struct kvm_glue_os *os, int vcpu_fd, const struct kvm_glue_setup *s,
                        struct kvm_glue_error *err)
{
    int irq = s->irq;
    int ret = check_numbers(s, err);

    if (ret == 0) {
        ret = check_irq(s, err);
    }
    if (ret == 0) {
        ret = need_attr(os, vcpu_fd, GLUE_ATTR_IRQ, err);
    }
    if (ret == 0 && s->irq != KVM_GLUE_DEFAULT) {
        ret = set_attr(os, vcpu_fd, GLUE_ATTR_IRQ, &irq, err);
    }
    if (ret == 0) {
        ret = set_attr(os, vcpu_fd, GLUE_ATTR_INIT, NULL, err);
    }
    if (ret == 0 && s->counters != KVM_GLUE_DEFAULT && !has_nr_counters(os, vcpu_fd)) {
        ret = set_counters_by_pmcr(os, vcpu_fd, (unsigned)s->counters, err);
    }
    return ret;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets up a guest's PMU with KVM's device attributes, in the order that they require. */
#include "kvm_glue/setup.h"

#include <errno.h>
#include <string.h>

#include "attr.h"
#include "internal.h"
#include "kvm_arm64.h"
#include "kvm_glue/state.h"
#include "vpmu/arm/regs.h"

#define MAX_COUNTERS 31
#define FIRST_PPI 16
#define LAST_SPI 1019
/* kvm_pmu_event_filter.nevents has 16 bits, so a range of all 65536 events is split in two. */
#define MAX_RANGE 0x8000u

static bool wants_filter(const struct kvm_glue_setup *s)
{
    return s->filter != NULL && s->filter->count != 0;
}

/* A PMU with fixed counters only has none to begin with. */
static bool sets_counters(const struct kvm_glue_setup *s)
{
    return s->counters != KVM_GLUE_DEFAULT && !(s->flags & KVM_GLUE_FIXED_COUNTERS);
}

static bool has_nr_counters(const struct kvm_glue_os *os, int fd)
{
    return kvm_glue_has_attr_(os, fd, GLUE_ATTR_SET_NR_COUNTERS);
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
    if (s->counters != KVM_GLUE_DEFAULT && s->host_pmu == KVM_GLUE_DEFAULT &&
        !(s->flags & KVM_GLUE_FIXED_COUNTERS)) {
        return kvm_glue_fail_(err, -EINVAL,
                              "KVM_ARM_VCPU_PMU_V3_SET_NR_COUNTERS: choose the host's PMU as well; "
                              "KVM wants SET_PMU first");
    }
    return 0;
}

static int check_flags(const struct kvm_glue_setup *s, struct kvm_glue_error *err)
{
    bool fixed = s->flags & KVM_GLUE_FIXED_COUNTERS;

    if (s->flags & ~(uint32_t)(KVM_GLUE_FIXED_COUNTERS | KVM_GLUE_PARTITION)) {
        return kvm_glue_fail_(err, -EINVAL,
                              "the set-up has unknown flags, %#x; there are "
                              "KVM_GLUE_FIXED_COUNTERS and KVM_GLUE_PARTITION",
                              s->flags);
    }
    if (fixed && (s->flags & KVM_GLUE_PARTITION)) {
        return kvm_glue_fail_(err, -EINVAL,
                              "KVM_ARM_VCPU_PMU_V3_FIXED_COUNTERS_ONLY: such a PMU has no event "
                              "counters to partition; choose one of both");
    }
    if (fixed && (s->host_pmu != KVM_GLUE_DEFAULT || s->counters > 0)) {
        return kvm_glue_fail_(err, -EINVAL,
                              "KVM_ARM_VCPU_PMU_V3_FIXED_COUNTERS_ONLY: such a PMU uses all PMUs "
                              "of the host and has no event counters; choose neither a PMU of the "
                              "host nor a number of counters");
    }
    return 0;
}

static int check_irq(const struct kvm_glue_setup *s, struct kvm_glue_error *err)
{
    if (s->irq != KVM_GLUE_DEFAULT && s->irq != KVM_GLUE_IRQ_GICV5 &&
        (s->irq < FIRST_PPI || s->irq > LAST_SPI)) {
        return kvm_glue_fail_(err, -EINVAL,
                              "KVM_ARM_VCPU_PMU_V3_IRQ: %d is no PPI, 16 to 31, and no SPI, 32 to "
                              "1019; with a GICv5 it is %#x",
                              s->irq, KVM_GLUE_IRQ_GICV5);
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
        ret = check_flags(s, err);
    }
    if (ret == 0) {
        ret = kvm_glue_need_attr_(os, fd, GLUE_ATTR_INIT, err);
    }
    if (ret == 0 && (s->flags & KVM_GLUE_FIXED_COUNTERS)) {
        ret = kvm_glue_need_attr_(os, fd, GLUE_ATTR_FIXED_COUNTERS_ONLY, err);
    }
    if (ret == 0 && (s->flags & KVM_GLUE_PARTITION)) {
        ret = kvm_glue_need_attr_(os, fd, GLUE_ATTR_ENABLE_PARTITION, err);
    }
    if (ret == 0 && s->host_pmu != KVM_GLUE_DEFAULT) {
        ret = kvm_glue_need_attr_(os, fd, GLUE_ATTR_SET_PMU, err);
    }
    if (ret == 0 && wants_filter(s)) {
        ret = kvm_glue_need_attr_(os, fd, GLUE_ATTR_FILTER, err);
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
        int ret = kvm_glue_set_attr_(os, fd, GLUE_ATTR_FILTER, &filter, err);

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

/*
 * Both pending attributes have the same number. They differ in what they do with a NULL pointer:
 * FIXED_COUNTERS_ONLY ignores it, and ENABLE_PARTITION cannot read its argument there, which
 * changes nothing.
 */
static int set_fixed(const struct kvm_glue_os *os, int fd, struct kvm_glue_error *err)
{
    int ret = kvm_glue_set_attr_(os, fd, GLUE_ATTR_FIXED_COUNTERS_ONLY, NULL, err);

    if (ret == -EFAULT) {
        return kvm_glue_fail_(err, -ENXIO,
                              "KVM_ARM_VCPU_PMU_V3_FIXED_COUNTERS_ONLY: this kernel does not have "
                              "it; its attribute 5 is ENABLE_PARTITION");
    }
    return ret;
}

static int set_partition(const struct kvm_glue_os *os, int fd, struct kvm_glue_error *err)
{
    uint32_t on = 1;

    if (kvm_glue_set_attr_(os, fd, GLUE_ATTR_ENABLE_PARTITION, NULL, NULL) == 0) {
        return kvm_glue_fail_(err, -ENXIO,
                              "KVM_ARM_VCPU_PMU_V3_ENABLE_PARTITION: this kernel does not have it; "
                              "its attribute 5 is FIXED_COUNTERS_ONLY, which is set now: create "
                              "the VM again, without a partition");
    }
    return kvm_glue_set_attr_(os, fd, GLUE_ATTR_ENABLE_PARTITION, &on, err);
}

static int set_flags(const struct kvm_glue_os *os, int fd, const struct kvm_glue_setup *s,
                     struct kvm_glue_error *err)
{
    if (s->flags & KVM_GLUE_FIXED_COUNTERS) {
        return set_fixed(os, fd, err);
    }
    return s->flags & KVM_GLUE_PARTITION ? set_partition(os, fd, err) : 0;
}

int kvm_glue_setup_vm(const struct kvm_glue_os *os, int vcpu_fd, const struct kvm_glue_setup *s,
                      struct kvm_glue_error *err)
{
    int host_pmu = s->host_pmu;
    unsigned counters = (unsigned)s->counters;
    int ret = check_vm(os, vcpu_fd, s, err);

    if (ret == 0 && s->host_pmu != KVM_GLUE_DEFAULT) {
        ret = kvm_glue_set_attr_(os, vcpu_fd, GLUE_ATTR_SET_PMU, &host_pmu, err);
    }
    if (ret == 0) {
        ret = set_flags(os, vcpu_fd, s, err);
    }
    if (ret == 0 && sets_counters(s) && has_nr_counters(os, vcpu_fd)) {
        ret = kvm_glue_set_attr_(os, vcpu_fd, GLUE_ATTR_SET_NR_COUNTERS, &counters, err);
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
        return kvm_glue_fail_(err, ret, "PMCR_EL0 cannot be accessed: %s: %s", strerror(-ret),
                              kvm_glue_register_meaning_(-ret));
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
        ret = kvm_glue_need_attr_(os, vcpu_fd, GLUE_ATTR_IRQ, err);
    }
    if (ret == 0 && s->irq != KVM_GLUE_DEFAULT) {
        ret = kvm_glue_set_attr_(os, vcpu_fd, GLUE_ATTR_IRQ, &irq, err);
    }
    if (ret == 0) {
        ret = kvm_glue_set_attr_(os, vcpu_fd, GLUE_ATTR_INIT, NULL, err);
    }
    if (ret == 0 && sets_counters(s) && !has_nr_counters(os, vcpu_fd)) {
        ret = set_counters_by_pmcr(os, vcpu_fd, (unsigned)s->counters, err);
    }
    return ret;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The attributes of KVM: each error gives one sentence of its own; those of new kernels. */
#include <errno.h>
#include <linux/kvm.h>
#include <stdio.h>

#include "fixture.h"
#include "kvm_glue/setup.h"

#define RELEASED (FAKE_IRQ | FAKE_INIT | FAKE_FILTER | FAKE_SET_PMU | FAKE_NR_COUNTERS)
#define DEFAULT KVM_GLUE_DEFAULT
#define PREFIX "KVM_ARM_VCPU_PMU_V3_"

static const struct kvm_glue_filter some_filter = {1, {{0x11, 0x12, 0}}};

static int setup(int fd, const struct kvm_glue_setup *s, struct kvm_glue_error *err)
{
    int ret = kvm_glue_setup_vm(&fake_os, fd, s, err);

    return ret < 0 ? ret : kvm_glue_setup_vcpu(&fake_os, fd, s, err);
}

/*
 * The errors of Documentation/virt/kvm/devices/vcpu.rst and of the code that it describes, for each
 * attribute; ENXIO where STRICT has no PMU; EPERM of a seccomp filter. Sentence: what was wrong,
 * and after a semicolon what would be right.
 */
static const struct {
    const char *name;
    uint64_t number;
    int error;
    const char *sentence;
} error_rows[] = {
    {"IRQ", 0, EBUSY, "the interrupt is already set; set it once"},
    {"IRQ", 0, EFAULT, "the kernel cannot read the argument; it must be mapped"},
    {"IRQ", 0, EINVAL, "KVM refuses the interrupt: it must be the same PPI"},
    {"IRQ", 0, ENXIO, "this kernel does not have the attribute; use a later one"},
    {"IRQ", 0, ENODEV, "the vCPU or the host has no PMU; make the vCPU with the feature"},
    {"IRQ", 0, EPERM, "a security policy forbids the call; allow"},
    {"INIT", 1, EEXIST, "the interrupt belongs to another device; choose another"},
    {"INIT", 1, ENODEV, "initialize the kernel's GIC first"},
    {"INIT", 1, ENXIO, "the interrupt is not set, or KVM_ARM_VCPU_PMU_V3_STRICT is and no PMU"},
    {"INIT", 1, EBUSY, "the vCPU's PMU is already initialized; do so once"},
    {"INIT", 1, ENOMEM, "the kernel is out of memory; free some"},
    {"FILTER", 2, ENODEV, "the vCPU or the host has no PMU; make"},
    {"FILTER", 2, ENXIO, "no PMU of the host was chosen, and with KVM_ARM_VCPU_PMU_V3_STRICT"},
    {"FILTER", 2, EBUSY, "too late: the vCPU's PMU is initialized, a vCPU has run or"},
    {"FILTER", 2, EFAULT, "the kernel cannot read the argument; it must"},
    {"FILTER", 2, EINVAL, "a range is out of bounds; events have 10 bits"},
    {"FILTER", 2, ENOMEM, "the kernel is out of memory; free some"},
    {"SET_PMU", 3, EBUSY, "too late: the vCPU's PMU is initialized, a vCPU has run or a filter is"},
    {"SET_PMU", 3, EFAULT, "the kernel cannot read the argument; it must"},
    {"SET_PMU", 3, ENXIO, "KVM knows no such PMU of the host; choose one"},
    {"SET_PMU", 3, ENODEV, "the vCPU or the host has no PMU; make"},
    {"SET_PMU", 3, ENOMEM, "the kernel is out of memory; free some"},
    {"SET_NR_COUNTERS", 4, EBUSY, "too late: the vCPU's PMU is initialized, a vCPU has run or"},
    {"SET_NR_COUNTERS", 4, EFAULT, "the kernel cannot read the argument; it must"},
    {"SET_NR_COUNTERS", 4, ENODEV, "the vCPU or the host has no PMU; make"},
    {"SET_NR_COUNTERS", 4, EINVAL, "the host's PMU has fewer counters, or none was chosen"},
    {"SET_NR_COUNTERS", 4, ENXIO, "no PMU of the host was chosen, and with"},
    {"FIXED_COUNTERS_ONLY", 5, EBUSY,
     "too late: the vCPU's PMU is initialized, a vCPU has run, or"},
    {"FIXED_COUNTERS_ONLY", 5, ENODEV, "the vCPU or the host has no PMU; make"},
    {"FIXED_COUNTERS_ONLY", 5, ENXIO, "this kernel does not have the attribute; use"},
    {"ENABLE_PARTITION", 5, EPERM, "this host does not partition its PMU; it must run in VHE mode"},
    {"ENABLE_PARTITION", 5, EBUSY,
     "too late: the vCPU's PMU is initialized or a vCPU has run; set"},
    {"ENABLE_PARTITION", 5, ENODEV, "the vCPU or the host has no PMU; make"},
    {"ENABLE_PARTITION", 5, ENXIO, "this kernel does not have the attribute; use"},
};

START_TEST(each_error)
{
    static const struct kvm_glue_setup all = {8, 3, &some_filter, 23, 0};
    static const struct kvm_glue_setup fixed = {DEFAULT, 0, NULL, 23, KVM_GLUE_FIXED_COUNTERS};
    static const struct kvm_glue_setup partition = {8, 3, NULL, 23, KVM_GLUE_PARTITION};

    for (size_t i = 0; i < COUNT_OF(error_rows); i++) {
        const char *name = error_rows[i].name;
        bool is_fixed = strcmp(name, "FIXED_COUNTERS_ONLY") == 0;
        bool is_partition = strcmp(name, "ENABLE_PARTITION") == 0;
        struct kvm_glue_error err = {.text = ""};
        char want[200];

        fake_start();
        fake.vm[0].attrs = RELEASED | (is_fixed ? FAKE_FIXED : is_partition ? FAKE_PARTITION : 0);
        fake.vm[0].partitionable = true;
        fake.fail_request = KVM_SET_DEVICE_ATTR;
        fake.fail_what = error_rows[i].number;
        fake.fail_error = error_rows[i].error;
        expect(name, -error_rows[i].error,
               setup(VCPU(0, 0),
                     is_fixed       ? &fixed
                     : is_partition ? &partition
                                    : &all,
                     &err));
        expect("error", -error_rows[i].error, err.error);
        snprintf(want, sizeof(want), PREFIX "%s: %s: %s", name, strerror(error_rows[i].error),
                 error_rows[i].sentence);
        ck_assert_msg(strncmp(err.text, want, strlen(want)) == 0, "expected '%s' got '%s'", want,
                      err.text);
        ck_assert_msg(strchr(err.text, '\n') == NULL && strlen(err.text) < sizeof(err.text) - 1,
                      "expected a whole line got '%s'", err.text);
    }
}
END_TEST

/* What leads the fake kernel to an error. */
static void strict(void)
{
    fake.vm[0].strict = true;
    fake.vm[0].counters = 0;
}
static void out_of_memory(void)
{
    fake.vm[0].no_memory = true;
}
static void owned_interrupt(void)
{
    fake.owned_irq = 23;
}
static void gicv5(void)
{
    fake.vm[0].gicv5 = true;
}
static void has_fixed(void)
{
    fake.vm[0].attrs |= FAKE_FIXED;
}
static void has_fixed_late(void)
{
    has_fixed();
    fake.vm[0].ran = true;
}
static void is_fixed_before(void)
{
    fake.vm[0].fixed = true;
}
static void has_partition(void)
{
    fake.vm[0].attrs |= FAKE_PARTITION;
    fake.vm[0].partitionable = true;
}
static void has_partition_late(void)
{
    has_partition();
    fake.vm[0].ran = true;
}
static void cannot_partition(void)
{
    fake.vm[0].attrs |= FAKE_PARTITION;
}
static void nothing(void)
{
}

static const struct {
    void (*state)(void);
    struct kvm_glue_setup setup;
    int error;
    const char *why;
} refusal_rows[] = {
    {strict, {DEFAULT, DEFAULT, &some_filter, 23, 0}, ENXIO, "FILTER: No such device or address"},
    {strict, {DEFAULT, DEFAULT, NULL, 23, 0}, ENXIO, "INIT: No such device or address: the"},
    {out_of_memory, {8, DEFAULT, NULL, 23, 0}, ENOMEM, "SET_PMU: Cannot allocate memory"},
    {out_of_memory,
     {DEFAULT, DEFAULT, &some_filter, 23, 0},
     ENOMEM,
     "FILTER: Cannot allocate memory"},
    {owned_interrupt, {DEFAULT, DEFAULT, NULL, 23, 0}, EEXIST, "INIT: File exists: the interrupt"},
    {gicv5, {DEFAULT, DEFAULT, NULL, 23, 0}, EINVAL, "with a GICv5 it must be 0x20000017"},
    {nothing,
     {DEFAULT, 0, NULL, 23, KVM_GLUE_FIXED_COUNTERS},
     ENXIO,
     "FIXED_COUNTERS_ONLY: No such device or address: this kernel does not have it; Linux 7.3 does "
     "not"},
    {nothing,
     {8, 3, NULL, 23, KVM_GLUE_PARTITION},
     ENXIO,
     "ENABLE_PARTITION: No such device or address: this kernel does not have it; Linux 7.3 does"},
    {has_fixed_late,
     {DEFAULT, 0, NULL, 23, KVM_GLUE_FIXED_COUNTERS},
     EBUSY,
     "FIXED_COUNTERS_ONLY: Device or resource busy: too late"},
    {has_partition,
     {DEFAULT, 0, NULL, 23, KVM_GLUE_FIXED_COUNTERS},
     ENXIO,
     "this kernel does not have it; its attribute 5 is ENABLE_PARTITION"},
    {has_fixed,
     {DEFAULT, DEFAULT, NULL, 23, KVM_GLUE_PARTITION},
     ENXIO,
     "this kernel does not have it; its attribute 5 is FIXED_COUNTERS_ONLY, which is set now"},
    {is_fixed_before, {8, DEFAULT, NULL, 23, 0}, EBUSY, "SET_PMU: Device or resource busy"},
    {is_fixed_before,
     {DEFAULT, DEFAULT, &some_filter, 23, 0},
     EBUSY,
     "or the PMU has fixed counters only"},
    {cannot_partition,
     {8, DEFAULT, NULL, 23, KVM_GLUE_PARTITION},
     EPERM,
     "ENABLE_PARTITION: Operation not permitted: this host does not partition its PMU"},
    {has_partition_late,
     {DEFAULT, DEFAULT, NULL, 23, KVM_GLUE_PARTITION},
     EBUSY,
     "ENABLE_PARTITION: Device or resource busy: too late"},
    {has_partition,
     {8, 4, NULL, 23, KVM_GLUE_PARTITION},
     EINVAL,
     "SET_NR_COUNTERS: Invalid argument: the host's PMU has fewer counters"},
    {nothing, {8, DEFAULT, NULL, 23, 8}, EINVAL, "unknown flags, 0x8; there are"},
    {nothing, {DEFAULT, DEFAULT, NULL, 23, 3}, EINVAL, "no event counters to partition; choose"},
    {has_fixed, {8, DEFAULT, NULL, 23, 1}, EINVAL, "choose neither a PMU of the host nor"},
    {has_fixed, {DEFAULT, 1, NULL, 23, 1}, EINVAL, "choose neither a PMU of the host nor"},
};

START_TEST(refusals)
{
    for (size_t i = 0; i < COUNT_OF(refusal_rows); i++) {
        struct kvm_glue_error err = {.text = ""};

        fake_start();
        refusal_rows[i].state();
        expect(refusal_rows[i].why, -refusal_rows[i].error,
               setup(VCPU(0, 0), &refusal_rows[i].setup, &err));
        expect_text("why", refusal_rows[i].why, err.text);
    }
}
END_TEST

START_TEST(order)
{
    static const struct {
        void (*state)(void);
        struct kvm_glue_setup setup;
        const char *log;
    } rows[] = {
        {strict, {8, 3, NULL, 23, 0}, "SET_PMU=0x8 NR_COUNTERS=0x3 IRQ=0x17 INIT=0 "},
        {strict, {8, DEFAULT, &some_filter, 23, 0}, "SET_PMU=0x8 ALLOW=0x110002 IRQ=0x17 INIT=0 "},
        {gicv5, {DEFAULT, DEFAULT, NULL, 0x20000017, 0}, "IRQ=0x20000017 INIT=0 "},
        {gicv5, {DEFAULT, DEFAULT, NULL, DEFAULT, 0}, "INIT=0 "},
        {has_fixed,
         {DEFAULT, DEFAULT, NULL, 23, KVM_GLUE_FIXED_COUNTERS},
         "FIXED=0 IRQ=0x17 INIT=0 "},
        {has_fixed, {DEFAULT, 0, NULL, 23, KVM_GLUE_FIXED_COUNTERS}, "FIXED=0 IRQ=0x17 INIT=0 "},
        {has_partition,
         {8, 2, &some_filter, 23, KVM_GLUE_PARTITION},
         "SET_PMU=0x8 PARTITION=0x1 NR_COUNTERS=0x2 ALLOW=0x110002 IRQ=0x17 INIT=0 "},
        {has_partition,
         {8, DEFAULT, NULL, 23, KVM_GLUE_PARTITION},
         "SET_PMU=0x8 PARTITION=0x1 IRQ=0x17 INIT=0 "},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct kvm_glue_error err = {.text = ""};

        fake_start();
        rows[i].state();
        expect(rows[i].log, 0, setup(VCPU(0, 0), &rows[i].setup, &err));
        ck_assert_str_eq(fake.log, rows[i].log);
        ck_assert_str_eq(err.text, "");
    }
    expect("a partition lowers the number of counters", 3, fake.vm[0].counters);
}
END_TEST

/* PMU_V3 is bit 3, STRICT bit 9. */
START_TEST(features)
{
    expect("6.12", 0x8, kvm_glue_vcpu_features(&fake_os, KVM_FD));
    fake.kvm_caps[2] = 1;
    expect("7.3", 0x208, kvm_glue_vcpu_features(&fake_os, KVM_FD));
    fake.kvm_caps[2] = -EPERM;
    expect("no answer", 0x8, kvm_glue_vcpu_features(&fake_os, KVM_FD));
}
END_TEST

Suite *attr_suite(void)
{
    const TTest *const tests[] = {each_error, refusals, order, features};

    return suite_of("attr", tests, COUNT_OF(tests));
}

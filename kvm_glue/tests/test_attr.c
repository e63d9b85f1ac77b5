/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The attributes of KVM: those of new kernels, their order, and what cannot be combined. */
#include <errno.h>
#include <linux/kvm.h>

#include "fixture.h"
#include "kvm_glue/setup.h"

#define DEFAULT KVM_GLUE_DEFAULT

static const struct kvm_glue_filter some_filter = {1, {{0x11, 0x12, 0}}};

static int setup(int fd, const struct kvm_glue_setup *s, struct kvm_glue_error *err)
{
    int ret = kvm_glue_setup_vm(&fake_os, fd, s, err);

    return ret < 0 ? ret : kvm_glue_setup_vcpu(&fake_os, fd, s, err);
}

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
    const TTest *const tests[] = {refusals, order, features};

    return suite_of("attr", tests, COUNT_OF(tests));
}

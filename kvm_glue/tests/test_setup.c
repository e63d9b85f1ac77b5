/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Setting up guests' PMUs: the order, old kernels, and the message of each error. */
#include <errno.h>
#include <linux/kvm.h>

#include "fixture.h"
#include "kvm_glue/setup.h"

#define ALL_ATTRS (FAKE_IRQ | FAKE_INIT | FAKE_FILTER | FAKE_SET_PMU | FAKE_NR_COUNTERS)
#define DEFAULT KVM_GLUE_DEFAULT
#define PMCR 0xdce0u

static const struct kvm_glue_filter some_filter = {2, {{0x11, 0x12, 0}, {0x30, 0x30, 1}}};
static const struct kvm_glue_filter no_filter = {.count = 0};

static int setup(int fd, const struct kvm_glue_setup *s, struct kvm_glue_error *err)
{
    int ret = kvm_glue_setup_vm(&fake_os, fd, s, err);

    return ret < 0 ? ret : kvm_glue_setup_vcpu(&fake_os, fd, s, err);
}

/* A range is first << 16 | number. */
START_TEST(order)
{
    static const struct {
        struct kvm_glue_setup setup;
        const char *log;
    } rows[] = {
        {{DEFAULT, DEFAULT, NULL, 23, 0}, "IRQ=0x17 INIT=0 "},
        {{DEFAULT, DEFAULT, &no_filter, 23, 0}, "IRQ=0x17 INIT=0 "},
        {{8, DEFAULT, NULL, 23, 0}, "SET_PMU=0x8 IRQ=0x17 INIT=0 "},
        {{8, 3, NULL, 23, 0}, "SET_PMU=0x8 NR_COUNTERS=0x3 IRQ=0x17 INIT=0 "},
        {{8, 0, NULL, 23, 0}, "SET_PMU=0x8 NR_COUNTERS=0 IRQ=0x17 INIT=0 "},
        {{DEFAULT, DEFAULT, NULL, 16, 0}, "IRQ=0x10 INIT=0 "},
        {{DEFAULT, DEFAULT, NULL, 1019, 0}, "IRQ=0x3fb INIT=0 "},
        {{9, 4, &some_filter, 23, 0},
         "SET_PMU=0x9 NR_COUNTERS=0x4 ALLOW=0x110002 DENY=0x300001 IRQ=0x17 INIT=0 "},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct kvm_glue_error err = {.text = ""};

        fake_start();
        expect(rows[i].log, 0, setup(VCPU(0, 0), &rows[i].setup, &err));
        ck_assert_str_eq(fake.log, rows[i].log);
        ck_assert_str_eq(err.text, "");
    }
}
END_TEST

/* The kernel's effect of a filter equals kvm_glue_filter_allows(). */
START_TEST(filter_means_the_same)
{
    static const char *const texts[] = {"A:0x11-0x11;A:0x23-0x3a;D:0x30-0x30",
                                        "D:0x11-0x11",
                                        "A:0-10;D:0-10",
                                        "D:0-0xffff",
                                        "A:0-0xffff;D:1-0xfffe",
                                        "D:0x7fff-0xffff;A:0x8000-0x8000"};

    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct kvm_glue_filter filter;
        struct kvm_glue_setup s = {DEFAULT, DEFAULT, &filter, 23, 0};

        fake_start();
        expect(texts[i], 0, kvm_glue_filter_parse(texts[i], &filter, NULL));
        expect(texts[i], 0, setup(VCPU(0, 0), &s, NULL));
        for (unsigned event = 0; event < 65536; event++) {
            if (event != 0 && event != 0x1e) {
                ck_assert_msg(kvm_glue_filter_allows(&filter, event) != fake.vm[0].denied[event],
                              "%s: event %#x: expected what the kernel has got the opposite",
                              texts[i], event);
            }
        }
    }
}
END_TEST

/* Without the kernel's interrupt controller, no interrupt is set. */
START_TEST(user_irqchip)
{
    static const struct kvm_glue_setup s = {DEFAULT, DEFAULT, NULL, DEFAULT, 0};

    fake.vm[0].irqchip = false;
    expect("set-up", 0, setup(VCPU(0, 0), &s, NULL));
    ck_assert_str_eq(fake.log, "INIT=0 ");
}
END_TEST

/* A vCPU that is plugged in after the machine has run needs only its own part. */
START_TEST(hot_plug)
{
    static const struct kvm_glue_setup s = {8, 3, &some_filter, 23, 0};
    struct kvm_glue_error err;

    expect("first", 0, setup(VCPU(0, 0), &s, &err));
    fake_run(VCPU(0, 0), 1);
    expect("second", 0, kvm_glue_setup_vcpu(&fake_os, VCPU(0, 1), &s, &err));
    expect("too late for the machine", -EBUSY, kvm_glue_setup_vm(&fake_os, VCPU(0, 1), &s, &err));
    expect_text("too late", "KVM_ARM_VCPU_PMU_V3_SET_PMU: ", err.text);
}
END_TEST

/* Kernels that lack an attribute; 0x1f has all. Nothing is set before this is known. */
START_TEST(old_kernels)
{
    static const struct {
        unsigned attrs;
        struct kvm_glue_setup setup;
        const char *why;
    } rows[] = {
        {FAKE_IRQ | FAKE_INIT,
         {8, DEFAULT, NULL, 23, 0},
         "SET_PMU: No such device or address: this kernel does not have it; Linux 5.18"},
        {FAKE_IRQ | FAKE_INIT,
         {DEFAULT, DEFAULT, &some_filter, 23, 0},
         "FILTER: No such device or address: this kernel does not have it; Linux 5.10"},
        {0,
         {DEFAULT, DEFAULT, NULL, 23, 0},
         "INIT: No such device or address: this vCPU can have no PMU"},
        {FAKE_INIT,
         {DEFAULT, DEFAULT, NULL, 23, 0},
         "IRQ: No such device or address: this kernel does not have it; Linux 4.6"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct kvm_glue_error err;

        fake_start();
        fake.vm[0].attrs = rows[i].attrs;
        expect(rows[i].why, -ENXIO, setup(VCPU(0, 0), &rows[i].setup, &err));
        expect_text("why", rows[i].why, err.text);
        ck_assert_str_eq(fake.log, "");
    }
}
END_TEST

/* Linux 6.7 to 6.15 accept PMCR.N; older kernels ignore it. */
START_TEST(counters_by_pmcr)
{
    static const struct kvm_glue_setup s = {8, 3, NULL, 23, 0};
    struct kvm_glue_error err;

    fake.vm[0].attrs = ALL_ATTRS & ~FAKE_NR_COUNTERS;
    fake_set_reg(VCPU(0, 0), PMCR, 0x40 | 6 << 11);
    expect("set", 0, setup(VCPU(0, 0), &s, &err));
    expect("N is 3, LC as it was", 3 << 11 | 0x40, (long long)fake_reg(VCPU(0, 0), PMCR));

    fake_start();
    fake.vm[0].attrs = ALL_ATTRS & ~FAKE_NR_COUNTERS;
    fake.vm[0].n_settable = false;
    expect("ignored", -ENXIO, setup(VCPU(0, 0), &s, &err));
    expect_text("ignored",
                "SET_NR_COUNTERS: this kernel does not have it, and PMCR_EL0.N stays 6, not 3",
                err.text);
    for (int get = 0; get < 2; get++) {
        fake_start();
        fake.vm[0].attrs = ALL_ATTRS & ~FAKE_NR_COUNTERS;
        fake.fail_request = get ? KVM_GET_ONE_REG : KVM_SET_ONE_REG;
        fake.fail_what = PMCR;
        fake.fail_error = EPERM;
        expect("no access", -EPERM, setup(VCPU(0, 0), &s, &err));
        expect_text("no access", "PMCR_EL0 cannot be accessed", err.text);
    }
}
END_TEST

START_TEST(numbers)
{
    static const struct {
        struct kvm_glue_setup setup;
        const char *why;
    } rows[] = {
        {{-2, DEFAULT, NULL, 23, 0}, "SET_PMU: -2 is no type"},
        {{8, 32, NULL, 23, 0},
         "SET_NR_COUNTERS: a PMU cannot have 32 event counters; there can be 0 to 31"},
        {{8, -2, NULL, 23, 0}, "SET_NR_COUNTERS: a PMU cannot have -2"},
        {{DEFAULT, 4, NULL, 23, 0}, "SET_NR_COUNTERS: choose the host's PMU as well"},
        {{DEFAULT, DEFAULT, NULL, 15, 0}, "IRQ: 15 is no PPI"},
        {{DEFAULT, DEFAULT, NULL, 1020, 0}, "IRQ: 1020 is no PPI"},
        {{DEFAULT, DEFAULT, NULL, -2, 0}, "IRQ: -2 is no PPI"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct kvm_glue_error err;

        fake_start();
        expect(rows[i].why, -EINVAL, setup(VCPU(0, 0), &rows[i].setup, &err));
        expect_text("why", rows[i].why, err.text);
        ck_assert_str_eq(fake.log, "");
    }
}
END_TEST

/* The kernel's own errors, by its state. */
static void not_ready(void)
{
    fake.vm[0].gic_ready = false;
}
static void has_run(void)
{
    fake.vm[0].ran = true;
}
static void initialized(void)
{
    fake.vcpu[0].created = true;
}
static void other_filter(void)
{
    fake.vm[0].filter_set = true;
    fake.vm[0].pmu = 8;
}
static void no_irqchip(void)
{
    fake.vm[0].irqchip = false;
}
static void irq_set(void)
{
    fake.vcpu[0].irq = 23;
}
static void other_ppi(void)
{
    fake.vcpu[1].irq = 22;
}
static void old_pmu(void)
{
    fake.vm[0].pmuver = 1;
}
static void unreadable_version(void)
{
    fake.vm[0].pmuver = 1;
    fake.fail_request = KVM_GET_ONE_REG;
    fake.fail_what = 0xc028;
    fake.fail_error = EPERM;
}
static void nothing(void)
{
}

static const struct kvm_glue_filter wide_filter = {1, {{0x400, 0x400, 0}}};

static const struct {
    void (*state)(void);
    struct kvm_glue_setup setup;
    int error;
    const char *why;
} refusal_rows[] = {
    {not_ready,
     {DEFAULT, DEFAULT, NULL, 23, 0},
     ENODEV,
     "INIT: No such device: the kernel's GIC is not initialized"},
    {nothing,
     {DEFAULT, DEFAULT, NULL, DEFAULT, 0},
     ENXIO,
     "INIT: No such device or address: the interrupt is not set"},
    {initialized,
     {DEFAULT, DEFAULT, NULL, DEFAULT, 0},
     EBUSY,
     "INIT: Device or resource busy: the vCPU's PMU is already"},
    {irq_set,
     {DEFAULT, DEFAULT, NULL, 23, 0},
     EBUSY,
     "IRQ: Device or resource busy: the interrupt is already set"},
    {other_ppi,
     {DEFAULT, DEFAULT, NULL, 23, 0},
     EINVAL,
     "IRQ: Invalid argument: KVM refuses the interrupt"},
    {no_irqchip, {DEFAULT, DEFAULT, NULL, 23, 0}, EINVAL, "the controller must be the kernel's"},
    {nothing,
     {7, DEFAULT, NULL, 23, 0},
     ENXIO,
     "SET_PMU: No such device or address: KVM knows no such PMU"},
    {has_run, {8, DEFAULT, NULL, 23, 0}, EBUSY, "SET_PMU: Device or resource busy: too late"},
    {other_filter,
     {9, DEFAULT, NULL, 23, 0},
     EBUSY,
     "a filter is set for another PMU; choose the PMU first"},
    {nothing,
     {9, 5, NULL, 23, 0},
     EINVAL,
     "SET_NR_COUNTERS: Invalid argument: the host's PMU has fewer"},
    {other_filter,
     {8, 5, NULL, 23, 0},
     EBUSY,
     "SET_NR_COUNTERS: Device or resource busy: too late"},
    {has_run,
     {DEFAULT, DEFAULT, &some_filter, 23, 0},
     EBUSY,
     "FILTER: Device or resource busy: too late"},
    {old_pmu,
     {DEFAULT, DEFAULT, &wide_filter, 23, 0},
     EINVAL,
     "FILTER: the range 0x400-0x400 is out of bounds"},
    {unreadable_version,
     {DEFAULT, DEFAULT, &wide_filter, 23, 0},
     EINVAL,
     "FILTER: Invalid argument: a range is out of bounds"},
};

START_TEST(refusals)
{
    for (size_t i = 0; i < COUNT_OF(refusal_rows); i++) {
        struct kvm_glue_error err;

        fake_start();
        refusal_rows[i].state();
        expect(refusal_rows[i].why, -refusal_rows[i].error,
               setup(VCPU(0, 0), &refusal_rows[i].setup, &err));
        expect_text("why", refusal_rows[i].why, err.text);
    }
}
END_TEST

/* Errors that no rule of the fake kernel produces. */
START_TEST(other_errors)
{
    static const struct {
        uint64_t attr;
        int error;
        const char *why;
    } rows[] = {
        {2, ENOMEM, "FILTER: Cannot allocate memory: the kernel is out of memory"},
        {1, EEXIST, "INIT: File exists: the interrupt belongs to another device"},
        {0, ENODEV, "IRQ: No such device: the vCPU or the host has no PMU"},
        {3, E2BIG, "SET_PMU: Argument list too long: unexpected"},
    };
    static const struct kvm_glue_setup s = {8, DEFAULT, &some_filter, 23, 0};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct kvm_glue_error err;

        fake_start();
        fake.fail_request = KVM_SET_DEVICE_ATTR;
        fake.fail_what = rows[i].attr;
        fake.fail_error = rows[i].error;
        expect(rows[i].why, -rows[i].error, setup(VCPU(0, 0), &s, &err));
        expect_text("why", rows[i].why, err.text);
        expect("error", -rows[i].error, err.error);
    }
}
END_TEST

START_TEST(no_pmu)
{
    static const struct kvm_glue_setup s = {DEFAULT, DEFAULT, NULL, 23, 0};
    struct kvm_glue_error err;

    fake.vcpu[0].has_pmu = false;
    expect("no feature", -ENXIO, setup(VCPU(0, 0), &s, &err));
    expect_text("no feature", "make it with the feature KVM_ARM_VCPU_PMU_V3", err.text);
}
END_TEST

Suite *setup_suite(void)
{
    const TTest *const tests[] = {order,        filter_means_the_same,
                                  user_irqchip, hot_plug,
                                  old_kernels,  counters_by_pmcr,
                                  numbers,      refusals,
                                  other_errors, no_pmu};

    return suite_of("setup", tests, COUNT_OF(tests));
}

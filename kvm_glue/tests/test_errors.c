/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every error of KVM's calls: each gives one line that says what was wrong and what is right. */
#include <errno.h>
#include <linux/kvm.h>
#include <stdio.h>

#include "fixture.h"
#include "kvm_glue/setup.h"
#include "kvm_glue/state.h"

#define RELEASED (FAKE_IRQ | FAKE_INIT | FAKE_FILTER | FAKE_SET_PMU | FAKE_NR_COUNTERS)
#define DEFAULT KVM_GLUE_DEFAULT
#define PMCR 0xdce0u
#define FILTER_EVENTS 0xc028u /* ID_AA64DFR0_EL1: without it, the library cannot check a filter */

static const struct kvm_glue_filter some_filter = {1, {{0x411, 0x412, 0}}};

static int setup(int fd, const struct kvm_glue_setup *s, struct kvm_glue_error *err)
{
    int ret = kvm_glue_setup_vm(&fake_os, fd, s, err);

    return ret < 0 ? ret : kvm_glue_setup_vcpu(&fake_os, fd, s, err);
}

/* Fails unless @err is one whole line: what failed, errno @error, what was wrong; what is right. */
static void expect_line(const char *call, int error, const char *sentence,
                        const struct kvm_glue_error *err)
{
    char want[200];

    expect("error", -error, err->error);
    snprintf(want, sizeof(want), "%s: %s: %s", call, strerror(error), sentence);
    ck_assert_msg(strncmp(err->text, want, strlen(want)) == 0, "expected '%s' got '%s'", want,
                  err->text);
    ck_assert_msg(strchr(err->text, '\n') == NULL && strlen(err->text) < sizeof(err->text) - 1 &&
                      strstr(err->text, "; ") != NULL,
                  "%s: expected one whole line that says what is right got '%s'", call, err->text);
}

/*
 * Causes for which the fake kernel returns an error.
 */
static void nothing(void)
{
}
static void no_irqchip(void)
{
    fake.vm[0].irqchip = false;
}
static void gic_not_ready(void)
{
    fake.vm[0].gic_ready = false;
}
static void gicv5(void)
{
    fake.vm[0].gicv5 = true;
}
static void few_spis(void)
{
    fake.vm[0].last_spi = 63;
}
static void irq_is_set(void)
{
    fake.vcpu[0].irq = 23;
}
static void other_ppi(void)
{
    fake.vcpu[1].irq = 22;
}
static void same_spi(void)
{
    fake.vcpu[1].irq = 40;
}
static void owned_irq(void)
{
    fake.owned_irq = 23;
}
static void initialized(void)
{
    fake.vcpu[0].created = true;
}
static void has_run(void)
{
    fake.vm[0].ran = true;
}
static void no_host_pmu(void)
{
    fake.vm[0].no_default_pmu = true;
}
static void no_memory(void)
{
    fake.vm[0].no_memory = true;
}
static void strict(void)
{
    fake.vm[0].strict = true;
    fake.vm[0].counters = 0;
}
static void filter_of_pmu_8(void)
{
    fake.vm[0].filter_set = true;
    fake.vm[0].pmu = 8;
}
static void is_fixed(void)
{
    fake.vm[0].fixed = true;
}
static void old_host_pmu(void)
{
    fake.vm[0].pmuver = 1;
    fake.fail_request = KVM_GET_ONE_REG;
    fake.fail_what = FILTER_EVENTS;
    fake.fail_error = EPERM;
}
static void fixed(void)
{
    fake.vm[0].attrs = RELEASED | FAKE_FIXED;
}
static void fixed_no_host_pmu(void)
{
    fixed();
    no_host_pmu();
}
static void fixed_initialized(void)
{
    fixed();
    initialized();
}
static void fixed_has_run(void)
{
    fixed();
    has_run();
}
static void fixed_with_pmu(void)
{
    fixed();
    fake.vm[0].pmu = 8;
}
static void fixed_with_filter(void)
{
    fixed();
    filter_of_pmu_8();
}
static void unpartitionable(void)
{
    fake.vm[0].attrs = RELEASED | FAKE_PARTITION;
}
static void partition(void)
{
    unpartitionable();
    fake.vm[0].partitionable = true;
}
static void partition_initialized(void)
{
    partition();
    initialized();
}
static void partition_has_run(void)
{
    partition();
    has_run();
}
static void partition_no_host_pmu(void)
{
    partition();
    no_host_pmu();
}

#define PLAIN                                                                                      \
    {                                                                                              \
        DEFAULT, DEFAULT, NULL, 23, 0                                                              \
    }
#define WITH_IRQ(irq)                                                                              \
    {                                                                                              \
        DEFAULT, DEFAULT, NULL, irq, 0                                                             \
    }
#define WITH_PMU(pmu)                                                                              \
    {                                                                                              \
        pmu, DEFAULT, NULL, 23, 0                                                                  \
    }
#define WITH_FILTER                                                                                \
    {                                                                                              \
        DEFAULT, DEFAULT, &some_filter, 23, 0                                                      \
    }
#define WITH_FLAG(flag)                                                                            \
    {                                                                                              \
        DEFAULT, DEFAULT, NULL, 23, flag                                                           \
    }
#define NO_PMU "the vCPU or the host has no PMU; make the vCPU with the feature"

/* Errors that follow from the kernel's rules. */
static const struct {
    const char *attr;
    int error;
    void (*state)(void);
    struct kvm_glue_setup setup;
    const char *sentence;
} rows[] = {
    {"IRQ", EBUSY, irq_is_set, PLAIN, "the interrupt is already set, or the vCPU's PMU is init"},
    {"IRQ", EBUSY, initialized, PLAIN, "the interrupt is already set, or the vCPU's PMU is init"},
    {"IRQ", EINVAL, no_irqchip, PLAIN, "KVM refuses the interrupt: it must be the same PPI"},
    {"IRQ", EINVAL, gicv5, PLAIN, "KVM refuses the interrupt: it must be the same PPI"},
    {"IRQ", EINVAL, other_ppi, PLAIN, "KVM refuses the interrupt: it must be the same PPI"},
    {"IRQ", EINVAL, same_spi, WITH_IRQ(40), "KVM refuses the interrupt: it must be the same PPI"},
    {"IRQ", ENODEV, no_host_pmu, PLAIN, NO_PMU},
    {"INIT", EBUSY, initialized, WITH_IRQ(DEFAULT), "the vCPU's PMU is already initialized; do so"},
    {"INIT", ENXIO, nothing, WITH_IRQ(DEFAULT), "the interrupt is not set, or KVM_ARM_VCPU_PMU_V3"},
    {"INIT", ENXIO, strict, PLAIN, "the interrupt is not set, or KVM_ARM_VCPU_PMU_V3_STRICT is"},
    {"INIT", ENODEV, gic_not_ready, PLAIN, "the kernel's GIC is not initialized; do so first"},
    {"INIT", EINVAL, few_spis, WITH_IRQ(64), "the kernel's interrupt controller has fewer SPIs;"},
    {"INIT", EEXIST, owned_irq, PLAIN, "the interrupt belongs to another device; choose another"},
    {"FILTER", EBUSY, initialized, WITH_FILTER, "too late: the vCPU's PMU is initialized, a vCPU"},
    {"FILTER", EBUSY, has_run, WITH_FILTER, "too late: the vCPU's PMU is initialized, a vCPU has"},
    {"FILTER", EBUSY, is_fixed, WITH_FILTER, "too late: the vCPU's PMU is initialized, a vCPU has"},
    {"FILTER", ENXIO, strict, WITH_FILTER, "no PMU of the host was chosen, and with"},
    {"FILTER", ENOMEM, no_memory, WITH_FILTER, "the kernel is out of memory; free some"},
    {"FILTER", EINVAL, old_host_pmu, WITH_FILTER, "a range is out of bounds; events have 10 bits"},
    {"FILTER", ENODEV, no_host_pmu, WITH_FILTER, NO_PMU},
    {"SET_PMU", EBUSY, initialized, WITH_PMU(8), "too late: the vCPU's PMU is initialized or has"},
    {"SET_PMU", EBUSY, has_run, WITH_PMU(8), "too late: the vCPU's PMU is initialized or has"},
    {"SET_PMU", EBUSY, filter_of_pmu_8, WITH_PMU(9), "too late: the vCPU's PMU is initialized or"},
    {"SET_PMU", EBUSY, is_fixed, WITH_PMU(8), "too late: the vCPU's PMU is initialized or has"},
    {"SET_PMU", ENXIO, nothing, WITH_PMU(7), "KVM knows no such PMU of the host; choose one of"},
    {"SET_PMU", ENODEV, no_host_pmu, WITH_PMU(8), NO_PMU},
    {"SET_PMU", ENOMEM, no_memory, WITH_PMU(8), "the kernel is out of memory; free some"},
    {"SET_NR_COUNTERS",
     EBUSY,
     filter_of_pmu_8,
     {8, 3, NULL, 23, 0},
     "too late: the vCPU's PMU is initialized, a vCPU has run or a filter is set; set"},
    {"SET_NR_COUNTERS",
     EINVAL,
     nothing,
     {9, 5, NULL, 23, 0},
     "the host's PMU has fewer counters, or none was chosen by SET_PMU; ask for fewer"},
    {"FIXED_COUNTERS_ONLY", EBUSY, fixed_initialized, WITH_FLAG(1), "too late: the vCPU's PMU is"},
    {"FIXED_COUNTERS_ONLY", EBUSY, fixed_has_run, WITH_FLAG(1), "too late: the vCPU's PMU is"},
    {"FIXED_COUNTERS_ONLY", EBUSY, fixed_with_pmu, WITH_FLAG(1), "too late: the vCPU's PMU is"},
    {"FIXED_COUNTERS_ONLY", EBUSY, fixed_with_filter, WITH_FLAG(1), "too late: the vCPU's PMU is"},
    {"FIXED_COUNTERS_ONLY", ENODEV, fixed_no_host_pmu, WITH_FLAG(1), NO_PMU},
    {"ENABLE_PARTITION", EPERM, unpartitionable, WITH_FLAG(2), "this host does not partition its"},
    {"ENABLE_PARTITION", EBUSY, partition_initialized, WITH_FLAG(2), "too late: the vCPU's PMU is"},
    {"ENABLE_PARTITION", EBUSY, partition_has_run, WITH_FLAG(2), "too late: the vCPU's PMU is"},
    {"ENABLE_PARTITION", ENODEV, partition_no_host_pmu, WITH_FLAG(2), NO_PMU},
};

START_TEST(attributes)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct kvm_glue_error err = {.text = ""};
        char call[60];

        fake_start();
        rows[i].state();
        snprintf(call, sizeof(call), "KVM_ARM_VCPU_PMU_V3_%s", rows[i].attr);
        expect(call, -rows[i].error, setup(VCPU(0, 0), &rows[i].setup, &err));
        expect_line(call, rows[i].error, rows[i].sentence, &err);
    }
}
END_TEST

/* Errors that the library prevents: unmapped arguments, and attributes that a kernel lacks. */
static const struct {
    const char *attr;
    uint64_t number;
    int error;
    void (*state)(void);
    struct kvm_glue_setup setup;
} prevented[] = {
    {"IRQ", 0, EFAULT, nothing, PLAIN},
    {"IRQ", 0, ENXIO, nothing, PLAIN},
    {"FILTER", 2, EFAULT, nothing, WITH_FILTER},
    {"SET_PMU", 3, EFAULT, nothing, WITH_PMU(8)},
    {"SET_NR_COUNTERS", 4, EFAULT, nothing, {8, 3, NULL, 23, 0}},
    {"SET_NR_COUNTERS", 4, ENXIO, nothing, {8, 3, NULL, 23, 0}},
    {"SET_NR_COUNTERS", 4, ENODEV, nothing, {8, 3, NULL, 23, 0}},
    {"FIXED_COUNTERS_ONLY", 5, ENXIO, fixed, WITH_FLAG(1)},
    {"ENABLE_PARTITION", 5, EFAULT, partition, WITH_FLAG(2)},
    {"ENABLE_PARTITION", 5, ENXIO, partition, WITH_FLAG(2)},
};

START_TEST(prevented_errors)
{
    for (size_t i = 0; i < COUNT_OF(prevented); i++) {
        const char *sentence = prevented[i].error == EFAULT  ? "the kernel cannot read the argument"
                               : prevented[i].error == ENXIO ? "this kernel does not have the"
                                                             : NO_PMU;
        struct kvm_glue_error err = {.text = ""};
        char call[60];

        fake_start();
        prevented[i].state();
        fake.fail_request = KVM_SET_DEVICE_ATTR;
        fake.fail_what = prevented[i].number;
        fake.fail_error = prevented[i].error;
        snprintf(call, sizeof(call), "KVM_ARM_VCPU_PMU_V3_%s", prevented[i].attr);
        expect(call, -prevented[i].error, setup(VCPU(0, 0), &prevented[i].setup, &err));
        expect_line(call, prevented[i].error, sentence, &err);
    }
}
END_TEST

/* Each error of kvm_arm_pmu_v3_set_attr() in Linux 7.3, and of the patches, is in a table above. */
START_TEST(complete)
{
    static const struct {
        const char *attr;
        int errors[7];
    } kernel[] = {
        {"IRQ", {ENODEV, EBUSY, EINVAL, EFAULT, ENXIO}},
        {"INIT", {EBUSY, ENXIO, ENODEV, EINVAL, EEXIST}},
        {"FILTER", {ENODEV, EBUSY, EFAULT, EINVAL, ENXIO, ENOMEM}},
        {"SET_PMU", {ENODEV, EBUSY, EFAULT, ENXIO, ENOMEM}},
        {"SET_NR_COUNTERS", {ENODEV, EBUSY, EFAULT, EINVAL, ENXIO}},
        {"FIXED_COUNTERS_ONLY", {ENODEV, EBUSY, ENXIO}},
        {"ENABLE_PARTITION", {ENODEV, EBUSY, EFAULT, EPERM, ENXIO}},
    };

    for (size_t i = 0; i < COUNT_OF(kernel); i++) {
        for (size_t k = 0; kernel[i].errors[k] != 0; k++) {
            unsigned found = 0;

            for (size_t row = 0; row < COUNT_OF(rows); row++) {
                found += rows[row].error == kernel[i].errors[k] &&
                         strcmp(rows[row].attr, kernel[i].attr) == 0;
            }
            for (size_t row = 0; row < COUNT_OF(prevented); row++) {
                found += prevented[row].error == kernel[i].errors[k] &&
                         strcmp(prevented[row].attr, kernel[i].attr) == 0;
            }
            ck_assert_msg(found != 0, "%s: expected a row for '%s' got none", kernel[i].attr,
                          strerror(kernel[i].errors[k]));
        }
    }
}
END_TEST

#define PMU_V3 8u
#define STRICT 0x200u

static int vcpu_init(uint32_t target, uint32_t features, uint32_t more, struct kvm_glue_error *err)
{
    const uint32_t init[8] = {target, features, more};

    return kvm_glue_vcpu_init(&fake_os, VCPU(0, 0),
                              (const struct kvm_vcpu_init *)(const void *)init, err);
}

static void new_vcpu(void)
{
    fake.vm[0].features = -1;
    fake.vcpu[0].initialized = false;
    fake.vcpu[0].has_pmu = false;
}
static void knows_strict(void)
{
    new_vcpu();
    fake.vm[0].known_features = fake.vm[0].supported_features = 0x3ff;
}
static void no_pmu(void)
{
    knows_strict();
    fake.vm[0].supported_features &= ~(PMU_V3 | STRICT);
}
static void other_vcpu(void)
{
    knows_strict();
    fake.vm[0].features = PMU_V3;
}
static void no_pmu_here(void)
{
    knows_strict();
    no_host_pmu();
}

#define CANNOT "this host does not have one of the features, another vCPU of the VM has others, or"

START_TEST(vcpu_features)
{
    static const struct {
        void (*state)(void);
        uint32_t target, features, more;
        int error;
        const char *sentence;
    } inits[] = {
        {new_vcpu, 5, PMU_V3, 0, 0, NULL},
        {knows_strict, 5, PMU_V3 | STRICT, 0, 0, NULL},
        {no_pmu_here, 5, PMU_V3 | STRICT, 0, 0, NULL},
        {new_vcpu, 5, PMU_V3 | STRICT, 0, ENOENT, "this kernel does not know one of the features;"},
        {knows_strict, 5, PMU_V3, 1, ENOENT, "this kernel does not know one of the features;"},
        {knows_strict, 5, STRICT, 0, EINVAL, "KVM_ARM_VCPU_PMU_V3_STRICT is set without KVM_ARM_"},
        {knows_strict, 4, PMU_V3, 0, EINVAL, CANNOT},
        {no_pmu, 5, PMU_V3 | STRICT, 0, EINVAL, CANNOT},
        {other_vcpu, 5, PMU_V3 | STRICT, 0, EINVAL, CANNOT},
        {no_pmu_here, 5, PMU_V3, 0, ENODEV, "the CPU that this thread runs on has no PMU; move"},
    };

    for (size_t i = 0; i < COUNT_OF(inits); i++) {
        struct kvm_glue_error err = {.text = ""};
        char call[60];

        fake_start();
        inits[i].state();
        snprintf(call, sizeof(call), "KVM_ARM_VCPU_INIT: features %#x", inits[i].features);
        expect(call, -inits[i].error,
               vcpu_init(inits[i].target, inits[i].features, inits[i].more, &err));
        if (inits[i].error != 0) {
            expect_line(call, inits[i].error, inits[i].sentence, &err);
        }
    }
}
END_TEST

/* Errors that each call of KVM can return. */
static const struct {
    int error;
    const char *sentence;
} any_call[] = {
    {EBADF, "the descriptor is closed; pass"},
    {ENOTTY, "the descriptor is not a vCPU's; pass"},
    {EIO, "another process created the VM, or the kernel has given it up; call"},
    {EINTR, "a signal ends this process; call again"},
    {EFAULT, "the kernel cannot read the argument; it must be mapped"},
    {ENOMEM, "the kernel is out of memory; free some"},
    {EPERM, "a security policy forbids the call; allow"},
    {EACCES, "a security policy forbids the call; allow"},
};

START_TEST(any_call_fails)
{
    static const struct kvm_glue_setup s = PLAIN;
    struct kvm_glue_state saved;

    fake_set_reg(VCPU(0, 0), PMCR, 0);
    expect("save", 0, kvm_glue_state_save(&fake_os, VCPU(0, 0), &saved, NULL));
    for (size_t i = 0; i < COUNT_OF(any_call); i++) {
        struct kvm_glue_error err = {.text = ""};
        const char *sentence = any_call[i].sentence;
        int error = any_call[i].error;

        fake.refusal = error;
        expect("vm", -error, kvm_glue_setup_vm(&fake_os, VCPU(0, 0), &s, &err));
        expect_line("KVM_ARM_VCPU_PMU_V3_INIT", error, sentence, &err);
        expect("vcpu", -error, kvm_glue_setup_vcpu(&fake_os, VCPU(0, 0), &s, &err));
        expect_line("KVM_ARM_VCPU_PMU_V3_IRQ", error, sentence, &err);
        expect("init", -error, vcpu_init(5, PMU_V3, 0, &err));
        expect_line("KVM_ARM_VCPU_INIT: features 0x8", error, sentence, &err);
        expect("save", -error, kvm_glue_state_save(&fake_os, VCPU(0, 0), &saved, &err));
        expect_line("PMCR_EL0 cannot be read", error, sentence, &err);
        saved.magic = KVM_GLUE_STATE_MAGIC;
        saved.version = KVM_GLUE_STATE_VERSION;
        expect("restore", -error,
               kvm_glue_state_restore(&fake_os, VCPU(0, 0), &saved, 0, NULL, &err));
        expect_line("PMMIR_EL1 cannot be read", error, sentence, &err);
        expect("features", PMU_V3, kvm_glue_vcpu_features(&fake_os, KVM_FD));
        fake.refusal = 0;
        expect("save", 0, kvm_glue_state_save(&fake_os, VCPU(0, 0), &saved, NULL));
    }
}
END_TEST

START_TEST(registers)
{
    static const struct {
        const char *call;
        unsigned long request;
        uint64_t reg;
        int error;
        const char *sentence;
    } calls[] = {
        {"PMCR_EL0 cannot be read", KVM_GET_ONE_REG, PMCR, ENOENT, "the vCPU does not have the"},
        {"PMCR_EL0 cannot be read", KVM_GET_ONE_REG, PMCR, ENOEXEC, "the vCPU is not initialized"},
        {"PMCR_EL0 cannot be written", KVM_SET_ONE_REG, PMCR, EFAULT, "the kernel cannot read the"},
        {"PMMIR_EL1 cannot be changed from SLOTS 4 to 0", KVM_SET_ONE_REG, 0xc4f6, EBUSY,
         "a vCPU has run, which fixes the value; restore"},
        {"PMMIR_EL1 cannot be changed from SLOTS 4 to 0", KVM_SET_ONE_REG, 0xc4f6, EINVAL,
         "KVM refuses the value; restore"},
    };
    struct kvm_glue_state saved;

    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        struct kvm_glue_error err = {.text = ""};

        fake_start();
        expect("save", 0, kvm_glue_state_save(&fake_os, VCPU(1, 0), &saved, NULL));
        fake.vm[0].has_pmmir = true;
        fake.vm[0].slots = 4;
        fake.fail_request = calls[i].request;
        fake.fail_what = calls[i].reg;
        fake.fail_error = calls[i].error;
        expect(calls[i].call, -calls[i].error,
               kvm_glue_state_restore(&fake_os, VCPU(0, 0), &saved, 0, NULL, &err));
        expect_line(calls[i].call, calls[i].error, calls[i].sentence, &err);
    }
}
END_TEST

/* The same errors by the fake kernel's rules. */
START_TEST(registers_by_rule)
{
    struct kvm_glue_error err = {.text = ""};
    struct kvm_glue_state saved;

    fake.vcpu[0].initialized = false;
    expect("no KVM_ARM_VCPU_INIT", -ENOEXEC,
           kvm_glue_state_save(&fake_os, VCPU(0, 0), &saved, &err));
    expect_line("PMCR_EL0 cannot be read", ENOEXEC, "the vCPU is not initialized; call", &err);
    fake_start();
    fake.vcpu[0].has_pmu = false;
    expect("no PMU", -ENOENT, kvm_glue_state_save(&fake_os, VCPU(0, 0), &saved, &err));
    expect_line("PMCR_EL0 cannot be read", ENOENT, "the vCPU does not have the register;", &err);
}
END_TEST

Suite *errors_suite(void)
{
    const TTest *const tests[] = {attributes,     prevented_errors, complete,         vcpu_features,
                                  any_call_fails, registers,        registers_by_rule};

    return suite_of("errors", tests, COUNT_OF(tests));
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Determining where the host's kernel runs. */
#include <errno.h>

#include "fixture.h"
#include "kvm_glue/mode.h"

START_TEST(hints)
{
    static const struct {
        int ipa_size;
        int el2;
        const char *cmdline;
        enum kvm_glue_mode mode;
    } rows[] = {
        {0, 0, "kvm-arm.mode=nvhe", KVM_GLUE_MODE_VHE}, /* not arm64 */
        {48, 1, "", KVM_GLUE_MODE_VHE},                 /* nested guests need VHE */
        {48, -1, "", KVM_GLUE_MODE_UNKNOWN},
        {48, 0, "", KVM_GLUE_MODE_UNKNOWN},
        {48, 0, "quiet kvm-arm.mode=nvhe\n", KVM_GLUE_MODE_NVHE},
        {48, 0, "kvm-arm.mode=protected quiet\n", KVM_GLUE_MODE_PROTECTED},
        {48, 0, "kvm-arm.mode=nvhe kvm-arm.mode=protected\n", KVM_GLUE_MODE_PROTECTED},
        {48, 0, "kvm-arm.mode=protected kvm-arm.mode=nested\n", KVM_GLUE_MODE_UNKNOWN},
        {48, 0, "kvm-arm.mode=nvhello\n", KVM_GLUE_MODE_UNKNOWN},
        {48, 0, "kvm-arm.mode=", KVM_GLUE_MODE_UNKNOWN},
        {48, 0, NULL, KVM_GLUE_MODE_UNKNOWN},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        fake_start();
        fake.kvm_caps[0] = rows[i].ipa_size;
        fake.kvm_caps[1] = rows[i].el2;
        fake_file("/proc/cmdline", rows[i].cmdline == NULL ? "" : rows[i].cmdline);
        if (rows[i].cmdline == NULL) {
            fake_file_gone("/proc/cmdline");
        }
        expect(rows[i].cmdline, rows[i].mode, kvm_glue_mode_hint(&fake_os, KVM_FD));
    }
}
END_TEST

START_TEST(unreadable_cmdline)
{
    for (unsigned i = 0; i < fake.files; i++) {
        fake.file[i].error = EIO;
    }
    expect("EIO", KVM_GLUE_MODE_UNKNOWN, kvm_glue_mode_hint(&fake_os, KVM_FD));
}
END_TEST

/* The probe counts only EL2 below the kernel, which does not exist on VHE. */
START_TEST(probe)
{
    struct kvm_glue_group g;

    expect("open", 0, kvm_glue_mode_probe_open(&g, &fake_os, 8, 0x11, 0, NULL));
    expect("type", 8, fake.event[0].attr.type);
    expect("cycles", 0x11, (long long)fake.event[0].attr.config);
    expect("never ran", KVM_GLUE_MODE_UNKNOWN, kvm_glue_mode_probe_result(&g));
    fake_cycles(IN_GUEST, 10);
    fake_cycles(IN_HOST_KERNEL, 10);
    fake_cycles(IN_HOST_USER, 10);
    expect("VHE", KVM_GLUE_MODE_VHE, kvm_glue_mode_probe_result(&g));
    fake_cycles(IN_EL2_BLACKOUT, 1);
    expect("nVHE", KVM_GLUE_MODE_NVHE, kvm_glue_mode_probe_result(&g));
    fake.fail_read = EIO;
    expect("unreadable", KVM_GLUE_MODE_UNKNOWN, kvm_glue_mode_probe_result(&g));
    kvm_glue_group_close(&g);
    fake.has_pmu = false;
    expect("no PMU", -ENOENT, kvm_glue_mode_probe_open(&g, &fake_os, 8, 0x11, 0, NULL));
}
END_TEST

START_TEST(names)
{
    ck_assert_str_eq(kvm_glue_mode_name(KVM_GLUE_MODE_VHE), "VHE");
    ck_assert_str_eq(kvm_glue_mode_name(KVM_GLUE_MODE_NVHE), "nVHE");
    ck_assert_str_eq(kvm_glue_mode_name(KVM_GLUE_MODE_PROTECTED), "protected nVHE");
    ck_assert_str_eq(kvm_glue_mode_name((enum kvm_glue_mode)9), "unknown");
}
END_TEST

Suite *mode_suite(void)
{
    const TTest *const tests[] = {hints, unreadable_cmdline, probe, names};

    return suite_of("mode", tests, COUNT_OF(tests));
}

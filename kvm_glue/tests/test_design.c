/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the host's KVM gives counters to guests, from the files of such hosts. */
#include "fixture.h"
#include "kvm_glue/design.h"

#define INTEL "/sys/module/kvm_intel/parameters/enable_mediated_pmu"
#define AMD "/sys/module/kvm_amd/parameters/enable_mediated_pmu"
#define CMDLINE "/proc/cmdline"
#define KEY "arm_pmuv3.reserved_host_counters="

START_TEST(hosts)
{
    static const struct {
        const char *path;
        const char *text;
        const char *design;
    } rows[] = {
        {INTEL, "Y\n", "mediated"},
        {AMD, "Y\n", "mediated"},
        {INTEL, "N\n", "events"},
        {AMD, "N\n", "events"},
        {AMD, "", "events"},
        {CMDLINE, "quiet " KEY "2\n", "partitioned"},
        {CMDLINE, KEY "0 quiet\n", "partitioned"},
        {CMDLINE, KEY "-1\n", "events"},
        {CMDLINE, KEY "2 " KEY "-1\n", "events"},
        {CMDLINE, KEY "-1 " KEY "2\n", "partitioned"},
        {CMDLINE, KEY, "events"},
        {CMDLINE, "quiet\n", "events"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        fake_start();
        fake_file(rows[i].path, rows[i].text);
        ck_assert_str_eq(kvm_glue_design_name(kvm_glue_design(&fake_os)), rows[i].design);
    }
    fake_start();
    fake_file_gone(CMDLINE);
    expect("no /proc", KVM_GLUE_DESIGN_EVENTS, kvm_glue_design(&fake_os));
    ck_assert_str_eq(kvm_glue_design_name((enum kvm_glue_design)3), "unknown");
}
END_TEST

Suite *design_suite(void)
{
    const TTest *const tests[] = {hosts};

    return suite_of("design", tests, COUNT_OF(tests));
}

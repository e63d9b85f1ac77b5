/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finding and choosing the PMUs of hosts, some of which have different kinds of core. */
#include <errno.h>
#include <stdio.h>

#include "fixture.h"
#include "kvm_glue/host_pmu.h"

#define DEVICES "/sys/bus/event_source/devices/"

static void add_pmu(unsigned index, const char *name, const char *type, const char *cpus)
{
    char path[200];

    fake.names[index] = name;
    snprintf(path, sizeof(path), DEVICES "%s/type", name);
    if (type != NULL) {
        fake_file(path, type);
    }
    snprintf(path, sizeof(path), DEVICES "%s/cpus", name);
    if (cpus != NULL) {
        fake_file(path, cpus);
    }
}

static void big_little(void)
{
    add_pmu(0, "software", "1\n", NULL);
    add_pmu(1, "armv8_cortex_a72", "9\n", "4-5\n");
    add_pmu(2, "armv8_cortex_a53", "8\n", "0-3\n");
    add_pmu(3, "arm_cmn_0", "10\n", NULL);
}

static struct kvm_glue_cpus cpus_of(const char *text)
{
    struct kvm_glue_cpus cpus;

    expect(text, 0, kvm_glue_cpus_parse(text, &cpus));
    return cpus;
}

START_TEST(lists)
{
    struct kvm_glue_cpus cpus = cpus_of("0-3,8,63-64\n");

    expect("0-3,8,63", (long long)0x800000000000010f, (long long)cpus.bits[0]);
    expect("64", 1, (long long)cpus.bits[1]);
    expect("empty", 0, kvm_glue_cpus_parse("\n", &cpus));
    expect("empty", 0, (long long)(cpus.bits[0] | cpus.bits[1]));
    expect("empty", 0, kvm_glue_cpus_parse("", &cpus));
    expect("last", 0, kvm_glue_cpus_parse("4095", &cpus));
    expect("last", (long long)(1ull << 63), (long long)cpus.bits[63]);
    expect("beyond", -E2BIG, kvm_glue_cpus_parse("4096", &cpus));
    expect("beyond", -E2BIG, kvm_glue_cpus_parse("0-99999999999999", &cpus));
    expect("backwards", -EINVAL, kvm_glue_cpus_parse("3-0", &cpus));
    expect("half", -EINVAL, kvm_glue_cpus_parse("3-", &cpus));
    expect("words", -EINVAL, kvm_glue_cpus_parse("all", &cpus));
    expect("comma", -EINVAL, kvm_glue_cpus_parse("1,", &cpus));
    expect("blank", -EINVAL, kvm_glue_cpus_parse("1 2", &cpus));
}
END_TEST

START_TEST(found)
{
    struct kvm_glue_host_pmus pmus;
    struct kvm_glue_error err;

    big_little();
    expect("find", 0, kvm_glue_host_pmus_find(&fake_os, &pmus, &err));
    expect("two have cpus", 2, pmus.count);
    expect_text("sorted by type", "armv8_cortex_a53", pmus.pmu[0].name);
    expect("type", 8, pmus.pmu[0].type);
    expect("cpus", 0xf, (long long)pmus.pmu[0].cpus.bits[0]);
    expect("type", 9, pmus.pmu[1].type);
    expect("by name", 9, kvm_glue_host_pmu_by_name(&pmus, "armv8_cortex_a72", &err));
    expect("by number", 8, kvm_glue_host_pmu_by_name(&pmus, "8", &err));
    expect("no such", -ENOENT, kvm_glue_host_pmu_by_name(&pmus, "10", &err));
    expect_text("no such", "no PMU '10'; there are: armv8_cortex_a53 (8), armv8_cortex_a72 (9)",
                err.text);
}
END_TEST

START_TEST(chosen)
{
    static const struct {
        const char *cpus;
        int type;
    } rows[] = {{"0", 8}, {"1-3", 8}, {"4-5", 9}, {"3-4", -EXDEV}, {"0-5", -EXDEV}, {"6", -EXDEV}};
    struct kvm_glue_host_pmus pmus;
    struct kvm_glue_error err;

    big_little();
    expect("find", 0, kvm_glue_host_pmus_find(&fake_os, &pmus, &err));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct kvm_glue_cpus cpus = cpus_of(rows[i].cpus);

        expect(rows[i].cpus, rows[i].type, kvm_glue_host_pmu_choose(&pmus, &cpus, &err));
    }
    expect_text("pin", "pin them to the CPUs of one of: armv8_cortex_a53 (8), ", err.text);
    pmus.count = 0;
    expect("none", -ENOENT, kvm_glue_host_pmu_choose(&pmus, &(struct kvm_glue_cpus){{1}}, &err));
    expect_text("none", "the host's cores have no PMU", err.text);
    expect("none", -ENOENT, kvm_glue_host_pmu_by_name(&pmus, "x", &err));
    expect_text("none", "there are: none", err.text);
}
END_TEST

START_TEST(strange)
{
    static const struct {
        const char *type;
        const char *cpus;
        const char *why;
    } rows[] = {
        {"8\n", "rubbish\n", "a/cpus cannot be parsed"},
        {"rubbish\n", "0\n", "a/type cannot be parsed"},
        {"-3\n", "0\n", "a/type cannot be parsed"},
        {NULL, "0\n", "a/type cannot be parsed"},
    };
    struct kvm_glue_host_pmus pmus;
    struct kvm_glue_error err;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        fake_start();
        add_pmu(0, "a", rows[i].type, rows[i].cpus);
        expect(rows[i].why, -EINVAL, kvm_glue_host_pmus_find(&fake_os, &pmus, &err));
        expect_text(rows[i].why, rows[i].why, err.text);
    }
    fake_start();
    fake.list_error = ENOENT;
    expect("no sysfs", -ENOENT, kvm_glue_host_pmus_find(&fake_os, &pmus, &err));
    expect_text("no sysfs", "devices cannot be read", err.text);
    fake.list_error = 0;
    fake.names[0] = "a_name_that_is_longer_than_the_sixty_three_characters_that_there_is_room_for";
    expect("long name", 0, kvm_glue_host_pmus_find(&fake_os, &pmus, &err));
    expect("long name", 0, pmus.count);
}
END_TEST

/* Sixteen PMUs are accepted, seventeen are not. */
START_TEST(many)
{
    struct kvm_glue_host_pmus pmus;
    struct kvm_glue_error err;

    add_pmu(0, "p0", "8\n", "0\n");
    for (unsigned i = 1; i < 16; i++) {
        fake.names[i] = "p0";
    }
    expect("16", 0, kvm_glue_host_pmus_find(&fake_os, &pmus, &err));
    expect("16", 16, pmus.count);
    fake.names[16] = "p0";
    expect("17", -E2BIG, kvm_glue_host_pmus_find(&fake_os, &pmus, &err));
    expect_text("17", "more than 16 kinds", err.text);
}
END_TEST

/* A list that is too long for the message is truncated. */
START_TEST(long_list)
{
    struct kvm_glue_host_pmus pmus = {.count = 16};
    struct kvm_glue_error err;

    for (unsigned i = 0; i < 16; i++) {
        snprintf(pmus.pmu[i].name, sizeof(pmus.pmu[i].name), "armv8_cortex_with_a_long_name_%u", i);
    }
    expect("cut", -ENOENT, kvm_glue_host_pmu_by_name(&pmus, "x", &err));
    ck_assert(strlen(err.text) < sizeof(err.text));
    expect_text("cut", "armv8_cortex_with_a_long_name_0 (0)", err.text);
}
END_TEST

/*
 * A type that is not an int, and a list of CPUs that does not fit the buffer and would be a
 * different list if truncated.
 */
START_TEST(damaged_files)
{
    static char cut[5000];
    static const char *const types[] = {"4294967304\n", "8x\n", "99999999999999999999\n", "-1\n",
                                        "\n"};
    struct kvm_glue_host_pmus pmus;
    struct kvm_glue_error err;

    for (size_t i = 0; i < COUNT_OF(types); i++) {
        add_pmu(0, "armv8_pmuv3_0", types[i], "0-3\n");
        expect(types[i], -EINVAL, kvm_glue_host_pmus_find(&fake_os, &pmus, &err));
        expect_text(types[i], "armv8_pmuv3_0/type cannot be parsed", err.text);
    }
    for (size_t i = 0; i + 4 < sizeof(cut); i += 4) {
        memcpy(cut + i, "999,", 4);
    }
    memcpy(cut + sizeof(cut) - 4, "1\n", 3);
    add_pmu(0, "armv8_pmuv3_0", "8\n", cut);
    expect("cut off", -EINVAL, kvm_glue_host_pmus_find(&fake_os, &pmus, &err));
    expect_text("cut off", "armv8_pmuv3_0/cpus cannot be parsed", err.text);
}
END_TEST

Suite *host_pmu_suite(void)
{
    const TTest *const tests[] = {lists, found, chosen, strange, many, long_list, damaged_files};

    return suite_of("host_pmu", tests, COUNT_OF(tests));
}

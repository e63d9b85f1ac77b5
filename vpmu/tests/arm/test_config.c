/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Which PMUs can exist, and the reasons why others cannot. */
#include <string.h>

#include "fixture.h"

#define INST_ONLY INST_SRC
#define CYCLES_ONLY CPU_SRC
#define ALL_SOURCES (INST_ONLY | CYCLES_ONLY)
#define BOTH_CYCLES (CPU_SRC | CNT_SRC)

START_TEST(possible)
{
    static const struct {
        const char *name;
        struct vpmu_arm_config config;
    } rows[] = {
        {"least", {VPMU_V3, 0, 0, 0, 0, 0, 0, CYCLES_ONLY, 0, 1, 0, 0}},
        {"v3", {VPMU_V3, 6, 0, 0x41, 0, 0, 0, ALL_SOURCES, 0, 1, 0, 0}},
        {"v3p1", {VPMU_V3P1, 6, VPMU_HAS_EL2, 0, 0, 0, 0, ALL_SOURCES, 0, 1, 0, 0}},
        {"v3p4 with slots", {VPMU_V3P4, 6, VPMU_HAS_EL3, 0, 0, 8, 0, ALL_SOURCES, 0, 1, 0, 0}},
        {"v3p5",
         {VPMU_V3P5, 31, VPMU_HAS_EL2 | VPMU_HAS_EL3, 0, 0, 255, 0, ALL_SOURCES, 0, 1, 0, 0}},
        {"v3p7 with SPE", {VPMU_V3P7, 31, VPMU_HAS_SPE, 0, 0, 0, 0, ALL_SOURCES, 0, 1, 0, 0}},
        {"all sources, none timed", {VPMU_V3, 6, 0, 0, 0, 0, 0, VPMU_SRC_ALL, 0, 1, 0, 0}},
        {"cycles timed", {VPMU_V3, 6, 0, 0, 0, 0, 0, ALL_SOURCES, CPU_SRC, 1, 0, 0}},
        {"both timed", {VPMU_V3, 6, 0, 0, 0, 0, 0, VPMU_SRC_ALL, BOTH_CYCLES, 1, 0, 0}},
        {"cycles of 8 units", {VPMU_V3, 6, 0, 0, 0, 0, 0, ALL_SOURCES, 0, 8, 0, 0}},
        {"a core", {VPMU_V3, 6, 0, 0, 0, 0, 0, ALL_SOURCES, 0, 1, VPMU_CORE_COUNT - 1, 0}},
        {"cycles of 2 units, ticks timed",
         {VPMU_V3, 6, 0, 0, 0, 0, 0, VPMU_SRC_ALL, CNT_SRC, 2, 0, 0}},
        {"v3p8, AArch64 only",
         {VPMU_V3P8, 1, VPMU_HAS_NO_AARCH32, 0, 0, 0, 0, ALL_SOURCES, 0, 1, 0, 0}},
        {"AArch32 only", {VPMU_V3P8, 1, VPMU_HAS_NO_AARCH64, 0, 0, 0, 0, ALL_SOURCES, 0, 1, 0, 0}},
        {"v3p9 with everything",
         {VPMU_V3P9, 31, ALL_LEVELS | VPMU_HAS_ICNTR | VPMU_HAS_SPE | VPMU_HAS_NO_AARCH32, 0, 0,
          255, 0, ALL_SOURCES, 0, 1, 0, 0}},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *why = "untouched";

        ck_assert_msg(vpmu_arm_config_check(&rows[i].config, &why) == 0,
                      "%s: expected a PMU got a refusal: %s", rows[i].name, why);
        ck_assert_str_eq(why, "untouched");
    }
}
END_TEST

static const struct {
    struct vpmu_arm_config config;
    const char *reason;
} impossible_rows[] = {
    {{VPMU_V3, 32, 0, 0, 0, 0, 0, ALL_SOURCES, 0, 1, 0, 0}, "0 to 31"},
    {{VPMU_V3, 6, 0, 0, 0, 0, 0, VPMU_SRC_ALL + 1, 0, 1, 0, 0}, "unknown event sources"},
    {{VPMU_V3, 6, 0, 0, 0, 0, 0, INST_ONLY, 0, 1, 0, 0}, "must supply cycles"},
    {{VPMU_V3, 6, 0, 0, 0, 0, 0, ALL_SOURCES, INST_SRC, 1, 0, 0}, "only cycles can be timed"},
    {{VPMU_V3, 6, 0, 0, 0, 0, 0, ALL_SOURCES, 0, 0, 0, 0}, "can be 1 to 8"},
    {{VPMU_V3, 6, 0, 0, 0, 0, 0, ALL_SOURCES, CPU_SRC, 2, 0, 0}, "timed have one unit"},
    {{VPMU_V3P9, 6, VPMU_HAS_ICNTR, 0, 0, 0, 0, CYCLES_ONLY, 0, 1, 0, 0}, "counts instructions"},
    {{VPMU_V3P7, 6, 0, 0x41, 0, 0, 0, ALL_SOURCES, 0, 1, 0, 0}, "IMP is 0 from PMUv3p7"},
    {{VPMU_V3P5, 6, 0, 0, 1, 0, 0, ALL_SOURCES, 0, 1, 0, 0}, "IDCODE is 0 if"},
    {{VPMU_V3P1, 6, 0, 0, 0, 1, 0, ALL_SOURCES, 0, 1, 0, 0}, "SLOTS needs PMUv3p4"},
    {{VPMU_V3P9, 6, 0, 0, 0, 0, 13, ALL_SOURCES, 0, 1, 0, 0}, "0 to 12 bits"},
    {{VPMU_V3P7, 6, 0, 0, 0, 0, 12, ALL_SOURCES, 0, 1, 0, 0}, "thresholds need PMUv3p8"},
    {{VPMU_V3P8, 6, 0, 0, 0, 0, 12, ALL_SOURCES, CPU_SRC, 1, 0, 0}, "cycle by cycle"},
    {{VPMU_V3P8, 6, VPMU_HAS_NO_AARCH64, 0, 0, 0, 1, ALL_SOURCES, 0, 1, 0, 0},
     "thresholds need AArch64"},
    {{VPMU_V3P8, 6, VPMU_HAS_EDGE, 0, 0, 0, 0, ALL_SOURCES, 0, 1, 0, 0}, "edges needs thresholds"},
    {{VPMU_V3P8, 6, VPMU_HAS_TH2, 0, 0, 0, 1, ALL_SOURCES, 0, 1, 0, 0},
     "need the counting of edges"},
    {{VPMU_V3, 6, VPMU_HAS_ALL + 1, 0, 0, 0, 0, ALL_SOURCES, 0, 1, 0, 0}, "unknown feature"},
    {{VPMU_V3P5, 6, VPMU_HAS_SECURE_EL2 | VPMU_HAS_EL3, 0, 0, 0, 0, ALL_SOURCES, 0, 1, 0, 0},
     "Secure EL2 needs"},
    {{VPMU_V3P9, 6, VPMU_HAS_REALM | VPMU_HAS_EL2, 0, 0, 0, 0, ALL_SOURCES, 0, 1, 0, 0},
     "Realm state needs"},
    {{VPMU_V3P5, 6, VPMU_HAS_NO_AARCH64 | VPMU_HAS_NO_AARCH32, 0, 0, 0, 0, ALL_SOURCES, 0, 1, 0, 0},
     "AArch64 or AArch32"},
    {{VPMU_V3P7, 6, VPMU_HAS_NO_AARCH64 | VPMU_HAS_SPE, 0, 0, 0, 0, ALL_SOURCES, 0, 1, 0, 0},
     "SPE need AArch64"},
    {{VPMU_V3P8, 6, VPMU_HAS_ICNTR, 0, 0, 0, 0, ALL_SOURCES, 0, 1, 0, 0}, "needs PMUv3p9"},
    {{VPMU_V3P9, 6, VPMU_HAS_ICNTR | VPMU_HAS_NO_AARCH64, 0, 0, 0, 0, ALL_SOURCES, 0, 1, 0, 0},
     "fixed instruction counter needs AArch64"},
    {{VPMU_V3P5, 6, VPMU_HAS_SPE, 0, 0, 0, 0, ALL_SOURCES, 0, 1, 0, 0}, "SPE needs PMUv3p7"},
    {{VPMU_V3, 6, 0, 0, 0, 0, 0, ALL_SOURCES, 0, 1, VPMU_CORE_COUNT, 0}, "unknown core"},
};

static void check_refused(const struct vpmu_arm_config *config, const char *reason)
{
    const char *why = "no reason";

    expect_in(reason, "error", VPMU_ERR_CONFIG, (uint64_t)-vpmu_arm_config_check(config, &why));
    ck_assert_msg(strstr(why, reason) != NULL, "expected a reason with '%s' got '%s'", reason, why);
    expect_in(reason, "without a place for the reason", VPMU_ERR_CONFIG,
              (uint64_t)-vpmu_arm_config_check(config, NULL));
}

START_TEST(impossible)
{
    for (size_t i = 0; i < COUNT_OF(impossible_rows); i++) {
        check_refused(&impossible_rows[i].config, impossible_rows[i].reason);
    }
}
END_TEST

/* Other configurations with the same reasons. */
START_TEST(impossible_time)
{
    static const struct {
        struct vpmu_arm_config config;
        const char *reason;
    } rows[] = {
        {{VPMU_V3, 6, 0, 0, 0, 0, 0, VPMU_SRC_ALL & ~CPU_SRC, 0, 1, 0, 0}, "must supply cycles"},
        {{VPMU_V3, 6, 0, 0, 0, 0, 0, ALL_SOURCES, CNT_SRC, 1, 0, 0}, "among the sources"},
        {{VPMU_V3, 6, 0, 0, 0, 0, 0, ALL_SOURCES, BOTH_CYCLES, 1, 0, 0}, "among the sources"},
        {{VPMU_V3, 6, 0, 0, 0, 0, 0, VPMU_SRC_ALL, VPMU_SRC_ALL, 1, 0, 0},
         "only cycles can be timed"},
        {{VPMU_V3, 6, 0, 0, 0, 0, 0, VPMU_SRC_ALL, VPMU_SRC_BIT(63), 1, 0, 0},
         "only cycles can be timed"},
        {{VPMU_V3, 6, 0, 0, 0, 0, 0, ALL_SOURCES, 0, 9, 0, 0}, "can be 1 to 8"},
        {{VPMU_V3, 6, 0, 0, 0, 0, 0, ALL_SOURCES, 0, 255, 0, 0}, "can be 1 to 8"},
        {{VPMU_V3, 6, 0, 0, 0, 0, 0, ALL_SOURCES, CPU_SRC, 0, 0, 0}, "can be 1 to 8"},
        {{VPMU_V3, 6, 0, 0, 0, 0, 0, VPMU_SRC_ALL, BOTH_CYCLES, 8, 0, 0}, "timed have one unit"},
        {{VPMU_V3P8, 6, 0, 0, 0, 0, 1, CYCLES_ONLY, 0, 1, 0, 0}, "cycle by cycle"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        check_refused(&rows[i].config, rows[i].reason);
    }
}
END_TEST

/*
 * Of the values of ID_AA64DFR0_EL1.PMUVer, 2, 3 and 10 to 14 are reserved; 0 and 15 mean that there
 * is no PMUv3.
 */
START_TEST(versions)
{
    static const char *const exist = "0100 1111 1100 0000";
    uint64_t mask = mask_of(exist);

    for (unsigned version = 0; version < 256; version++) {
        struct vpmu_arm_config config = config_of((enum vpmu_version)version, 6, 0);

        if (version < 16 && (mask >> version & 1)) {
            expect("a version that exists", 0, (uint64_t)vpmu_arm_config_check(&config, NULL));
        } else {
            check_refused(&config, "no such PMU version");
        }
    }
}
END_TEST

/* No two faults have the same text. */
START_TEST(reasons_differ)
{
    for (size_t i = 0; i < COUNT_OF(impossible_rows); i++) {
        for (size_t j = 0; j < i; j++) {
            const char *a = "";
            const char *b = "";

            vpmu_arm_config_check(&impossible_rows[i].config, &a);
            vpmu_arm_config_check(&impossible_rows[j].config, &b);
            ck_assert_msg(strcmp(a, b) != 0, "expected two reasons got one: %s", a);
        }
    }
}
END_TEST

Suite *config_suite(void)
{
    const TTest *const tests[] = {possible, impossible, impossible_time, versions, reasons_differ};

    return suite_of("config", tests, COUNT_OF(tests));
}

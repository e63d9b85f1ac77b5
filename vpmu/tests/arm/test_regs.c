/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The table of registers: names, encodings, and which PMU has which register. */
#include "fixture.h"

/* Arm ARM D24.5 and G8.4: op0 op1 CRn CRm op2, and opc1 CRn CRm opc2 of coprocessor 15. */
static const struct {
    unsigned reg;
    const char *name64;
    uint8_t enc64[5];
    const char *name32;
    uint8_t enc32[4];
} encoding_rows[] = {
    {VPMU_PMCR, "PMCR_EL0", {3, 3, 9, 12, 0}, "PMCR", {0, 9, 12, 0}},
    {VPMU_PMCNTENSET, "PMCNTENSET_EL0", {3, 3, 9, 12, 1}, "PMCNTENSET", {0, 9, 12, 1}},
    {VPMU_PMCNTENCLR, "PMCNTENCLR_EL0", {3, 3, 9, 12, 2}, "PMCNTENCLR", {0, 9, 12, 2}},
    {VPMU_PMOVSCLR, "PMOVSCLR_EL0", {3, 3, 9, 12, 3}, "PMOVSR", {0, 9, 12, 3}},
    {VPMU_PMSWINC, "PMSWINC_EL0", {3, 3, 9, 12, 4}, "PMSWINC", {0, 9, 12, 4}},
    {VPMU_PMSELR, "PMSELR_EL0", {3, 3, 9, 12, 5}, "PMSELR", {0, 9, 12, 5}},
    {VPMU_PMCEID0, "PMCEID0_EL0", {3, 3, 9, 12, 6}, "PMCEID0", {0, 9, 12, 6}},
    {VPMU_PMCEID1, "PMCEID1_EL0", {3, 3, 9, 12, 7}, "PMCEID1", {0, 9, 12, 7}},
    {VPMU_PMCCNTR, "PMCCNTR_EL0", {3, 3, 9, 13, 0}, "PMCCNTR", {0, 9, 13, 0}},
    {VPMU_PMXEVTYPER, "PMXEVTYPER_EL0", {3, 3, 9, 13, 1}, "PMXEVTYPER", {0, 9, 13, 1}},
    {VPMU_PMXEVCNTR, "PMXEVCNTR_EL0", {3, 3, 9, 13, 2}, "PMXEVCNTR", {0, 9, 13, 2}},
    {VPMU_PMZR, "PMZR_EL0", {3, 3, 9, 13, 4}, NULL, {0}},
    {VPMU_PMUSERENR, "PMUSERENR_EL0", {3, 3, 9, 14, 0}, "PMUSERENR", {0, 9, 14, 0}},
    {VPMU_PMINTENSET, "PMINTENSET_EL1", {3, 0, 9, 14, 1}, "PMINTENSET", {0, 9, 14, 1}},
    {VPMU_PMINTENCLR, "PMINTENCLR_EL1", {3, 0, 9, 14, 2}, "PMINTENCLR", {0, 9, 14, 2}},
    {VPMU_PMOVSSET, "PMOVSSET_EL0", {3, 3, 9, 14, 3}, "PMOVSSET", {0, 9, 14, 3}},
    {VPMU_PMUACR, "PMUACR_EL1", {3, 0, 9, 14, 4}, NULL, {0}},
    {VPMU_PMCEID2, NULL, {0}, "PMCEID2", {0, 9, 14, 4}},
    {VPMU_PMCEID3, NULL, {0}, "PMCEID3", {0, 9, 14, 5}},
    {VPMU_PMMIR, "PMMIR_EL1", {3, 0, 9, 14, 6}, "PMMIR", {0, 9, 14, 6}},
    {VPMU_PMICNTR, "PMICNTR_EL0", {3, 3, 9, 4, 0}, NULL, {0}},
    {VPMU_PMICFILTR, "PMICFILTR_EL0", {3, 3, 9, 6, 0}, NULL, {0}},
    {VPMU_PMCCFILTR, "PMCCFILTR_EL0", {3, 3, 14, 15, 7}, "PMCCFILTR", {0, 14, 15, 7}},
    {PMEVCNTR(0), "PMEVCNTR<n>_EL0", {3, 3, 14, 8, 0}, "PMEVCNTR<n>", {0, 14, 8, 0}},
    {PMEVCNTR(7), "PMEVCNTR<n>_EL0", {3, 3, 14, 8, 7}, "PMEVCNTR<n>", {0, 14, 8, 7}},
    {PMEVCNTR(8), "PMEVCNTR<n>_EL0", {3, 3, 14, 9, 0}, "PMEVCNTR<n>", {0, 14, 9, 0}},
    {PMEVCNTR(21), "PMEVCNTR<n>_EL0", {3, 3, 14, 10, 5}, "PMEVCNTR<n>", {0, 14, 10, 5}},
    {PMEVCNTR(30), "PMEVCNTR<n>_EL0", {3, 3, 14, 11, 6}, "PMEVCNTR<n>", {0, 14, 11, 6}},
    {PMEVTYPER(0), "PMEVTYPER<n>_EL0", {3, 3, 14, 12, 0}, "PMEVTYPER<n>", {0, 14, 12, 0}},
    {PMEVTYPER(15), "PMEVTYPER<n>_EL0", {3, 3, 14, 13, 7}, "PMEVTYPER<n>", {0, 14, 13, 7}},
    {PMEVTYPER(30), "PMEVTYPER<n>_EL0", {3, 3, 14, 15, 6}, "PMEVTYPER<n>", {0, 14, 15, 6}},
};

static uint16_t packed(const uint8_t enc[5])
{
    return VPMU_ENC64(enc[0], enc[1], enc[2], enc[3], enc[4]);
}

/* PMCR_EL0 as KVM and QEMU write it in ONE_REG ids: 0xdce0. */
START_TEST(packing)
{
    expect("PMCR_EL0", 0xdce0, VPMU_ENC64(3, 3, 9, 12, 0));
    expect("PMEVTYPER30_EL0", 0xdf7e, VPMU_ENC64(3, 3, 14, 15, 6));
}
END_TEST

START_TEST(encodings)
{
    for (size_t i = 0; i < COUNT_OF(encoding_rows); i++) {
        unsigned reg = encoding_rows[i].reg;
        const uint8_t *enc32 = encoding_rows[i].enc32;

        if (encoding_rows[i].name64) {
            ck_assert_str_eq(vpmu_arm_reg_info(reg)->name64, encoding_rows[i].name64);
            expect_in(encoding_rows[i].name64, "register", reg,
                      (uint64_t)vpmu_arm_reg_find(packed(encoding_rows[i].enc64), false));
        } else {
            ck_assert_ptr_null(vpmu_arm_reg_info(reg)->name64);
        }
        if (encoding_rows[i].name32) {
            ck_assert_str_eq(vpmu_arm_reg_info(reg)->name32, encoding_rows[i].name32);
            expect_in(encoding_rows[i].name32, "register", reg,
                      (uint64_t)vpmu_arm_reg_find(
                          VPMU_ENC32(enc32[0], enc32[1], enc32[2], enc32[3]), true));
        } else {
            ck_assert_ptr_null(vpmu_arm_reg_info(reg)->name32);
        }
    }
    /* MRRC p15, 0, Rt, Rt2, c9 */
    expect("PMCCNTR by MRRC", VPMU_PMCCNTR_WIDE,
           (uint64_t)vpmu_arm_reg_find(VPMU_ENC32_WIDE(0, 9), true));
}
END_TEST

/* Neighbouring encodings that are not PMU registers, and views that do not exist. */
START_TEST(no_such_encoding)
{
    static const struct {
        const char *name;
        uint16_t enc;
        bool aarch32;
    } rows[] = {
        {"PMCCFILTR is where PMEVTYPER31 would be, PMEVCNTR31 is nothing",
         VPMU_ENC64(3, 3, 14, 11, 7), false},
        {"PMEVCNTR31 in AArch32", VPMU_ENC32(0, 14, 11, 7), true},
        {"c9, c12 of op1 0", VPMU_ENC64(3, 0, 9, 12, 0), false},
        {"PMZR in AArch32", VPMU_ENC32(0, 9, 13, 4), true},
        {"PMCEID3 in AArch64", VPMU_ENC64(3, 0, 9, 14, 5), false},
        {"an AArch32 encoding in AArch64", VPMU_ENC32(0, 9, 12, 0), false},
        {"an AArch64 encoding in AArch32", VPMU_ENC64(3, 3, 9, 12, 0), true},
        {"a wide one in AArch64", VPMU_ENC32_WIDE(0, 9), false},
        {"another MRRC", VPMU_ENC32_WIDE(0, 14), true},
        {"none", VPMU_ENC_NONE, false},
        {"none in AArch32", VPMU_ENC_NONE, true},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        expect_in(rows[i].name, "error", VPMU_ERR_REG,
                  (uint64_t)-vpmu_arm_reg_find(rows[i].enc, rows[i].aarch32));
    }
}
END_TEST

START_TEST(info_out_of_range)
{
    ck_assert_ptr_null(vpmu_arm_reg_info(VPMU_REG_COUNT));
    ck_assert_ptr_null(vpmu_arm_reg_info(UINT32_MAX));
    ck_assert_ptr_nonnull(vpmu_arm_reg_info(VPMU_REG_COUNT - 1));
}
END_TEST

/* The version from which on a register exists, its views and the features that it needs. */
START_TEST(existence)
{
    static const struct {
        unsigned reg;
        const char *name;
        enum vpmu_version since;
        unsigned feature;
        bool in64;
        bool in32;
    } rows[] = {
        {VPMU_PMCR, "PMCR", VPMU_V3, 0, true, true},
        {VPMU_PMCNTENSET, "PMCNTENSET", VPMU_V3, 0, true, true},
        {VPMU_PMCNTENCLR, "PMCNTENCLR", VPMU_V3, 0, true, true},
        {VPMU_PMOVSCLR, "PMOVSCLR", VPMU_V3, 0, true, true},
        {VPMU_PMOVSSET, "PMOVSSET", VPMU_V3, 0, true, true},
        {VPMU_PMSWINC, "PMSWINC", VPMU_V3, 0, true, true},
        {VPMU_PMSELR, "PMSELR", VPMU_V3, 0, true, true},
        {VPMU_PMXEVTYPER, "PMXEVTYPER", VPMU_V3, 0, true, true},
        {VPMU_PMXEVCNTR, "PMXEVCNTR", VPMU_V3, 0, true, true},
        {VPMU_PMCCNTR, "PMCCNTR", VPMU_V3, 0, true, true},
        {VPMU_PMCCNTR_WIDE, "PMCCNTR, 64 bits", VPMU_V3, 0, false, true},
        {VPMU_PMCCFILTR, "PMCCFILTR", VPMU_V3, 0, true, true},
        {VPMU_PMCEID0, "PMCEID0", VPMU_V3, 0, true, true},
        {VPMU_PMCEID1, "PMCEID1", VPMU_V3, 0, true, true},
        {VPMU_PMCEID2, "PMCEID2", VPMU_V3P1, 0, false, true},
        {VPMU_PMCEID3, "PMCEID3", VPMU_V3P1, 0, false, true},
        {VPMU_PMUSERENR, "PMUSERENR", VPMU_V3, 0, true, true},
        {VPMU_PMINTENSET, "PMINTENSET", VPMU_V3, 0, true, true},
        {VPMU_PMINTENCLR, "PMINTENCLR", VPMU_V3, 0, true, true},
        {VPMU_PMMIR, "PMMIR", VPMU_V3P4, 0, true, true},
        {VPMU_PMUACR, "PMUACR", VPMU_V3P9, 0, true, false},
        {VPMU_PMICNTR, "PMICNTR", VPMU_V3P9, VPMU_HAS_ICNTR, true, false},
        {VPMU_PMICFILTR, "PMICFILTR", VPMU_V3P9, VPMU_HAS_ICNTR, true, false},
        {VPMU_PMZR, "PMZR", VPMU_V3P9, 0, true, false},
        {PMEVCNTR(5), "PMEVCNTR5", VPMU_V3, 0, true, true},
        {PMEVTYPER(5), "PMEVTYPER5", VPMU_V3, 0, true, true},
    };
    static const enum vpmu_version versions[] = {VPMU_V3,   VPMU_V3P1, VPMU_V3P4, VPMU_V3P5,
                                                 VPMU_V3P7, VPMU_V3P8, VPMU_V3P9};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (size_t n = 0; n < COUNT_OF(versions); n++) {
            bool new_enough = versions[n] >= rows[i].since;
            unsigned feature = new_enough ? rows[i].feature : 0;
            struct machine m;

            machine_start_as(&m, versions[n], 6, feature);
            expect_in(rows[i].name, "AArch64", new_enough && rows[i].in64,
                      vpmu_arm_reg_exists(&m.v, rows[i].reg, false));
            expect_in(rows[i].name, "AArch32", new_enough && rows[i].in32,
                      vpmu_arm_reg_exists(&m.v, rows[i].reg, true));
            if (feature) {
                machine_start_as(&m, versions[n], 6, 0);
                expect_in(rows[i].name, "without its feature", 0,
                          vpmu_arm_reg_exists(&m.v, rows[i].reg, false));
            }
        }
    }
}
END_TEST

/* A PE without an execution state has no registers in that view. */
START_TEST(existence_by_execution_state)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 6, VPMU_HAS_NO_AARCH32);
    expect("no AArch32: PMCR_EL0", 1, vpmu_arm_reg_exists(&m.v, VPMU_PMCR, false));
    expect("no AArch32: PMCR", 0, vpmu_arm_reg_exists(&m.v, VPMU_PMCR, true));
    machine_start_as(&m, VPMU_V3P5, 6, VPMU_HAS_NO_AARCH64);
    expect("no AArch64: PMCR_EL0", 0, vpmu_arm_reg_exists(&m.v, VPMU_PMCR, false));
    expect("no AArch64: PMCR", 1, vpmu_arm_reg_exists(&m.v, VPMU_PMCR, true));
}
END_TEST

/* PMEVCNTR<n> and PMEVTYPER<n> exist for n below N. */
START_TEST(existence_by_number_of_counters)
{
    static const unsigned numbers[] = {0, 1, 6, 30, 31};

    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        struct machine m;

        machine_start_as(&m, VPMU_V3P5, numbers[i], 0);
        for (unsigned idx = 0; idx < VPMU_MAX_EVENT_COUNTERS; idx++) {
            expect("PMEVCNTR<n>", idx < numbers[i],
                   vpmu_arm_reg_exists(&m.v, PMEVCNTR(idx), false));
            expect("PMEVTYPER<n>", idx < numbers[i],
                   vpmu_arm_reg_exists(&m.v, PMEVTYPER(idx), true));
        }
    }
}
END_TEST

START_TEST(existence_out_of_range)
{
    struct vpmu_arm_config config = config_full();
    struct machine m;

    machine_start(&m, &config);
    expect("the one after the last", 0, vpmu_arm_reg_exists(&m.v, VPMU_REG_COUNT, false));
    expect("far out", 0, vpmu_arm_reg_exists(&m.v, UINT32_MAX, true));
}
END_TEST

Suite *regs_suite(void)
{
    const TTest *const tests[] = {
        packing,
        encodings,
        no_such_encoding,
        info_out_of_range,
        existence,
        existence_by_execution_state,
        existence_by_number_of_counters,
        existence_out_of_range,
    };

    return suite_of("regs", tests, COUNT_OF(tests));
}

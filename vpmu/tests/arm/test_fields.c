/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The writable bits of registers, by version and features: all ones are written. */
#include "fixture.h"

/*
 * Arm ARM D24.5 PMCR_EL0: every version has E, LC and D. LC is 1 and D is 0 if nothing can be
 * AArch32. DP exists with EL3, from PMUv3p1 on with EL2, and from PMUv3p7 on always. LP exists from
 * PMUv3p5, FZO from PMUv3p7, FZS with FEAT_SPEv1p2. X is 0, because events are not exported. P and
 * C read as 0. N is 2, IDCODE 0x5a, IMP 0x41; the last two are 0 from PMUv3p7 on.
 */
START_TEST(pmcr)
{
    static const struct {
        const char *name;
        enum vpmu_version version;
        unsigned features;
        uint64_t ones;
        uint64_t zeros;
    } rows[] = {
        {"v3", VPMU_V3, 0, 0x415a1049, 0x415a1000},
        {"v3 with EL2", VPMU_V3, VPMU_HAS_EL2, 0x415a1049, 0x415a1000},
        {"v3 with EL3: DP", VPMU_V3, VPMU_HAS_EL3, 0x415a1069, 0x415a1000},
        {"v3p1", VPMU_V3P1, 0, 0x415a1049, 0x415a1000},
        {"v3p1 with EL2: DP", VPMU_V3P1, VPMU_HAS_EL2, 0x415a1069, 0x415a1000},
        {"v3p4", VPMU_V3P4, 0, 0x415a1049, 0x415a1000},
        {"v3p5: LP", VPMU_V3P5, 0, 0x415a10c9, 0x415a1000},
        {"v3p7: FZO", VPMU_V3P7, 0, 0x12e9, 0x1000},
        {"v3p7 with SPE: FZS", VPMU_V3P7, VPMU_HAS_SPE, 0x1000012e9, 0x1000},
        {"v3p8", VPMU_V3P8, 0, 0x12e9, 0x1000},
        {"v3p9", VPMU_V3P9, 0, 0x12e9, 0x1000},
        {"no AArch32: LC is 1, D is 0", VPMU_V3P5, VPMU_HAS_NO_AARCH32, 0x415a10c1, 0x415a1040},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine m;

        machine_start_as(&m, rows[i].version, 2, rows[i].features);
        set(&m, VPMU_PMCR, ALL_ONES);
        expect_in(rows[i].name, "all ones", rows[i].ones, get(&m, VPMU_PMCR));
        set(&m, VPMU_PMCR, 0);
        expect_in(rows[i].name, "all zeros", rows[i].zeros, get(&m, VPMU_PMCR));
    }
}
END_TEST

/*
 * PMEVTYPER0: evtCount has 10 bits in PMUv3, 16 from PMUv3p1 on. P and U always exist; NSK, NSU and
 * M with EL3 (M: AArch64), NSH with EL2, SH with FEAT_SEL2, RLK, RLU and RLH with FEAT_RME.
 * Thresholds do not exist here.
 */
START_TEST(pmevtyper)
{
    static const struct {
        const char *name;
        enum vpmu_version version;
        unsigned features;
        uint64_t ones;
    } rows[] = {
        {"v3", VPMU_V3, 0, 0xc00003ff},
        {"v3p1", VPMU_V3P1, 0, 0xc000ffff},
        {"v3p9", VPMU_V3P9, 0, 0xc000ffff},
        {"EL2: NSH", VPMU_V3P1, VPMU_HAS_EL2, 0xc800ffff},
        {"EL3: NSK NSU M", VPMU_V3P1, VPMU_HAS_EL3, 0xf400ffff},
        {"EL2 and EL3", VPMU_V3P1, VPMU_HAS_EL2 | VPMU_HAS_EL3, 0xfc00ffff},
        {"Secure EL2: SH", VPMU_V3P5, VPMU_HAS_EL2 | VPMU_HAS_EL3 | VPMU_HAS_SECURE_EL2,
         0xfd00ffff},
        {"Realm: RLK RLU RLH", VPMU_V3P7, VPMU_HAS_EL2 | VPMU_HAS_EL3 | VPMU_HAS_REALM, 0xfc70ffff},
        {"all levels", VPMU_V3P9, ALL_LEVELS, 0xfd70ffff},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine m;

        machine_start_as(&m, rows[i].version, 1, rows[i].features);
        set(&m, PMEVTYPER(0), ALL_ONES);
        expect_in(rows[i].name, "PMEVTYPER0_EL0", rows[i].ones, get(&m, PMEVTYPER(0)));
        /* PMCCFILTR has the same filter, and no event. */
        set(&m, VPMU_PMCCFILTR, ALL_ONES);
        expect_in(rows[i].name, "PMCCFILTR_EL0", rows[i].ones & ~0xffffull,
                  get(&m, VPMU_PMCCFILTR));
    }
}
END_TEST

/*
 * With an AArch32 EL3, M does not exist. The register is read in AArch32, because there is no
 * AArch64.
 */
START_TEST(pmevtyper_under_aarch32_el3)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P1, 1, VPMU_HAS_EL2 | VPMU_HAS_EL3 | VPMU_HAS_NO_AARCH64);
    reg_set(&m, PMEVTYPER(0), &at_el2_32, ALL_ONES);
    expect("PMEVTYPER0", 0xf800ffff, reg_get(&m, PMEVTYPER(0), &at_el2_32));
}
END_TEST

/* PMUSERENR: EN SW CR ER; UEN and TID from PMUv3p9, IR with FEAT_PMUv3_ICNTR. */
START_TEST(pmuserenr)
{
    static const struct {
        const char *name;
        enum vpmu_version version;
        unsigned features;
        uint64_t ones;
    } rows[] = {
        {"v3", VPMU_V3, 0, 0x0f},
        {"v3p8", VPMU_V3P8, 0, 0x0f},
        {"v3p9", VPMU_V3P9, 0, 0x5f},
        {"v3p9 with PMICNTR", VPMU_V3P9, VPMU_HAS_ICNTR, 0x7f},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine m;

        machine_start_as(&m, rows[i].version, 1, rows[i].features);
        set(&m, VPMU_PMUSERENR, ALL_ONES);
        expect_in(rows[i].name, "PMUSERENR_EL0", rows[i].ones, get(&m, VPMU_PMUSERENR));
    }
}
END_TEST

/* Event counters have 32 bits before PMUv3p5 and 64 from then on. PMCCNTR always has 64. */
START_TEST(counter_width)
{
    static const struct {
        enum vpmu_version version;
        uint64_t ones;
    } rows[] = {
        {VPMU_V3, 0xffffffff}, {VPMU_V3P1, 0xffffffff}, {VPMU_V3P4, 0xffffffff},
        {VPMU_V3P5, ALL_ONES}, {VPMU_V3P7, ALL_ONES},   {VPMU_V3P8, ALL_ONES},
        {VPMU_V3P9, ALL_ONES},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine m;

        machine_start_as(&m, rows[i].version, 31, 0);
        for (unsigned idx = 0; idx < 31; idx++) {
            set(&m, PMEVCNTR(idx), ALL_ONES);
            expect("PMEVCNTR<n>_EL0", rows[i].ones, get(&m, PMEVCNTR(idx)));
        }
        set(&m, VPMU_PMCCNTR, ALL_ONES);
        expect("PMCCNTR_EL0", ALL_ONES, get(&m, VPMU_PMCCNTR));
    }
}
END_TEST

/* Bitmaps have a bit for each counter, C for cycles, and F0 with FEAT_PMUv3_ICNTR. */
START_TEST(bitmaps)
{
    static const struct {
        const char *name;
        unsigned counters;
        unsigned features;
        uint64_t ones;
    } rows[] = {
        {"0 counters", 0, 0, 0x80000000},
        {"1 counter", 1, 0, 0x80000001},
        {"6 counters", 6, 0, 0x8000003f},
        {"31 counters", 31, 0, 0xffffffff},
        {"0 counters and PMICNTR", 0, VPMU_HAS_ICNTR, 0x180000000},
        {"31 counters and PMICNTR", 31, VPMU_HAS_ICNTR, 0x1ffffffff},
    };
    static const struct {
        const char *name;
        unsigned set;
        unsigned clr;
    } pairs[] = {
        {"PMCNTEN", VPMU_PMCNTENSET, VPMU_PMCNTENCLR},
        {"PMINTEN", VPMU_PMINTENSET, VPMU_PMINTENCLR},
        {"PMOVS", VPMU_PMOVSSET, VPMU_PMOVSCLR},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine m;

        machine_start_as(&m, VPMU_V3P9, rows[i].counters, rows[i].features);
        for (size_t p = 0; p < COUNT_OF(pairs); p++) {
            set(&m, pairs[p].set, ALL_ONES);
            expect_in(rows[i].name, pairs[p].name, rows[i].ones, get(&m, pairs[p].set));
            expect_in(rows[i].name, pairs[p].name, rows[i].ones, get(&m, pairs[p].clr));
            set(&m, pairs[p].clr, CYCLES);
            expect_in(rows[i].name, "without C", rows[i].ones & ~CYCLES, get(&m, pairs[p].set));
            set(&m, pairs[p].set, 0);
            expect_in(rows[i].name, "a 0 does nothing", rows[i].ones & ~CYCLES,
                      get(&m, pairs[p].clr));
        }
        set(&m, VPMU_PMUACR, ALL_ONES);
        expect_in(rows[i].name, "PMUACR_EL1", rows[i].ones, get(&m, VPMU_PMUACR));
    }
}
END_TEST

Suite *fields_suite(void)
{
    const TTest *const tests[] = {
        pmcr, pmevtyper, pmevtyper_under_aarch32_el3, pmuserenr, counter_width, bitmaps,
    };

    return suite_of("fields", tests, COUNT_OF(tests));
}

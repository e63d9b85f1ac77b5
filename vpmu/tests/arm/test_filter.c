/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The contexts in which counters count. Masks of contexts are strings, in the order of the
 * contexts: Secure EL0 EL1 EL2, Non-secure EL0 EL1 EL2, Realm EL0 EL1 EL2, EL3.
 */
#include "fixture.h"

#define EVERY_CTX "111 111 111 1"
#define NO_CTX "000 000 000 0"

#define SECOND_RANGE_OF_4 2

/*
 * Runs 2^n instructions and cycles in each context n that the PE has. A counter's value is then the
 * mask of the contexts in which it counts.
 */
static void visit(struct machine *m, uint64_t contexts)
{
    for (unsigned ctx = 0; ctx < VPMU_CTX_COUNT; ctx++) {
        if (contexts >> ctx & 1) {
            machine_enter(m, ctx);
            machine_instructions(m, BIT(ctx));
            machine_cycles(m, BIT(ctx));
        }
    }
}

static uint64_t value_of(struct machine *m, unsigned idx)
{
    switch (idx) {
    case VPMU_CYCLE_COUNTER:
        return reg_get(m, VPMU_PMCCNTR, &at_el3);
    case VPMU_INST_COUNTER:
        return reg_get(m, VPMU_PMICNTR, &at_el3);
    default:
        return reg_get(m, PMEVCNTR(idx), &at_el3);
    }
}

/* The contexts in which the source of the only enabled counter is armed. */
static uint64_t armed_in(const struct machine *m, unsigned source)
{
    uint64_t contexts = 0;

    for (unsigned ctx = 0; ctx < VPMU_CTX_COUNT; ctx++) {
        contexts |= (uint64_t)(vpmu_arm_armed(&m->v, ctx) >> source & 1) << ctx;
    }
    return contexts;
}

#define P VPMU_TYPER_P
#define U VPMU_TYPER_U
#define NSK VPMU_TYPER_NSK
#define NSU VPMU_TYPER_NSU
#define NSH VPMU_TYPER_NSH
#define M VPMU_TYPER_M
#define SH VPMU_TYPER_SH
#define RLK VPMU_TYPER_RLK
#define RLU VPMU_TYPER_RLU
#define RLH VPMU_TYPER_RLH

/*
 * Arm ARM D24.5, PMEVTYPER<n>_EL0: a level counts if, Secure EL0: U = 0; EL1: P = 0; EL2: NSH !=
 * SH. Non-secure EL0: U = NSU; EL1: P = NSK; EL2: NSH = 1. Realm EL0: U = RLU; EL1: P = RLK; EL2:
 * NSH != RLH. EL3: P = M.
 */
static const struct {
    const char *name;
    uint64_t filter;
    const char *counts;
} filter_rows[] = {
    {"none", 0, "110 110 110 1"},
    {"P", P, "100 100 100 0"},
    {"U", U, "010 010 010 1"},
    {"NSK", NSK, "110 100 110 1"},
    {"NSU", NSU, "110 010 110 1"},
    {"NSH", NSH, "111 111 111 1"},
    {"M", M, "110 110 110 0"},
    {"SH", SH, "111 110 110 1"},
    {"RLK", RLK, "110 110 100 1"},
    {"RLU", RLU, "110 110 010 1"},
    {"RLH", RLH, "110 110 111 1"},
    {"P U", P | U, "000 000 000 0"},
    {"P NSK", P | NSK, "100 110 100 0"},
    {"U NSU", U | NSU, "010 110 010 1"},
    {"P M", P | M, "100 100 100 1"},
    {"NSH SH", NSH | SH, "110 111 111 1"},
    {"P RLK", P | RLK, "100 100 110 0"},
    {"U RLU", U | RLU, "010 010 110 1"},
    {"NSH RLH", NSH | RLH, "111 111 110 1"},
    {"NSH SH RLH", NSH | SH | RLH, "110 111 110 1"},
    {"P U NSH: EL2 alone", P | U | NSH, "001 001 001 0"},
    {"P U NSK NSU: Non-secure alone", P | U | NSK | NSU, "000 110 000 0"},
    {"P U RLK RLU: Realm alone", P | U | RLK | RLU, "000 000 110 0"},
    {"P U M: EL3 alone", P | U | M, "000 000 000 1"},
    {"P U SH: Secure EL2 alone", P | U | SH, "001 000 000 0"},
    {"P U RLH: Realm EL2 alone", P | U | RLH, "000 000 001 0"},
    {"NSK NSU RLK RLU M: Secure alone", NSK | NSU | RLK | RLU | M, "110 000 000 0"},
    {"all", P | U | NSK | NSU | NSH | M | SH | RLK | RLU | RLH, "000 111 110 1"},
};

static void check_filters_of(unsigned idx, uint64_t event, unsigned source)
{
    for (size_t i = 0; i < COUNT_OF(filter_rows); i++) {
        uint64_t want = mask_of(filter_rows[i].counts);
        struct machine m;

        machine_start_as(&m, VPMU_V3P9, 4, ALL_LEVELS | VPMU_HAS_ICNTR);
        /*
         * SPME is set, because otherwise event counting is prohibited in Secure state and at EL3.
         */
        machine_control(&m, 4, VPMU_MDCR_EL3_SPME);
        counter_start(&m, idx, filter_rows[i].filter | event, 0);
        pmcr_enable(&m);
        expect_in(filter_rows[i].name, "armed", want, armed_in(&m, source));
        visit(&m, mask_of(EVERY_CTX));
        expect_in(filter_rows[i].name, "counted", want, value_of(&m, idx));
    }
}

START_TEST(filter_of_event_counter)
{
    check_filters_of(0, VPMU_EVENT_INST_RETIRED, VPMU_SRC_INST_RETIRED);
}
END_TEST

START_TEST(filter_of_cycles_event)
{
    check_filters_of(3, VPMU_EVENT_CPU_CYCLES, VPMU_SRC_CPU_CYCLES);
}
END_TEST

/* PMCCFILTR_EL0 filters as PMEVTYPER<n>_EL0 does. */
START_TEST(filter_of_cycle_counter)
{
    check_filters_of(VPMU_CYCLE_COUNTER, 0, VPMU_SRC_CPU_CYCLES);
}
END_TEST

/* PMICFILTR_EL0 filters as PMEVTYPER<n>_EL0 does. */
START_TEST(filter_of_fixed_counter)
{
    check_filters_of(VPMU_INST_COUNTER, 0, VPMU_SRC_INST_RETIRED);
}
END_TEST

/*
 * Bits of levels that a PE does not have are RES0 and have no effect. All bits are written, and
 * only contexts that exist are visited.
 */
START_TEST(filter_bits_that_do_not_exist)
{
    static const struct {
        const char *name;
        unsigned features;
        uint64_t filter;
        const char *exist;
        const char *counts;
    } rows[] = {
        {"EL1 and EL0 only: P alone filters EL1", 0, P | NSK | NSU | NSH | M | SH | RLK | RLU,
         "000 110 000 0", "000 100 000 0"},
        {"EL1 and EL0 only: U alone filters EL0", 0, U | NSU | NSK | RLU | RLK, "000 110 000 0",
         "000 010 000 0"},
        {"EL2, no EL3: NSH lets EL2 in", VPMU_HAS_EL2, P | NSK | NSH | M | SH, "000 111 000 0",
         "000 101 000 0"},
        {"EL3, no EL2", VPMU_HAS_EL3, P | NSK | M | NSH, "110 110 000 1", "100 110 000 1"},
        {"no Secure EL2: SH is RES0", VPMU_HAS_EL2 | VPMU_HAS_EL3, NSH | SH, "110 111 000 1",
         "110 111 000 1"},
        {"no Realm: RLK and RLU are RES0", VPMU_HAS_EL2 | VPMU_HAS_EL3, RLK | RLU, "110 111 000 1",
         "110 110 000 1"},
        {"AArch32 EL3 (SDCR): M is RES0", VPMU_HAS_EL2 | VPMU_HAS_EL3 | VPMU_HAS_NO_AARCH64, M,
         "110 111 000 1", "110 110 000 1"},
        {"AArch32 EL3 (SDCR): P alone filters EL3",
         VPMU_HAS_EL2 | VPMU_HAS_EL3 | VPMU_HAS_NO_AARCH64, P | M, "110 111 000 1",
         "100 100 000 0"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bool aarch32 = rows[i].features & VPMU_HAS_NO_AARCH64;
        const struct vpmu_pe *pe = aarch32 ? &at_el2_32 : &at_el2;
        struct machine m;

        machine_start_as(&m, VPMU_V3P8, 1, rows[i].features);
        machine_control(&m, 1, VPMU_MDCR_EL3_SPME);
        reg_set(&m, PMEVTYPER(0), pe, rows[i].filter | VPMU_EVENT_INST_RETIRED);
        reg_set(&m, VPMU_PMCNTENSET, pe, BIT(0));
        reg_set(&m, VPMU_PMCR, pe, VPMU_PMCR_E);
        expect_in(rows[i].name, "armed", mask_of(rows[i].counts),
                  armed_in(&m, VPMU_SRC_INST_RETIRED));
        visit(&m, mask_of(rows[i].exist));
        expect_in(rows[i].name, "counted", mask_of(rows[i].counts), reg_get(&m, PMEVCNTR(0), pe));
    }
}
END_TEST

#define SPME VPMU_MDCR_EL3_SPME
#define MPMX VPMU_MDCR_EL3_MPMX
#define SCCD VPMU_MDCR_EL3_SCCD
#define MCCD VPMU_MDCR_EL3_MCCD
#define HPME VPMU_MDCR_EL2_HPME
#define HPMD VPMU_MDCR_EL2_HPMD
#define HCCD VPMU_MDCR_EL2_HCCD
#define DP VPMU_PMCR_DP

#define SECURE_OUT "000 111 111 0"
#define EL2_OUT "110 110 110 1"
#define EL3_OUT "111 111 111 0"

/*
 * Four counters, of which HPMN reserves 2 and 3 for EL2; HPME is 1. All filters include everything.
 * What remains is what CountPMUEvents() (Arm ARM J1.3.1) prohibits: for counter 0 of the first
 * range, for counter 3 of the second, and for the cycle counter, to which the rules for events
 * apply only with DP.
 */
static const struct {
    const char *name;
    enum vpmu_version version;
    uint64_t mdcr_el2;
    uint64_t mdcr_el3;
    uint64_t pmcr;
    const char *first;
    const char *second;
    const char *cycles;
} prohibition_rows[] = {
    {"SPME = 0: not in Secure state, nor at EL3", VPMU_V3P9, 0, 0, 0, SECURE_OUT, SECURE_OUT,
     EVERY_CTX},
    {"SPME = 0, before PMUv3p7", VPMU_V3P5, 0, 0, 0, SECURE_OUT, SECURE_OUT, EVERY_CTX},
    {"SPME = 1", VPMU_V3P9, 0, SPME, 0, EVERY_CTX, EVERY_CTX, EVERY_CTX},
    {"MPMX = 1, SPME = 0: not at EL3, but in Secure state", VPMU_V3P7, 0, MPMX, 0, EL3_OUT, EL3_OUT,
     EVERY_CTX},
    {"MPMX = 1, SPME = 1: at EL3 only the second range", VPMU_V3P7, 0, MPMX | SPME, 0, EL3_OUT,
     EVERY_CTX, EVERY_CTX},
    {"MPMX is RES0 before PMUv3p7", VPMU_V3P5, 0, MPMX, 0, SECURE_OUT, SECURE_OUT, EVERY_CTX},
    {"HPMD: the first range not at EL2", VPMU_V3P1, HPMD, SPME, 0, EL2_OUT, EVERY_CTX, EVERY_CTX},
    {"HPMD is RES0 before PMUv3p1", VPMU_V3, HPMD, SPME, 0, EVERY_CTX, EVERY_CTX, EVERY_CTX},
    {"HCCD: no cycles at EL2", VPMU_V3P5, HCCD, SPME, 0, EVERY_CTX, EVERY_CTX, EL2_OUT},
    {"HCCD is RES0 before PMUv3p5", VPMU_V3P4, HCCD, SPME, 0, EVERY_CTX, EVERY_CTX, EVERY_CTX},
    {"SCCD: no cycles in Secure state and at EL3", VPMU_V3P5, 0, SPME | SCCD, 0, EVERY_CTX,
     EVERY_CTX, SECURE_OUT},
    {"SCCD is RES0 before PMUv3p5", VPMU_V3P4, 0, SPME | SCCD, 0, EVERY_CTX, EVERY_CTX, EVERY_CTX},
    {"MCCD: no cycles at EL3", VPMU_V3P7, 0, SPME | MCCD, 0, EVERY_CTX, EVERY_CTX, EL3_OUT},
    {"MCCD is RES0 before PMUv3p7", VPMU_V3P5, 0, SPME | MCCD, 0, EVERY_CTX, EVERY_CTX, EVERY_CTX},
    {"DP, nothing prohibited", VPMU_V3P9, 0, SPME, DP, EVERY_CTX, EVERY_CTX, EVERY_CTX},
    {"DP, SPME = 0: cycles as events", VPMU_V3P9, 0, 0, DP, SECURE_OUT, SECURE_OUT, SECURE_OUT},
    {"DP, HPMD: cycles as the first range", VPMU_V3P9, HPMD, SPME, DP, EL2_OUT, EVERY_CTX, EL2_OUT},
    {"DP, MPMX = 1, SPME = 1: cycles as the first range", VPMU_V3P9, 0, MPMX | SPME, DP, EL3_OUT,
     EVERY_CTX, EL3_OUT},
    {"HCCD does not need DP, and DP does not lift it", VPMU_V3P9, HCCD, SPME, DP, EVERY_CTX,
     EVERY_CTX, EL2_OUT},
    {"HPMD and SPME = 0", VPMU_V3P9, HPMD, 0, 0, "000 110 110 0", SECURE_OUT, EVERY_CTX},
    {"HCCD, SCCD and DP together", VPMU_V3P9, HCCD, SPME | SCCD, DP, EVERY_CTX, EVERY_CTX,
     "000 110 110 0"},
};

static void check_prohibitions_of(unsigned idx, uint64_t type, const struct machine *prepared,
                                  const char *row, const char *want)
{
    /* The PMU of a copy of the machine must point to the copy. */
    struct machine m = *prepared;

    m.v.count.totals = vpmu_arm_table(&m.totals);
    counter_start(&m, idx, type, 0);
    visit(&m, mask_of(EVERY_CTX));
    expect_in(row, "counted", mask_of(want), value_of(&m, idx));
}

START_TEST(prohibition)
{
    for (size_t i = 0; i < COUNT_OF(prohibition_rows); i++) {
        const char *name = prohibition_rows[i].name;
        bool icntr = prohibition_rows[i].version >= VPMU_V3P9;
        struct machine m;

        machine_start_as(&m, prohibition_rows[i].version, 4,
                         ALL_LEVELS | (icntr ? VPMU_HAS_ICNTR : 0));
        machine_control(&m, SECOND_RANGE_OF_4 | HPME | prohibition_rows[i].mdcr_el2,
                        prohibition_rows[i].mdcr_el3);
        set(&m, VPMU_PMCR, VPMU_PMCR_E | prohibition_rows[i].pmcr);
        check_prohibitions_of(0, INST_EVERYWHERE, &m, name, prohibition_rows[i].first);
        check_prohibitions_of(3, INST_EVERYWHERE, &m, name, prohibition_rows[i].second);
        check_prohibitions_of(VPMU_CYCLE_COUNTER, EVERYWHERE, &m, name, prohibition_rows[i].cycles);
        if (icntr) {
            /* The fixed counter belongs to the first range. */
            check_prohibitions_of(VPMU_INST_COUNTER, EVERYWHERE, &m, name,
                                  prohibition_rows[i].first);
        }
    }
}
END_TEST

/* With an AArch32 EL3, SDCR has SPME and SCCD, but not MPMX and MCCD. */
START_TEST(prohibition_by_sdcr)
{
    static const struct {
        const char *name;
        uint64_t sdcr;
        const char *events;
        const char *cycles;
    } rows[] = {
        {"SPME = 0", 0, "000 111 000 0", "110 111 000 1"},
        {"SPME = 0, MPMX ignored", MPMX, "000 111 000 0", "110 111 000 1"},
        {"SPME = 1, MPMX ignored", SPME | MPMX, "110 111 000 1", "110 111 000 1"},
        {"MCCD ignored", SPME | MCCD, "110 111 000 1", "110 111 000 1"},
        {"SCCD", SPME | SCCD, "110 111 000 1", "000 111 000 0"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine m;

        machine_start_as(&m, VPMU_V3P8, 1, VPMU_HAS_EL2 | VPMU_HAS_EL3 | VPMU_HAS_NO_AARCH64);
        machine_control(&m, 1, rows[i].sdcr);
        reg_set(&m, PMEVTYPER(0), &at_el2_32, INST_EVERYWHERE);
        reg_set(&m, VPMU_PMCCFILTR, &at_el2_32, EVERYWHERE);
        reg_set(&m, VPMU_PMCNTENSET, &at_el2_32, CYCLES | BIT(0));
        reg_set(&m, VPMU_PMCR, &at_el2_32, VPMU_PMCR_E);
        visit(&m, mask_of("110 111 000 1"));
        expect_in(rows[i].name, "instructions", mask_of(rows[i].events),
                  reg_get(&m, PMEVCNTR(0), &at_el2_32));
        expect_in(rows[i].name, "cycles", mask_of(rows[i].cycles),
                  reg_get(&m, VPMU_PMCCNTR, &at_el2_32));
    }
}
END_TEST

/* With an AArch32 EL1, SDER.SUNIDEN allows counting at Secure EL0 only, although SPME is 0. */
START_TEST(secure_el0_by_suniden)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P8, 1, ALL_LEVELS);
    m.controls.secure_el0_allowed = true;
    machine_control(&m, 1, 0);
    counter_start(&m, 0, INST_EVERYWHERE, 0);
    pmcr_enable(&m);
    visit(&m, mask_of(EVERY_CTX));
    expect("counted", mask_of("100 111 111 0"), value_of(&m, 0));
}
END_TEST

/*
 * Without FEAT_Debugv8p2, the authentication interface can allow counting in Secure state although
 * SPME is 0 (D13.5.4, RJRYNM). PMCR.DP stops the cycle counter only where events are prohibited.
 */
START_TEST(secure_by_authentication)
{
    static const struct {
        const char *name;
        uint16_t features;
        bool allowed;
        const char *counted;
    } rows[] = {
        {"v7, not allowed", VPMU_HAS_EL3 | VPMU_HAS_NO_AARCH64, false, "000 110 000 0"},
        {"v7", VPMU_HAS_EL3 | VPMU_HAS_NO_AARCH64, true, "110 110 000 1"},
        {"v7 with EL2", VPMU_HAS_EL2 | VPMU_HAS_EL3 | VPMU_HAS_NO_AARCH64, true, "110 111 000 1"},
        {"v8.0, not allowed", VPMU_HAS_EL2 | VPMU_HAS_EL3, false, "000 111 000 0"},
        {"v8.0", VPMU_HAS_EL2 | VPMU_HAS_EL3, true, "110 111 000 1"},
        {"without EL3", VPMU_HAS_EL2, false, "000 111 000 0"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct vpmu_pe *pe = rows[i].features & VPMU_HAS_NO_AARCH64 ? &at_el2_32 : &at_el3;
        struct machine m;

        machine_start_as(&m, VPMU_V3, 1, rows[i].features);
        m.controls.secure_allowed = rows[i].allowed;
        machine_control(&m, 1, 0);
        reg_set(&m, PMEVTYPER(0), pe, INST_EVERYWHERE);
        reg_set(&m, VPMU_PMCCFILTR, pe, EVERYWHERE);
        reg_set(&m, VPMU_PMCNTENSET, pe, CYCLES | BIT(0));
        reg_set(&m, VPMU_PMCR, pe, VPMU_PMCR_E | VPMU_PMCR_DP);
        visit(&m, mask_of("110 111 000 1"));
        expect_in(rows[i].name, "instructions", mask_of(rows[i].counted),
                  reg_get(&m, PMEVCNTR(0), pe));
        expect_in(rows[i].name, "cycles with DP", mask_of(rows[i].counted),
                  reg_get(&m, VPMU_PMCCNTR, pe));
    }
}
END_TEST

/* In Debug state nothing counts, cycles included. */
START_TEST(halted)
{
    static const unsigned counters[] = {0, 3, VPMU_CYCLE_COUNTER, VPMU_INST_COUNTER};

    for (size_t i = 0; i < COUNT_OF(counters); i++) {
        struct machine m;

        machine_start_as(&m, VPMU_V3P9, 4, ALL_LEVELS | VPMU_HAS_ICNTR);
        machine_control(&m, SECOND_RANGE_OF_4 | HPME, SPME);
        counter_start(&m, counters[i], INST_EVERYWHERE, 0);
        pmcr_enable(&m);
        machine_enter(&m, NS_EL1);
        machine_instructions(&m, 5);
        machine_cycles(&m, 5);
        m.controls.halted = true;
        machine_set_controls(&m, &m.controls);
        machine_instructions(&m, 7);
        machine_cycles(&m, 7);
        m.controls.halted = false;
        machine_set_controls(&m, &m.controls);
        machine_instructions(&m, 11);
        machine_cycles(&m, 11);
        expect("5 before, 7 halted, 11 after", 16, value_of(&m, counters[i]));
    }
}
END_TEST

/*
 * The first HPMN counters are the first range, which PMCR.E enables. The others, up to N, are the
 * second range, which HPME enables. PMCR.E also enables the cycle counter. The strings are counters
 * 0 to 3, then cycles.
 */
START_TEST(ranges)
{
    static const struct {
        const char *name;
        unsigned features;
        uint64_t hpmn;
        bool e;
        bool hpme;
        const char *counting;
    } rows[] = {
        {"HPMN 0, E", VPMU_HAS_EL2, 0, true, false, "0000 1"},
        {"HPMN 0, HPME", VPMU_HAS_EL2, 0, false, true, "1111 0"},
        {"HPMN 1, E", VPMU_HAS_EL2, 1, true, false, "1000 1"},
        {"HPMN 1, HPME", VPMU_HAS_EL2, 1, false, true, "0111 0"},
        {"HPMN 2, E", VPMU_HAS_EL2, 2, true, false, "1100 1"},
        {"HPMN 2, HPME", VPMU_HAS_EL2, 2, false, true, "0011 0"},
        {"HPMN 3, both", VPMU_HAS_EL2, 3, true, true, "1111 1"},
        {"HPMN 3, neither", VPMU_HAS_EL2, 3, false, false, "0000 0"},
        {"HPMN = N, E: no second range", VPMU_HAS_EL2, 4, true, false, "1111 1"},
        {"HPMN = N, HPME", VPMU_HAS_EL2, 4, false, true, "0000 0"},
        /* HPMN above N is CONSTRAINED UNPREDICTABLE; the library uses N. */
        {"HPMN > N, E", VPMU_HAS_EL2, 5, true, false, "1111 1"},
        {"HPMN 31, HPME", VPMU_HAS_EL2, 31, false, true, "0000 0"},
        {"no EL2: HPMN is of no account", 0, 1, true, false, "1111 1"},
        {"no EL2: nor is HPME", 0, 1, false, true, "0000 0"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint64_t counting = 0;
        struct machine m;

        machine_start_as(&m, VPMU_V3P5, 4, rows[i].features);
        machine_control(&m, rows[i].hpmn | (rows[i].hpme ? HPME : 0), 0);
        for (unsigned idx = 0; idx < 4; idx++) {
            counter_start(&m, idx, INST_EVERYWHERE, 0);
        }
        counter_start(&m, VPMU_CYCLE_COUNTER, 0, 0);
        set(&m, VPMU_PMCR, rows[i].e ? VPMU_PMCR_E : 0);
        machine_instructions(&m, 1);
        machine_cycles(&m, 1);
        for (unsigned idx = 0; idx < 4; idx++) {
            counting |= value_of(&m, idx) << idx;
        }
        counting |= value_of(&m, VPMU_CYCLE_COUNTER) << 4;
        expect_in(rows[i].name, "counting", mask_of(rows[i].counting), counting);
    }
}
END_TEST

#define FZO VPMU_PMCR_FZO
#define FZS VPMU_PMCR_FZS
#define HPMFZO VPMU_MDCR_EL2_HPMFZO
#define HPMFZS VPMU_MDCR_EL2_HPMFZS

/*
 * Freezes. Strings: counter 0 of the first range, counter 3 of the second, cycles, PMICNTR (there
 * only with PMUv3p9).
 */
static const struct {
    const char *name;
    enum vpmu_version version;
    unsigned features;
    uint64_t pmcr;
    uint64_t mdcr_el2;
    uint64_t overflows;
    bool spe_stopped;
    const char *counting;
} freezes_rows[] = {
    {"no freeze", VPMU_V3P9, 0, 0, 0, BIT(0) | BIT(3), false, "1111"},
    {"FZO, no overflow", VPMU_V3P9, 0, FZO, 0, 0, false, "1111"},
    {"FZO, its own overflow", VPMU_V3P9, 0, FZO, 0, BIT(0), false, "0110"},
    {"FZO, another's overflow", VPMU_V3P9, 0, FZO, 0, BIT(1), false, "0110"},
    {"FZO, an overflow of the second range", VPMU_V3P9, 0, FZO, 0, BIT(2), false, "1111"},
    {"FZO, the cycle counter's flag freezes nothing", VPMU_V3P9, 0, FZO, 0, CYCLES, false, "1111"},
    {"FZO is RES0 before PMUv3p7", VPMU_V3P5, 0, FZO, 0, BIT(0), false, "1110"},
    {"FZO and DP: cycles freeze too", VPMU_V3P9, 0, FZO | DP, 0, BIT(0), false, "0100"},
    {"FZO and DP, an overflow of the second range", VPMU_V3P9, 0, FZO | DP, 0, BIT(3), false,
     "1111"},
    {"HPMFZO, its own overflow", VPMU_V3P9, 0, 0, HPMFZO, BIT(3), false, "1011"},
    {"HPMFZO, another's overflow", VPMU_V3P9, 0, 0, HPMFZO, BIT(2), false, "1011"},
    {"HPMFZO, an overflow of the first range", VPMU_V3P9, 0, 0, HPMFZO, BIT(0), false, "1111"},
    {"HPMFZO and DP: not cycles", VPMU_V3P9, 0, DP, HPMFZO, BIT(3), false, "1011"},
    {"HPMFZO is RES0 before PMUv3p7", VPMU_V3P5, 0, 0, HPMFZO, BIT(3), false, "1110"},
    {"FZO and HPMFZO, both ranges overflowed", VPMU_V3P9, 0, FZO, HPMFZO, BIT(0) | BIT(3), false,
     "0010"},
    {"FZS, SPE runs", VPMU_V3P9, VPMU_HAS_SPE, FZS, 0, 0, false, "1111"},
    {"FZS, SPE stopped", VPMU_V3P9, VPMU_HAS_SPE, FZS, 0, 0, true, "0110"},
    /* Without FEAT_SPE_DPFZS. */
    {"FZS and DP: not cycles", VPMU_V3P9, VPMU_HAS_SPE, FZS | DP, 0, 0, true, "0110"},
    {"HPMFZS, SPE stopped", VPMU_V3P9, VPMU_HAS_SPE, 0, HPMFZS, 0, true, "1011"},
    {"SPE stopped, neither", VPMU_V3P9, VPMU_HAS_SPE, 0, 0, 0, true, "1111"},
    {"FZS and HPMFZS without SPE", VPMU_V3P9, 0, FZS, HPMFZS, 0, true, "1111"},
};

START_TEST(freezes)
{
    static const unsigned counters[] = {0, 3, VPMU_CYCLE_COUNTER, VPMU_INST_COUNTER};

    for (size_t i = 0; i < COUNT_OF(freezes_rows); i++) {
        unsigned icntr = freezes_rows[i].version >= VPMU_V3P9 ? VPMU_HAS_ICNTR : 0;
        uint64_t counting = 0;
        struct machine m;

        machine_start_as(&m, freezes_rows[i].version, 4,
                         VPMU_HAS_EL2 | icntr | freezes_rows[i].features);
        m.controls.spe_stopped = freezes_rows[i].spe_stopped;
        machine_control(&m, SECOND_RANGE_OF_4 | HPME | freezes_rows[i].mdcr_el2, 0);
        for (size_t c = 0; c < (icntr ? 4 : 3); c++) {
            counter_start(&m, counters[c], INST_EVERYWHERE, 0);
        }
        set(&m, VPMU_PMCR, VPMU_PMCR_E | freezes_rows[i].pmcr);
        set(&m, VPMU_PMOVSSET, freezes_rows[i].overflows);
        machine_instructions(&m, 1);
        machine_cycles(&m, 1);
        for (size_t c = 0; c < (icntr ? 4 : 3); c++) {
            counting |= value_of(&m, counters[c]) << c;
        }
        expect_in(freezes_rows[i].name, "counting", mask_of(freezes_rows[i].counting), counting);
    }
}
END_TEST

/* Clearing the flag that froze counters lets them continue from their values. */
START_TEST(unfreeze)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P9, 2, 0);
    counter_start(&m, 0, INST_EVERYWHERE, 100);
    set(&m, VPMU_PMCR, VPMU_PMCR_E | FZO);
    set(&m, VPMU_PMOVSSET, BIT(1));
    machine_instructions(&m, 50);
    set(&m, VPMU_PMOVSCLR, BIT(1));
    machine_instructions(&m, 3);
    expect("100, 50 of them frozen, 3", 103, value_of(&m, 0));
}
END_TEST

Suite *filter_suite(void)
{
    const TTest *const tests[] = {
        filter_of_event_counter,
        filter_of_cycles_event,
        filter_of_cycle_counter,
        filter_of_fixed_counter,
        filter_bits_that_do_not_exist,
        prohibition,
        prohibition_by_sdcr,
        secure_el0_by_suniden,
        secure_by_authentication,
        halted,
        ranges,
        freezes,
        unfreeze,
    };

    return suite_of("filter", tests, COUNT_OF(tests));
}

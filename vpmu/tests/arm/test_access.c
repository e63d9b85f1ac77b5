/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Which accesses are allowed: Arm ARM D24.5 and G8.4, the accessor pseudocode of each register.
 * Results are pairs of letters for a read and a write: K is allowed, U is UNDEFINED, and 1, 2 and 3
 * are traps to EL1, EL2 and EL3.
 */
#include "fixture.h"

#define EN VPMU_USERENR_EN
#define SW VPMU_USERENR_SW
#define CR VPMU_USERENR_CR
#define ER VPMU_USERENR_ER
#define UEN VPMU_USERENR_UEN
#define TID VPMU_USERENR_TID
#define ENPM2 VPMU_MDCR_EL3_ENPM2

static char letter(enum vpmu_access access)
{
    static const char letters[] = {
        [VPMU_ACCESS_OK] = 'K',       [VPMU_ACCESS_UNDEFINED] = 'U', [VPMU_ACCESS_TRAP_EL1] = '1',
        [VPMU_ACCESS_TRAP_EL2] = '2', [VPMU_ACCESS_TRAP_EL3] = '3',
    };

    return letters[access];
}

static void expect_access(const char *row, const char *what, const struct machine *m, unsigned reg,
                          const struct vpmu_pe *pe, const char *want)
{
    char read = letter(vpmu_arm_reg_access(&m->v, reg, pe, false));
    char write = letter(vpmu_arm_reg_access(&m->v, reg, pe, true));

    ck_assert_msg(read == want[0] && write == want[1], "%s, %s: expected %.2s got %c%c", row, what,
                  want, read, write);
}

/* Starts the largest PMU, with EnPM2 = 1 and all counters accessible. */
static void start_full(struct machine *m)
{
    struct vpmu_arm_config config = config_full();

    machine_start(m, &config);
    machine_control(m, VPMU_MAX_EVENT_COUNTERS, ENPM2);
}

struct el0_row {
    const char *name;
    unsigned reg;
    const char *results; /* one pair for each setting, separated by blanks */
};

/* PMUSERENR */
static const struct {
    const char *name;
    uint64_t userenr;
} el0_settings[] = {
    {"PMUSERENR 0", 0}, {"EN", EN},   {"SW", SW},           {"CR", CR},
    {"ER", ER},         {"UEN", UEN}, {"EN TID", EN | TID},
};

static void check_el0(const struct el0_row *rows, size_t count, const struct vpmu_pe *pe)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t s = 0; s < COUNT_OF(el0_settings); s++) {
            struct machine m;

            start_full(&m);
            set(&m, VPMU_PMUSERENR, el0_settings[s].userenr);
            expect_access(rows[i].name, el0_settings[s].name, &m, rows[i].reg, pe,
                          rows[i].results + 3 * s);
        }
    }
}

START_TEST(el0_aarch64)
{
    /* clang-format off */
    static const struct el0_row rows[] = {
        /*                                   0  EN SW CR ER UEN EN+TID */
        {"PMCR", VPMU_PMCR,                 "11 KK 11 11 11 11 KK"},
        {"PMCNTENSET", VPMU_PMCNTENSET,     "11 KK 11 11 11 KK KK"},
        {"PMCNTENCLR", VPMU_PMCNTENCLR,     "11 KK 11 11 11 KK KK"},
        {"PMOVSCLR", VPMU_PMOVSCLR,         "11 KK 11 11 11 KK KK"},
        {"PMOVSSET", VPMU_PMOVSSET,         "11 KK 11 11 11 KK KK"},
        {"PMSWINC", VPMU_PMSWINC,           "U1 UK UK U1 U1 UK UK"},
        {"PMSELR", VPMU_PMSELR,             "11 KK 11 11 KK KK KK"},
        {"PMXEVTYPER", VPMU_PMXEVTYPER,     "11 KK 11 11 11 KK KK"},
        {"PMXEVCNTR", VPMU_PMXEVCNTR,       "11 KK 11 11 K1 KK KK"},
        {"PMCCNTR", VPMU_PMCCNTR,           "11 KK 11 K1 11 KK KK"},
        {"PMCCNTR, MRRC", VPMU_PMCCNTR_WIDE, "UU UU UU UU UU UU UU"},
        {"PMCCFILTR", VPMU_PMCCFILTR,       "11 KK 11 11 11 KK KK"},
        {"PMCEID0", VPMU_PMCEID0,           "1U KU 1U 1U 1U KU 1U"},
        {"PMCEID1", VPMU_PMCEID1,           "1U KU 1U 1U 1U KU 1U"},
        {"PMCEID2", VPMU_PMCEID2,           "UU UU UU UU UU UU UU"},
        {"PMUSERENR", VPMU_PMUSERENR,       "KU KU KU KU KU KU KU"},
        {"PMINTENSET", VPMU_PMINTENSET,     "UU UU UU UU UU UU UU"},
        {"PMINTENCLR", VPMU_PMINTENCLR,     "UU UU UU UU UU UU UU"},
        {"PMMIR", VPMU_PMMIR,               "UU UU UU UU UU UU UU"},
        {"PMUACR", VPMU_PMUACR,             "UU UU UU UU UU UU UU"},
        {"PMICNTR", VPMU_PMICNTR,           "11 11 11 11 11 KK 11"},
        {"PMICFILTR", VPMU_PMICFILTR,       "11 11 11 11 11 KK 11"},
        {"PMZR", VPMU_PMZR,                 "U1 UK U1 U1 U1 UK UK"},
        {"PMEVCNTR30", PMEVCNTR(30),        "11 KK 11 11 K1 KK KK"},
        {"PMEVTYPER30", PMEVTYPER(30),      "11 KK 11 11 11 KK KK"},
    };
    /* clang-format on */

    check_el0(rows, COUNT_OF(rows), &at_el0);
}
END_TEST

/* Under an AArch32 EL1, a refused access is UNDEFINED, and UEN is ignored (G8.4.18). */
START_TEST(el0_aarch32)
{
    /* clang-format off */
    static const struct el0_row rows[] = {
        /*                                   0  EN SW CR ER UEN EN+TID */
        {"PMCR", VPMU_PMCR,                 "UU KK UU UU UU UU KK"},
        {"PMCNTENSET", VPMU_PMCNTENSET,     "UU KK UU UU UU UU KK"},
        {"PMCNTENCLR", VPMU_PMCNTENCLR,     "UU KK UU UU UU UU KK"},
        {"PMOVSR", VPMU_PMOVSCLR,           "UU KK UU UU UU UU KK"},
        {"PMOVSSET", VPMU_PMOVSSET,         "UU KK UU UU UU UU KK"},
        {"PMSWINC", VPMU_PMSWINC,           "UU UK UK UU UU UU UK"},
        {"PMSELR", VPMU_PMSELR,             "UU KK UU UU KK UU KK"},
        {"PMXEVTYPER", VPMU_PMXEVTYPER,     "UU KK UU UU UU UU KK"},
        {"PMXEVCNTR", VPMU_PMXEVCNTR,       "UU KK UU UU KU UU KK"},
        {"PMCCNTR", VPMU_PMCCNTR,           "UU KK UU KU UU UU KK"},
        {"PMCCNTR, MRRC", VPMU_PMCCNTR_WIDE, "UU KK UU KU UU UU KK"},
        {"PMCCFILTR", VPMU_PMCCFILTR,       "UU KK UU UU UU UU KK"},
        {"PMCEID0", VPMU_PMCEID0,           "UU KU UU UU UU UU UU"},
        {"PMCEID1", VPMU_PMCEID1,           "UU KU UU UU UU UU UU"},
        {"PMCEID2", VPMU_PMCEID2,           "UU KU UU UU UU UU UU"},
        {"PMCEID3", VPMU_PMCEID3,           "UU KU UU UU UU UU UU"},
        {"PMUSERENR", VPMU_PMUSERENR,       "KU KU KU KU KU KU KU"},
        {"PMINTENSET", VPMU_PMINTENSET,     "UU UU UU UU UU UU UU"},
        {"PMMIR", VPMU_PMMIR,               "UU UU UU UU UU UU UU"},
        {"PMUACR", VPMU_PMUACR,             "UU UU UU UU UU UU UU"},
        {"PMICNTR", VPMU_PMICNTR,           "UU UU UU UU UU UU UU"},
        {"PMZR", VPMU_PMZR,                 "UU UU UU UU UU UU UU"},
        {"PMEVCNTR30", PMEVCNTR(30),        "UU KK UU UU KU UU KK"},
        {"PMEVTYPER30", PMEVTYPER(30),      "UU KK UU UU UU UU KK"},
    };
    /* clang-format on */

    check_el0(rows, COUNT_OF(rows), &at_el0_32);
}
END_TEST

/* AArch32 EL0 under an AArch64 EL1: refused accesses trap to EL1, and UEN and TID take effect. */
START_TEST(el0_aarch32_under_aarch64)
{
    static const struct vpmu_pe pe = {.el = 0, .aarch32 = true, .el2_enabled = true};
    /* clang-format off */
    static const struct el0_row rows[] = {
        /*                                   0  EN SW CR ER UEN EN+TID */
        {"PMCR", VPMU_PMCR,                 "11 KK 11 11 11 11 KK"},
        {"PMCNTENSET", VPMU_PMCNTENSET,     "11 KK 11 11 11 KK KK"},
        {"PMSWINC", VPMU_PMSWINC,           "U1 UK UK U1 U1 UK UK"},
        {"PMCCNTR, MRRC", VPMU_PMCCNTR_WIDE, "11 KK 11 K1 11 KK KK"},
        {"PMCEID2", VPMU_PMCEID2,           "1U KU 1U 1U 1U KU 1U"},
        {"PMEVCNTR30", PMEVCNTR(30),        "11 KK 11 11 K1 KK KK"},
    };
    /* clang-format on */

    check_el0(rows, COUNT_OF(rows), &pe);
}
END_TEST

/* With HCR_EL2.TGE, traps to EL1 go to EL2, in both execution states. */
START_TEST(el0_under_tge)
{
    static const struct vpmu_pe pes[] = {
        {.el = 0, .el2_enabled = true, .tge = true},
        {.el = 0, .aarch32 = true, .el2_enabled = true, .tge = true},
        {.el = 0, .aarch32 = true, .el1_aarch32 = true, .el2_enabled = true, .tge = true},
    };

    for (size_t i = 0; i < COUNT_OF(pes); i++) {
        struct machine m;

        start_full(&m);
        expect_access("TGE", "PMCR", &m, VPMU_PMCR, &pes[i], "22");
        expect_access("TGE", "PMCCNTR", &m, VPMU_PMCCNTR, &pes[i], "22");
        expect_access("TGE", "PMINTENSET is UNDEFINED first", &m, VPMU_PMINTENSET, &pes[i], "UU");
        expect_access("TGE", "PMUSERENR", &m, VPMU_PMUSERENR, &pes[i], "KU");
        set(&m, VPMU_PMUSERENR, EN);
        expect_access("TGE, EN", "PMCR", &m, VPMU_PMCR, &pes[i], "KK");
    }
}
END_TEST

/* The traps of EL1 and above. Columns: MDCR_EL2.TPM, TPMCR; MDCR_EL3.TPM, EnPM2 = 0. */
static const struct {
    const char *name;
    uint64_t mdcr_el2;
    uint64_t mdcr_el3;
} trap_settings[] = {
    {"no trap", 0, ENPM2},
    {"MDCR_EL2.TPM", VPMU_MDCR_EL2_TPM, ENPM2},
    {"MDCR_EL2.TPMCR", VPMU_MDCR_EL2_TPMCR, ENPM2},
    {"MDCR_EL3.TPM", 0, ENPM2 | VPMU_MDCR_EL3_TPM},
    {"MDCR_EL3.EnPM2 = 0", 0, 0},
    {"TPM of both", VPMU_MDCR_EL2_TPM, ENPM2 | VPMU_MDCR_EL3_TPM},
};

struct trap_row {
    const char *name;
    unsigned reg;
    const char *at_el1;
    const char *at_el2;
    const char *at_el3;
};

/* clang-format off */
static const struct trap_row trap_rows[] = {
    /*                               none TPM TPMCR TPM3 EnPM2 both */
    {"PMCR", VPMU_PMCR,             "KK 22 22 33 KK 22", "KK KK KK 33 KK 33", "KK KK KK KK KK KK"},
    {"PMCNTENSET", VPMU_PMCNTENSET, "KK 22 KK 33 KK 22", "KK KK KK 33 KK 33", "KK KK KK KK KK KK"},
    {"PMCNTENCLR", VPMU_PMCNTENCLR, "KK 22 KK 33 KK 22", "KK KK KK 33 KK 33", "KK KK KK KK KK KK"},
    {"PMOVSCLR", VPMU_PMOVSCLR,     "KK 22 KK 33 KK 22", "KK KK KK 33 KK 33", "KK KK KK KK KK KK"},
    {"PMOVSSET", VPMU_PMOVSSET,     "KK 22 KK 33 KK 22", "KK KK KK 33 KK 33", "KK KK KK KK KK KK"},
    {"PMSWINC", VPMU_PMSWINC,       "UK U2 UK U3 UK U2", "UK UK UK U3 UK U3", "UK UK UK UK UK UK"},
    {"PMSELR", VPMU_PMSELR,         "KK 22 KK 33 KK 22", "KK KK KK 33 KK 33", "KK KK KK KK KK KK"},
    {"PMXEVTYPER", VPMU_PMXEVTYPER, "KK 22 KK 33 KK 22", "KK KK KK 33 KK 33", "KK KK KK KK KK KK"},
    {"PMXEVCNTR", VPMU_PMXEVCNTR,   "KK 22 KK 33 KK 22", "KK KK KK 33 KK 33", "KK KK KK KK KK KK"},
    {"PMCCNTR", VPMU_PMCCNTR,       "KK 22 KK 33 KK 22", "KK KK KK 33 KK 33", "KK KK KK KK KK KK"},
    {"PMCCFILTR", VPMU_PMCCFILTR,   "KK 22 KK 33 KK 22", "KK KK KK 33 KK 33", "KK KK KK KK KK KK"},
    {"PMCEID0", VPMU_PMCEID0,       "KU 2U KU 3U KU 2U", "KU KU KU 3U KU 3U", "KU KU KU KU KU KU"},
    {"PMCEID1", VPMU_PMCEID1,       "KU 2U KU 3U KU 2U", "KU KU KU 3U KU 3U", "KU KU KU KU KU KU"},
    {"PMUSERENR", VPMU_PMUSERENR,   "KK 22 KK 33 KK 22", "KK KK KK 33 KK 33", "KK KK KK KK KK KK"},
    {"PMINTENSET", VPMU_PMINTENSET, "KK 22 KK 33 KK 22", "KK KK KK 33 KK 33", "KK KK KK KK KK KK"},
    {"PMINTENCLR", VPMU_PMINTENCLR, "KK 22 KK 33 KK 22", "KK KK KK 33 KK 33", "KK KK KK KK KK KK"},
    {"PMMIR", VPMU_PMMIR,           "KU 2U KU 3U KU 2U", "KU KU KU 3U KU 3U", "KU KU KU KU KU KU"},
    {"PMUACR", VPMU_PMUACR,         "KK 22 KK 33 33 22", "KK KK KK 33 33 33", "KK KK KK KK KK KK"},
    {"PMICNTR", VPMU_PMICNTR,       "KK 22 KK 33 33 22", "KK KK KK 33 33 33", "KK KK KK KK KK KK"},
    {"PMICFILTR", VPMU_PMICFILTR,   "KK 22 KK 33 33 22", "KK KK KK 33 33 33", "KK KK KK KK KK KK"},
    {"PMZR", VPMU_PMZR,             "UK U2 UK U3 UK U2", "UK UK UK U3 UK U3", "UK UK UK UK UK UK"},
    {"PMEVCNTR0", PMEVCNTR(0),      "KK 22 KK 33 KK 22", "KK KK KK 33 KK 33", "KK KK KK KK KK KK"},
    {"PMEVTYPER0", PMEVTYPER(0),    "KK 22 KK 33 KK 22", "KK KK KK 33 KK 33", "KK KK KK KK KK KK"},
};
/* clang-format on */

START_TEST(traps)
{
    for (size_t i = 0; i < COUNT_OF(trap_rows); i++) {
        const struct trap_row *row = &trap_rows[i];

        for (size_t s = 0; s < COUNT_OF(trap_settings); s++) {
            struct machine m;

            start_full(&m);
            machine_control(&m, VPMU_MAX_EVENT_COUNTERS | trap_settings[s].mdcr_el2,
                            trap_settings[s].mdcr_el3);
            expect_access(row->name, trap_settings[s].name, &m, row->reg, &at_el1,
                          row->at_el1 + 3 * s);
            expect_access(row->name, trap_settings[s].name, &m, row->reg, &at_el2,
                          row->at_el2 + 3 * s);
            expect_access(row->name, trap_settings[s].name, &m, row->reg, &at_el3,
                          row->at_el3 + 3 * s);
        }
    }
}
END_TEST

/* The same from AArch32 EL1, for registers that have an AArch32 view. */
START_TEST(traps_from_aarch32)
{
    for (size_t i = 0; i < COUNT_OF(trap_rows); i++) {
        const struct trap_row *row = &trap_rows[i];

        for (size_t s = 0; s < COUNT_OF(trap_settings); s++) {
            bool has_view = vpmu_arm_reg_info(row->reg)->name32 != NULL;
            struct machine m;

            start_full(&m);
            machine_control(&m, VPMU_MAX_EVENT_COUNTERS | trap_settings[s].mdcr_el2,
                            trap_settings[s].mdcr_el3);
            expect_access(row->name, trap_settings[s].name, &m, row->reg, &at_el1_32,
                          has_view ? row->at_el1 + 3 * s : "UU");
        }
    }
}
END_TEST

/*
 * An access from EL0 that PMUSERENR allows is trapped like one from EL1. One that it refuses traps
 * to EL1 first.
 */
START_TEST(traps_of_el0)
{
    static const struct {
        const char *name;
        unsigned reg;
        uint64_t userenr;
        uint64_t mdcr_el2;
        uint64_t mdcr_el3;
        const char *result;
    } rows[] = {
        {"EN, TPM", VPMU_PMCCNTR, EN, VPMU_MDCR_EL2_TPM, ENPM2, "22"},
        {"0, TPM: EL1 comes first", VPMU_PMCCNTR, 0, VPMU_MDCR_EL2_TPM, ENPM2, "11"},
        {"EN, TPMCR", VPMU_PMCR, EN, VPMU_MDCR_EL2_TPMCR, ENPM2, "22"},
        {"0, TPMCR", VPMU_PMCR, 0, VPMU_MDCR_EL2_TPMCR, ENPM2, "11"},
        {"EN, EL3's TPM", VPMU_PMCCNTR, EN, 0, ENPM2 | VPMU_MDCR_EL3_TPM, "33"},
        {"0, EL3's TPM: EL1 comes first", VPMU_PMCCNTR, 0, 0, ENPM2 | VPMU_MDCR_EL3_TPM, "11"},
        {"UEN, EnPM2 = 0", VPMU_PMICNTR, UEN, 0, 0, "33"},
        {"EN, EnPM2 = 0: EL1 comes first", VPMU_PMICNTR, EN, 0, 0, "11"},
        {"PMUSERENR is always readable, but trapped", VPMU_PMUSERENR, 0, VPMU_MDCR_EL2_TPM, ENPM2,
         "2U"},
        {"PMUSERENR, EL3's TPM", VPMU_PMUSERENR, 0, 0, ENPM2 | VPMU_MDCR_EL3_TPM, "3U"},
        {"PMINTENSET is UNDEFINED before anything", VPMU_PMINTENSET, EN, VPMU_MDCR_EL2_TPM, 0,
         "UU"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine m;

        start_full(&m);
        set(&m, VPMU_PMUSERENR, rows[i].userenr);
        machine_control(&m, VPMU_MAX_EVENT_COUNTERS | rows[i].mdcr_el2, rows[i].mdcr_el3);
        expect_access(rows[i].name, "EL0", &m, rows[i].reg, &at_el0, rows[i].result);
    }
}
END_TEST

/* If EL2 is not enabled (Secure state without FEAT_SEL2), MDCR_EL2 traps nothing. */
START_TEST(el2_not_enabled)
{
    static const struct vpmu_pe pe = {.el = 1};
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 4, VPMU_HAS_EL2 | VPMU_HAS_EL3);
    machine_control(&m, 2 | VPMU_MDCR_EL2_TPM | VPMU_MDCR_EL2_TPMCR, 0);
    expect_access("EL2 not enabled", "PMCR", &m, VPMU_PMCR, &pe, "KK");
    expect_access("EL2 not enabled", "beyond HPMN", &m, PMEVCNTR(3), &pe, "KK");
    machine_control(&m, 2 | VPMU_MDCR_EL2_TPM, VPMU_MDCR_EL3_TPM);
    expect_access("EL2 not enabled", "EL3's TPM", &m, VPMU_PMCR, &pe, "33");
}
END_TEST

/*
 * In Debug state with EDSCR.SDD, an access that would trap to EL3 is UNDEFINED, before any other
 * trap.
 */
START_TEST(el3_traps_undefined)
{
    struct vpmu_pe el0 = at_el0;
    struct vpmu_pe el1 = at_el1;
    struct machine m;

    el0.el3_undef = true;
    el1.el3_undef = true;
    start_full(&m);
    expect_access("SDD", "no trap", &m, VPMU_PMCCNTR, &el1, "KK");
    machine_control(&m, VPMU_MAX_EVENT_COUNTERS | VPMU_MDCR_EL2_TPM, ENPM2 | VPMU_MDCR_EL3_TPM);
    expect_access("SDD", "TPM of both", &m, VPMU_PMCCNTR, &el1, "UU");
    expect_access("SDD", "PMUSERENR 0", &m, VPMU_PMCCNTR, &el0, "UU");
    machine_control(&m, VPMU_MAX_EVENT_COUNTERS, 0);
    expect_access("SDD", "EnPM2 = 0, PMICNTR", &m, VPMU_PMICNTR, &el1, "UU");
    expect_access("SDD", "EnPM2 = 0, PMCCNTR", &m, VPMU_PMCCNTR, &el1, "KK");
}
END_TEST

/* Without EL3, MDCR_EL3 is ignored. SDCR has no traps. */
START_TEST(no_el3_traps)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P9, 4, VPMU_HAS_EL2 | VPMU_HAS_ICNTR);
    machine_control(&m, 4, VPMU_MDCR_EL3_TPM);
    expect_access("no EL3", "TPM", &m, VPMU_PMCCNTR, &at_el1, "KK");
    expect_access("no EL3", "EnPM2 = 0", &m, VPMU_PMICNTR, &at_el1, "KK");
    machine_start_as(&m, VPMU_V3P5, 4, VPMU_HAS_EL2 | VPMU_HAS_EL3 | VPMU_HAS_NO_AARCH64);
    machine_control(&m, 4, VPMU_MDCR_EL3_TPM);
    expect_access("SDCR", "TPM", &m, VPMU_PMCCNTR, &at_el1_32, "KK");
}
END_TEST

/*
 * N is 4 and HPMN is 2. A counter that is not implemented is UNDEFINED. One that HPMN reserves for
 * EL2 traps to EL2 from EL0 and EL1 (with FEAT_FGT). PMXEVCNTR and PMXEVTYPER access the counter
 * that PMSELR selects.
 */
START_TEST(ranges_of_counters)
{
    static const struct {
        const char *name;
        unsigned reg;
        uint64_t selr;
        const char *el0; /* EN */
        const char *el1;
        const char *el2;
    } rows[] = {
        {"PMEVCNTR1", PMEVCNTR(1), 0, "KK", "KK", "KK"},
        {"PMEVCNTR2", PMEVCNTR(2), 0, "22", "22", "KK"},
        {"PMEVCNTR3", PMEVCNTR(3), 0, "22", "22", "KK"},
        {"PMEVCNTR4", PMEVCNTR(4), 0, "UU", "UU", "UU"},
        {"PMEVTYPER1", PMEVTYPER(1), 0, "KK", "KK", "KK"},
        {"PMEVTYPER2", PMEVTYPER(2), 0, "22", "22", "KK"},
        {"PMEVTYPER30", PMEVTYPER(30), 0, "UU", "UU", "UU"},
        {"PMXEVCNTR, SEL 1", VPMU_PMXEVCNTR, 1, "KK", "KK", "KK"},
        {"PMXEVCNTR, SEL 2", VPMU_PMXEVCNTR, 2, "22", "22", "KK"},
        {"PMXEVCNTR, SEL 4", VPMU_PMXEVCNTR, 4, "UU", "UU", "UU"},
        {"PMXEVCNTR, SEL 31", VPMU_PMXEVCNTR, 31, "UU", "UU", "UU"},
        {"PMXEVTYPER, SEL 1", VPMU_PMXEVTYPER, 1, "KK", "KK", "KK"},
        {"PMXEVTYPER, SEL 3", VPMU_PMXEVTYPER, 3, "22", "22", "KK"},
        {"PMXEVTYPER, SEL 30", VPMU_PMXEVTYPER, 30, "UU", "UU", "UU"},
        {"PMXEVTYPER, SEL 31: PMCCFILTR", VPMU_PMXEVTYPER, 31, "KK", "KK", "KK"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine m;

        machine_start_as(&m, VPMU_V3P5, 4, VPMU_HAS_EL2);
        machine_control(&m, 2, 0);
        set(&m, VPMU_PMSELR, rows[i].selr);
        set(&m, VPMU_PMUSERENR, EN);
        expect_access(rows[i].name, "EL0", &m, rows[i].reg, &at_el0, rows[i].el0);
        expect_access(rows[i].name, "EL1", &m, rows[i].reg, &at_el1, rows[i].el1);
        expect_access(rows[i].name, "EL2", &m, rows[i].reg, &at_el2, rows[i].el2);
        set(&m, VPMU_PMUSERENR, 0);
        expect_access(rows[i].name, "EL0, PMUSERENR 0", &m, rows[i].reg, &at_el0,
                      rows[i].el0[0] == 'U' ? "UU" : "11");
    }
}
END_TEST

/* A PMU without event counters has all other registers. */
START_TEST(no_event_counters)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 0, 0);
    expect_access("N = 0", "PMCR", &m, VPMU_PMCR, &at_el1, "KK");
    expect_access("N = 0", "PMCCNTR", &m, VPMU_PMCCNTR, &at_el1, "KK");
    expect_access("N = 0", "PMEVCNTR0", &m, PMEVCNTR(0), &at_el1, "UU");
    expect_access("N = 0", "PMXEVCNTR", &m, VPMU_PMXEVCNTR, &at_el1, "UU");
    expect_access("N = 0", "PMXEVTYPER", &m, VPMU_PMXEVTYPER, &at_el1, "UU");
}
END_TEST

START_TEST(no_such_register)
{
    struct vpmu_arm_config config = config_full();
    struct machine m;

    machine_start(&m, &config);
    expect_access("none", "after the last", &m, VPMU_REG_COUNT, &at_el3, "UU");
    expect_access("none", "far out", &m, UINT32_MAX, &at_el1_32, "UU");
    machine_start_as(&m, VPMU_V3P8, 4, 0);
    expect_access("v3p8", "PMUACR", &m, VPMU_PMUACR, &at_el1, "UU");
    expect_access("v3p8", "PMZR", &m, VPMU_PMZR, &at_el1, "UU");
    machine_start_as(&m, VPMU_V3P9, 4, 0);
    expect_access("v3p9 without PMICNTR", "PMICNTR", &m, VPMU_PMICNTR, &at_el1, "UU");
}
END_TEST

Suite *access_suite(void)
{
    const TTest *const tests[] = {
        el0_aarch64,
        el0_aarch32,
        el0_aarch32_under_aarch64,
        el0_under_tge,
        traps,
        traps_from_aarch32,
        traps_of_el0,
        el2_not_enabled,
        el3_traps_undefined,
        no_el3_traps,
        ranges_of_counters,
        no_event_counters,
        no_such_register,
    };

    return suite_of("access", tests, COUNT_OF(tests));
}

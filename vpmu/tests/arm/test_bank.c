/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Reads and writes of registers, in both views and from each exception level. */
#include "fixture.h"

#define ENPM2 VPMU_MDCR_EL3_ENPM2
#define EN VPMU_USERENR_EN
#define SW VPMU_USERENR_SW
#define CR VPMU_USERENR_CR
#define ER VPMU_USERENR_ER
#define UEN VPMU_USERENR_UEN
#define IR VPMU_USERENR_IR

/* Starts the largest PMU, whose F0 bits are visible below EL3. */
static void start_full(struct machine *m)
{
    struct vpmu_arm_config config = config_full();

    machine_start(m, &config);
    machine_control(m, VPMU_MAX_EVENT_COUNTERS, ENPM2);
}

/* Starts a PMU with four counters, of which 2 and 3 are reserved for EL2, and PMICNTR. */
static void start_split(struct machine *m)
{
    machine_start_as(m, VPMU_V3P9, 4, VPMU_HAS_EL2 | VPMU_HAS_ICNTR);
    machine_control(m, 2, 0);
}

/*
 * Each register of the largest PMU is written with all ones in AArch64, and in AArch32, which
 * leaves 0 in the upper half. The values are those that are read in either view.
 */
static const struct {
    const char *name;
    unsigned reg;
    uint64_t read64;
    uint64_t read32;
    uint64_t read64_after32;
} register_rows[] = {
    {"PMCR", VPMU_PMCR, 0x10000fae9, 0xfae9, 0xfae9},
    {"PMCNTENSET", VPMU_PMCNTENSET, 0x1ffffffff, 0xffffffff, 0xffffffff},
    {"PMOVSSET", VPMU_PMOVSSET, 0x1ffffffff, 0xffffffff, 0xffffffff},
    {"PMINTENSET", VPMU_PMINTENSET, 0x1ffffffff, 0xffffffff, 0xffffffff},
    {"PMSELR", VPMU_PMSELR, 0x1f, 0x1f, 0x1f},
    {"PMXEVTYPER", VPMU_PMXEVTYPER, 0xfd70ffff, 0xfd70ffff, 0xfd70ffff},
    {"PMXEVCNTR", VPMU_PMXEVCNTR, ALL_ONES, 0xffffffff, 0xffffffff},
    {"PMCCNTR", VPMU_PMCCNTR, ALL_ONES, 0xffffffff, 0xffffffff},
    {"PMCCFILTR", VPMU_PMCCFILTR, 0xfd700000, 0xfd700000, 0xfd700000},
    {"PMUSERENR", VPMU_PMUSERENR, 0x7f, 0x4f, 0x4f},
    {"PMEVCNTR0", PMEVCNTR(0), ALL_ONES, 0xffffffff, 0xffffffff},
    {"PMEVCNTR30", PMEVCNTR(30), ALL_ONES, 0xffffffff, 0xffffffff},
    {"PMEVTYPER0", PMEVTYPER(0), 0xfd70ffff, 0xfd70ffff, 0xfd70ffff},
    {"PMEVTYPER30", PMEVTYPER(30), 0xfd70ffff, 0xfd70ffff, 0xfd70ffff},
};

START_TEST(registers_in_both_views)
{
    for (size_t i = 0; i < COUNT_OF(register_rows); i++) {
        unsigned reg = register_rows[i].reg;
        struct machine m;

        start_full(&m);
        reg_set(&m, reg, &at_el1, ALL_ONES);
        expect_in(register_rows[i].name, "AArch64", register_rows[i].read64,
                  reg_get(&m, reg, &at_el1));
        expect_in(register_rows[i].name, "AArch32", register_rows[i].read32,
                  reg_get(&m, reg, &at_el1_32));
        start_full(&m);
        reg_set(&m, reg, &at_el1_32, ALL_ONES);
        expect_in(register_rows[i].name, "AArch64, written in AArch32",
                  register_rows[i].read64_after32, reg_get(&m, reg, &at_el1));
    }
}
END_TEST

/* Registers that exist in one view only, and those that ignore writes or some bits. */
START_TEST(registers_of_one_view)
{
    static const struct {
        const char *name;
        unsigned reg;
        uint64_t val;
    } rows[] = {
        {"PMUACR_EL1", VPMU_PMUACR, 0x1ffffffff},
        {"PMICNTR_EL0", VPMU_PMICNTR, ALL_ONES},
        /* evtCount is 8, read-only. */
        {"PMICFILTR_EL0", VPMU_PMICFILTR, 0xfd700008},
    };
    struct machine m;
    uint64_t val;

    start_full(&m);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        set(&m, rows[i].reg, ALL_ONES);
        expect(rows[i].name, rows[i].val, get(&m, rows[i].reg));
        expect_in(rows[i].name, "error in AArch32", VPMU_ERR_REG,
                  (uint64_t)-machine_reg_read(&m, rows[i].reg, &at_el1_32, &val));
        expect_in(rows[i].name, "value in AArch32", 0, val);
    }
    reg_set(&m, VPMU_PMCCNTR_WIDE, &at_el1_32, 0x123456789abcdef0);
    expect("PMCCNTR by MRRC", 0x123456789abcdef0, reg_get(&m, VPMU_PMCCNTR_WIDE, &at_el1_32));
    expect("PMCCNTR_EL0", 0x123456789abcdef0, get(&m, VPMU_PMCCNTR));
    expect("PMCCNTR by MRC", 0x9abcdef0, reg_get(&m, VPMU_PMCCNTR, &at_el1_32));
    expect("PMCEID2: CNT_CYCLES, L1I_CACHE_LMISS, L2D_ and L3D_CACHE_LMISS_RD", 0xa50,
           reg_get(&m, VPMU_PMCEID2, &at_el1_32));
    expect("PMCEID3: three of ALIGN_LAT, three of CHECKED", 0x77,
           reg_get(&m, VPMU_PMCEID3, &at_el1_32));
    expect("PMMIR_EL1", 6, get(&m, VPMU_PMMIR));
    expect("PMMIR", 6, reg_get(&m, VPMU_PMMIR, &at_el1_32));
}
END_TEST

/* A write in AArch32 does not change the upper half. */
START_TEST(upper_halves)
{
    static const struct {
        const char *name;
        unsigned reg;
        uint64_t before;
        uint64_t after;
    } rows[] = {
        {"PMCCNTR", VPMU_PMCCNTR, 0x1122334455667788, 0x1122334400000005},
        {"PMEVCNTR0", PMEVCNTR(0), 0x1122334455667788, 0x1122334400000005},
        {"PMXEVCNTR", VPMU_PMXEVCNTR, 0x1122334455667788, 0x1122334400000005},
        {"PMCR.FZS", VPMU_PMCR, VPMU_PMCR_FZS, VPMU_PMCR_FZS | 0xf801},
        {"PMUSERENR: UEN, IR", VPMU_PMUSERENR, 0x7a, 0x35},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine m;

        start_full(&m);
        set(&m, rows[i].reg, rows[i].before);
        reg_set(&m, rows[i].reg, &at_el1_32, 5);
        /* 5 is E and C of PMCR. */
        expect(rows[i].name, rows[i].after, get(&m, rows[i].reg));
    }
}
END_TEST

/* A PMUv3 without event counters. */
START_TEST(smallest)
{
    struct machine m;
    uint64_t val;

    machine_start_as(&m, VPMU_V3, 0, 0);
    expect("PMCR: IMP, IDCODE, N = 0", 0x415a0000, get(&m, VPMU_PMCR));
    set(&m, VPMU_PMCNTENSET, ALL_ONES);
    expect("PMCNTENSET: C", CYCLES, get(&m, VPMU_PMCNTENSET));
    set(&m, VPMU_PMCR, VPMU_PMCR_E | VPMU_PMCR_P);
    machine_cycles(&m, 77);
    expect("PMCCNTR", 77, get(&m, VPMU_PMCCNTR));
    expect("PMEVCNTR0", VPMU_ERR_REG, (uint64_t)-machine_reg_read(&m, PMEVCNTR(0), &at_el1, &val));
    expect("PMXEVCNTR", VPMU_ERR_REG,
           (uint64_t)-machine_reg_read(&m, VPMU_PMXEVCNTR, &at_el1, &val));
    expect("PMXEVTYPER", VPMU_ERR_REG,
           (uint64_t)-machine_reg_write(&m, VPMU_PMXEVTYPER, &at_el1, 0));
    set(&m, VPMU_PMSELR, VPMU_CYCLE_COUNTER);
    set(&m, VPMU_PMXEVTYPER, VPMU_TYPER_P);
    expect("PMXEVTYPER, SEL 31", VPMU_TYPER_P, get(&m, VPMU_PMCCFILTR));
}
END_TEST

/*
 * Write-only registers cannot be read, and read-only ones cannot be written. The value is 0 then.
 */
START_TEST(refusals)
{
    static const struct {
        const char *name;
        unsigned reg;
        bool readable;
        bool writable;
    } rows[] = {
        {"PMSWINC", VPMU_PMSWINC, false, true},
        {"PMZR", VPMU_PMZR, false, true},
        {"PMCEID0", VPMU_PMCEID0, true, false},
        {"PMCEID1", VPMU_PMCEID1, true, false},
        {"PMMIR", VPMU_PMMIR, true, false},
        {"PMCCNTR by MRRC in AArch64", VPMU_PMCCNTR_WIDE, false, false},
        {"after the last", VPMU_REG_COUNT, false, false},
        {"far out", UINT32_MAX, false, false},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint64_t val = 0x55;
        struct machine m;

        start_full(&m);
        expect_in(rows[i].name, "read", rows[i].readable ? 0 : VPMU_ERR_REG,
                  (uint64_t)-machine_reg_read(&m, rows[i].reg, &at_el3, &val));
        ck_assert_msg(rows[i].readable || val == 0, "%s: expected value 0 got another",
                      rows[i].name);
        expect_in(rows[i].name, "write", rows[i].writable ? 0 : VPMU_ERR_REG,
                  (uint64_t)-machine_reg_write(&m, rows[i].reg, &at_el3, 1));
    }
}
END_TEST

/* PMXEVTYPER and PMXEVCNTR access the counter that PMSELR selects. */
START_TEST(selection)
{
    struct machine m;
    uint64_t val;

    machine_start_as(&m, VPMU_V3P5, 6, 0);
    for (unsigned idx = 0; idx < 6; idx++) {
        set(&m, VPMU_PMSELR, idx);
        set(&m, VPMU_PMXEVTYPER, VPMU_TYPER_U | (0x10 + idx));
        set(&m, VPMU_PMXEVCNTR, 1000 + idx);
    }
    for (unsigned idx = 0; idx < 6; idx++) {
        expect("PMEVTYPER<n>", VPMU_TYPER_U | (0x10 + idx), get(&m, PMEVTYPER(idx)));
        expect("PMEVCNTR<n>", 1000 + idx, get(&m, PMEVCNTR(idx)));
        set(&m, VPMU_PMSELR, idx);
        expect("PMXEVTYPER", VPMU_TYPER_U | (0x10 + idx), get(&m, VPMU_PMXEVTYPER));
        expect("PMXEVCNTR", 1000 + idx, get(&m, VPMU_PMXEVCNTR));
    }
    set(&m, VPMU_PMSELR, 6);
    expect("beyond N", VPMU_ERR_REG,
           (uint64_t)-machine_reg_read(&m, VPMU_PMXEVCNTR, &at_el1, &val));
    set(&m, VPMU_PMSELR, 31);
    expect("there is no PMEVCNTR31", VPMU_ERR_REG,
           (uint64_t)-machine_reg_write(&m, VPMU_PMXEVCNTR, &at_el1, 0));
}
END_TEST

/*
 * PMCR.P zeroes the event counters that can be accessed. With EL2 enabled, EL0 and EL1 cannot
 * access those from HPMN up. Neither P nor C affects PMICNTR. (Arm ARM D24.5 PMCR_EL0.P, C.) The
 * strings say which of PMEVCNTR0 to 3, PMCCNTR and PMICNTR are 0 afterwards.
 */
START_TEST(resets_of_counters)
{
    static const struct vpmu_pe el1_without_el2 = {.el = 1};
    static const struct {
        const char *name;
        const struct vpmu_pe *pe;
        uint64_t val;
        const char *zeroed;
    } rows[] = {
        {"P at EL1", &at_el1, VPMU_PMCR_P, "1100 0 0"},
        {"P at EL0", &at_el0, VPMU_PMCR_P, "1100 0 0"},
        {"P at EL1, EL2 not enabled", &el1_without_el2, VPMU_PMCR_P, "1111 0 0"},
        {"P at EL2", &at_el2, VPMU_PMCR_P, "1111 0 0"},
        {"P at EL3", &at_el3, VPMU_PMCR_P, "1111 0 0"},
        {"P at AArch32 EL1", &at_el1_32, VPMU_PMCR_P, "1100 0 0"},
        {"C at EL1", &at_el1, VPMU_PMCR_C, "0000 1 0"},
        {"C at EL0", &at_el0, VPMU_PMCR_C, "0000 1 0"},
        {"P and C at EL2", &at_el2, VPMU_PMCR_P | VPMU_PMCR_C, "1111 1 0"},
        {"neither", &at_el2, VPMU_PMCR_E, "0000 0 0"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint64_t zeroed = 0;
        struct machine m;

        start_split(&m);
        for (unsigned idx = 0; idx < 4; idx++) {
            set(&m, PMEVCNTR(idx), 1 + idx);
        }
        set(&m, VPMU_PMCCNTR, 5);
        set(&m, VPMU_PMICNTR, 6);
        set(&m, VPMU_PMOVSSET, ALL_ONES);
        set(&m, VPMU_PMUSERENR, EN);
        reg_set(&m, VPMU_PMCR, rows[i].pe, rows[i].val);
        for (unsigned idx = 0; idx < 4; idx++) {
            zeroed |= (uint64_t)(get(&m, PMEVCNTR(idx)) == 0) << idx;
        }
        zeroed |= (uint64_t)(get(&m, VPMU_PMCCNTR) == 0) << 4;
        zeroed |= (uint64_t)(get(&m, VPMU_PMICNTR) == 0) << 5;
        expect_in(rows[i].name, "zeroed", mask_of(rows[i].zeroed), zeroed);
        expect_in(rows[i].name, "P and C read as 0", 0,
                  get(&m, VPMU_PMCR) & (VPMU_PMCR_P | VPMU_PMCR_C));
        expect_in(rows[i].name, "overflow flags stay", 0x18000000f, get(&m, VPMU_PMOVSSET));
    }
}
END_TEST

/* PMCR.N reads as HPMN at EL0 and EL1 if EL2 is enabled, otherwise as N. */
START_TEST(number_of_counters)
{
    static const struct vpmu_pe el1_without_el2 = {.el = 1};
    static const struct {
        const char *name;
        unsigned features;
        uint64_t hpmn;
        const struct vpmu_pe *pe;
        uint64_t n;
    } rows[] = {
        {"EL0", VPMU_HAS_EL2, 2, &at_el0, 2},
        {"EL1", VPMU_HAS_EL2, 2, &at_el1, 2},
        {"AArch32 EL1", VPMU_HAS_EL2, 2, &at_el1_32, 2},
        {"EL1, HPMN 0", VPMU_HAS_EL2, 0, &at_el1, 0},
        {"EL1, HPMN > N", VPMU_HAS_EL2, 7, &at_el1, 4},
        {"EL1, EL2 not enabled", VPMU_HAS_EL2, 2, &el1_without_el2, 4},
        {"EL2", VPMU_HAS_EL2, 2, &at_el2, 4},
        {"EL3", VPMU_HAS_EL2 | VPMU_HAS_EL3, 2, &at_el3, 4},
        {"EL1 without EL2", 0, 2, &at_el1, 4},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine m;

        machine_start_as(&m, VPMU_V3P5, 4, rows[i].features);
        machine_control(&m, rows[i].hpmn, 0);
        expect_in(rows[i].name, "PMCR.N", rows[i].n,
                  reg_get(&m, VPMU_PMCR, rows[i].pe) >> VPMU_PMCR_N_SHIFT & VPMU_PMCR_N_MASK);
    }
}
END_TEST

/*
 * Bitmaps: EL0 and EL1 can access only the counters below HPMN, C and F0. All ones are written at
 * @pe; N is 4, HPMN is 2.
 */
START_TEST(bitmaps_by_level)
{
    static const struct vpmu_pe el1_f0_read = {
        .el = 1, .el2_enabled = true, .f0_read_trapped = true};
    static const struct vpmu_pe el1_f0_write = {
        .el = 1, .el2_enabled = true, .f0_write_trapped = true};
    static const struct {
        const char *name;
        const struct vpmu_pe *pe;
        uint64_t changed; /* as read at EL3 */
        uint64_t seen;    /* as read at @pe if all bits are 1 */
    } rows[] = {
        {"EL3", &at_el3, 0x18000000f, 0x18000000f},
        {"EL2", &at_el2, 0x18000000f, 0x18000000f},
        {"EL1", &at_el1, 0x180000003, 0x180000003},
        {"EL0 by EN: no F0", &at_el0, 0x080000003, 0x080000003},
        {"AArch32 EL1: 32 bits", &at_el1_32, 0x080000003, 0x080000003},
        {"AArch32 EL2: 32 bits", &at_el2_32, 0x08000000f, 0x08000000f},
        {"fine-grained trap of reads", &el1_f0_read, 0x180000003, 0x080000003},
        {"fine-grained trap of writes", &el1_f0_write, 0x080000003, 0x180000003},
    };
    static const unsigned regs[][2] = {
        {VPMU_PMCNTENSET, VPMU_PMCNTENCLR},
        {VPMU_PMINTENSET, VPMU_PMINTENCLR},
        {VPMU_PMOVSSET, VPMU_PMOVSCLR},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (size_t r = 0; r < COUNT_OF(regs); r++) {
            struct machine m;

            start_split(&m);
            set(&m, VPMU_PMUSERENR, EN);
            reg_set(&m, regs[r][0], rows[i].pe, ALL_ONES);
            expect_in(rows[i].name, "set", rows[i].changed, reg_get(&m, regs[r][0], &at_el3));
            reg_set(&m, regs[r][0], &at_el3, ALL_ONES);
            expect_in(rows[i].name, "seen", rows[i].seen, reg_get(&m, regs[r][0], rows[i].pe));
            expect_in(rows[i].name, "seen in the other", rows[i].seen,
                      reg_get(&m, regs[r][1], rows[i].pe));
            reg_set(&m, regs[r][1], rows[i].pe, ALL_ONES);
            expect_in(rows[i].name, "left", 0x18000000f & ~rows[i].changed,
                      reg_get(&m, regs[r][1], &at_el3));
        }
    }
}
END_TEST

/* MDCR_EL3.EnPM2 = 0 hides F0 from all but EL3. */
START_TEST(f0_without_enpm2)
{
    static const struct {
        const char *name;
        const struct vpmu_pe *pe;
        bool seen;
    } rows[] = {{"EL1", &at_el1, false}, {"EL2", &at_el2, false}, {"EL3", &at_el3, true}};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine m;

        start_full(&m);
        machine_control(&m, VPMU_MAX_EVENT_COUNTERS, 0);
        reg_set(&m, VPMU_PMCNTENSET, rows[i].pe, INSTS);
        expect_in(rows[i].name, "set", rows[i].seen ? INSTS : 0,
                  reg_get(&m, VPMU_PMCNTENSET, &at_el3));
        reg_set(&m, VPMU_PMCNTENSET, &at_el3, INSTS);
        expect_in(rows[i].name, "seen", rows[i].seen ? INSTS : 0,
                  reg_get(&m, VPMU_PMCNTENSET, rows[i].pe));
    }
}
END_TEST

/*
 * PMSWINC increments the counters in its mask that count SW_INCR in the current state. Counters 0,
 * 1 and 3 count it, counter 2 counts instructions; HPMN is 2, HPME is 1. The strings are PMEVCNTR0
 * to 3 afterwards.
 */
START_TEST(software_increment)
{
    static const struct {
        const char *name;
        const struct vpmu_pe *pe;
        uint64_t val;
        uint64_t filter0;
        bool enabled;
        const char *counts;
    } rows[] = {
        {"one", &at_el2, BIT(1), 0, true, "0100"},
        {"all, at EL2", &at_el2, ALL_ONES, 0, true, "1101"},
        {"all, at EL1: not those of EL2", &at_el1, ALL_ONES, 0, true, "1100"},
        {"all, at AArch32 EL1", &at_el1_32, ALL_ONES, 0, true, "1100"},
        {"all, at EL0", &at_el0, ALL_ONES, 0, true, "1100"},
        {"counter 2 counts something else", &at_el2, BIT(2), 0, true, "0000"},
        {"none", &at_el2, 0, 0, true, "0000"},
        {"counter 0 is filtered here", &at_el2, ALL_ONES, VPMU_TYPER_P, true, "0101"},
        {"PMCR.E = 0", &at_el2, ALL_ONES, 0, false, "0001"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint64_t counts = 0;
        struct machine m;

        start_split(&m);
        machine_control(&m, 2 | VPMU_MDCR_EL2_HPME, 0);
        set(&m, VPMU_PMUSERENR, EN);
        counter_start(&m, 0, VPMU_EVENT_SW_INCR | rows[i].filter0, 0);
        counter_start(&m, 1, VPMU_EVENT_SW_INCR, 0);
        counter_start(&m, 2, VPMU_EVENT_INST_RETIRED, 0);
        counter_start(&m, 3, VPMU_EVENT_SW_INCR, 0);
        set(&m, VPMU_PMCR, rows[i].enabled ? VPMU_PMCR_E : 0);
        reg_set(&m, VPMU_PMSWINC, rows[i].pe, rows[i].val);
        for (unsigned idx = 0; idx < 4; idx++) {
            counts |= get(&m, PMEVCNTR(idx)) << idx;
        }
        expect_in(rows[i].name, "counts", mask_of(rows[i].counts), counts);
    }
}
END_TEST

/* PMZR_EL0 zeroes the counters of its bits. */
START_TEST(zero_with_mask)
{
    static const struct {
        const char *name;
        const struct vpmu_pe *pe;
        uint64_t val;
        const char *zeroed; /* PMEVCNTR0 to 3, PMCCNTR, PMICNTR */
    } rows[] = {
        {"none", &at_el2, 0, "0000 0 0"},
        {"one", &at_el2, BIT(1), "0100 0 0"},
        {"C and F0", &at_el2, CYCLES | INSTS, "0000 1 1"},
        {"all at EL2", &at_el2, ALL_ONES, "1111 1 1"},
        {"all at EL1: not those of EL2", &at_el1, ALL_ONES, "1100 1 1"},
        {"all at EL0 by EN: not F0", &at_el0, ALL_ONES, "1100 1 0"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint64_t zeroed = 0;
        struct machine m;

        start_split(&m);
        set(&m, VPMU_PMUSERENR, EN);
        for (unsigned idx = 0; idx < 4; idx++) {
            set(&m, PMEVCNTR(idx), 7);
        }
        set(&m, VPMU_PMCCNTR, 7);
        set(&m, VPMU_PMICNTR, 7);
        reg_set(&m, VPMU_PMZR, rows[i].pe, rows[i].val);
        for (unsigned idx = 0; idx < 4; idx++) {
            zeroed |= (uint64_t)(get(&m, PMEVCNTR(idx)) == 0) << idx;
        }
        zeroed |= (uint64_t)(get(&m, VPMU_PMCCNTR) == 0) << 4;
        zeroed |= (uint64_t)(get(&m, VPMU_PMICNTR) == 0) << 5;
        expect_in(rows[i].name, "zeroed", mask_of(rows[i].zeroed), zeroed);
    }
}
END_TEST

/*
 * With PMUSERENR.UEN, EL0 can access the counters in PMUACR. ER makes event counters read-only to
 * it, CR the cycle counter, IR the fixed counter (Arm ARM D24.5 PMUACR_EL1, PMUSERENR_EL0). The
 * values are 7, and 9 is written in AArch64.
 */
START_TEST(one_counter_at_el0)
{
    static const struct {
        const char *name;
        unsigned reg;
        uint64_t uacr;
        uint64_t userenr;
        uint64_t seen;
        uint64_t after;
    } rows[] = {
        {"PMEVCNTR0", PMEVCNTR(0), BIT(0), UEN, 7, 9},
        {"PMEVCNTR0, not in PMUACR", PMEVCNTR(0), ~BIT(0), UEN, 0, 7},
        {"PMEVCNTR0, ER", PMEVCNTR(0), BIT(0), UEN | ER, 7, 7},
        {"PMEVCNTR0, CR and IR are not for it", PMEVCNTR(0), BIT(0), UEN | CR | IR, 7, 9},
        {"PMEVCNTR0, EN: PMUACR is of no account", PMEVCNTR(0), 0, EN, 7, 9},
        {"PMEVTYPER1", PMEVTYPER(1), BIT(1), UEN, 7, 9},
        {"PMEVTYPER1, not in PMUACR", PMEVTYPER(1), ~BIT(1), UEN, 0, 7},
        {"PMEVTYPER1, ER", PMEVTYPER(1), BIT(1), UEN | ER, 7, 7},
        {"PMXEVCNTR", VPMU_PMXEVCNTR, BIT(0), UEN, 7, 9},
        {"PMXEVCNTR, not in PMUACR", VPMU_PMXEVCNTR, ~BIT(0), UEN, 0, 7},
        {"PMXEVTYPER, ER", VPMU_PMXEVTYPER, BIT(0), UEN | ER, 7, 7},
        {"PMCCNTR", VPMU_PMCCNTR, CYCLES, UEN, 7, 9},
        {"PMCCNTR, not in PMUACR", VPMU_PMCCNTR, ~CYCLES, UEN, 0, 7},
        {"PMCCNTR, CR", VPMU_PMCCNTR, CYCLES, UEN | CR, 7, 7},
        {"PMCCNTR, ER and IR are not for it", VPMU_PMCCNTR, CYCLES, UEN | ER | IR, 7, 9},
        {"PMICNTR", VPMU_PMICNTR, INSTS, UEN, 7, 9},
        {"PMICNTR, not in PMUACR", VPMU_PMICNTR, ~INSTS, UEN, 0, 7},
        {"PMICNTR, IR", VPMU_PMICNTR, INSTS, UEN | IR, 7, 7},
        {"PMICNTR, ER and CR are not for it", VPMU_PMICNTR, INSTS, UEN | ER | CR, 7, 9},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine m;

        start_full(&m);
        set(&m, rows[i].reg, 7);
        set(&m, VPMU_PMUACR, rows[i].uacr);
        set(&m, VPMU_PMUSERENR, rows[i].userenr);
        expect_in(rows[i].name, "seen at EL0", rows[i].seen, reg_get(&m, rows[i].reg, &at_el0));
        reg_set(&m, rows[i].reg, &at_el0, 9);
        expect_in(rows[i].name, "after the write", rows[i].after, get(&m, rows[i].reg));
        expect_in(rows[i].name, "EL1 is not subject to it", rows[i].after,
                  reg_get(&m, rows[i].reg, &at_el1));
    }
}
END_TEST

/*
 * The access to PMCCFILTR and PMICFILTR is that of their counters. P, which is set before, is
 * written.
 */
START_TEST(filters_at_el0)
{
    static const struct {
        const char *name;
        unsigned reg;
        uint64_t uacr;
        uint64_t userenr;
        uint64_t after;
    } rows[] = {
        {"PMCCFILTR", VPMU_PMCCFILTR, CYCLES, UEN, 0},
        {"PMCCFILTR, CR", VPMU_PMCCFILTR, CYCLES, UEN | CR, VPMU_TYPER_P},
        {"PMCCFILTR, not in PMUACR", VPMU_PMCCFILTR, 0, UEN, VPMU_TYPER_P},
        {"PMICFILTR", VPMU_PMICFILTR, INSTS, UEN, 8},
        {"PMICFILTR, IR", VPMU_PMICFILTR, INSTS, UEN | IR, VPMU_TYPER_P | 8},
        {"PMICFILTR, not in PMUACR", VPMU_PMICFILTR, 0, UEN, VPMU_TYPER_P | 8},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine m;

        start_full(&m);
        set(&m, rows[i].reg, VPMU_TYPER_P);
        set(&m, VPMU_PMUACR, rows[i].uacr);
        set(&m, VPMU_PMUSERENR, rows[i].userenr);
        reg_set(&m, rows[i].reg, &at_el0, 0);
        expect(rows[i].name, rows[i].after, get(&m, rows[i].reg));
    }
}
END_TEST

/* Bitmaps at EL0 with UEN. All ones are written to a PMCNTENSET of 0 and read back. */
START_TEST(bitmaps_at_el0)
{
    static const struct {
        const char *name;
        uint64_t uacr;
        uint64_t userenr;
        uint64_t changed;
        uint64_t seen;
    } rows[] = {
        {"all of PMUACR", 0x1ffffffff, UEN, 0x1ffffffff, 0x1ffffffff},
        {"some", 0x180000005, UEN, 0x180000005, 0x180000005},
        {"none", 0, UEN, 0, 0},
        {"ER: events read-only", 0x180000005, UEN | ER, 0x180000000, 0x180000005},
        {"CR: cycles read-only", 0x180000005, UEN | CR, 0x100000005, 0x180000005},
        {"IR: F0 read-only", 0x180000005, UEN | IR, 0x080000005, 0x180000005},
        {"EN without UEN: not F0, no PMUACR", 0, EN | ER | CR, 0x0ffffffff, 0x0ffffffff},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine m;

        start_full(&m);
        set(&m, VPMU_PMUACR, rows[i].uacr);
        set(&m, VPMU_PMUSERENR, rows[i].userenr);
        reg_set(&m, VPMU_PMCNTENSET, &at_el0, ALL_ONES);
        expect_in(rows[i].name, "changed", rows[i].changed, get(&m, VPMU_PMCNTENSET));
        set(&m, VPMU_PMCNTENSET, ALL_ONES);
        expect_in(rows[i].name, "seen", rows[i].seen, reg_get(&m, VPMU_PMCNTENSET, &at_el0));
    }
}
END_TEST

/* PMSWINC at EL0 with UEN increments the counters in PMUACR, or all counters if SW is set. */
START_TEST(software_increment_at_el0)
{
    static const struct {
        const char *name;
        uint64_t userenr;
        const char *counts;
    } rows[] = {
        {"UEN", UEN, "0101"},         {"UEN, ER is not for PMSWINC", UEN | ER, "0101"},
        {"UEN SW", UEN | SW, "1111"}, {"EN", EN, "1111"},
        {"SW", SW, "1111"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint64_t counts = 0;
        struct machine m;

        start_full(&m);
        for (unsigned idx = 0; idx < 4; idx++) {
            counter_start(&m, idx, VPMU_EVENT_SW_INCR, 0);
        }
        pmcr_enable(&m);
        set(&m, VPMU_PMUACR, BIT(1) | BIT(3));
        set(&m, VPMU_PMUSERENR, rows[i].userenr);
        machine_enter(&m, NS_EL0);
        reg_set(&m, VPMU_PMSWINC, &at_el0, 0xf);
        for (unsigned idx = 0; idx < 4; idx++) {
            counts |= get(&m, PMEVCNTR(idx)) << idx;
        }
        expect_in(rows[i].name, "counts", mask_of(rows[i].counts), counts);
    }
}
END_TEST

/* PMUACR_EL1: EL1 can neither read nor change the bits from HPMN up. */
START_TEST(pmuacr_by_level)
{
    struct machine m;

    start_split(&m);
    reg_set(&m, VPMU_PMUACR, &at_el1, ALL_ONES);
    expect("EL1 sets", 0x180000003, get(&m, VPMU_PMUACR));
    set(&m, VPMU_PMUACR, ALL_ONES);
    expect("EL2 sets", 0x18000000f, get(&m, VPMU_PMUACR));
    expect("EL1 sees", 0x180000003, reg_get(&m, VPMU_PMUACR, &at_el1));
    reg_set(&m, VPMU_PMUACR, &at_el1, 0);
    expect("EL1 clears", 0x00000000c, get(&m, VPMU_PMUACR));
}
END_TEST

Suite *bank_suite(void)
{
    const TTest *const tests[] = {
        registers_in_both_views,
        registers_of_one_view,
        upper_halves,
        smallest,
        refusals,
        selection,
        resets_of_counters,
        number_of_counters,
        bitmaps_by_level,
        f0_without_enpm2,
        software_increment,
        zero_with_mask,
        one_counter_at_el0,
        filters_at_el0,
        bitmaps_at_el0,
        software_increment_at_el0,
        pmuacr_by_level,
    };

    return suite_of("bank", tests, COUNT_OF(tests));
}

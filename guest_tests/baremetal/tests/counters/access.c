/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * Which level may access which register, which bits a register keeps, and which registers share
 * state.
 */
#include "registers/pmu.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"
#include "tests/levels/filter_rule.h"

/* The bits of PMUSERENR any of which gives EL0 access. */
#define EN PMUSERENR_EN
#define EN_SW (PMUSERENR_EN | PMUSERENR_SW)
#define EN_CR (PMUSERENR_EN | PMUSERENR_CR)
#define EN_ER (PMUSERENR_EN | PMUSERENR_ER)
#define ALWAYS (~UINT64_C(0))
/* UNDEFINED at EL0; and UNDEFINED at every level. */
#define NEVER UINT64_C(0)

#define DEFINE_ACCESSES(name)                                                                      \
    static uint64_t get_##name(uint64_t arg)                                                       \
    {                                                                                              \
        (void)arg;                                                                                 \
        return read_sysreg(name);                                                                  \
    }                                                                                              \
    static uint64_t set_##name(uint64_t value)                                                     \
    {                                                                                              \
        write_sysreg(name, value);                                                                 \
        return 0;                                                                                  \
    }

/* Registers whose names an assembler may reject in one direction are given by their encodings. */
#define PMSWINC S3_3_C9_C12_4
#define PMCEID0 S3_3_C9_C12_6
#define PMCEID1 S3_3_C9_C12_7

DEFINE_ACCESSES(pmcr_el0)
DEFINE_ACCESSES(pmcntenset_el0)
DEFINE_ACCESSES(pmcntenclr_el0)
DEFINE_ACCESSES(pmovsclr_el0)
DEFINE_ACCESSES(PMSWINC)
DEFINE_ACCESSES(pmselr_el0)
DEFINE_ACCESSES(PMCEID0)
DEFINE_ACCESSES(PMCEID1)
DEFINE_ACCESSES(pmccntr_el0)
DEFINE_ACCESSES(pmxevtyper_el0)
DEFINE_ACCESSES(pmxevcntr_el0)
DEFINE_ACCESSES(pmuserenr_el0)
DEFINE_ACCESSES(pmovsset_el0)
DEFINE_ACCESSES(pmevcntr0_el0)
DEFINE_ACCESSES(pmevtyper0_el0)
DEFINE_ACCESSES(pmccfiltr_el0)
DEFINE_ACCESSES(pmintenset_el1)
DEFINE_ACCESSES(pmintenclr_el1)

struct reg {
    const char *name;
    level_fn read, write;
    /* The bits of PMUSERENR that allow EL0 to read, and to write. */
    uint64_t read_by, write_by;
    /* The syndrome of a read, without Rt. */
    uint64_t iss;
    /* No level may read it, or write it. */
    bool write_only, read_only;
};

#define REG(name_, read_by_, write_by_, op1, crn, crm, op2, write_only_, read_only_)               \
    {                                                                                              \
        .name = #name_, .read = get_##name_, .write = set_##name_, .read_by = (read_by_),          \
        .write_by = (write_by_), .iss = ISS_SYSREG(3, op1, crn, crm, op2, 1),                      \
        .write_only = (write_only_), .read_only = (read_only_),                                    \
    }

static const struct reg regs[] = {
    REG(pmcr_el0, EN, EN, 3, 9, 12, 0, false, false),
    REG(pmcntenset_el0, EN, EN, 3, 9, 12, 1, false, false),
    REG(pmcntenclr_el0, EN, EN, 3, 9, 12, 2, false, false),
    REG(pmovsclr_el0, EN, EN, 3, 9, 12, 3, false, false),
    REG(PMSWINC, NEVER, EN_SW, 3, 9, 12, 4, true, false),
    REG(pmselr_el0, EN_ER, EN_ER, 3, 9, 12, 5, false, false),
    REG(PMCEID0, EN, NEVER, 3, 9, 12, 6, false, true),
    REG(PMCEID1, EN, NEVER, 3, 9, 12, 7, false, true),
    REG(pmccntr_el0, EN_CR, EN, 3, 9, 13, 0, false, false),
    REG(pmxevtyper_el0, EN, EN, 3, 9, 13, 1, false, false),
    REG(pmxevcntr_el0, EN_ER, EN, 3, 9, 13, 2, false, false),
    REG(pmuserenr_el0, ALWAYS, NEVER, 3, 9, 14, 0, false, false),
    REG(pmovsset_el0, EN, EN, 3, 9, 14, 3, false, false),
    REG(pmevcntr0_el0, EN_ER, EN, 3, 14, 8, 0, false, false),
    REG(pmevtyper0_el0, EN, EN, 3, 14, 12, 0, false, false),
    REG(pmccfiltr_el0, EN, EN, 3, 14, 15, 7, false, false),
    REG(pmintenset_el1, NEVER, NEVER, 0, 9, 14, 1, false, false),
    REG(pmintenclr_el1, NEVER, NEVER, 0, 9, 14, 2, false, false),
};

#define REGS (sizeof(regs) / sizeof(regs[0]))

static void expect_access(const struct reg *reg, uint64_t userenr, bool write)
{
    uint64_t by = write ? reg->write_by : reg->read_by;
    struct trap trap;

    write_sysreg(pmuserenr_el0, userenr);
    trap = run_expecting_exception(EL0, write ? reg->write : reg->read, 0);
    if (by == ALWAYS || (by & userenr)) {
        expect_eq(reg->name, userenr, 0, trap.count);
        return;
    }
    expect_eq(reg->name, userenr, 1, trap.count);
    expect_eq(reg->name, userenr, EL1, trap.el);
    if (by == NEVER) {
        expect_eq(reg->name, userenr, EC_UNKNOWN, ESR_EC(trap.esr));
        return;
    }
    expect_eq(reg->name, userenr, EC_SYSREG, ESR_EC(trap.esr));
    expect_eq(reg->name, userenr, reg->iss & ~(uint64_t)write,
              ESR_ISS(trap.esr) & ~ISS_SYSREG_RT_MASK);
}

/* Tests all registers, reads and writes, with all 16 values of EN, SW, CR and ER. */
static void test_user_reads(void)
{
    for (unsigned i = 0; i < REGS; i++) {
        for (uint64_t userenr = 0; userenr < 16; userenr++) {
            expect_access(&regs[i], userenr, false);
        }
    }
}

static void test_user_writes(void)
{
    for (unsigned i = 0; i < REGS; i++) {
        for (uint64_t userenr = 0; userenr < 16; userenr++) {
            expect_access(&regs[i], userenr, true);
        }
    }
}

/* A register that cannot be read, or cannot be written, is UNDEFINED at EL1 too. */
static void test_directions(void)
{
    for (unsigned i = 0; i < REGS; i++) {
        struct trap read = run_expecting_exception(EL1, regs[i].read, 0);
        struct trap write = run_expecting_exception(EL1, regs[i].write, 0);

        expect_eq(regs[i].name, 0, regs[i].write_only, read.count);
        expect_eq(regs[i].name, 1, regs[i].read_only, write.count);
        if (read.count + write.count > 0) {
            expect_eq(regs[i].name, 2, EC_UNKNOWN, ESR_EC(read.count ? read.esr : write.esr));
        }
    }
}

static uint64_t get_evcntr(uint64_t n)
{
    return read_pmevcntr((unsigned)n);
}

static uint64_t get_evtyper(uint64_t n)
{
    return read_pmevtyper((unsigned)n);
}

/* Event counters that do not exist are UNDEFINED, also at EL0 if it may access the others. */
static void test_missing_counters(void)
{
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    for (unsigned n = pmu_counters(); n < PMU_MAX_COUNTERS; n++) {
        for (unsigned level = EL0; level <= EL1; level++) {
            struct trap cntr = run_expecting_exception((enum level)level, get_evcntr, n);
            struct trap typer = run_expecting_exception((enum level)level, get_evtyper, n);

            expect_eq("PMEVCNTR", n, 1, cntr.count);
            expect_eq("PMEVCNTR", n, EC_UNKNOWN, ESR_EC(cntr.esr));
            expect_eq("PMEVTYPER", n, 1, typer.count);
            expect_eq("PMEVTYPER", n, EC_UNKNOWN, ESR_EC(typer.esr));
        }
    }
}

/* PMSELR selects which counter PMXEVTYPER and PMXEVCNTR access; 31 selects PMCCFILTR. */
static void test_selected(void)
{
    for (unsigned n = 0; n < pmu_counters(); n++) {
        write_sysreg(pmselr_el0, n);
        isb();
        write_sysreg(pmxevcntr_el0, 0x1000 + n);
        write_sysreg(pmxevtyper_el0, PMEVTYPER_U | EVENT_INST_RETIRED);
        isb();
        expect_eq("PMEVCNTR", n, 0x1000 + n, read_pmevcntr(n));
        expect_eq("PMEVTYPER", n, PMEVTYPER_U | EVENT_INST_RETIRED, read_pmevtyper(n));
        write_pmevcntr(n, 0x2000 + n);
        write_pmevtyper(n, PMEVTYPER_P);
        isb();
        expect_eq("PMXEVCNTR", n, 0x2000 + n, read_sysreg(pmxevcntr_el0));
        expect_eq("PMXEVTYPER", n, PMEVTYPER_P, read_sysreg(pmxevtyper_el0));
    }
    write_sysreg(pmselr_el0, CYCLE_COUNTER);
    isb();
    write_sysreg(pmxevtyper_el0, PMEVTYPER_U);
    isb();
    expect_eq("PMCCFILTR", 0, PMEVTYPER_U, read_sysreg(pmccfiltr_el0));
    write_sysreg(pmccfiltr_el0, PMEVTYPER_P);
    isb();
    expect_eq("PMXEVTYPER", 31, PMEVTYPER_P, read_sysreg(pmxevtyper_el0));
}

static bool has_fgt(void)
{
    return FIELD(read_sysreg(id_aa64mmfr0_el1), 56, 4) != 0;
}

/*
 * With FEAT_FGT, using PMXEVTYPER or PMXEVCNTR is UNDEFINED at any level if PMSELR selects a
 * counter that does not exist.
 */
static void test_selected_missing(void)
{
    if (!has_fgt()) {
        skip_test("no FEAT_FGT: constrained unpredictable");
        return;
    }
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    for (unsigned n = pmu_counters(); n <= CYCLE_COUNTER; n++) {
        write_sysreg(pmselr_el0, n);
        isb();
        for (unsigned level = EL0; level <= EL1; level++) {
            struct trap cntr = run_expecting_exception((enum level)level, get_pmxevcntr_el0, 0);
            struct trap typer = run_expecting_exception((enum level)level, get_pmxevtyper_el0, 0);

            expect_eq("PMXEVCNTR", n, 1, cntr.count);
            expect_eq("PMXEVCNTR", n, EC_UNKNOWN, ESR_EC(cntr.esr));
            expect_eq("PMXEVTYPER", n, n != CYCLE_COUNTER, typer.count);
            expect_eq("PMXEVTYPER", n, EC_UNKNOWN, ESR_EC(typer.esr));
        }
    }
}

static void test_pmselr(void)
{
    write_sysreg(pmselr_el0, ~UINT64_C(0));
    expect_eq("ones", 0, 0x1f, read_sysreg(pmselr_el0));
    write_sysreg(pmselr_el0, 0);
    expect_eq("zeros", 0, 0, read_sysreg(pmselr_el0));
}

/* A set and a clear register are two views of the same bits. */
static void check_bitmap(const char *name, level_fn get, level_fn set, level_fn get_clr,
                         level_fn clear)
{
    clear(~UINT64_C(0));
    set(~UINT64_C(0));
    expect_eq(name, 0, pmu_mask(), get(0));
    expect_eq(name, 1, pmu_mask(), get_clr(0));
    clear(0x80000001);
    expect_eq(name, 2, pmu_mask() & ~UINT64_C(0x80000001), get(0));
    set(0x80000000);
    expect_eq(name, 3, pmu_mask() & ~UINT64_C(1), get_clr(0));
    set(0);
    clear(0);
    expect_eq(name, 4, pmu_mask() & ~UINT64_C(1), get(0));
    clear(~UINT64_C(0));
    expect_eq(name, 5, 0, get(0));
}

static bool has_icntr(void)
{
    return FIELD(read_sysreg(id_aa64dfr1_el1), 36, 4) != 0;
}

static void test_bitmaps(void)
{
    if (has_icntr()) {
        skip_test("FEAT_PMUv3_ICNTR adds a bit");
        return;
    }
    check_bitmap("PMCNTEN", get_pmcntenset_el0, set_pmcntenset_el0, get_pmcntenclr_el0,
                 set_pmcntenclr_el0);
    check_bitmap("PMINTEN", get_pmintenset_el1, set_pmintenset_el1, get_pmintenclr_el1,
                 set_pmintenclr_el1);
    check_bitmap("PMOVS", get_pmovsset_el0, set_pmovsset_el0, get_pmovsclr_el0, set_pmovsclr_el0);
}

static void test_pmuserenr(void)
{
    uint64_t bits = 0xf;

    bits |= pmu_version() >= PMUVER_V3P9 ? PMUSERENR_UEN | PMUSERENR_TID : 0;
    bits |= has_icntr() ? PMUSERENR_IR : 0;
    write_sysreg(pmuserenr_el0, ~UINT64_C(0));
    expect_eq("ones", 0, bits, read_sysreg(pmuserenr_el0));
    write_sysreg(pmuserenr_el0, 0);
    expect_eq("zeros", 0, 0, read_sysreg(pmuserenr_el0));
}

/* Filter bits exist for the implemented levels and states; the rest of the lower half is RES0. */
static void test_filter_bits(void)
{
    bool mt = FIELD(read_sysreg(id_aa64dfr0_el1), 48, 4) == 1;
    uint64_t ignored = mt ? PMEVTYPER_MT : 0;

    for (unsigned n = 0; n < pmu_counters(); n++) {
        write_pmevtyper(n, 0xffff0000);
        expect_eq("PMEVTYPER", n, filter_bits(), read_pmevtyper(n) & 0xffff0000 & ~ignored);
        write_pmevtyper(n, 0);
        expect_eq("PMEVTYPER", n, 0, read_pmevtyper(n));
    }
    write_sysreg(pmccfiltr_el0, ~UINT64_C(0));
    expect_eq("PMCCFILTR", 0, filter_bits(), read_sysreg(pmccfiltr_el0));
    write_sysreg(pmccfiltr_el0, 0);
    expect_eq("PMCCFILTR", 1, 0, read_sysreg(pmccfiltr_el0));
}

/*
 * PMCR.P and PMCR.C reset what the architecture says, and leave overflow flags and enables
 * unchanged.
 */
static void test_reset_bits(void)
{
    write_sysreg(pmcntenset_el0, pmu_mask());
    write_sysreg(pmovsset_el0, pmu_mask());
    for (unsigned n = 0; n < pmu_counters(); n++) {
        write_pmevcntr(n, 7);
    }
    write_sysreg(pmccntr_el0, 9);
    write_sysreg(pmcr_el0, PMCR_P);
    for (unsigned n = 0; n < pmu_counters(); n++) {
        expect_eq("P: PMEVCNTR", n, 0, read_pmevcntr(n));
        write_pmevcntr(n, 7);
    }
    expect_eq("P: PMCCNTR", 0, 9, read_sysreg(pmccntr_el0));
    write_sysreg(pmcr_el0, PMCR_C);
    for (unsigned n = 0; n < pmu_counters(); n++) {
        expect_eq("C: PMEVCNTR", n, 7, read_pmevcntr(n));
    }
    expect_eq("C: PMCCNTR", 0, 0, read_sysreg(pmccntr_el0));
    expect_eq("PMCNTENSET", 0, pmu_mask(), read_sysreg(pmcntenset_el0));
    expect_eq("PMOVSSET", 0, pmu_mask(), read_sysreg(pmovsset_el0));
}

const struct test test_table[] = {
    TEST("access.user-reads", test_user_reads, .counters = 1),
    TEST("access.user-writes", test_user_writes, .counters = 1),
    TEST("access.directions", test_directions, .counters = 1),
    TEST("access.missing-counters", test_missing_counters, .counters = 0),
    TEST("access.selected", test_selected, .counters = 0),
    TEST("access.selected-missing", test_selected_missing, .counters = 0),
    TEST("access.pmselr", test_pmselr, .counters = 0),
    TEST("access.bitmaps", test_bitmaps, .counters = 1),
    TEST("access.pmuserenr", test_pmuserenr, .counters = 0),
    TEST("access.filter-bits", test_filter_bits, .counters = 0),
    TEST("access.reset-bits", test_reset_bits, .counters = 0),
    {0},
};

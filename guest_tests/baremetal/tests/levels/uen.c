/* SPDX-License-Identifier: GPL-2.0-or-later */

/* PMUv3p9: PMUSERENR.UEN gives EL0 access to what PMUACR_EL1 names, counter by counter. */
#include "registers/pmu.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"

#define UEN PMUSERENR_UEN
#define ALL (~UINT64_C(0))

#define DEFINE_GET(name)                                                                           \
    static uint64_t get_##name(uint64_t arg)                                                       \
    {                                                                                              \
        (void)arg;                                                                                 \
        return read_sysreg(name);                                                                  \
    }
#define DEFINE_SET(name)                                                                           \
    static uint64_t set_##name(uint64_t value)                                                     \
    {                                                                                              \
        write_sysreg(name, value);                                                                 \
        __asm__ volatile("isb");                                                                   \
        return 0;                                                                                  \
    }

#define PMCEID0 S3_3_C9_C12_6

DEFINE_GET(pmcr_el0)
DEFINE_SET(pmcr_el0)
DEFINE_GET(pmccntr_el0)
DEFINE_SET(pmccntr_el0)
DEFINE_GET(pmccfiltr_el0)
DEFINE_SET(pmccfiltr_el0)
DEFINE_GET(pmevcntr0_el0)
DEFINE_SET(pmevcntr0_el0)
DEFINE_GET(pmevcntr1_el0)
DEFINE_SET(pmevcntr1_el0)
DEFINE_SET(pmevtyper0_el0)
DEFINE_GET(pmevtyper1_el0)
DEFINE_SET(pmevtyper1_el0)
DEFINE_GET(pmxevcntr_el0)
DEFINE_SET(pmxevcntr_el0)
DEFINE_GET(pmxevtyper_el0)
DEFINE_SET(pmxevtyper_el0)
DEFINE_SET(pmselr_el0)
DEFINE_GET(pmcntenset_el0)
DEFINE_SET(pmcntenset_el0)
DEFINE_SET(pmcntenclr_el0)
DEFINE_GET(pmovsset_el0)
DEFINE_SET(pmovsset_el0)
DEFINE_SET(pmovsclr_el0)

static uint64_t get_PMCEID0(uint64_t arg)
{
    (void)arg;
    return read_sysreg(PMCEID0);
}

static uint64_t set_PMZR(uint64_t value)
{
    write_sysreg(PMZR_EL0, value);
    return 0;
}

static uint64_t set_pmswinc(uint64_t value)
{
    write_sysreg(pmswinc_el0, value);
    return 0;
}

static void allow(uint64_t userenr, uint64_t pmuacr)
{
    write_sysreg(pmuserenr_el0, userenr);
    write_sysreg(PMUACR_EL1, pmuacr);
    isb();
}

/* PMUACR has a bit for each counter. */
static void test_pmuacr(void)
{
    write_sysreg(PMUACR_EL1, ALL);
    expect_eq("ones", 0, pmu_mask(), read_sysreg(PMUACR_EL1) & 0xffffffff);
    write_sysreg(PMUACR_EL1, 0);
    expect_eq("zeros", 0, 0, read_sysreg(PMUACR_EL1));
}

/* Counter 0 is allowed, counter 1 reads as zero and ignores writes. */
static void test_event_counters(void)
{
    allow(UEN, BIT(0));
    write_pmevcntr(0, 11);
    write_pmevcntr(1, 12);
    write_pmevtyper(1, PMEVTYPER_U);
    expect_eq("read 0", 0, 11, call_at(EL0, get_pmevcntr0_el0, 0));
    expect_eq("read 1", 0, 0, call_at(EL0, get_pmevcntr1_el0, 0));
    expect_eq("read type 1", 0, 0, call_at(EL0, get_pmevtyper1_el0, 0));
    call_at(EL0, set_pmevcntr0_el0, 21);
    call_at(EL0, set_pmevcntr1_el0, 22);
    call_at(EL0, set_pmevtyper0_el0, PMEVTYPER_P);
    call_at(EL0, set_pmevtyper1_el0, PMEVTYPER_P);
    expect_eq("write 0", 0, 21, read_pmevcntr(0));
    expect_eq("write 1", 0, 12, read_pmevcntr(1));
    expect_eq("write type 0", 0, PMEVTYPER_P, read_pmevtyper(0));
    expect_eq("write type 1", 0, PMEVTYPER_U, read_pmevtyper(1));
}

/* The same by PMSELR. */
static void test_selected(void)
{
    allow(UEN, BIT(0));
    for (unsigned n = 0; n < 2; n++) {
        write_pmevcntr(n, 30);
        write_pmevtyper(n, PMEVTYPER_U);
        call_at(EL0, set_pmselr_el0, n);
        expect_eq("PMXEVCNTR", n, n == 0 ? 30 : 0, call_at(EL0, get_pmxevcntr_el0, 0));
        expect_eq("PMXEVTYPER", n, n == 0 ? PMEVTYPER_U : 0, call_at(EL0, get_pmxevtyper_el0, 0));
        call_at(EL0, set_pmxevcntr_el0, 40);
        call_at(EL0, set_pmxevtyper_el0, PMEVTYPER_P);
        expect_eq("PMEVCNTR", n, n == 0 ? 40 : 30, read_pmevcntr(n));
        expect_eq("PMEVTYPER", n, n == 0 ? PMEVTYPER_P : PMEVTYPER_U, read_pmevtyper(n));
    }
}

/* ER makes the event counters read-only, CR the cycle counter. */
static void test_read_only(void)
{
    allow(UEN | PMUSERENR_ER, ALL);
    write_pmevcntr(0, 11);
    write_pmevtyper(0, PMEVTYPER_U);
    call_at(EL0, set_pmevcntr0_el0, 21);
    call_at(EL0, set_pmevtyper0_el0, PMEVTYPER_P);
    call_at(EL0, set_pmccntr_el0, 23);
    expect_eq("ER: read", 0, 11, call_at(EL0, get_pmevcntr0_el0, 0));
    expect_eq("ER: PMEVCNTR", 0, 11, read_pmevcntr(0));
    expect_eq("ER: PMEVTYPER", 0, PMEVTYPER_U, read_pmevtyper(0));
    expect_eq("ER: PMCCNTR", 0, 23, read_sysreg(pmccntr_el0));
    allow(UEN | PMUSERENR_CR, ALL);
    call_at(EL0, set_pmevcntr0_el0, 31);
    call_at(EL0, set_pmccntr_el0, 33);
    call_at(EL0, set_pmccfiltr_el0, PMEVTYPER_P);
    expect_eq("CR: PMEVCNTR", 0, 31, read_pmevcntr(0));
    expect_eq("CR: PMCCNTR", 0, 23, read_sysreg(pmccntr_el0));
    expect_eq("CR: PMCCFILTR", 0, 0, read_sysreg(pmccfiltr_el0));
    expect_eq("CR: read", 0, 23, call_at(EL0, get_pmccntr_el0, 0));
}

static void test_cycle_counter(void)
{
    allow(UEN, BIT(0));
    write_sysreg(pmccntr_el0, 50);
    write_sysreg(pmccfiltr_el0, PMEVTYPER_U);
    call_at(EL0, set_pmccntr_el0, 60);
    call_at(EL0, set_pmccfiltr_el0, 0);
    expect_eq("read", 0, 0, call_at(EL0, get_pmccntr_el0, 0));
    expect_eq("read filter", 0, 0, call_at(EL0, get_pmccfiltr_el0, 0));
    expect_eq("write", 0, 50, read_sysreg(pmccntr_el0));
    expect_eq("write filter", 0, PMEVTYPER_U, read_sysreg(pmccfiltr_el0));
    allow(UEN, BIT(CYCLE_COUNTER));
    expect_eq("read", 1, 50, call_at(EL0, get_pmccntr_el0, 0));
    call_at(EL0, set_pmccntr_el0, 60);
    expect_eq("write", 1, 60, read_sysreg(pmccntr_el0));
}

/* Bits of other counters are hidden; bits of read-only counters are read-only. */
static void check_bitmap(const char *name, level_fn get, level_fn set, level_fn clear)
{
    uint64_t shown = BIT(0) | BIT(CYCLE_COUNTER);

    clear(ALL);
    allow(UEN, shown);
    call_at(EL0, set, ALL);
    expect_eq(name, 0, shown, get(0));
    set(pmu_mask());
    expect_eq(name, 1, shown, call_at(EL0, get, 0));
    call_at(EL0, clear, ALL);
    expect_eq(name, 2, pmu_mask() & ~shown, get(0));
    allow(UEN | PMUSERENR_ER, shown);
    call_at(EL0, set, ALL);
    expect_eq(name, 3, pmu_mask() & ~BIT(0), get(0));
    allow(UEN | PMUSERENR_CR, shown);
    call_at(EL0, clear, ALL);
    call_at(EL0, set, ALL);
    expect_eq(name, 4, pmu_mask(), get(0));
    clear(ALL);
}

static void test_bitmaps(void)
{
    check_bitmap("PMCNTEN", get_pmcntenset_el0, set_pmcntenset_el0, set_pmcntenclr_el0);
    check_bitmap("PMOVS", get_pmovsset_el0, set_pmovsset_el0, set_pmovsclr_el0);
}

/* Software increments obey PMUACR, unless SW allows them. */
static void test_software_increment(void)
{
    pmu_count(0, EVENT_SW_INCR);
    pmu_count(1, EVENT_SW_INCR);
    allow(UEN, BIT(0));
    call_at(EL0, set_pmswinc, 3);
    expect_eq("allowed", 0, 1, read_pmevcntr(0));
    expect_eq("hidden", 0, 0, read_pmevcntr(1));
    allow(UEN | PMUSERENR_SW, BIT(0));
    call_at(EL0, set_pmswinc, 3);
    expect_eq("SW, allowed", 0, 2, read_pmevcntr(0));
    expect_eq("SW, hidden", 0, 1, read_pmevcntr(1));
}

static void set_all(uint64_t value)
{
    write_pmevcntr(0, value);
    write_pmevcntr(1, value);
    write_sysreg(pmccntr_el0, value);
}

static void expect_all(const char *where, uint64_t first, uint64_t second, uint64_t cycles)
{
    expect_eq(where, 0, first, read_pmevcntr(0));
    expect_eq(where, 1, second, read_pmevcntr(1));
    expect_eq(where, CYCLE_COUNTER, cycles, read_sysreg(pmccntr_el0));
}

/* PMZR zeroes the counters that it names; from EL0 only those that EL0 may write. */
static void test_zero(void)
{
    set_all(9);
    set_PMZR(BIT(1));
    expect_all("here", 9, 0, 9);
    set_PMZR(ALL);
    expect_all("here, all", 0, 0, 0);
    set_all(9);
    allow(UEN, BIT(0) | BIT(CYCLE_COUNTER));
    call_at(EL0, set_PMZR, ALL);
    expect_all("EL0", 0, 9, 0);
    set_all(9);
    allow(UEN | PMUSERENR_ER, ALL);
    call_at(EL0, set_PMZR, ALL);
    expect_all("EL0, ER", 9, 9, 0);
    set_all(9);
    allow(UEN | PMUSERENR_CR, ALL);
    call_at(EL0, set_PMZR, ALL);
    expect_all("EL0, CR", 0, 0, 9);
    set_all(9);
    allow(PMUSERENR_EN, 0);
    call_at(EL0, set_PMZR, ALL);
    expect_all("EL0, EN", 0, 0, 0);
    allow(0, ALL);
    expect_eq("EL0, refused", 0, 1, run_expecting_exception(EL0, set_PMZR, ALL).count);
}

/* UEN does not give access to PMCR, not even together with EN. */
static void test_pmcr(void)
{
    allow(UEN, ALL);
    expect_eq("UEN", 0, 1, run_expecting_exception(EL0, get_pmcr_el0, 0).count);
    expect_eq("UEN, write", 0, 1, run_expecting_exception(EL0, set_pmcr_el0, 0).count);
    allow(UEN | PMUSERENR_EN, ALL);
    expect_eq("UEN and EN", 0, 1, run_expecting_exception(EL0, get_pmcr_el0, 0).count);
    allow(PMUSERENR_EN, ALL);
    expect_eq("EN", 0, 0, run_expecting_exception(EL0, get_pmcr_el0, 0).count);
}

/* Without UEN, PMUACR has no effect. */
static void test_without_uen(void)
{
    allow(PMUSERENR_EN, 0);
    write_pmevcntr(1, 5);
    expect_eq("read", 0, 5, call_at(EL0, get_pmevcntr1_el0, 0));
    call_at(EL0, set_pmevcntr1_el0, 6);
    expect_eq("write", 0, 6, read_pmevcntr(1));
}

/* TID traps the ID registers, whatever else allows them. */
static void test_tid(void)
{
    allow(UEN, 0);
    expect_eq("UEN", 0, 0, run_expecting_exception(EL0, get_PMCEID0, 0).count);
    allow(UEN | PMUSERENR_TID, 0);
    expect_eq("UEN and TID", 0, 1, run_expecting_exception(EL0, get_PMCEID0, 0).count);
    allow(PMUSERENR_EN | PMUSERENR_TID, 0);
    expect_eq("EN and TID", 0, 1, run_expecting_exception(EL0, get_PMCEID0, 0).count);
}

#define UEN_TEST(name, run) TEST(name, run, .counters = 2, .version = PMUVER_V3P9)

const struct test test_table[] = {
    UEN_TEST("uen.pmuacr", test_pmuacr),
    UEN_TEST("uen.event-counters", test_event_counters),
    UEN_TEST("uen.selected", test_selected),
    UEN_TEST("uen.read-only", test_read_only),
    UEN_TEST("uen.cycle-counter", test_cycle_counter),
    UEN_TEST("uen.bitmaps", test_bitmaps),
    UEN_TEST("uen.software-increment", test_software_increment),
    UEN_TEST("uen.zero", test_zero),
    UEN_TEST("uen.pmcr", test_pmcr),
    UEN_TEST("uen.without-uen", test_without_uen),
    UEN_TEST("uen.tid", test_tid),
    {0},
};

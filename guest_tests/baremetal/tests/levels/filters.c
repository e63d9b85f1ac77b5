/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * The filter bits of PMEVTYPER and PMCCFILTR: every combination, at every level and in every state.
 */
#include "registers/pmu.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"
#include "tests/levels/filter_rule.h"
#include "tests/counters/loops.h"

#define RUNS 1000u
#define ITERATIONS 10u
/* Filters are bits 31 to 20. These are all combinations of the bits that PMUv3 has with EL3. */
#define FIRST_FILTER_BIT 20u
#define COMBINATIONS 4096u
#define FILTERS                                                                                    \
    (PMEVTYPER_P | PMEVTYPER_U | PMEVTYPER_NSK | PMEVTYPER_NSU | PMEVTYPER_NSH | PMEVTYPER_M |     \
     PMEVTYPER_SH)
#define REALM_FILTERS (PMEVTYPER_RLK | PMEVTYPER_RLU | PMEVTYPER_RLH)

/*
 * Sets the next combination after a filter. Returns false after the last. Bits that do not exist
 * stay 0.
 */
static bool next_filter(uint64_t *filter)
{
    uint64_t bits = FILTERS | (has_realm() ? REALM_FILTERS : 0);

    do {
        *filter += BIT(FIRST_FILTER_BIT);
    } while (*filter & ~bits & 0xffffffff);
    return *filter < (uint64_t)COMBINATIONS << FIRST_FILTER_BIT;
}

static void check_events(enum level level, enum security security)
{
    struct loop_runs runs = {.loop = &loops[0], .iterations = ITERATIONS};
    uint64_t filter = 0;

    /* There are eight times as many combinations, so each has fewer runs. */
    runs.runs = has_realm() ? RUNS / 8 : RUNS;
    do {
        runs.tag = filter;
        runs.expected =
            filter_counts(filter, level, security) ? loop_count(&loops[0], ITERATIONS) : 0;
        pmu_count(0, EVENT_INST_RETIRED | filter);
        expect_loop_runs("PMEVTYPER", level, &runs);
    } while (next_filter(&filter));
}

/* Without the loops of loops.h, which need an event counter. */
static uint64_t cycles_of_loop(uint64_t iterations)
{
    uint64_t before = read_sysreg(pmccntr_el0);

    for (uint64_t i = 0; i < iterations; i++) {
        __asm__ volatile("isb");
    }
    return read_sysreg(pmccntr_el0) - before;
}

static void check_cycles(enum level level, enum security security)
{
    uint64_t filter = 0;

    write_sysreg(pmcntenset_el0, BIT(CYCLE_COUNTER));
    write_sysreg(pmcr_el0, PMCR_E | PMCR_LC);
    do {
        write_sysreg(pmccfiltr_el0, filter);
        isb();
        expect_eq("PMCCFILTR", filter, filter_counts(filter, level, security),
                  call_at(level, cycles_of_loop, 100) != 0);
    } while (next_filter(&filter));
}

static void check(enum level level, enum security security)
{
    if (level == EL2 && !has_el(EL2)) {
        skip_test("no EL2");
        return;
    }
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    if (pmu_counters() > 0) {
        check_events(level, security);
    }
    check_cycles(level, security);
}

static void test_el0(void)
{
    check(EL0, NON_SECURE);
}

static void test_el1(void)
{
    check(EL1, NON_SECURE);
}

static void test_el2(void)
{
    check(EL2, NON_SECURE);
}

static void test_el3(void)
{
    check(EL3, SECURE);
}

static void enter_state(uint64_t scr_bits)
{
    uint64_t others = ~(SCR_EL3_NS | SCR_EL3_NSE | SCR_EL3_EEL2);

    write_sysreg(scr_el3, (read_sysreg(scr_el3) & others) | scr_bits);
    isb();
}

static void test_secure_el0(void)
{
    enter_state(0);
    check(EL0, SECURE);
}

static void test_secure_el1(void)
{
    enter_state(0);
    check(EL1, SECURE);
}

static void test_secure_el2(void)
{
    if (!(filter_bits() & PMEVTYPER_SH)) {
        skip_test("no Secure EL2");
        return;
    }
    enter_state(SCR_EL3_EEL2);
    check(EL2, SECURE);
}

static void check_realm(enum level level)
{
    if (!has_realm()) {
        skip_test("no Realm state");
        return;
    }
    enter_state(SCR_EL3_NS | SCR_EL3_NSE);
    check(level, REALM);
}

static void test_realm_el0(void)
{
    check_realm(EL0);
}

static void test_realm_el1(void)
{
    check_realm(EL1);
}

static void test_realm_el2(void)
{
    check_realm(EL2);
}

/* Time that a filter excludes is not counted later: the counter has only EL0's time. */
static uint64_t spin(uint64_t ticks)
{
    uint64_t start = read_sysreg(cntvct_el0), now;

    do {
        now = read_sysreg(cntvct_el0);
    } while (now - start < ticks);
    return now - start;
}

static void test_cycle_time(void)
{
    uint64_t hz = read_sysreg(cntfrq_el0), ticks = hz / 1000, start, user, all, cycles;
    /* The cycle counter runs at 1 GHz. */
    uint64_t per_tick = UINT64_C(1000000000) / hz;

    write_sysreg(pmccfiltr_el0, PMEVTYPER_P);
    write_sysreg(pmccntr_el0, 0);
    write_sysreg(pmcntenset_el0, BIT(CYCLE_COUNTER));
    write_sysreg(pmcr_el0, PMCR_E | PMCR_LC);
    isb();
    start = read_sysreg(cntvct_el0);
    call_at(EL1, spin, ticks);
    user = call_at(EL0, spin, ticks);
    call_at(EL1, spin, ticks);
    all = read_sysreg(cntvct_el0) - start;
    cycles = read_sysreg(pmccntr_el0);
    expect_range("PMCCNTR", 0, (user - 1) * per_tick, (all - 2 * ticks + 1) * per_tick, cycles);
}

/* Each counter has its own filter, one for EL0 and one for EL1. Together they count everything. */
static void test_split(void)
{
    uint64_t both, user, kernel;

    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    pmu_count(0, EVENT_INST_RETIRED);
    pmu_count(1, EVENT_INST_RETIRED | PMEVTYPER_P);
    pmu_count(2, EVENT_INST_RETIRED | PMEVTYPER_U);
    write_sysreg(pmcr_el0, PMCR_P | PMCR_E);
    for (unsigned i = 0; i < RUNS; i++) {
        call_at(EL0, loop_countdown, ITERATIONS);
    }
    write_sysreg(pmcr_el0, 0);
    both = read_pmevcntr(0);
    user = read_pmevcntr(1);
    kernel = read_pmevcntr(2);
    expect_eq("EL0 + EL1", 0, both, user + kernel);
    /*
     * At EL0 a call is: the trampoline's blr, cmp, 2 branches not taken and svc; the loop's first
     * mrs, 2 instructions for each iteration, the second mrs, sub and ret.
     */
    expect_eq("EL0", 0, (5 + 1 + 2 * ITERATIONS + 3) * (uint64_t)RUNS, user);
}

/* A new filter excludes from the next instruction on. */
static void test_change_at_once(void)
{
    uint64_t with = EVENT_INST_RETIRED, without = EVENT_INST_RETIRED | PMEVTYPER_P, count;

    pmu_count(0, with);
    for (unsigned i = 0; i < RUNS; i++) {
        /* Counted: 1 nop and the write that excludes, then 1 nop and the read. */
        __asm__ volatile("msr pmevcntr0_el0, xzr\n\t"
                         "nop\n\t"
                         "msr pmevtyper0_el0, %1\n\t"
                         "nop\n\t"
                         "nop\n\t"
                         "msr pmevtyper0_el0, %2\n\t"
                         "nop\n\t"
                         "mrs %0, pmevcntr0_el0"
                         : "=&r"(count)
                         : "r"(without), "r"(with));
        expect_eq("PMEVTYPER", i, 4, count);
    }
}

const struct test test_table[] = {
    TEST("filters.el0", test_el0),
    TEST("filters.el1", test_el1),
    TEST("filters.el2", test_el2, .home = HOME_EL2 | HOME_EL3),
    TEST("filters.el3", test_el3, .home = HOME_EL3),
    TEST("filters.secure-el0", test_secure_el0, .home = HOME_EL3),
    TEST("filters.secure-el1", test_secure_el1, .home = HOME_EL3),
    TEST("filters.secure-el2", test_secure_el2, .home = HOME_EL3),
    TEST("filters.realm-el0", test_realm_el0, .home = HOME_EL3),
    TEST("filters.realm-el1", test_realm_el1, .home = HOME_EL3),
    TEST("filters.realm-el2", test_realm_el2, .home = HOME_EL3),
    TEST("filters.cycle-time", test_cycle_time, .home = HOME_EL1 | HOME_EL2),
    TEST("filters.split", test_split, .home = HOME_EL1, .counters = 3),
    TEST("filters.change-at-once", test_change_at_once, .home = HOME_EL1, .counters = 1),
    {0},
};

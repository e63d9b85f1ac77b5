/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * PMSWINC: each bit is one SW_INCR event for the counter of that number, if it counts this event.
 */
#include "registers/pmu.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"

static uint64_t increment(uint64_t mask)
{
    write_sysreg(pmswinc_el0, mask);
    __asm__ volatile("isb");
    return 0;
}

static void count_everywhere(void)
{
    for (unsigned n = 0; n < pmu_counters(); n++) {
        pmu_count(n, EVENT_SW_INCR | filter_everywhere());
    }
}

/* Every mask of one bit, and then all bits at once. */
static void test_each(void)
{
    count_everywhere();
    for (unsigned n = 0; n < pmu_counters(); n++) {
        for (unsigned i = 0; i <= n; i++) {
            increment(BIT(n));
        }
    }
    increment(~UINT64_C(0));
    for (unsigned n = 0; n < pmu_counters(); n++) {
        expect_eq("PMEVCNTR", n, n + 2, read_pmevcntr(n));
    }
}

/* Bits of counters that do not exist, and of the cycle counter, do nothing. */
static void test_other_bits(void)
{
    count_everywhere();
    increment(~(BIT(pmu_counters()) - 1));
    for (unsigned n = 0; n < pmu_counters(); n++) {
        expect_eq("PMEVCNTR", n, 0, read_pmevcntr(n));
    }
    expect_eq("PMCCNTR", 0, 0, read_sysreg(pmccntr_el0));
}

/* Counters that count another event, or do not count, are not incremented. */
static void test_only_the_event(void)
{
    pmu_count(0, EVENT_CHAIN | filter_everywhere());
    pmu_count(1, EVENT_SW_INCR | filter_everywhere());
    write_sysreg(pmcntenclr_el0, BIT(1));
    increment(3);
    expect_eq("other event", 0, 0, read_pmevcntr(0));
    expect_eq("disabled", 0, 0, read_pmevcntr(1));
    write_sysreg(pmcntenset_el0, BIT(1));
    write_sysreg(pmcr_el0, 0);
    increment(3);
    expect_eq("PMCR.E == 0", 0, 0, read_pmevcntr(1));
    write_sysreg(pmcr_el0, PMCR_E);
    increment(3);
    expect_eq("enabled", 0, 1, read_pmevcntr(1));
}

/* The event is filtered by the level that writes. */
static void test_filter(void)
{
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    pmu_count(0, EVENT_SW_INCR | PMEVTYPER_P);
    call_at(EL1, increment, 1);
    expect_eq("EL1, P", 0, 0, read_pmevcntr(0));
    call_at(EL0, increment, 1);
    expect_eq("EL0, P", 0, 1, read_pmevcntr(0));
    write_pmevtyper(0, EVENT_SW_INCR | PMEVTYPER_U);
    call_at(EL0, increment, 1);
    expect_eq("EL0, U", 0, 1, read_pmevcntr(0));
    call_at(EL1, increment, 1);
    expect_eq("EL1, U", 0, 2, read_pmevcntr(0));
}

/* PMUSERENR.SW is enough at EL0. */
static void test_user(void)
{
    pmu_count(0, EVENT_SW_INCR);
    expect_eq("refused", 0, 1, run_expecting_exception(EL0, increment, 1).count);
    expect_eq("refused", 1, 0, read_pmevcntr(0));
    write_sysreg(pmuserenr_el0, PMUSERENR_SW);
    expect_eq("allowed", 0, 0, run_expecting_exception(EL0, increment, 1).count);
    expect_eq("allowed", 1, 1, read_pmevcntr(0));
}

static void test_overflow(void)
{
    struct pmu_irq *irq = pmu_irq_watch(0);

    pmu_count(0, EVENT_SW_INCR | filter_everywhere());
    write_sysreg(pmintenset_el1, BIT(0));
    write_pmevcntr(0, BIT(32) - 2);
    increment(1);
    expect_eq("before", 0, 0, pmu_irq_line());
    increment(1);
    expect_eq("line", 0, 1, pmu_irq_line());
    expect_eq("PMOVSSET", 0, 1, read_sysreg(pmovsset_el0));
    irq_enable();
    isb();
    irq_disable();
    expect_eq("interrupts", 0, home == EL1, irq->count);
}

const struct test test_table[] = {
    TEST("swinc.each", test_each, .counters = 1),
    TEST("swinc.other-bits", test_other_bits, .counters = 1),
    TEST("swinc.only-the-event", test_only_the_event, .counters = 2),
    TEST("swinc.filter", test_filter, .home = HOME_EL1 | HOME_EL2, .counters = 1),
    TEST("swinc.user", test_user, .counters = 1),
    TEST("swinc.overflow", test_overflow, .home = HOME_EL1 | HOME_EL2, .counters = 1),
    {0},
};

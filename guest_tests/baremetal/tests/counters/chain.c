/* SPDX-License-Identifier: GPL-2.0-or-later */

/* CHAIN: an odd counter counts the 32-bit overflows of the even counter before it. */
#include "registers/pmu.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"
#include "tests/counters/loops.h"

/* Overflows an even counter by one software increment. */
static void overflow_once(unsigned even)
{
    write_pmevcntr(even, BIT(32) - 1);
    write_sysreg(pmswinc_el0, BIT(even));
    isb();
}

static void set_up_pair(unsigned even)
{
    pmu_count(even, EVENT_SW_INCR | filter_everywhere());
    pmu_count(even + 1, EVENT_CHAIN | filter_everywhere());
}

/* Tests every pair, one overflow at a time. */
static void test_pairs(void)
{
    for (unsigned even = 0; even + 1 < pmu_counters(); even += 2) {
        set_up_pair(even);
        for (unsigned i = 1; i <= 10; i++) {
            overflow_once(even);
            expect_eq("PMEVCNTR", even + 1, i, read_pmevcntr(even + 1));
        }
        expect_eq("PMOVSSET", even, BIT(even), read_sysreg(pmovsset_el0));
        write_sysreg(pmovsclr_el0, pmu_mask());
    }
}

/* Together the pair counts in 64 bits, exactly. */
static void test_sum(void)
{
    uint64_t low = BIT(32) - 1000, sum;

    pmu_count_instructions();
    pmu_count(1, EVENT_CHAIN | filter_everywhere());
    write_pmevcntr(0, low);
    /*
     * Counted: the rest of write_pmevcntr() and of the call, fewer than 100 instructions, then the
     * loop.
     */
    loop_countdown(100000);
    write_sysreg(pmcr_el0, 0);
    sum = read_pmevcntr(1) << 32 | (read_pmevcntr(0) & 0xffffffff);
    expect_range("sum", 0, low + 200000, low + 200100, sum);
    expect_eq("PMEVCNTR1", 0, 1, read_pmevcntr(1));
}

/* The chained counter increments at the very instruction that overflows the even one. */
static void test_at_once(void)
{
    uint64_t at4, at5;

    pmu_count_instructions();
    pmu_count(1, EVENT_CHAIN | filter_everywhere());
    for (unsigned i = 0; i < 1000; i++) {
        __asm__ volatile("msr pmevcntr1_el0, xzr\n\t"
                         "msr pmevcntr0_el0, %2\n\t"
                         "nop\n\t"
                         "nop\n\t"
                         "nop\n\t"
                         "mrs %0, pmevcntr1_el0\n\t"
                         "mrs %1, pmevcntr1_el0"
                         : "=&r"(at4), "=&r"(at5)
                         : "r"(BIT(32) - 5));
        expect_eq("before", i, 0, at4);
        expect_eq("after", i, 1, at5);
    }
}

/* The odd counter overflows too, and then both flags are set. */
static void test_overflow(void)
{
    set_up_pair(0);
    write_pmevcntr(1, BIT(32) - 1);
    overflow_once(0);
    expect_eq("PMOVSSET", 0, 3, read_sysreg(pmovsset_el0));
    expect_eq("PMEVCNTR1", 0, 0, read_pmevcntr(1) & 0xffffffff);
}

static void test_interrupt_once(void)
{
    struct pmu_irq *irq = pmu_irq_watch(0);

    pmu_count_instructions();
    pmu_count(1, EVENT_CHAIN | filter_everywhere());
    write_sysreg(pmintenset_el1, BIT(1));
    write_pmevcntr(1, BIT(32) - 2);
    for (unsigned i = 0; i < 3; i++) {
        write_pmevcntr(0, BIT(32) - 1000);
        call_at_with_irqs(EL1, loop_countdown, 2000);
        expect_eq("interrupts", i, i == 0 ? 0 : 1, irq->count);
    }
    expect_eq("line", 0, 0, pmu_irq_line());
}

/*
 * A disabled or filtered odd counter does not count the overflow. A disabled even counter does not
 * overflow.
 */
static void test_enables_and_filters(void)
{
    set_up_pair(0);
    write_sysreg(pmcntenclr_el0, BIT(1));
    overflow_once(0);
    expect_eq("odd disabled", 0, 0, read_pmevcntr(1));
    write_sysreg(pmcntenset_el0, BIT(1));
    write_pmevtyper(1, EVENT_CHAIN | PMEVTYPER_P);
    overflow_once(0);
    expect_eq("odd filtered", 0, 0, read_pmevcntr(1));
    write_pmevtyper(1, EVENT_CHAIN | filter_everywhere());
    write_sysreg(pmcntenclr_el0, BIT(0));
    overflow_once(0);
    expect_eq("even disabled", 0, 0, read_pmevcntr(1));
    write_sysreg(pmcntenset_el0, BIT(0));
    overflow_once(0);
    expect_eq("both enabled", 0, 1, read_pmevcntr(1));
}

/* Setting the overflow flag by software is not an overflow. */
static void test_flag_is_no_event(void)
{
    set_up_pair(0);
    write_sysreg(pmovsset_el0, BIT(0));
    expect_eq("PMOVSSET", 0, 0, read_pmevcntr(1));
    /* A flag that is already set does not hide an overflow. */
    overflow_once(0);
    expect_eq("flag was set", 0, 1, read_pmevcntr(1));
}

/* An even counter has no counter before it, so CHAIN does not occur there. */
static void test_even_counter(void)
{
    pmu_count(0, EVENT_CHAIN | filter_everywhere());
    pmu_count(1, EVENT_SW_INCR | filter_everywhere());
    pmu_count(2, EVENT_CHAIN | filter_everywhere());
    write_pmevcntr(1, BIT(32) - 1);
    write_sysreg(pmswinc_el0, BIT(1));
    isb();
    expect_eq("PMEVCNTR0", 0, 0, read_pmevcntr(0));
    expect_eq("PMEVCNTR2", 0, 0, read_pmevcntr(2));
}

/* With PMCR.LP the even counter has 64 bits of its own and causes no CHAIN event. */
static void test_not_with_lp(void)
{
    set_up_pair(0);
    write_sysreg(pmcr_el0, PMCR_E | PMCR_LP);
    overflow_once(0);
    expect_eq("2^32", 0, 0, read_pmevcntr(1));
    write_pmevcntr(0, UINT64_MAX);
    write_sysreg(pmswinc_el0, BIT(0));
    isb();
    expect_eq("2^64", 0, 0, read_pmevcntr(1));
    expect_eq("PMOVSSET", 0, 1, read_sysreg(pmovsset_el0));
}

const struct test test_table[] = {
    TEST("chain.pairs", test_pairs, .counters = 2),
    TEST("chain.sum", test_sum, .counters = 2),
    TEST("chain.same-instruction", test_at_once, .counters = 2),
    TEST("chain.overflow", test_overflow, .counters = 2),
    TEST("chain.interrupt-once", test_interrupt_once, .home = HOME_EL1 | HOME_EL2, .counters = 2),
    TEST("chain.enables-and-filters", test_enables_and_filters, .home = HOME_EL1, .counters = 2),
    TEST("chain.flag-is-no-event", test_flag_is_no_event, .counters = 2),
    TEST("chain.even-counter", test_even_counter, .counters = 3),
    TEST("chain.not-with-lp", test_not_with_lp, .counters = 2, .version = PMUVER_V3P5),
    {0},
};

/* SPDX-License-Identifier: GPL-2.0-or-later */

/* INST_RETIRED counts every instruction once, at every level, on every run. */
#include "registers/pmu.h"
#include "runtime/gic.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"
#include "tests/counters/loops.h"

#define RUNS 1000u
#define ITERATIONS 10u
/* The time between two interrupts is long enough for EL0 to make progress, in real time as well. */
#define TIMER_TICKS 20000u

static void check_all_loops(enum level level)
{
    pmu_count_instructions();
    for (const struct loop *loop = loops; loop->name; loop++) {
        struct loop_runs runs = {
            .loop = loop,
            .iterations = ITERATIONS,
            .runs = RUNS,
            .expected = loop_count(loop, ITERATIONS),
        };

        if (loop_can_run(loop)) {
            expect_loop_runs(loop->name, level, &runs);
        }
    }
}

static void test_el0(void)
{
    check_all_loops(EL0);
}

static void test_el1(void)
{
    check_all_loops(EL1);
}

static void test_el2(void)
{
    if (!has_el(EL2)) {
        skip_test("no EL2");
        return;
    }
    check_all_loops(EL2);
}

static void test_el3(void)
{
    check_all_loops(EL3);
}

/* One long run shows that nothing is lost where an emulator leaves translated code. */
static void test_long_run(void)
{
    struct loop_runs runs = {.loop = &loops[0], .iterations = 5000000, .runs = 1};

    runs.expected = loop_count(&loops[0], runs.iterations);
    pmu_count_instructions();
    expect_loop_runs("countdown", EL0, &runs);
}

/* The read after a write counts itself, and nothing of the write. */
static void test_access_counts_itself(void)
{
    uint64_t zeroed, twice;

    pmu_count_instructions();
    for (unsigned i = 0; i < RUNS; i++) {
        __asm__ volatile("msr pmevcntr0_el0, xzr\n\t"
                         "mrs %0, pmevcntr0_el0\n\t"
                         "mrs %1, pmevcntr0_el0"
                         : "=r"(zeroed), "=r"(twice));
        expect_eq("first read", i, 1, zeroed);
        expect_eq("second read", i, 2, twice);
    }
}

/* Disabling a counter stops it, and enabling starts it, at the next instruction. */
static void test_enable_disable(void)
{
    uint64_t count;

    pmu_count_instructions();
    for (unsigned i = 0; i < RUNS; i++) {
        /* Counted: 2 nops and the write that disables, then 1 nop and the read after enabling. */
        __asm__ volatile("msr pmevcntr0_el0, xzr\n\t"
                         "nop\n\t"
                         "nop\n\t"
                         "msr pmcntenclr_el0, %1\n\t"
                         "nop\n\t"
                         "nop\n\t"
                         "nop\n\t"
                         "msr pmcntenset_el0, %1\n\t"
                         "nop\n\t"
                         "mrs %0, pmevcntr0_el0"
                         : "=&r"(count)
                         : "r"(UINT64_C(1)));
        expect_eq("PMCNTEN", i, 5, count);
    }
}

/* PMCR.E does the same for all counters of the first range. */
static void test_global_enable(void)
{
    uint64_t off = read_sysreg(pmcr_el0), on = off | PMCR_E, count;

    pmu_count_instructions();
    for (unsigned i = 0; i < RUNS; i++) {
        /* Counted: 1 nop and the write that disables, then 2 nops and the read after enabling. */
        __asm__ volatile("msr pmevcntr0_el0, xzr\n\t"
                         "nop\n\t"
                         "msr pmcr_el0, %1\n\t"
                         "nop\n\t"
                         "nop\n\t"
                         "nop\n\t"
                         "msr pmcr_el0, %2\n\t"
                         "nop\n\t"
                         "nop\n\t"
                         "mrs %0, pmevcntr0_el0"
                         : "=&r"(count)
                         : "r"(off), "r"(on));
        expect_eq("PMCR.E", i, 5, count);
    }
}

/* All counters count the same event, each from the value it was set to. */
static void test_all_counters_agree(void)
{
    unsigned n = pmu_counters();

    for (unsigned i = 0; i < n; i++) {
        pmu_count(i, EVENT_INST_RETIRED | filter_everywhere());
    }
    write_sysreg(pmcr_el0, 0);
    for (unsigned i = 0; i < n; i++) {
        write_pmevcntr(i, UINT64_C(1000) * i);
    }
    write_sysreg(pmcr_el0, PMCR_E);
    loop_countdown(100);
    write_sysreg(pmcr_el0, 0);
    for (unsigned i = 1; i < n; i++) {
        expect_eq("counter", i, read_pmevcntr(0) + UINT64_C(1000) * i, read_pmevcntr(i));
    }
}

/* The timer's interrupts and their handler at EL1 do not disturb what EL0 counts. */
static bool timer_handler(struct frame *frame, unsigned el)
{
    unsigned intid = gic_acknowledge();

    (void)frame;
    (void)el;
    if (intid < INTID_SPURIOUS) {
        write_sysreg(cntv_tval_el0, TIMER_TICKS);
        gic_end(intid);
    }
    return intid == INTID_VIRTUAL_TIMER || intid >= INTID_SPURIOUS;
}

static void test_under_interrupts(void)
{
    uint64_t iterations = 2000000;

    pmu_count(0, EVENT_INST_RETIRED | PMEVTYPER_P);
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    this_cpu()->on_irq = timer_handler;
    gic_enable(INTID_VIRTUAL_TIMER);
    write_sysreg(cntv_tval_el0, TIMER_TICKS);
    write_sysreg(cntv_ctl_el0, 1);
    expect_eq("countdown", 0, loop_count(&loops[0], iterations),
              call_at_with_irqs(EL0, loop_countdown, iterations));
    write_sysreg(cntv_ctl_el0, 0);
    gic_disable(INTID_VIRTUAL_TIMER);
}

/* CPU_CYCLES increments the cycle counter and an event counter alike. */
static void test_cycles(void)
{
    pmu_count(0, EVENT_CPU_CYCLES | filter_everywhere());
    write_sysreg(pmccfiltr_el0, filter_everywhere());
    write_sysreg(pmcr_el0, PMCR_E | PMCR_LC);
    write_sysreg(pmcntenset_el0, BIT(CYCLE_COUNTER));
    isb();
    for (unsigned i = 0; i < RUNS; i++) {
        uint64_t before = read_sysreg(pmccntr_el0), event = read_sysreg(pmevcntr0_el0), after;

        loop_countdown(20);
        after = read_sysreg(pmccntr_el0);
        expect_range("PMCCNTR", i, before + 1, UINT64_MAX, after);
        expect_range("PMEVCNTR0", i, event + 1, UINT64_MAX, read_sysreg(pmevcntr0_el0));
    }
}

const struct test test_table[] = {
    TEST("counting.el0", test_el0, .counters = 1),
    TEST("counting.el1", test_el1, .counters = 1),
    TEST("counting.el2", test_el2, .home = HOME_EL2 | HOME_EL3, .counters = 1),
    TEST("counting.el3", test_el3, .home = HOME_EL3, .counters = 1),
    TEST("counting.long-run", test_long_run, .counters = 1),
    TEST("counting.access-counts-itself", test_access_counts_itself, .counters = 1),
    TEST("counting.enable-disable", test_enable_disable, .counters = 1),
    TEST("counting.global-enable", test_global_enable, .counters = 1),
    TEST("counting.all-counters-agree", test_all_counters_agree, .counters = 2),
    TEST("counting.under-interrupts", test_under_interrupts, .home = HOME_EL1 | HOME_EL2,
         .counters = 1),
    TEST("counting.cycles", test_cycles, .counters = 1),
    {0},
};

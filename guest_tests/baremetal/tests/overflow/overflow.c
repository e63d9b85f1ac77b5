/* SPDX-License-Identifier: GPL-2.0-or-later */

/* Overflow: the flags, the interrupt line, and the interrupt. */
#include "tests/overflow/overflow.h"

#include "registers/pmu.h"
#include "runtime/gic.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"
#include "tests/counters/loops.h"

#define RUNS 1000u
/* How long to wait for an interrupt, in ticks of the virtual counter (62.5 MHz or 1 GHz). */
#define PATIENCE 200000000u

/*
 * Sets PMEVCNTR0 to start and executes 5 instructions: 3 nops and two reads of PMOVSSET. Bit 0 of
 * the result is the flag of the first read (instruction 4), bit 1 that of the second (instruction
 * 5).
 */
static uint64_t flags_at_4_and_5(uint64_t start)
{
    uint64_t at4, at5;

    __asm__ volatile("msr pmevcntr0_el0, %2\n\t"
                     "nop\n\t"
                     "nop\n\t"
                     "nop\n\t"
                     "mrs %0, pmovsset_el0\n\t"
                     "mrs %1, pmovsset_el0"
                     : "=r"(at4), "=r"(at5)
                     : "r"(start));
    write_sysreg(pmovsclr_el0, BIT(0));
    return (at4 & 1) | (at5 & 1) << 1;
}

static void test_flag_32(void)
{
    pmu_count_instructions();
    for (unsigned i = 0; i < RUNS; i++) {
        expect_eq("-6", i, 0, flags_at_4_and_5(BIT(32) - 6));
        expect_eq("-5", i, 2, flags_at_4_and_5(BIT(32) - 5));
        expect_eq("-4", i, 3, flags_at_4_and_5(BIT(32) - 4));
    }
}

static void test_flag_64(void)
{
    pmu_count_instructions();
    write_sysreg(pmcr_el0, PMCR_E | PMCR_LP);
    for (unsigned i = 0; i < RUNS; i++) {
        expect_eq("2^32", i, 0, flags_at_4_and_5(BIT(32) - 2));
        expect_eq("-6", i, 0, flags_at_4_and_5(-UINT64_C(6)));
        expect_eq("-5", i, 2, flags_at_4_and_5(-UINT64_C(5)));
        expect_eq("-4", i, 3, flags_at_4_and_5(-UINT64_C(4)));
    }
}

/* The counter continues from 0, since PMUv3p5 with a carry into bit 32. */
static void test_wrap(void)
{
    uint64_t carry = pmu_version() >= PMUVER_V3P5 ? BIT(32) : 0, got;

    pmu_count_instructions();
    /* 3 nops and the read, starting at -2. */
    __asm__ volatile("msr pmevcntr0_el0, %1\n\tnop\n\tnop\n\tnop\n\tmrs %0, pmevcntr0_el0"
                     : "=r"(got)
                     : "r"(BIT(32) - 2));
    expect_eq("PMEVCNTR", 0, carry + 2, got);
}

/* The line is the OR, over all counters, of PMOVS, PMINTEN and PMCR.E together. */
static void check_line(unsigned counter)
{
    uint64_t bit = BIT(counter);

    expect_eq("nothing set", counter, 0, pmu_irq_line());
    write_sysreg(pmovsset_el0, bit);
    expect_eq("PMOVSSET only", counter, 0, pmu_irq_line());
    write_sysreg(pmintenset_el1, bit);
    expect_eq("and PMINTENSET", counter, 0, pmu_irq_line());
    write_sysreg(pmcr_el0, PMCR_E);
    expect_eq("and PMCR.E", counter, 1, pmu_irq_line());
    write_sysreg(pmcr_el0, 0);
    expect_eq("without PMCR.E", counter, 0, pmu_irq_line());
    write_sysreg(pmcr_el0, PMCR_E);
    write_sysreg(pmintenclr_el1, bit);
    expect_eq("PMINTENCLR", counter, 0, pmu_irq_line());
    write_sysreg(pmintenset_el1, bit);
    expect_eq("PMINTENSET again", counter, 1, pmu_irq_line());
    write_sysreg(pmovsclr_el0, bit);
    expect_eq("PMOVSCLR", counter, 0, pmu_irq_line());
    write_sysreg(pmintenclr_el1, bit);
    write_sysreg(pmcr_el0, 0);
}

static void test_line(void)
{
    for (unsigned n = 0; n < pmu_counters(); n++) {
        check_line(n);
    }
    check_line(CYCLE_COUNTER);
}

static void test_line_of_two(void)
{
    write_sysreg(pmcr_el0, PMCR_E);
    write_sysreg(pmintenset_el1, UINT64_C(3));
    write_sysreg(pmovsset_el0, UINT64_C(3));
    expect_eq("both", 0, 1, pmu_irq_line());
    write_sysreg(pmovsclr_el0, BIT(0));
    expect_eq("one", 0, 1, pmu_irq_line());
    write_sysreg(pmovsclr_el0, BIT(1));
    expect_eq("none", 0, 0, pmu_irq_line());
}

/* Without PMINTEN the flag is set, and there is no interrupt. */
static void test_no_interrupt(void)
{
    struct pmu_irq *irq = pmu_irq_watch(0);

    pmu_count_instructions();
    write_pmevcntr(0, BIT(32) - 100);
    call_at_with_irqs(EL1, loop_countdown, 1000);
    expect_eq("interrupts", 0, 0, irq->count);
    expect_eq("PMOVSSET", 0, 1, read_sysreg(pmovsset_el0));
}

/* While PSTATE.I masks it, the interrupt stays pending. Then it is taken at once, and once. */
static void test_masked(void)
{
    struct pmu_irq *irq = pmu_irq_watch(0);

    pmu_count_instructions();
    write_sysreg(pmintenset_el1, BIT(0));
    write_pmevcntr(0, BIT(32) - 100);
    call_at(EL1, loop_countdown, 1000);
    expect_eq("masked", 0, 0, irq->count);
    expect_eq("line", 0, 1, pmu_irq_line());
    call_at_with_irqs(EL1, loop_countdown, 2);
    expect_eq("unmasked", 0, 1, irq->count);
    expect_eq("line after", 0, 0, pmu_irq_line());
}

/* Each overflow causes one interrupt. The handler sets the counter again each time. */
static unsigned periods;

static bool periodic_handler(struct frame *frame, unsigned el)
{
    unsigned intid = gic_acknowledge();

    (void)frame;
    (void)el;
    if (intid == INTID_PMU) {
        write_pmevcntr(0, BIT(32) - 1000);
        write_sysreg(pmovsclr_el0, BIT(0));
        isb();
        periods++;
    }
    if (intid < INTID_SPURIOUS) {
        gic_end(intid);
    }
    return true;
}

static void test_periodic(void)
{
    pmu_count(0, EVENT_INST_RETIRED | PMEVTYPER_P);
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    pmu_irq_watch(0);
    this_cpu()->on_irq = periodic_handler;
    write_sysreg(pmintenset_el1, BIT(0));
    write_pmevcntr(0, BIT(32) - 1000);
    periods = 0;
    /*
     * Counted at EL0 only: the trampoline's blr, the loop's first mrs, 100,000 iterations of 2,
     * then less than a period. 200,002 instructions are 200 periods.
     */
    call_at_with_irqs(EL0, loop_countdown, 100000);
    expect_eq("interrupts", 0, 200, periods);
}

static bool wait_for(const struct pmu_irq *irq)
{
    uint64_t start = read_sysreg(cntvct_el0);

    irq_enable();
    while (*(const volatile unsigned *)&irq->count == 0 &&
           read_sysreg(cntvct_el0) - start < PATIENCE) {
    }
    irq_disable();
    return irq->count != 0;
}

/* The counter starts last, after everything that decides how it counts has been set. */
static void start_cycles(uint64_t pmcr, uint64_t value)
{
    write_sysreg(pmccfiltr_el0, filter_everywhere());
    write_sysreg(pmcr_el0, PMCR_E | pmcr);
    write_sysreg(pmccntr_el0, value);
    write_sysreg(pmintenset_el1, BIT(CYCLE_COUNTER));
    write_sysreg(pmcntenset_el0, BIT(CYCLE_COUNTER));
    isb();
}

/* PMCR.LC is fixed at 1 if no level can be AArch32. */
static bool has_short_cycles(void)
{
    write_sysreg(pmcr_el0, 0);
    if (read_sysreg(pmcr_el0) & PMCR_LC) {
        skip_test("PMCR.LC is RES1");
        return false;
    }
    return true;
}

static void test_cycles_32(void)
{
    struct pmu_irq *irq = pmu_irq_watch(0);

    if (!has_short_cycles()) {
        return;
    }
    start_cycles(0, BIT(32) - 100000);
    wait_for(irq);
    expect_eq("interrupts", 0, 1, irq->count);
    expect_eq("PMOVSSET", 0, BIT(CYCLE_COUNTER), irq->overflows);
    expect_range("PMCCNTR", 0, BIT(32), BIT(48), read_sysreg(pmccntr_el0));
}

static void test_cycles_64(void)
{
    struct pmu_irq *irq = pmu_irq_watch(0);

    start_cycles(PMCR_LC, BIT(32) - 100);
    loop_countdown(10000);
    expect_eq("at 2^32", 0, 0, read_sysreg(pmovsset_el0));
    start_cycles(PMCR_LC, -UINT64_C(100000));
    wait_for(irq);
    expect_eq("interrupts", 0, 1, irq->count);
    expect_range("PMCCNTR", 0, 0, BIT(48), read_sysreg(pmccntr_el0));
}

/*
 * PMCR.D with LC == 0: one count is 64 cycles. The first may come earlier, because the divider runs
 * on its own. Reads before and after give exact bounds for the others.
 */
static void test_divide(void)
{
    if (!has_short_cycles()) {
        return;
    }
    pmu_count(0, EVENT_CPU_CYCLES | filter_everywhere());
    start_cycles(PMCR_D, 0);
    write_sysreg(pmcr_el0, PMCR_E | PMCR_D | PMCR_C | PMCR_P);
    isb();
    for (unsigned i = 0; i < RUNS; i++) {
        uint64_t low = read_sysreg(pmccntr_el0), cycles = read_sysreg(pmevcntr0_el0);
        uint64_t high = read_sysreg(pmccntr_el0);

        expect_range("PMCCNTR * 64", i, low * 64, high * 64 + 192, cycles + 64);
        loop_countdown(100);
    }
}

/* The interrupt of a divided counter comes, and not 64 times too early. */
static void test_divided_interrupt(void)
{
    struct pmu_irq *irq = pmu_irq_watch(pmu_mask());

    if (!has_short_cycles()) {
        return;
    }
    pmu_count(0, EVENT_CPU_CYCLES | filter_everywhere());
    start_cycles(PMCR_D | PMCR_P, BIT(32) - 5000);
    wait_for(irq);
    expect_eq("interrupts", 0, 1, irq->count);
    expect_range("cycles", 0, 4998 * 64, UINT64_MAX, read_pmevcntr(0));
    expect_range("PMCCNTR", 0, BIT(32), BIT(48), read_sysreg(pmccntr_el0));
}

/* The overflow of the clock wakes a CPU that waits. */
static void test_cycles_wake(void)
{
    struct pmu_irq *irq = pmu_irq_watch(0);

    start_cycles(PMCR_LC, -UINT64_C(2000000));
    while (!pmu_irq_line()) {
        __asm__ volatile("wfi");
    }
    irq_enable();
    isb();
    irq_disable();
    expect_eq("interrupts", 0, 1, irq->count);
}

static void test_cycles_event(void)
{
    struct pmu_irq *irq = pmu_irq_watch(0);

    pmu_count(0, EVENT_CPU_CYCLES | filter_everywhere());
    write_sysreg(pmintenset_el1, BIT(0));
    write_pmevcntr(0, BIT(32) - 100000);
    wait_for(irq);
    expect_eq("interrupts", 0, 1, irq->count);
    expect_eq("PMOVSSET", 0, BIT(0), irq->overflows);
}

/* PMCR.FZO: after the instruction that overflows one counter, no counter of the range counts. */
static void test_freeze(void)
{
    uint64_t frozen0, frozen1;

    pmu_count_instructions();
    pmu_count(1, EVENT_INST_RETIRED | filter_everywhere());
    write_sysreg(pmcr_el0, PMCR_E | PMCR_FZO);
    for (unsigned i = 0; i < RUNS; i++) {
        write_pmevcntr(0, BIT(32) - 50);
        /*
         * The second counter does not count the write to the first, but counts the write to itself.
         */
        __asm__ volatile("msr pmevcntr0_el0, %0\n\tmsr pmevcntr1_el0, xzr" : : "r"(BIT(32) - 50));
        loop_countdown(100);
        frozen0 = read_pmevcntr(0);
        frozen1 = read_pmevcntr(1);
        expect_eq("PMEVCNTR0", i, BIT(32), frozen0);
        expect_eq("PMEVCNTR1", i, 49, frozen1);
        write_sysreg(pmovsclr_el0, BIT(0));
        expect_range("goes on", i, frozen1 + 1, UINT64_MAX, read_pmevcntr(1));
    }
}

/*
 * The cycle counter freezes with the others only if PMCR.DP is 1. Its overflow freezes none of
 * them.
 */
static void test_freeze_cycles(void)
{
    uint64_t before;

    pmu_count_instructions();
    start_cycles(PMCR_LC | PMCR_FZO, 0);
    write_sysreg(pmintenclr_el1, BIT(CYCLE_COUNTER));
    write_sysreg(pmovsset_el0, BIT(0));
    before = read_sysreg(pmccntr_el0);
    loop_countdown(1000);
    expect_range("DP == 0", 0, before + 1, UINT64_MAX, read_sysreg(pmccntr_el0));
    write_sysreg(pmcr_el0, PMCR_E | PMCR_LC | PMCR_FZO | PMCR_DP);
    before = read_sysreg(pmccntr_el0);
    loop_countdown(1000);
    expect_eq("DP == 1", 0, before, read_sysreg(pmccntr_el0));
    write_sysreg(pmovsclr_el0, BIT(0));
    write_sysreg(pmovsset_el0, BIT(CYCLE_COUNTER));
    expect_eq("by PMCCNTR", 0, loop_count(&loops[0], 10), loop_countdown(10));
}

const struct test test_table[] = {
    TEST("overflow.flag-32", test_flag_32, .counters = 1),
    TEST("overflow.flag-64", test_flag_64, .counters = 1, .version = PMUVER_V3P5),
    TEST("overflow.wrap", test_wrap, .counters = 1),
    TEST("overflow.line", test_line, .home = HOME_EL1 | HOME_EL2),
    TEST("overflow.line-of-two", test_line_of_two, .counters = 2),
    TEST("overflow.no-interrupt", test_no_interrupt, .home = HOME_EL1 | HOME_EL2, .counters = 1),
    TEST("overflow.masked", test_masked, .home = HOME_EL1 | HOME_EL2, .counters = 1),
    TEST("overflow.periodic", test_periodic, .home = HOME_EL1 | HOME_EL2, .counters = 1),
    TEST("overflow.skid-el0", test_skid_el0, .home = HOME_EL1 | HOME_EL2, .counters = 1),
    TEST("overflow.skid-el1", test_skid_el1, .home = HOME_EL1 | HOME_EL2, .counters = 1),
    TEST("overflow.skid-el2", test_skid_el2, .home = HOME_EL2, .counters = 1),
    TEST("overflow.skid-second-range", test_skid_second_range, .home = HOME_EL2, .counters = 1),
    TEST("overflow.skid-several", test_skid_several, .home = HOME_EL1 | HOME_EL2, .counters = 3),
    TEST("overflow.skid-user-only", test_skid_user_only, .home = HOME_EL1 | HOME_EL2,
         .counters = 1),
    TEST("overflow.skid-kernel-only", test_skid_kernel_only, .home = HOME_EL1 | HOME_EL2,
         .counters = 1),
    TEST("overflow.skid-both-levels", test_skid_both_levels, .home = HOME_EL1 | HOME_EL2,
         .counters = 1),
    TEST("overflow.skid-exceptions-user", test_skid_exceptions_user, .home = HOME_EL1 | HOME_EL2,
         .counters = 2),
    TEST("overflow.skid-exceptions-both", test_skid_exceptions_both, .home = HOME_EL1 | HOME_EL2,
         .counters = 2),
    TEST("overflow.skid-long", test_skid_long, .home = HOME_EL1 | HOME_EL2, .counters = 1,
         .version = PMUVER_V3P5),
    TEST("overflow.skid-chained", test_skid_chained, .home = HOME_EL1 | HOME_EL2, .counters = 2),
    TEST("overflow.cycles-32", test_cycles_32, .home = HOME_EL1),
    TEST("overflow.cycles-64", test_cycles_64, .home = HOME_EL1),
    TEST("overflow.cycles-divided", test_divide, .home = HOME_EL1, .counters = 1),
    TEST("overflow.cycles-divided-interrupt", test_divided_interrupt, .home = HOME_EL1,
         .counters = 1),
    TEST("overflow.cycles-wake", test_cycles_wake, .home = HOME_EL1),
    TEST("overflow.cycles-event", test_cycles_event, .home = HOME_EL1, .counters = 1),
    TEST("overflow.freeze", test_freeze, .counters = 2, .version = PMUVER_V3P7),
    TEST("overflow.freeze-cycles", test_freeze_cycles, .counters = 1, .version = PMUVER_V3P7),
    {0},
};

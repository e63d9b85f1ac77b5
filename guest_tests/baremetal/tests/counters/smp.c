/* SPDX-License-Identifier: GPL-2.0-or-later */

/* Each CPU has a PMU of its own, which neither counts nor shows what other CPUs do. */
#include "runtime/smp.h"

#include "registers/pmu.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"
#include "tests/counters/loops.h"
#include "tests/overflow/skid.h"

#define RUNS 200u
#define ITERATIONS 2000u

/* What a CPU found: the first run that was not as expected, if any. */
static struct {
    uint64_t expected, got, run;
    bool failed;
} found[MAX_CPUS];

static bool enough_cpus(void)
{
    if (smp_count() == 1 && smp_start() < 2) {
        skip_test("one CPU");
        return false;
    }
    for (unsigned i = 0; i < MAX_CPUS; i++) {
        found[i].failed = false;
    }
    return true;
}

static void note(unsigned cpu, uint64_t run, uint64_t expected, uint64_t got)
{
    if (expected != got && !found[cpu].failed) {
        found[cpu].failed = true;
        found[cpu].expected = expected;
        found[cpu].got = got;
        found[cpu].run = run;
    }
}

static void report_all(void)
{
    for (unsigned i = 0; i < smp_count(); i++) {
        if (found[i].failed) {
            expect_eq("CPU * 1000000 + run", i * UINT64_C(1000000) + found[i].run,
                      found[i].expected, found[i].got);
        }
    }
}

static void prepare_cpu(void)
{
    levels_reset();
    pmu_reset();
    pmu_count_instructions();
    smp_barrier();
}

/* Every CPU runs loops, longer and shorter ones, at EL0 and at the level where it started. */
static void count_loops(unsigned cpu)
{
    prepare_cpu();
    for (unsigned i = 0; i < RUNS; i++) {
        const struct loop *loop = &loops[(i + cpu * 3) % 7];
        uint64_t iterations = ITERATIONS + cpu * 100;

        note(cpu, i, loop_count(loop, iterations),
             call_at(i & 1 ? EL0 : home, loop->run, iterations));
    }
}

static void test_loops(void)
{
    if (enough_cpus()) {
        smp_run(count_loops);
        report_all();
    }
}

/* Long blocks and atomic operations, which may stop the other CPUs for a moment. */
static void count_heavy_loops(unsigned cpu)
{
    prepare_cpu();
    for (unsigned i = 0; i < RUNS; i++) {
        const struct loop *loop = &loops[7 + (i + cpu) % 3];

        if (loop_can_run(loop)) {
            note(cpu, i, loop_count(loop, 20), loop->run(20));
        }
    }
}

static void test_heavy_loops(void)
{
    if (enough_cpus()) {
        smp_run(count_heavy_loops);
        report_all();
    }
}

/*
 * All CPUs add to one word. The number of attempts depends on the other CPUs, so each CPU counts
 * its own: an attempt is 5 instructions (add, ldxr, add, stxr, cbnz), an addition 2 more.
 */
static uint64_t shared_word;

static void count_contention(unsigned cpu)
{
    prepare_cpu();
    for (unsigned i = 0; i < RUNS; i++) {
        uint64_t before, after, attempts = 0, n = ITERATIONS;

        __asm__ volatile("mrs %0, pmevcntr0_el0\n"
                         "1:\tadd %2, %2, #1\n\t"
                         "ldxr x10, [%4]\n\t"
                         "add x10, x10, #1\n\t"
                         "stxr w11, x10, [%4]\n\t"
                         "cbnz w11, 1b\n\t"
                         "subs %3, %3, #1\n\t"
                         "b.ne 1b\n\t"
                         "mrs %1, pmevcntr0_el0"
                         : "=&r"(before), "=&r"(after), "+&r"(attempts), "+&r"(n)
                         : "r"(&shared_word)
                         : "x10", "x11", "memory", "cc");
        note(cpu, i, attempts * 5 + 2 * ITERATIONS + 1, after - before);
    }
}

static void test_contention(void)
{
    if (enough_cpus()) {
        shared_word = 0;
        smp_run(count_contention);
        report_all();
        expect_eq("sum", 0, UINT64_C(1) * smp_count() * RUNS * ITERATIONS, shared_word);
    }
}

/* While the others run, a stopped counter does not change, and registers keep their values. */
static void stand_still(unsigned cpu)
{
    prepare_cpu();
    if (cpu & 1) {
        for (unsigned i = 0; i < RUNS; i++) {
            loop_countdown(ITERATIONS);
        }
        smp_barrier();
        return;
    }
    write_sysreg(pmcr_el0, 0);
    write_pmevcntr(0, 1000 + cpu);
    write_sysreg(pmselr_el0, cpu);
    smp_barrier();
    note(cpu, 0, 1000 + cpu, read_pmevcntr(0));
    note(cpu, 1, cpu, read_sysreg(pmselr_el0));
    note(cpu, 2, 0, read_sysreg(pmovsset_el0));
}

static void test_stand_still(void)
{
    if (enough_cpus()) {
        smp_run(stand_still);
        report_all();
    }
}

/* All CPUs have overflow interrupts at once, each its own, at the exact instruction. */
static void overflow_at_once(unsigned cpu)
{
    struct pmu_irq *irq;

    prepare_cpu();
    for (unsigned p = 1; p <= SKID_LENGTH * SKID_ITERATIONS; p++) {
        irq = pmu_irq_watch(pmu_mask());
        write_sysreg(pmovsclr_el0, pmu_mask());
        write_sysreg(pmintenset_el1, BIT(0));
        write_sysreg(pmcntenset_el0, BIT(0));
        isb();
        call_at_with_irqs(EL1, skid_loop, BIT(32) - p);
        note(cpu, p, 1, irq->count);
        note(cpu, p, skid_return_address(p), irq->elr);
    }
}

static void test_overflows(void)
{
    if (enough_cpus()) {
        smp_run(overflow_at_once);
        report_all();
    }
}

/* Half of the CPUs overflow. The others are not interrupted. */
static void overflow_of_others(unsigned cpu)
{
    struct pmu_irq *irq;

    levels_reset();
    pmu_reset();
    pmu_count_instructions();
    irq = pmu_irq_watch(0);
    write_sysreg(pmintenset_el1, BIT(0));
    smp_barrier();
    if (cpu & 1) {
        write_pmevcntr(0, BIT(32) - 1000);
    }
    call_at_with_irqs(EL1, loop_countdown, 100000);
    note(cpu, 0, cpu & 1, irq->count);
}

static void test_overflows_of_others(void)
{
    if (enough_cpus()) {
        smp_run(overflow_of_others);
        report_all();
    }
}

#define SMP_TEST(name, run) TEST(name, run, .home = HOME_EL1 | HOME_EL2, .counters = 1)

const struct test test_table[] = {
    SMP_TEST("smp.loops", test_loops),
    SMP_TEST("smp.heavy-loops", test_heavy_loops),
    SMP_TEST("smp.contention", test_contention),
    SMP_TEST("smp.stopped-counters", test_stand_still),
    SMP_TEST("smp.overflows", test_overflows),
    SMP_TEST("smp.overflows-of-others", test_overflows_of_others),
    {0},
};

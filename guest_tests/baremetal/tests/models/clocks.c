/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * Overflows of cycles that are a clock's. An overflow that is due is found at the next change of
 * exception level or access to a PMU register. It belongs to what ran before.
 */
#include "registers/pmu.h"
#include "runtime/gic.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"
#include "tests/counters/loops.h"

#define EVENT_EXC_SVC UINT64_C(0x82)
#define CALL 7
#define RUNS 200
/* More calls than it takes until the counter overflows. */
#define CALLS 100000

/* EL0 calls EL1 again and again until the answer is 0. Returns the number of calls. */
static uint64_t calls(uint64_t most)
{
    register uint64_t answer __asm__("x0") = 1;
    uint64_t n = 0;

    while (n < most && answer) {
        __asm__ volatile("svc %1" : "+r"(answer) : "i"(CALL));
        n++;
    }
    return n;
}

static bool is_our_call(const struct frame *frame)
{
    return ESR_EC(frame->esr) == EC_SVC64 && (frame->esr & 0xffff) == CALL;
}

/* What the handler of the calls found. */
static struct {
    uint64_t start;
    bool line;
    bool wrapped;
} seen;

/*
 * The counter counts at EL0 only, so it does not move here. Therefore the interrupt must have been
 * pending when the handler began exactly if the counter has wrapped. The interrupt line is read
 * first, because an access to a PMU register would update it.
 */
static bool look_at_line(struct frame *frame, unsigned el)
{
    (void)el;
    if (!is_our_call(frame)) {
        return false;
    }
    seen.line = gic_line(INTID_PMU);
    seen.wrapped = read_sysreg(pmccntr_el0) < seen.start;
    frame->x[0] = !seen.line && !seen.wrapped;
    return true;
}

/* PMCCNTR counts at EL0 only and starts this many cycles before its overflow. */
static void start_user_cycles(uint64_t cycles)
{
    seen.start = -cycles;
    write_sysreg(pmccfiltr_el0, PMEVTYPER_P);
    write_sysreg(pmcr_el0, PMCR_E | PMCR_LC);
    write_sysreg(pmccntr_el0, seen.start);
    write_sysreg(pmintenset_el1, BIT(CYCLE_COUNTER));
    write_sysreg(pmcntenset_el0, BIT(CYCLE_COUNTER));
    isb();
}

static void stop(void)
{
    write_sysreg(pmcr_el0, 0);
    write_sysreg(pmovsclr_el0, pmu_mask());
    isb();
}

/* All levels mask the interrupt, so it is pending when the call is handled. */
static void test_call(void)
{
    this_cpu()->on_sync = look_at_line;
    for (unsigned i = 0; i < RUNS; i++) {
        start_user_cycles(5000 + i * 97);
        call_at(EL0, calls, CALLS);
        expect_eq("wrapped", i, 1, seen.wrapped);
        expect_eq("pending", i, 1, seen.line);
        stop();
    }
}

/* EL0 can take the interrupt, so it takes it before it calls. */
static void test_call_unmasked(void)
{
    struct pmu_irq *irq = pmu_irq_watch(BIT(CYCLE_COUNTER));

    this_cpu()->on_sync = look_at_line;
    for (unsigned i = 0; i < RUNS; i++) {
        irq->count = 0;
        start_user_cycles(5000 + i * 97);
        call_at_with_irqs(EL0, calls, CALLS);
        expect_eq("interrupts", i, 1, irq->count);
        expect_eq("pending at the call", i, 0, seen.line);
        stop();
    }
}

/*
 * There are as many instructions as calls. The call that was delayed by the interrupt counts once.
 */
static void test_calls_counted(void)
{
    uint64_t n;

    pmu_irq_watch(BIT(CYCLE_COUNTER));
    this_cpu()->on_sync = look_at_line;
    for (unsigned i = 0; i < RUNS; i++) {
        pmu_count(0, EVENT_EXC_SVC | PMEVTYPER_P);
        start_user_cycles(5000 + i * 97);
        n = call_at_with_irqs(EL0, calls, CALLS);
        write_sysreg(pmcr_el0, 0);
        /* The last SVC is the trampoline's. */
        expect_eq("EXC_SVC", i, n + 1, read_pmevcntr(0));
        stop();
    }
}

/* The odd counter of a chain counts in the same contexts as the even one. */
static void test_chain(void)
{
    this_cpu()->on_sync = look_at_line;
    seen.start = 0;
    for (unsigned i = 0; i < RUNS; i++) {
        pmu_count(1, EVENT_CHAIN | PMEVTYPER_P);
        pmu_count(0, EVENT_CPU_CYCLES | PMEVTYPER_P);
        write_pmevcntr(0, BIT(32) - 5000 - i * 97);
        for (unsigned n = 0; n < 1000 && read_pmevcntr(0) >> 31 & 1; n++) {
            call_at(EL0, calls, 100);
        }
        expect_eq("PMEVCNTR0", i, 0, read_pmevcntr(0) >> 31 & 1);
        expect_eq("PMEVCNTR1", i, 1, read_pmevcntr(1));
        stop();
    }
}

/* Counts everywhere and overflows after at most this many nanoseconds, which CNTVCT measures. */
static uint64_t start_cycles(uint64_t cycles)
{
    write_sysreg(pmccfiltr_el0, filter_everywhere());
    write_sysreg(pmcr_el0, PMCR_E | PMCR_LC);
    write_sysreg(pmintenset_el1, BIT(CYCLE_COUNTER));
    write_sysreg(pmcntenset_el0, BIT(CYCLE_COUNTER));
    write_sysreg(pmccntr_el0, -cycles);
    isb();
    /* A cycle is a nanosecond. */
    return read_sysreg(cntvct_el0) + cycles * read_sysreg(cntfrq_el0) / 1000000000 + 2;
}

static void wait_until(uint64_t time)
{
    while (read_sysreg(cntvct_el0) < time) {
        isb();
    }
}

/* An access to any PMU register will do, also to one without overflow flags. */
static void test_access(void)
{
    for (unsigned i = 0; i < RUNS; i++) {
        uint64_t due = start_cycles(2000 + i * 31);

        wait_until(due);
        read_sysreg(pmselr_el0);
        expect_eq("read", i, 1, gic_line(INTID_PMU));
        stop();
        due = start_cycles(2000 + i * 31);
        wait_until(due);
        write_sysreg(pmselr_el0, UINT64_C(0));
        expect_eq("write", i, 1, gic_line(INTID_PMU));
        stop();
    }
}

/* EL0 waits and calls; cycles count on both sides of the call. */
static uint64_t wait_and_call(uint64_t time)
{
    wait_until(time);
    return calls(1);
}

static void test_call_everywhere(void)
{
    write_sysreg(cntkctl_el1, UINT64_C(3));
    this_cpu()->on_sync = look_at_line;
    for (unsigned i = 0; i < RUNS; i++) {
        call_at(EL0, wait_and_call, start_cycles(4000 + i * 31));
        expect_eq("pending", i, 1, seen.line);
        stop();
    }
}

const struct test test_table[] = {
    TEST("clocks.call", test_call, .home = HOME_EL1),
    TEST("clocks.call-unmasked", test_call_unmasked, .home = HOME_EL1),
    TEST("clocks.calls-counted", test_calls_counted, .home = HOME_EL1, .counters = 1),
    TEST("clocks.chain", test_chain, .home = HOME_EL1, .counters = 2),
    TEST("clocks.access", test_access, .home = HOME_EL1),
    TEST("clocks.call-everywhere", test_call_everywhere, .home = HOME_EL1),
    {0},
};

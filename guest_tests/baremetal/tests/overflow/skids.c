/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * The overflow of every event is taken just after the instruction that caused it: for every event
 * of a loop, near and far, for several events at once, and on all CPUs at once.
 */
#include "registers/pmu.h"
#include "runtime/gic.h"
#include "runtime/mmu.h"
#include "runtime/pmu_setup.h"
#include "runtime/smp.h"
#include "runtime/test.h"
#include "tests/overflow/skids.h"
#include "tests/models/steps.h"

#define ITERATIONS 3u
#define DISTANCE 100000u
#define MAX_INTERRUPTS 8u

/* Every interrupt of a CPU, in order, and the first thing that was not as expected. */
static struct watch {
    struct {
        uint64_t elr, overflows, x15;
    } taken[MAX_INTERRUPTS];
    unsigned count;
    bool failed;
    const char *what;
    uint64_t place, expected, got;
} watches[MAX_CPUS];

static uint8_t buffers[MAX_CPUS][PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));

static struct watch *this_watch(void)
{
    return &watches[this_cpu()->index];
}

/* Only the boot CPU may report. */
static void note(const char *what, uint64_t place, uint64_t expected, uint64_t got)
{
    struct watch *w = this_watch();

    if (expected != got && !w->failed) {
        *w = (struct watch){.count = w->count,
                            .failed = true,
                            .what = what,
                            .place = place,
                            .expected = expected,
                            .got = got};
    }
}

static void report_all(void)
{
    for (unsigned i = 0; i < MAX_CPUS; i++) {
        if (watches[i].failed) {
            expect_eq(watches[i].what, watches[i].place, watches[i].expected, watches[i].got);
            watches[i].failed = false;
        }
    }
}

static bool note_interrupt(struct frame *frame, unsigned el)
{
    struct watch *w = this_watch();
    unsigned intid = gic_acknowledge();
    uint64_t overflows = read_sysreg(pmovsset_el0);

    (void)el;
    if (intid == INTID_PMU) {
        /* Code at EL1 counts itself. It need not cause the overflow. */
        write_sysreg(pmcntenclr_el0, overflows);
        if (w->count < MAX_INTERRUPTS) {
            w->taken[w->count].elr = frame->elr;
            w->taken[w->count].overflows = overflows;
            w->taken[w->count].x15 = frame->x[15];
        }
        w->count++;
    }
    write_sysreg(pmovsclr_el0, overflows);
    isb();
    if (intid < INTID_SPURIOUS) {
        gic_end(intid);
    }
    return true;
}

static bool leave(struct frame *frame, unsigned el)
{
    (void)frame;
    (void)el;
    return true;
}

void skids_prepare(uint64_t counters)
{
    enable_features();
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    write_sysreg(pmcr_el0, PMCR_E);
    pmu_irq_watch(0);
    this_cpu()->on_irq = note_interrupt;
    this_cpu()->on_sync = leave;
    write_sysreg(pmintenset_el1, counters);
    isb();
}

void skids_set(unsigned counter, uint64_t type, uint64_t k)
{
    write_pmevtyper(counter, type);
    write_pmevcntr(counter, BIT(32) - k);
}

uint64_t skids_filter(enum level level)
{
    return level == EL0 ? PMEVTYPER_P : PMEVTYPER_U;
}

void skids_begin(void)
{
    this_watch()->count = 0;
    write_sysreg(pmovsclr_el0, pmu_mask());
    isb();
}

unsigned skids_count(void)
{
    return this_watch()->count;
}

unsigned skids_run(level_fn code, enum level level, const void *arg)
{
    skids_begin();
    call_at_with_irqs(level, code, (uintptr_t)arg);
    return skids_count();
}

uint64_t skids_elr(unsigned n)
{
    return this_watch()->taken[n].elr;
}

uint64_t skids_x15(unsigned n)
{
    return this_watch()->taken[n].x15;
}

/* The k-th event, in one of the counters. */
static void check_one(const struct steps *s, enum level level, const struct event *event,
                      uint64_t k, uint64_t iterations)
{
    unsigned counter = (unsigned)(k % pmu_counters());
    struct event_arg arg = {
        .buffer = buffers[this_cpu()->index],
        .iterations = iterations,
        .mask = BIT(counter),
    };
    uint64_t place = BIT(36) | (uint64_t)event->number << 20 | (k & 0xfffff);
    uint64_t address;

    if (steps_find(s, event->columns, k, iterations, &address) == UINT64_MAX) {
        return;
    }
    skids_set(counter, event->number | skids_filter(level), k);
    note("interrupts", place, 1, skids_run(s->code, level, &arg));
    note("ELR", place, address, skids_elr(0));
    note("PMOVSSET", place, BIT(counter), this_watch()->taken[0].overflows);
}

/* Every event of the loop, each time that it happens. */
static void check_near(const struct steps *s, enum level level)
{
    for (unsigned i = 0; i < instruction_events_count; i++) {
        const struct event *event = &instruction_events[i];
        unsigned each = steps_per_iteration(s, event->columns);

        for (unsigned k = 1; event_exists(event->number) && k <= each * ITERATIONS; k++) {
            check_one(s, level, event, k, ITERATIONS);
        }
    }
}

/* So far away that blocks do not check for the overflow until it is closer. */
static void check_far(const struct steps *s, enum level level)
{
    for (unsigned i = 0; i < instruction_events_count; i++) {
        const struct event *event = &instruction_events[i];
        unsigned each = steps_per_iteration(s, event->columns);

        for (unsigned k = 0; event_exists(event->number) && k < each; k += 3) {
            check_one(s, level, event, DISTANCE + k, DISTANCE / each + 3);
        }
    }
}

static const struct steps *const everywhere[] = {&steps_memory, &steps_branches, &steps_computing};

#define LOOPS (sizeof(everywhere) / sizeof(everywhere[0]))

static void check_loops(void (*check)(const struct steps *s, enum level level), enum level level)
{
    skids_prepare(pmu_mask());
    for (unsigned i = 0; i < LOOPS; i++) {
        check(everywhere[i], level);
    }
    report_all();
}

static void test_near_el0(void)
{
    check_loops(check_near, EL0);
}

static void test_near_el1(void)
{
    check_loops(check_near, EL1);
}

static void test_far_el0(void)
{
    check_loops(check_far, EL0);
}

static void test_far_el1(void)
{
    check_loops(check_far, EL1);
}

/* Writes of CONTEXTIDR and TTBR, and exception returns. */
static void test_el1_only(void)
{
    skids_prepare(pmu_mask());
    check_near(&steps_el1_only, EL1);
    report_all();
}

/* Each iteration has 2 system calls. An interrupt waits until EL1 has returned. */
static void test_calls(void)
{
    static const struct event events[] = {
        {0x0009, 0}, /* EXC_TAKEN */
        {0x0082, 0}, /* EXC_SVC */
    };
    const struct step *steps = steps_calls.steps;

    skids_prepare(pmu_mask());
    check_near(&steps_calls, EL0);
    for (unsigned k = 1; k <= 2 * ITERATIONS; k++) {
        struct event_arg arg = {.buffer = buffers[0], .iterations = ITERATIONS, .mask = 1};

        skids_set(0, events[k & 1].number | PMEVTYPER_P, k);
        note("interrupts", k, 1, skids_run(steps_calls.code, EL0, &arg));
        note("ELR", k, steps[k & 1 ? 2 : 4].address, skids_elr(0));
    }
    report_all();
}

/* Counters 0 to 2 count different events, whose overflows come in any order. */
static void check_several(const struct steps *s, const struct event *const events[3],
                          const unsigned k[3])
{
    struct event_arg arg = {.buffer = buffers[0], .iterations = ITERATIONS, .mask = 7};
    uint64_t step[3], address[3], place = 0;
    unsigned n = 0, count;

    for (unsigned i = 0; i < 3; i++) {
        skids_set(i, events[i]->number | PMEVTYPER_P, k[i]);
        step[i] = steps_find(s, events[i]->columns, k[i], ITERATIONS, &address[i]);
        place = place << 20 | (uint64_t)events[i]->number << 8 | k[i];
    }
    count = skids_run(s->code, EL0, &arg);
    for (uint64_t at = 0; at < 1000; at++) {
        uint64_t overflows = 0, elr = 0;

        for (unsigned i = 0; i < 3; i++) {
            overflows |= step[i] == at ? BIT(i) : 0;
            elr = step[i] == at ? address[i] : elr;
        }
        if (overflows) {
            note("ELR", place, elr, skids_elr(n));
            note("PMOVSSET", place, overflows, this_watch()->taken[n].overflows);
            n++;
        }
    }
    note("interrupts", place, n, count);
}

/* Three of all events, in turns. The numbers have no common factor. */
static void test_several(void)
{
    skids_prepare(7);
    for (unsigned loop = 0; loop < LOOPS; loop++) {
        for (unsigned i = 0; i < instruction_events_count * 3; i++) {
            const struct event *const events[3] = {
                &instruction_events[i % instruction_events_count],
                &instruction_events[(i + 7) % instruction_events_count],
                &instruction_events[(i * 5 + 2) % instruction_events_count],
            };
            const unsigned k[3] = {1 + i % 5, 1 + i * 3 % 7, 1 + i * 5 % 11};
            bool all = true;

            for (unsigned j = 0; j < 3; j++) {
                all = all && steps_per_iteration(everywhere[loop], events[j]->columns) > 0 &&
                      event_exists(events[j]->number);
            }
            if (all) {
                check_several(everywhere[loop], events, k);
            }
        }
    }
    report_all();
}

static void on_this_cpu(unsigned cpu)
{
    levels_reset();
    pmu_reset();
    skids_prepare(pmu_mask());
    smp_barrier();
    for (unsigned i = 0; i < LOOPS; i++) {
        check_near(everywhere[(i + cpu) % LOOPS], cpu & 1 ? EL0 : EL1);
    }
}

static void test_all_cpus(void)
{
    if (smp_count() == 1 && smp_start() < 2) {
        skip_test("one CPU");
        return;
    }
    smp_run(on_this_cpu);
    report_all();
}

#define SKID_TEST(name, run) TEST(name, run, .home = HOME_EL1 | HOME_EL2, .counters = 3)

const struct test test_table[] = {
    SKID_TEST("skids.near-el0", test_near_el0),
    SKID_TEST("skids.near-el1", test_near_el1),
    SKID_TEST("skids.far-el0", test_far_el0),
    SKID_TEST("skids.far-el1", test_far_el1),
    SKID_TEST("skids.el1-only", test_el1_only),
    SKID_TEST("skids.calls", test_calls),
    SKID_TEST("skids.several", test_several),
    SKID_TEST("skids.a32", test_skid_a32),
    SKID_TEST("skids.t32", test_skid_t32),
    SKID_TEST("skids.refills", test_skid_refills),
    SKID_TEST("skids.refills-far", test_skid_refills_far),
    SKID_TEST("skids.write-backs", test_skid_write_backs),
    SKID_TEST("skids.tlb", test_skid_tlb),
    SKID_TEST("skids.fetches", test_skid_fetches),
    SKID_TEST("skids.branches", test_skid_branches),
    SKID_TEST("skids.cycles", test_skid_cycles),
    SKID_TEST("skids.cycles-far", test_skid_cycles_far),
    SKID_TEST("skids.all-cpus", test_all_cpus),
    {0},
};

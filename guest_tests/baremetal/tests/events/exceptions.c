/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * Exceptions of every kind are counted where they are taken from. Instructions that are skipped
 * count as nothing. Instructions that are retried count as if there had been no exception.
 */
#include "tests/events/exceptions.h"

#include "registers/pmu.h"
#include "runtime/gic.h"
#include "runtime/mmu.h"
#include "runtime/pmu_setup.h"

#define RUNS 20u

static const uint16_t kinds[] = {UNDEF,      SVC,      PABORT,   DABORT,      IRQ,
                                 FIQ,        SMC,      HVC,      TRAP_PABORT, TRAP_DABORT,
                                 TRAP_OTHER, TRAP_IRQ, TRAP_FIQ, TAKEN};

#define KINDS ((unsigned)(sizeof(kinds) / sizeof(kinds[0])))

/* Counts only at the level at which the code runs, so that the handler is not counted. */
static uint64_t filter_of(enum level level)
{
    static const uint64_t filters[] = {
        [EL0] = PMEVTYPER_P,
        [EL1] = PMEVTYPER_U | PMEVTYPER_M,
        [EL2] = PMEVTYPER_P | PMEVTYPER_U | PMEVTYPER_NSH,
        [EL3] = PMEVTYPER_U | PMEVTYPER_NSK,
    };

    return filters[level];
}

/* All events, exceptions and others. */
static unsigned all_events(void)
{
    return KINDS + (unsigned)instruction_events_count;
}

static uint64_t number_of(unsigned n)
{
    n %= all_events();
    return n < KINDS ? kinds[n] : instruction_events[n - KINDS].number;
}

/* Where the handler runs at the same level, only exceptions belong to the code alone. */
static bool expectation(const struct row *row, unsigned n, uint64_t *count)
{
    n %= all_events();
    if (n < KINDS) {
        *count = kinds[n] == row->kind || kinds[n] == TAKEN ? row->iterations : 0;
        return true;
    }
    return row->from != row->to && event_exists(number_of(n)) &&
           event_count(row->c, &instruction_events[n - KINDS], row->from, row->iterations, count);
}

static void run_once(const struct row *row, unsigned first)
{
    struct event_arg arg = {
        .buffer = (void *)page_address(PAGE_TRIED),
        .iterations = row->iterations,
        .mask = pmu_mask() & ~BIT(CYCLE_COUNTER),
    };

    taken = 0;
    current = row;
    for (unsigned i = 0; i < pmu_counters(); i++) {
        write_pmevtyper(i, number_of(first + i) | filter_of(row->from));
        write_pmevcntr(i, 0);
    }
    call_at_with_irqs(row->from, (level_fn)(uintptr_t)row->c->code, (uintptr_t)&arg);
    expect_eq(row->c->name, 0x200000 | row->from << 16 | row->to << 12, row->iterations, taken);
    for (unsigned i = 0; i < pmu_counters(); i++) {
        uint64_t expected;

        if (expectation(row, first + i, &expected)) {
            expect_eq(row->c->name, 0x100000 | row->from << 16 | number_of(first + i), expected,
                      read_pmevcntr(i));
        }
    }
}

static void prepare(const struct row *row)
{
    levels_reset();
    enable_features();
    page_map(PAGE_TRIED, PAGE_DATA);
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    write_sysreg(pmcr_el0, PMCR_E);
    this_cpu()->on_sync = row->hook;
    if (row->prepare) {
        row->prepare();
    }
}

static void check_row(const struct row *row)
{
    for (unsigned first = 0; first < RUNS || first * pmu_counters() < all_events(); first++) {
        prepare(row);
        run_once(row, first * pmu_counters());
    }
    gic_disable(SGI);
    gic_signal_fiq(false);
}

static void check_rows(const struct row *row)
{
    for (; row->c; row++) {
        if (row->homes >> home & 1 && has_feature(row->c->needs)) {
            check_row(row);
        }
    }
}

static void test_local(void)
{
    check_rows(local_rows);
}

static void test_el2(void)
{
    check_rows(el2_rows);
}

static void test_el3(void)
{
    check_rows(el3_rows);
}

/* The overflow interrupt: how many exceptions there had been, and the loop's counter. */
static struct {
    unsigned count, taken;
    uint64_t x15;
} overflow;

static bool note_overflow(struct frame *frame, unsigned el)
{
    unsigned intid = gic_acknowledge();

    (void)el;
    if (intid == INTID_PMU) {
        overflow.count++;
        overflow.taken = taken;
        overflow.x15 = frame->x[15];
    }
    write_sysreg(pmovsclr_el0, BIT(0));
    isb();
    if (intid < INTID_SPURIOUS) {
        gic_end(intid);
    }
    return true;
}

/* The k-th exception of EL0 overflows. EL1 masks the interrupt, so it is taken when EL1 is left. */
static void check_overflow(const struct row *row, uint64_t number, unsigned k)
{
    struct event_arg arg = {
        .buffer = (void *)page_address(PAGE_TRIED),
        .iterations = row->iterations,
        .mask = BIT(0),
    };

    prepare(row);
    this_cpu()->on_irq = note_overflow;
    gic_enable(INTID_PMU);
    write_sysreg(pmintenset_el1, BIT(0));
    write_pmevtyper(0, number | filter_of(EL0));
    write_pmevcntr(0, BIT(32) - k);
    overflow.count = 0;
    taken = 0;
    current = row;
    call_at_with_irqs(EL0, (level_fn)(uintptr_t)row->c->code, (uintptr_t)&arg);
    expect_eq(row->c->name, number << 16 | k, 1, overflow.count);
    expect_eq(row->c->name, number << 16 | k, k, overflow.taken);
    expect_eq(row->c->name, number << 16 | k, row->iterations - k + 1, overflow.x15);
}

static void test_overflow(void)
{
    for (const struct row *row = local_rows; row->c; row++) {
        if (row->from == EL0 && row->hook && row->iterations > 1 && has_feature(row->c->needs)) {
            for (unsigned k = 1; k <= row->iterations; k += 3) {
                check_overflow(row, row->kind, k);
                check_overflow(row, TAKEN, k);
            }
        }
    }
}

const struct test test_table[] = {
    TEST("exceptions.local", test_local, .counters = 1),
    TEST("exceptions.overflow", test_overflow, .home = HOME_EL1 | HOME_EL2, .counters = 1),
    TEST("exceptions.el2", test_el2, .home = HOME_EL2 | HOME_EL3, .counters = 1),
    TEST("exceptions.el3", test_el3, .home = HOME_EL3, .counters = 1),
    {0},
};

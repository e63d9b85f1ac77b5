/* SPDX-License-Identifier: GPL-2.0-or-later */

/* Events of AArch32 instructions, including instructions whose condition fails. */
#include "registers/pmu.h"
#include "runtime/mmu.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"
#include "tests/events/events.h"

#define ITERATIONS 100u
#define PAGE_BEFORE 2u
#define PAGE_TRIED 3u

/* SCTLR of AArch32: translation off, CP15 barriers enabled as usual. */
#define SCTLR_AARCH32 UINT64_C(0x30c50838)
#define FPEXC_EN BIT(30)
/* CPACR of AArch32: both floating-point coprocessors are enabled. */
#define CPACR_CP10_CP11 (UINT64_C(0xf) << 20)

/* A row of the table at the start of events32_code.S. A name of 0 ends the table. */
struct row {
    uint32_t name, code;
    uint16_t levels, counts[COLUMNS];
};

_Static_assert(sizeof(struct row) == 60, "events32_code.S");

extern const char events32_blob[];

static const struct row *first_row(void)
{
    return (const struct row *)(const void *)events32_blob;
}

static uint64_t place(enum level level, const struct row *row, const struct event *event)
{
    return BIT(28) | (uint64_t)(row->code & 1) << 24 | (uint64_t)level << 16 | event->number;
}

/* A 32-bit EL1 has no translation here, so no cache holds its data. */
static struct event_case case_of(const struct row *row, enum level level)
{
    struct event_case c = {.name = events32_blob + row->name};

    for (unsigned i = 0; i < COLUMNS; i++) {
        c.counts[i] = row->counts[i];
    }
    if (level == EL1 && c.counts[L1D_RD] != UNKNOWN) {
        c.counts[L1D_RD] = 0;
    }
    if (level == EL1 && c.counts[L1D_WR] != UNKNOWN) {
        c.counts[L1D_WR] = 0;
    }
    return c;
}

static void run_window(const struct row *row, enum level level, unsigned first, unsigned count)
{
    unsigned iterations = row->levels == FAULTS ? 1 : ITERATIONS;
    uintptr_t address = row->levels == FAULTS ? page_address(PAGE_TRIED) : (uintptr_t)event_buffer;
    const uint32_t regs[4] = {iterations, (uint32_t)address, (1u << count) - 1};
    struct event_case c = case_of(row, level);

    for (unsigned i = 0; i < count; i++) {
        const struct event *event = &instruction_events[(first + i) % instruction_events_count];

        write_pmevtyper(i, event->number | (level == EL0 ? PMEVTYPER_P : PMEVTYPER_U));
        write_pmevcntr(i, 0);
    }
    call_aarch32(level, (uint32_t)(uintptr_t)events32_blob + row->code, regs);
    for (unsigned i = 0; i < count; i++) {
        const struct event *event = &instruction_events[(first + i) % instruction_events_count];
        uint64_t expected;

        if (event_exists(event->number) && event_count(&c, event, level, iterations, &expected)) {
            expect_eq(c.name, place(level, row, event), expected, read_pmevcntr(i) & 0xffffffff);
        }
    }
}

static unsigned mapped;

static bool map_page(struct frame *frame, unsigned el)
{
    (void)el;
    mapped++;
    page_map(PAGE_TRIED, PAGE_DATA);
    return ESR_EC(frame->esr) == EC_DABORT_LOWER;
}

/* An instruction that faults and is retried counts once. */
static void check_faults(void)
{
    page_map(PAGE_BEFORE, PAGE_DATA);
    this_cpu()->on_sync = map_page;
    for (const struct row *row = first_row(); row->name; row++) {
        for (unsigned i = 0; i < instruction_events_count && row->levels == FAULTS; i++) {
            page_map(PAGE_TRIED, PAGE_UNMAPPED);
            mapped = 0;
            run_window(row, EL0, i * 5, pmu_counters());
            expect_eq(events32_blob + row->name, i, 1, mapped);
        }
    }
}

/* Cases of either instruction set, with many events at once and with each alone. */
static void check(enum level level, unsigned t32)
{
    for (const struct row *row = first_row(); row->name; row++) {
        for (unsigned i = 0; i < instruction_events_count && (row->code & 1) == t32; i++) {
            if (row->levels >> level & 1) {
                run_window(row, level, i, 1);
                run_window(row, level, i * pmu_counters(), pmu_counters());
            }
        }
    }
}

static bool at_el0(void)
{
    if (!has_aarch32(EL0)) {
        skip_test("no AArch32");
        return false;
    }
    enable_features();
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    write_sysreg(pmcr_el0, PMCR_E);
    return true;
}

static bool at_el1(void)
{
    if (!has_aarch32(EL1)) {
        skip_test("EL1 is AArch64 only");
        return false;
    }
    at_el0();
    write_sysreg(sctlr_el1, SCTLR_AARCH32);
    write_sysreg(cpacr_el1, CPACR_CP10_CP11);
    write_sysreg(fpexc32_el2, FPEXC_EN);
    write_sysreg(hcr_el2, 0);
    isb();
    return true;
}

static void test_a32_el0(void)
{
    if (at_el0()) {
        check(EL0, 0);
    }
}

static void test_t32_el0(void)
{
    if (at_el0()) {
        check(EL0, 1);
    }
}

static void test_a32_el1(void)
{
    if (at_el1()) {
        check(EL1, 0);
    }
}

static void test_t32_el1(void)
{
    if (at_el1()) {
        check(EL1, 1);
    }
}

static void test_faults(void)
{
    if (at_el0()) {
        check_faults();
    }
}

const struct test test_table[] = {
    TEST("events32.a32-el0", test_a32_el0, .home = HOME_EL1 | HOME_EL2, .counters = 1),
    TEST("events32.t32-el0", test_t32_el0, .home = HOME_EL1 | HOME_EL2, .counters = 1),
    TEST("events32.faults", test_faults, .home = HOME_EL1 | HOME_EL2, .counters = 1),
    TEST("events32.a32-el1", test_a32_el1, .home = HOME_EL2, .counters = 1),
    TEST("events32.t32-el1", test_t32_el1, .home = HOME_EL2, .counters = 1),
    {0},
};

/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * The guest of a VMM under test, on the bare-metal runtime, at EL1 with KVM's PMU. It checks what
 * its PMU has, and whether it continues to count while the guest is moved. An access to a PMU
 * register, or to the UART, is trapped and done by the host, so the guest has not executed it.
 *
 * Arguments, in QEMU's -append: counters=N, the expected number; denied=EVENT, an event that the
 * VMM does not let it count; slots=N: the expected PMMIR_EL1; hold=1: count until somebody types a
 * character.
 */
#include "registers/pmu.h"
#include "runtime/bootargs.h"
#include "runtime/console.h"
#include "runtime/layout.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"

#define UARTFR (UART_BASE + 0x18u)
#define ITERATIONS 1000u
/* Counter n begins at this value times n. Some have special values: */
#define STEP UINT64_C(1000)
#define FILTERED 1u
#define OVERFLOWS 2u
#define DISABLED 3u
#define BEFORE_OVERFLOW UINT64_C(0xfffffc00)

/* In vmm_rounds.S. */
uint64_t count_rounds(uintptr_t uart_flags, uint64_t iterations, uint64_t most);

static uint64_t start_of(unsigned n)
{
    return n == OVERFLOWS ? BEFORE_OVERFLOW : STEP * n;
}

static uint64_t type_of(unsigned n)
{
    return EVENT_INST_RETIRED | (n == FILTERED ? PMEVTYPER_P : 0);
}

static uint64_t enabled_mask(void)
{
    return pmu_mask() & ~BIT(DISABLED);
}

/* Interrupts are requested here, but not taken. */
static uint64_t interrupt_mask(void)
{
    return BIT(0) | BIT(CYCLE_COUNTER);
}

/* All counters are ready and none counts yet. */
static void set_up(void)
{
    for (unsigned n = 0; n < pmu_counters(); n++) {
        write_pmevtyper(n, type_of(n));
        write_pmevcntr(n, start_of(n));
    }
    write_sysreg(pmcntenset_el0, enabled_mask());
    write_sysreg(pmintenset_el1, interrupt_mask());
}

/* In PMUv3p5 a counter has 64 bits, though it overflows like a 32-bit one. */
static uint64_t counter_value(uint64_t value)
{
    return pmu_version() >= PMUVER_V3P5 ? value : (uint32_t)value;
}

static void expect_counts(uint64_t count)
{
    for (unsigned n = 0; n < pmu_counters(); n++) {
        uint64_t gained = n == FILTERED || n == DISABLED ? 0 : count;

        expect_eq("counter", n, counter_value(start_of(n) + gained), read_pmevcntr(n));
        expect_eq("type", n, type_of(n), read_pmevtyper(n));
    }
    expect_eq("enabled", 0, enabled_mask(), read_sysreg(pmcntenset_el0));
    expect_eq("interrupts", 0, interrupt_mask(), read_sysreg(pmintenset_el1));
    expect_eq("overflows", 0, pmu_counters() > OVERFLOWS ? BIT(OVERFLOWS) : 0,
              read_sysreg(pmovsset_el0) & ~BIT(CYCLE_COUNTER));
}

/* The increase of the counters in as many rounds as there may be; vmm_rounds.S derives it. */
static uint64_t count(uint64_t most)
{
    return count_rounds(UARTFR, ITERATIONS, most) * (2 * ITERATIONS + 5);
}

static uint64_t read_counter(uint64_t n)
{
    return read_pmevcntr((unsigned)n);
}

static void test_counters(void)
{
    uint64_t counters;

    if (!bootarg("counters", &counters)) {
        skip_test("the arguments do not ask for it");
        return;
    }
    expect_eq("PMCR_EL0.N", 0, counters, pmu_counters());
    set_up();
    expect_counts(count(1));
    for (uint64_t n = pmu_counters(); n < PMU_MAX_COUNTERS; n++) {
        struct trap trap = run_expecting_exception(EL1, read_counter, n);

        expect_eq("exceptions beyond the last", n, 1, trap.count);
        expect_eq("their class", n, EC_UNKNOWN, ESR_EC(trap.esr));
    }
}

/* A denied event is not announced and counts nothing; others do not change. */
static void test_denied(void)
{
    uint64_t denied, gained;

    if (!bootarg("denied", &denied)) {
        skip_test("the arguments do not ask for it");
        return;
    }
    expect_eq("announced", denied, 0, FIELD(read_sysreg(pmceid0_el0), denied, 1));
    expect_eq("announced", EVENT_INST_RETIRED, 1,
              FIELD(read_sysreg(pmceid0_el0), EVENT_INST_RETIRED, 1));
    write_pmevtyper(0, denied);
    write_pmevtyper(1, EVENT_INST_RETIRED);
    write_sysreg(pmcntenset_el0, BIT(0) | BIT(1));
    gained = count(1);
    expect_eq("denied", denied, 0, read_pmevcntr(0));
    expect_eq("allowed", EVENT_INST_RETIRED, gained, read_pmevcntr(1));
}

static void expect_announced(uint64_t event, bool announced)
{
    expect_eq("announced", event, announced, FIELD(read_sysreg(pmceid1_el0), event - 0x20, 1));
}

/* The events of issue slots come with PMMIR_EL1.SLOTS. */
static void expect_slots(uint64_t slots)
{
    expect_eq("PMMIR_EL1", 0, slots, read_sysreg(PMMIR_EL1));
    expect_announced(EVENT_STALL_SLOT_BACKEND, slots != 0);
    expect_announced(EVENT_STALL_SLOT_FRONTEND, slots != 0);
    expect_announced(EVENT_STALL_SLOT, slots != 0);
}

static void test_slots(void)
{
    uint64_t slots, counters;

    if (!bootarg("slots", &slots)) {
        skip_test("the arguments do not ask for it");
        return;
    }
    expect_slots(slots);
    if (bootarg("counters", &counters)) {
        expect_eq("PMCR_EL0.N", 0, counters, pmu_counters());
    }
}

/* However long it takes and wherever it continues, each instruction counts once. */
static void test_hold(void)
{
    uint64_t hold, gained, slots;

    if (!bootarg("hold", &hold)) {
        skip_test("the arguments do not ask for it");
        return;
    }
    set_up();
    console_puts("READY\n");
    gained = count(UINT64_MAX);
    expect_counts(gained);
    if (bootarg("slots", &slots)) {
        expect_eq("PMMIR_EL1", 0, slots, read_sysreg(PMMIR_EL1));
    }
    console_puts("COUNTED ");
    console_putnum(gained);
    console_puts("\n");
}

const struct test test_table[] = {
    TEST("counters", test_counters, .counters = 1),
    TEST("denied", test_denied, .counters = 2),
    TEST("slots", test_slots, .counters = 1),
    TEST("hold", test_hold, .counters = 1),
    {0},
};

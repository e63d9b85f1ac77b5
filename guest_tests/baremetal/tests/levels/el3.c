/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * Secure state and EL3: what MDCR_EL3 prohibits, and that MDCR_EL2 divides the counters there too.
 */
#include "registers/pmu.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"
#include "tests/counters/loops.h"

#define HPMN 2u
#define FIRST 0u
#define SECOND HPMN
#define ITERATIONS 100u

static void enter_secure_state(void)
{
    write_sysreg(scr_el3, read_sysreg(scr_el3) & ~SCR_EL3_NS);
    isb();
}

static void set_mdcr_el3(uint64_t bits)
{
    write_sysreg(mdcr_el3, MDCR_EL3_ENPM2 | bits);
    isb();
}

/* The increase of a counter during a loop of 2 * ITERATIONS instructions and little else. */
static bool counts(unsigned n, enum level level)
{
    uint64_t before = read_pmevcntr(n);

    call_at(level, loop_countdown, ITERATIONS);
    return read_pmevcntr(n) - before >= ITERATIONS;
}

static bool cycles_count(enum level level)
{
    uint64_t before = read_sysreg(pmccntr_el0);

    call_at(level, loop_countdown, ITERATIONS);
    return read_sysreg(pmccntr_el0) != before;
}

static void count_both_ranges(uint64_t filter)
{
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    pmu_count(FIRST, EVENT_INST_RETIRED | filter);
    pmu_count(SECOND, EVENT_INST_RETIRED | filter);
}

static void set_ranges(uint64_t pmcr, uint64_t mdcr)
{
    write_sysreg(pmcr_el0, pmcr);
    write_sysreg(mdcr_el2, MDCR_EL2_HPMN(HPMN) | mdcr);
    isb();
}

/* HPMN and HPME apply where EL2 does not: at EL3, and in Secure state without EEL2. */
static void test_ranges(void)
{
    if (!has_el(EL2)) {
        skip_test("no EL2");
        return;
    }
    for (unsigned secure = 0; secure < 2; secure++) {
        count_both_ranges(0);
        for (unsigned i = 0; i < 4; i++) {
            set_ranges(i & 1 ? PMCR_E : 0, i & 2 ? MDCR_EL2_HPME : 0);
            for (unsigned level = EL1; level <= EL3; level += 2) {
                expect_eq("first", i, i & 1, counts(FIRST, (enum level)level));
                expect_eq("second", i, i >> 1, counts(SECOND, (enum level)level));
            }
        }
        enter_secure_state();
    }
}

/* In Secure state without EEL2, nothing is hidden from EL1: PMCR.N is that of the whole PMU. */
static uint64_t get_n(uint64_t arg)
{
    (void)arg;
    return PMCR_N(read_sysreg(pmcr_el0));
}

static void test_n(void)
{
    if (!has_el(EL2)) {
        skip_test("no EL2");
        return;
    }
    set_ranges(0, 0);
    expect_eq("Non-secure", 0, HPMN, call_at(EL1, get_n, 0));
    enter_secure_state();
    expect_eq("Secure", 0, pmu_counters(), call_at(EL1, get_n, 0));
}

/* SPME == 0: events are counted neither in Secure state nor at EL3. */
static void test_spme(void)
{
    count_both_ranges(0);
    set_mdcr_el3(0);
    expect_eq("EL3 without", 0, 0, counts(FIRST, EL3));
    expect_eq("Non-secure EL1 without", 0, 1, counts(FIRST, EL1));
    enter_secure_state();
    expect_eq("Secure EL1 without", 0, 0, counts(FIRST, EL1));
    expect_eq("Secure EL0 without", 0, 0, counts(FIRST, EL0));
    set_mdcr_el3(MDCR_EL3_SPME);
    expect_eq("EL3 with", 0, 1, counts(FIRST, EL3));
    expect_eq("Secure EL1 with", 0, 1, counts(FIRST, EL1));
    expect_eq("Secure EL0 with", 0, 1, counts(FIRST, EL0));
}

static void start_cycles(uint64_t pmcr)
{
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    write_sysreg(pmcntenset_el0, BIT(CYCLE_COUNTER));
    write_sysreg(pmcr_el0, PMCR_E | PMCR_LC | pmcr);
    isb();
}

/* Cycles are counted nevertheless, unless PMCR.DP is 1. */
static void test_spme_cycles(void)
{
    set_mdcr_el3(0);
    enter_secure_state();
    start_cycles(0);
    expect_eq("DP == 0", 0, 1, cycles_count(EL3));
    expect_eq("DP == 0", 1, 1, cycles_count(EL1));
    start_cycles(PMCR_DP);
    expect_eq("DP == 1", 0, 0, cycles_count(EL3));
    expect_eq("DP == 1", 1, 0, cycles_count(EL1));
}

/* SCCD stops the cycle counter in Secure state and at EL3, whatever PMCR.DP says. */
static void test_sccd(void)
{
    set_mdcr_el3(MDCR_EL3_SPME | MDCR_EL3_SCCD);
    start_cycles(0);
    expect_eq("EL3", 0, 0, cycles_count(EL3));
    expect_eq("Non-secure EL0", 0, 1, cycles_count(EL0));
    enter_secure_state();
    set_mdcr_el3(MDCR_EL3_SPME);
    expect_eq("EL3", 1, 1, cycles_count(EL3));
}

/* MCCD stops it at EL3 only. */
static void test_mccd(void)
{
    uint64_t before;

    set_mdcr_el3(MDCR_EL3_SPME | MDCR_EL3_MCCD);
    start_cycles(0);
    before = read_sysreg(pmccntr_el0);
    for (unsigned i = 0; i < 100; i++) {
        loop_countdown(ITERATIONS);
    }
    expect_eq("EL3", 0, before, read_sysreg(pmccntr_el0));
    enter_secure_state();
    expect_eq("Secure EL1", 0, 1, cycles_count(EL1));
}

/*
 * MPMX: events are not counted at EL3; with SPME, only the first range does not count there. Secure
 * state below EL3 counts then.
 */
static void test_mpmx(void)
{
    count_both_ranges(0);
    set_ranges(PMCR_E, MDCR_EL2_HPME);
    set_mdcr_el3(MDCR_EL3_MPMX);
    expect_eq("first, EL3", 0, 0, counts(FIRST, EL3));
    expect_eq("second, EL3", 0, 0, counts(SECOND, EL3));
    enter_secure_state();
    expect_eq("Secure EL1", 0, 1, counts(FIRST, EL1));
    set_mdcr_el3(MDCR_EL3_MPMX | MDCR_EL3_SPME);
    expect_eq("first, EL3, SPME", 0, 0, counts(FIRST, EL3));
    expect_eq("second, EL3, SPME", 0, has_el(EL2), counts(SECOND, EL3));
    expect_eq("Secure EL1, SPME", 0, 1, counts(FIRST, EL1));
}

/* PMCR.P resets all counters at EL3, and in Secure EL1 if EL2 reserves none. */
static uint64_t reset_event_counters(uint64_t arg)
{
    (void)arg;
    write_sysreg(pmcr_el0, PMCR_P);
    isb();
    return 0;
}

static void test_reset_event_counters(void)
{
    set_ranges(0, 0);
    enter_secure_state();
    for (unsigned level = EL1; level <= EL3; level += 2) {
        write_pmevcntr(FIRST, 77);
        write_pmevcntr(SECOND, 77);
        call_at((enum level)level, reset_event_counters, 0);
        expect_eq("first", level, 0, read_pmevcntr(FIRST));
        expect_eq("second", level, 0, read_pmevcntr(SECOND));
    }
}

/* HPME gates the interrupt of the second range here as well. */
static void test_interrupt_gate(void)
{
    if (!has_el(EL2)) {
        skip_test("no EL2");
        return;
    }
    write_sysreg(pmintenset_el1, pmu_mask());
    for (unsigned i = 0; i < 4; i++) {
        set_ranges(i & 1 ? PMCR_E : 0, i & 2 ? MDCR_EL2_HPME : 0);
        write_sysreg(pmovsset_el0, BIT(FIRST));
        expect_eq("first", i, i & 1, pmu_irq_line());
        write_sysreg(pmovsclr_el0, BIT(FIRST));
        write_sysreg(pmovsset_el0, BIT(SECOND));
        expect_eq("second", i, i >> 1, pmu_irq_line());
        write_sysreg(pmovsclr_el0, BIT(SECOND));
    }
}

static uint64_t get_pmccntr(uint64_t arg)
{
    (void)arg;
    return read_sysreg(pmccntr_el0);
}

static uint64_t get_pmuserenr(uint64_t arg)
{
    (void)arg;
    return read_sysreg(pmuserenr_el0);
}

/* MDCR_EL3.TPM traps to EL3 from every lower level, in both states. */
static void test_tpm(void)
{
    static const level_fn reads[] = {get_n, get_pmccntr, get_pmuserenr};

    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    set_mdcr_el3(MDCR_EL3_SPME | MDCR_EL3_TPM);
    for (unsigned secure = 0; secure < 2; secure++) {
        for (unsigned i = 0; i < 3; i++) {
            for (unsigned level = EL0; level <= EL1; level++) {
                struct trap trap = run_expecting_exception((enum level)level, reads[i], 0);

                expect_eq("exceptions", i, 1, trap.count);
                expect_eq("to", i, EL3, trap.el);
                expect_eq("class", i, EC_SYSREG, ESR_EC(trap.esr));
            }
            expect_eq("at EL3", i, 0, run_expecting_exception(EL3, reads[i], 0).count);
        }
        enter_secure_state();
    }
}

/* An SMC is executed, and counts where it was executed. */
static uint64_t nothing(uint64_t arg)
{
    return arg;
}

static void test_smc(void)
{
    for (unsigned i = 0; i < 1000; i++) {
        pmu_count(0, EVENT_INST_RETIRED | PMEVTYPER_M);
        call_at(EL1, nothing, 0);
        /* The trampoline's blr, cmp, b.eq, b.hi and smc, and the function's ret. */
        expect_eq("EL1", i, 6, read_pmevcntr(0));
    }
}

#define EL3_TEST(name, run, ...) TEST(name, run, .home = HOME_EL3, __VA_ARGS__)

const struct test test_table[] = {
    EL3_TEST("el3.ranges", test_ranges, .counters = HPMN + 1),
    EL3_TEST("el3.n", test_n, .counters = HPMN + 1),
    EL3_TEST("el3.spme", test_spme, .counters = HPMN + 1),
    EL3_TEST("el3.spme-cycles", test_spme_cycles, .counters = 0),
    EL3_TEST("el3.sccd", test_sccd, .version = PMUVER_V3P5),
    EL3_TEST("el3.mccd", test_mccd, .version = PMUVER_V3P7),
    EL3_TEST("el3.mpmx", test_mpmx, .counters = HPMN + 1, .version = PMUVER_V3P7),
    EL3_TEST("el3.reset-event-counters", test_reset_event_counters, .counters = HPMN + 1),
    EL3_TEST("el3.interrupt-gate", test_interrupt_gate, .counters = HPMN + 1),
    EL3_TEST("el3.tpm", test_tpm, .counters = 0),
    EL3_TEST("el3.smc", test_smc, .counters = 1),
    {0},
};

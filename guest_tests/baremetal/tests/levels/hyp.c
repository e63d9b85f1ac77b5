/* SPDX-License-Identifier: GPL-2.0-or-later */

/* MDCR_EL2 divides the event counters into two ranges: below HPMN, and from HPMN on for EL2. */
#include "registers/pmu.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"
#include "tests/counters/loops.h"

#define HPMN 2u
/* The counters of either range, and all counters of the second. */
#define FIRST 0u
#define SECOND HPMN

static void set_mdcr(uint64_t bits)
{
    write_sysreg(mdcr_el2, MDCR_EL2_HPMN(HPMN) | bits);
    isb();
}

static bool has_fgt(void)
{
    return FIELD(read_sysreg(id_aa64mmfr0_el1), 56, 4) != 0;
}

static uint64_t get_n(uint64_t arg)
{
    (void)arg;
    return PMCR_N(read_sysreg(pmcr_el0));
}

static void test_n(void)
{
    unsigned n = pmu_counters();

    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    for (unsigned hpmn = 1; hpmn <= n; hpmn++) {
        write_sysreg(mdcr_el2, MDCR_EL2_HPMN(hpmn));
        isb();
        expect_eq("EL0", hpmn, hpmn, call_at(EL0, get_n, 0));
        expect_eq("EL1", hpmn, hpmn, call_at(EL1, get_n, 0));
        expect_eq("EL2", hpmn, n, get_n(0));
    }
}

static uint64_t read_cntr(uint64_t n)
{
    return read_pmevcntr((unsigned)n);
}

static uint64_t write_cntr(uint64_t n)
{
    write_pmevcntr((unsigned)n, 5);
    return 0;
}

static uint64_t read_typer(uint64_t n)
{
    return read_pmevtyper((unsigned)n);
}

static uint64_t write_typer(uint64_t n)
{
    write_pmevtyper((unsigned)n, 5);
    return 0;
}

static uint64_t read_xcntr(uint64_t n)
{
    write_sysreg(pmselr_el0, n);
    isb();
    return read_sysreg(pmxevcntr_el0);
}

static uint64_t write_xcntr(uint64_t n)
{
    write_sysreg(pmselr_el0, n);
    isb();
    write_sysreg(pmxevcntr_el0, 5);
    return 0;
}

static uint64_t read_xtyper(uint64_t n)
{
    write_sysreg(pmselr_el0, n);
    isb();
    return read_sysreg(pmxevtyper_el0);
}

static uint64_t write_xtyper(uint64_t n)
{
    write_sysreg(pmselr_el0, n);
    isb();
    write_sysreg(pmxevtyper_el0, 5);
    return 0;
}

static const struct {
    const char *name;
    level_fn fn;
} counter_accesses[] = {
    {"MRS PMEVCNTR", read_cntr},     {"MSR PMEVCNTR", write_cntr},
    {"MRS PMEVTYPER", read_typer},   {"MSR PMEVTYPER", write_typer},
    {"MRS PMXEVCNTR", read_xcntr},   {"MSR PMXEVCNTR", write_xcntr},
    {"MRS PMXEVTYPER", read_xtyper}, {"MSR PMXEVTYPER", write_xtyper},
};

#define ACCESSES (sizeof(counter_accesses) / sizeof(counter_accesses[0]))

/*
 * EL0 and EL1 can access the counters below HPMN. The other existing ones trap to EL2 (with
 * FEAT_FGT).
 */
static void check_access(enum level level, unsigned n)
{
    for (unsigned i = 0; i < ACCESSES; i++) {
        const char *name = counter_accesses[i].name;
        struct trap trap = run_expecting_exception(level, counter_accesses[i].fn, n);

        if (n < HPMN) {
            expect_eq(name, n, 0, trap.count);
        } else if (n < pmu_counters()) {
            expect_eq(name, n, 1, trap.count);
            expect_eq(name, n, EL2, trap.el);
            expect_eq(name, n, EC_SYSREG, ESR_EC(trap.esr));
        } else {
            expect_eq(name, n, 1, trap.count);
            expect_eq(name, n, EL1, trap.el);
            expect_eq(name, n, EC_UNKNOWN, ESR_EC(trap.esr));
        }
    }
}

static void test_hidden_counters(void)
{
    if (!has_fgt()) {
        skip_test("no FEAT_FGT: constrained unpredictable");
        return;
    }
    set_mdcr(0);
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    for (unsigned n = 0; n < PMU_MAX_COUNTERS; n++) {
        check_access(EL1, n);
        check_access(EL0, n);
    }
}

/* At EL2 HPMN hides nothing. */
static void test_all_at_el2(void)
{
    set_mdcr(0);
    for (unsigned n = 0; n < pmu_counters(); n++) {
        for (unsigned i = 0; i < ACCESSES; i++) {
            struct trap trap = run_expecting_exception(EL2, counter_accesses[i].fn, n);

            expect_eq(counter_accesses[i].name, n, 0, trap.count);
        }
    }
}

/* The pairs of registers with one bit for each counter. arg is the value to write. */
#define DEFINE_BITMAP(name, set, clr)                                                              \
    static uint64_t name##_set(uint64_t value)                                                     \
    {                                                                                              \
        write_sysreg(set, value);                                                                  \
        isb();                                                                                     \
        return read_sysreg(set);                                                                   \
    }                                                                                              \
    static uint64_t name##_clear(uint64_t value)                                                   \
    {                                                                                              \
        write_sysreg(clr, value);                                                                  \
        isb();                                                                                     \
        return read_sysreg(clr);                                                                   \
    }

DEFINE_BITMAP(cnten, pmcntenset_el0, pmcntenclr_el0)
DEFINE_BITMAP(inten, pmintenset_el1, pmintenclr_el1)
DEFINE_BITMAP(ovs, pmovsset_el0, pmovsclr_el0)

static const struct {
    const char *name;
    level_fn set, clear;
} bitmaps[] = {
    {"PMCNTEN", cnten_set, cnten_clear},
    {"PMINTEN", inten_set, inten_clear},
    {"PMOVS", ovs_set, ovs_clear},
};

/* At EL1 bits of the second range read as zero and ignore writes. */
static void test_hidden_bits(void)
{
    uint64_t visible = (BIT(HPMN) - 1) | BIT(CYCLE_COUNTER);

    for (unsigned i = 0; i < sizeof(bitmaps) / sizeof(bitmaps[0]); i++) {
        const char *name = bitmaps[i].name;

        set_mdcr(0);
        bitmaps[i].clear(~UINT64_C(0));
        expect_eq(name, 0, visible, call_at(EL1, bitmaps[i].set, 0xffffffff));
        expect_eq(name, 1, visible, bitmaps[i].set(0));
        expect_eq(name, 2, pmu_mask(), bitmaps[i].set(0xffffffff));
        expect_eq(name, 3, visible, call_at(EL1, bitmaps[i].clear, 0));
        expect_eq(name, 4, 0, call_at(EL1, bitmaps[i].clear, 0xffffffff));
        expect_eq(name, 5, pmu_mask() & ~visible, bitmaps[i].clear(0));
        expect_eq(name, 6, 0, bitmaps[i].clear(0xffffffff));
    }
}

static uint64_t write_pmcr(uint64_t value)
{
    write_sysreg(pmcr_el0, value);
    isb();
    return 0;
}

static void set_all_counters(uint64_t value)
{
    for (unsigned n = 0; n < pmu_counters(); n++) {
        write_pmevcntr(n, value);
    }
}

/* At EL0 and EL1, PMCR.P resets the first range only; at EL2 it resets all counters. */
static void test_reset_event_counters(void)
{
    set_mdcr(0);
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    for (unsigned level = EL0; level <= EL2; level++) {
        set_all_counters(77);
        call_at((enum level)level, write_pmcr, PMCR_P);
        for (unsigned n = 0; n < pmu_counters(); n++) {
            expect_eq("PMEVCNTR", n, n < HPMN || level == EL2 ? 0 : 77, read_pmevcntr(n));
        }
    }
}

/* PMCR.E enables the first range, MDCR_EL2.HPME the second. */
static void test_enables(void)
{
    for (unsigned i = 0; i < 4; i++) {
        uint64_t first, second;

        pmu_count(FIRST, EVENT_INST_RETIRED);
        pmu_count(SECOND, EVENT_INST_RETIRED);
        write_sysreg(pmcr_el0, i & 1 ? PMCR_E : 0);
        set_mdcr(i & 2 ? MDCR_EL2_HPME : 0);
        call_at(EL1, loop_countdown, 100);
        first = read_pmevcntr(FIRST);
        second = read_pmevcntr(SECOND);
        /* The loop, and at most 20 instructions of the call around it. */
        expect_range("first", i, i & 1 ? 201 : 0, i & 1 ? 221 : 0, first);
        expect_range("second", i, i & 2 ? 201 : 0, i & 2 ? 221 : 0, second);
    }
}

/* The same bits connect the overflows of a range to the interrupt line. */
static void test_interrupt_gate(void)
{
    for (unsigned i = 0; i < 4; i++) {
        set_mdcr(i & 2 ? MDCR_EL2_HPME : 0);
        write_sysreg(pmcr_el0, i & 1 ? PMCR_E : 0);
        write_sysreg(pmintenset_el1, pmu_mask());
        write_sysreg(pmovsset_el0, BIT(FIRST));
        expect_eq("first", i, i & 1, pmu_irq_line());
        write_sysreg(pmovsclr_el0, BIT(FIRST));
        write_sysreg(pmovsset_el0, BIT(SECOND));
        expect_eq("second", i, i >> 1, pmu_irq_line());
        write_sysreg(pmovsclr_el0, BIT(SECOND));
        write_sysreg(pmovsset_el0, BIT(CYCLE_COUNTER));
        expect_eq("cycles", i, i & 1, pmu_irq_line());
        write_sysreg(pmovsclr_el0, BIT(CYCLE_COUNTER));
    }
}

/*
 * A change of HPMN moves an overflow flag from one range to the other. The interrupt line follows.
 */
static void test_interrupt_moves(void)
{
    write_sysreg(pmcr_el0, PMCR_E);
    write_sysreg(pmintenset_el1, BIT(SECOND));
    write_sysreg(pmovsset_el0, BIT(SECOND));
    write_sysreg(mdcr_el2, MDCR_EL2_HPMN(HPMN + 1));
    expect_eq("in the first", 0, 1, pmu_irq_line());
    set_mdcr(0);
    expect_eq("in the second", 0, 0, pmu_irq_line());
    set_mdcr(MDCR_EL2_HPME);
    expect_eq("and HPME", 0, 1, pmu_irq_line());
}

/*
 * HPMD: at EL2 the first range does not count and the second does. Cycles count unless PMCR.DP is
 * 1.
 */
static void test_hpmd(void)
{
    write_sysreg(pmccfiltr_el0, PMEVTYPER_NSH);
    write_sysreg(pmcntenset_el0, BIT(CYCLE_COUNTER));
    for (unsigned i = 0; i < 4; i++) {
        bool hpmd = i & 1, dp = i & 2;
        uint64_t cycles;

        pmu_count(FIRST, EVENT_INST_RETIRED | PMEVTYPER_NSH);
        pmu_count(SECOND, EVENT_INST_RETIRED | PMEVTYPER_NSH);
        set_mdcr(MDCR_EL2_HPME | (hpmd ? MDCR_EL2_HPMD : 0));
        write_sysreg(pmcr_el0, PMCR_E | PMCR_LC | PMCR_P | (dp ? PMCR_DP : 0));
        cycles = read_sysreg(pmccntr_el0);
        loop_countdown(100);
        expect_range("second", i, loop_count(&loops[0], 100), 300, read_pmevcntr(SECOND));
        expect_eq("first", i, hpmd, read_pmevcntr(FIRST) == 0);
        expect_eq("cycles", i, !(hpmd && dp), read_sysreg(pmccntr_el0) != cycles);
        /* At EL1 it changes nothing. */
        expect_eq("EL1", i, loop_count(&loops[0], 100), call_at(EL1, loop_countdown, 100));
    }
}

/* HCCD stops the cycle counter at EL2, whatever PMCR.DP says. */
static void test_hccd(void)
{
    uint64_t before;

    write_sysreg(pmccfiltr_el0, PMEVTYPER_NSH);
    write_sysreg(pmcntenset_el0, BIT(CYCLE_COUNTER));
    write_sysreg(pmcr_el0, PMCR_E | PMCR_LC);
    set_mdcr(MDCR_EL2_HCCD);
    before = read_sysreg(pmccntr_el0);
    loop_countdown(1000);
    expect_eq("HCCD == 1", 0, before, read_sysreg(pmccntr_el0));
    set_mdcr(0);
    before = read_sysreg(pmccntr_el0);
    loop_countdown(1000);
    expect_range("HCCD == 0", 0, before + 1, UINT64_MAX, read_sysreg(pmccntr_el0));
}

/* HLP does for the second range what PMCR.LP does for the first. */
static void test_hlp(void)
{
    for (unsigned i = 0; i < 4; i++) {
        pmu_count(FIRST, EVENT_INST_RETIRED);
        pmu_count(SECOND, EVENT_INST_RETIRED);
        write_sysreg(pmovsclr_el0, pmu_mask());
        write_sysreg(pmcr_el0, PMCR_E | (i & 1 ? PMCR_LP : 0));
        set_mdcr(MDCR_EL2_HPME | (i & 2 ? MDCR_EL2_HLP : 0));
        write_pmevcntr(FIRST, BIT(32) - 10);
        write_pmevcntr(SECOND, BIT(32) - 10);
        call_at(EL1, loop_countdown, 100);
        expect_eq("first", i, i & 1 ? 0 : BIT(FIRST), read_sysreg(pmovsset_el0) & BIT(FIRST));
        expect_eq("second", i, i & 2 ? 0 : BIT(SECOND), read_sysreg(pmovsset_el0) & BIT(SECOND));
        write_sysreg(pmovsclr_el0, pmu_mask());
        write_pmevcntr(FIRST, -UINT64_C(10));
        write_pmevcntr(SECOND, -UINT64_C(10));
        call_at(EL1, loop_countdown, 100);
        /* With 32 bits this is an overflow as well. */
        expect_eq("64 bits", i, BIT(FIRST) | BIT(SECOND), read_sysreg(pmovsset_el0));
    }
}

/* A pair in the second range can be chained there. */
static void test_chain(void)
{
    pmu_count(SECOND, EVENT_INST_RETIRED);
    pmu_count(SECOND + 1, EVENT_CHAIN);
    set_mdcr(MDCR_EL2_HPME);
    write_pmevcntr(SECOND, BIT(32) - 100);
    call_at(EL1, loop_countdown, 100);
    expect_eq("PMEVCNTR", SECOND + 1, 1, read_pmevcntr(SECOND + 1));
}

/*
 * HPMFZO freezes the second range at overflows of the second range; FZO freezes the first at those
 * of the first.
 */
static void test_freeze(void)
{
    for (unsigned i = 0; i < 8; i++) {
        unsigned overflowed = i & 4 ? SECOND : FIRST;
        bool first_frozen = (i & 1) && overflowed == FIRST;
        bool second_frozen = (i & 2) && overflowed == SECOND;

        pmu_count(FIRST, EVENT_INST_RETIRED);
        pmu_count(SECOND, EVENT_INST_RETIRED);
        write_sysreg(pmcr_el0, PMCR_E | (i & 1 ? PMCR_FZO : 0));
        set_mdcr(MDCR_EL2_HPME | (i & 2 ? MDCR_EL2_HPMFZO : 0));
        write_sysreg(pmovsset_el0, BIT(overflowed));
        call_at(EL1, loop_countdown, 100);
        expect_eq("first", i, first_frozen, read_pmevcntr(FIRST) == 0);
        expect_eq("second", i, second_frozen, read_pmevcntr(SECOND) == 0);
        write_sysreg(pmovsclr_el0, pmu_mask());
    }
}

/* PMSWINC from EL1 does not reach the second range. */
static uint64_t software_increment(uint64_t mask)
{
    write_sysreg(pmswinc_el0, mask);
    isb();
    return 0;
}

static void test_software_increment(void)
{
    for (unsigned n = 0; n < pmu_counters(); n++) {
        pmu_count(n, EVENT_SW_INCR | PMEVTYPER_NSH);
    }
    set_mdcr(MDCR_EL2_HPME);
    call_at(EL1, software_increment, 0x7fffffff);
    for (unsigned n = 0; n < pmu_counters(); n++) {
        expect_eq("EL1", n, n < HPMN, read_pmevcntr(n));
    }
    software_increment(0x7fffffff);
    for (unsigned n = 0; n < pmu_counters(); n++) {
        expect_eq("EL2", n, n < HPMN ? 2 : 1, read_pmevcntr(n));
    }
}

/* FEAT_HPMN0: all counters belong to EL2. */
static void test_hpmn_zero(void)
{
    if (FIELD(read_sysreg(id_aa64dfr0_el1), 60, 4) == 0) {
        skip_test("no FEAT_HPMN0");
        return;
    }
    pmu_count(0, EVENT_INST_RETIRED);
    write_sysreg(mdcr_el2, 0);
    isb();
    expect_eq("PMCR.N", 0, 0, call_at(EL1, get_n, 0));
    expect_eq("PMCNTENSET", 0, BIT(CYCLE_COUNTER), call_at(EL1, cnten_set, 0xffffffff));
    call_at(EL1, write_pmcr, PMCR_E);
    expect_eq("without HPME", 0, 0, read_pmevcntr(0));
    write_sysreg(mdcr_el2, MDCR_EL2_HPME);
    isb();
    call_at(EL1, write_pmcr, 0);
    expect_range("with HPME", 0, 1, 100, read_pmevcntr(0));
}

const struct test test_table[] = {
    TEST("hyp.n", test_n, .home = HOME_EL2, .counters = 1),
    TEST("hyp.hidden-counters", test_hidden_counters, .home = HOME_EL2, .counters = HPMN + 1),
    TEST("hyp.all-at-el2", test_all_at_el2, .home = HOME_EL2, .counters = HPMN + 1),
    TEST("hyp.hidden-bits", test_hidden_bits, .home = HOME_EL2, .counters = HPMN + 1),
    TEST("hyp.reset-event-counters", test_reset_event_counters, .home = HOME_EL2,
         .counters = HPMN + 1),
    TEST("hyp.enables", test_enables, .home = HOME_EL2, .counters = HPMN + 1),
    TEST("hyp.interrupt-gate", test_interrupt_gate, .home = HOME_EL2, .counters = HPMN + 1),
    TEST("hyp.interrupt-moves", test_interrupt_moves, .home = HOME_EL2, .counters = HPMN + 1),
    TEST("hyp.hpmd", test_hpmd, .home = HOME_EL2, .counters = HPMN + 1, .version = PMUVER_V3P1),
    TEST("hyp.hccd", test_hccd, .home = HOME_EL2, .counters = HPMN, .version = PMUVER_V3P5),
    TEST("hyp.hlp", test_hlp, .home = HOME_EL2, .counters = HPMN + 1, .version = PMUVER_V3P5),
    TEST("hyp.chain", test_chain, .home = HOME_EL2, .counters = HPMN + 2),
    TEST("hyp.freeze", test_freeze, .home = HOME_EL2, .counters = HPMN + 1, .version = PMUVER_V3P7),
    TEST("hyp.software-increment", test_software_increment, .home = HOME_EL2, .counters = HPMN + 1),
    TEST("hyp.hpmn-zero", test_hpmn_zero, .home = HOME_EL2, .counters = 1),
    {0},
};

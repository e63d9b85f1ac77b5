/* SPDX-License-Identifier: GPL-2.0-or-later */

/* What each version of the PMU has, what it lacks, and that the ID registers say so. */
#include "registers/pmu.h"
#include "runtime/bootargs.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"
#include "tests/counters/loops.h"

/* The machine is the one that the list of runs describes. */
static void test_as_asked(void)
{
    uint64_t version, counters;

    if (!bootarg("pmuver", &version) || !bootarg("counters", &counters)) {
        skip_test("the list of runs names no version");
        return;
    }
    expect_eq("PMUVer", 0, version, pmu_version());
    expect_eq("PMCR.N", 0, counters, pmu_counters());
}

/* ID_DFR0.PerfMon says the same to AArch32, where version 3 has the value 3. */
static void test_perfmon(void)
{
    unsigned version = pmu_version();

    if (!has_aarch32(EL0)) {
        skip_test("no AArch32");
        return;
    }
    expect_eq("ID_DFR0", 0, version == PMUVER_V3 ? 3 : version,
              FIELD(read_sysreg(id_dfr0_el1), 24, 4));
}

/* Events that every PMU of this kind must have, the first three according to the architecture. */
static void test_pmceid(void)
{
    uint64_t pmceid0 = read_sysreg(pmceid0_el0);

    expect_eq("SW_INCR", 0, 1, pmceid0 >> EVENT_SW_INCR & 1);
    expect_eq("INST_RETIRED", 0, 1, pmceid0 >> EVENT_INST_RETIRED & 1);
    expect_eq("CPU_CYCLES", 0, 1, pmceid0 >> EVENT_CPU_CYCLES & 1);
    if (pmu_counters() >= 2) {
        expect_eq("CHAIN", 0, 1, pmceid0 >> EVENT_CHAIN & 1);
    }
    if (pmu_version() < PMUVER_V3P1) {
        expect_eq("PMCEID0[63:32]", 0, 0, pmceid0 >> 32);
        expect_eq("PMCEID1[63:32]", 0, 0, read_sysreg(pmceid1_el0) >> 32);
    }
}

/* Events that PMCEID does not announce are not counted. */
static void test_unknown_events(void)
{
    uint64_t known[2] = {read_sysreg(pmceid0_el0), read_sysreg(pmceid1_el0)};

    for (unsigned i = 0; i < 64; i++) {
        for (unsigned extended = 0; extended < 2; extended++) {
            unsigned bit = i % 32 + extended * 32;

            if (known[i / 32] >> bit & 1 || (extended && pmu_version() < PMUVER_V3P1)) {
                continue;
            }
            pmu_count(0, (extended * 0x4000u + i) | filter_everywhere());
            loop_countdown(10);
            expect_eq("event", extended * 0x4000u + i, 0, read_pmevcntr(0));
        }
    }
}

/* Before PMUv3p7, DP is RES0 unless EL3, or from PMUv3p1 on EL2, exists (D24.5). */
static bool has_dp(void)
{
    return pmu_version() >= PMUVER_V3P7 || has_el(EL3) ||
           (pmu_version() >= PMUVER_V3P1 && has_el(EL2));
}

/* The bits of PMCR that keep what is written, by version, without P, C and the identification. */
static void test_pmcr_bits(void)
{
    uint64_t ones, zeros;

    write_sysreg(pmcr_el0, PMCR_E | PMCR_D | PMCR_DP | PMCR_LC | PMCR_LP | PMCR_FZO);
    ones = read_sysreg(pmcr_el0);
    write_sysreg(pmcr_el0, 0);
    zeros = read_sysreg(pmcr_el0);
    expect_eq("E", 0, PMCR_E, (ones ^ zeros) & PMCR_E);
    expect_eq("DP", 0, has_dp() ? PMCR_DP : 0, (ones ^ zeros) & PMCR_DP);
    expect_eq("LC", 0, PMCR_LC, ones & PMCR_LC);
    expect_eq("LC or RES1", 0, has_aarch32(EL0) ? 0 : PMCR_LC, zeros & PMCR_LC);
    expect_eq("D or RES0", 0, has_aarch32(EL0) ? PMCR_D : 0, (ones ^ zeros) & PMCR_D);
    expect_eq("LP", 0, pmu_version() >= PMUVER_V3P5 ? PMCR_LP : 0, (ones ^ zeros) & PMCR_LP);
    expect_eq("FZO", 0, pmu_version() >= PMUVER_V3P7 ? PMCR_FZO : 0, (ones ^ zeros) & PMCR_FZO);
}

/* P and C read as zero; N, IDCODE and IMP ignore writes. */
static void test_pmcr_fixed(void)
{
    uint64_t fixed = UINT64_C(0xfffff800), before = read_sysreg(pmcr_el0), after;

    write_sysreg(pmcr_el0, ~before & ~PMCR_E);
    after = read_sysreg(pmcr_el0);
    expect_eq("N, IDCODE, IMP", 0, before & fixed, after & fixed);
    expect_eq("P, C", 0, 0, after & (PMCR_P | PMCR_C));
    expect_eq("bits 8 and 10", 0, 0, after & (BIT(8) | BIT(10)));
    expect_eq("bits 63 to 33", 0, 0, after >> 33);
}

/* Before PMUv3p5 event counters have 32 bits. */
static void test_counter_width(void)
{
    uint64_t value = UINT64_C(0x123456789abcdef0);
    uint64_t expected = pmu_version() >= PMUVER_V3P5 ? value : value & 0xffffffff;

    for (unsigned n = 0; n < pmu_counters(); n++) {
        write_pmevcntr(n, value);
        expect_eq("PMEVCNTR", n, expected, read_pmevcntr(n));
    }
    write_sysreg(pmccntr_el0, value);
    expect_eq("PMCCNTR", 0, value, read_sysreg(pmccntr_el0));
}

/* Before PMUv3p1 the event number has 10 bits. */
static void test_event_width(void)
{
    uint64_t mask = pmu_version() >= PMUVER_V3P1 ? 0xffff : 0x3ff;

    for (unsigned n = 0; n < pmu_counters(); n++) {
        write_pmevtyper(n, 0x403f);
        expect_eq("PMEVTYPER", n, 0x403f & mask, read_pmevtyper(n));
        write_pmevtyper(n, 0x3f);
        expect_eq("PMEVTYPER", n, 0x3f, read_pmevtyper(n));
    }
}

#define DEFINE_READ(name)                                                                          \
    static uint64_t get_##name(uint64_t arg)                                                       \
    {                                                                                              \
        (void)arg;                                                                                 \
        return read_sysreg(name);                                                                  \
    }
#define DEFINE_WRITE(name)                                                                         \
    static uint64_t set_##name(uint64_t value)                                                     \
    {                                                                                              \
        write_sysreg(name, value);                                                                 \
        return 0;                                                                                  \
    }

DEFINE_READ(PMMIR_EL1)
DEFINE_WRITE(PMMIR_EL1)
DEFINE_READ(PMUACR_EL1)
DEFINE_WRITE(PMUACR_EL1)
DEFINE_READ(PMICNTR_EL0)
DEFINE_WRITE(PMICNTR_EL0)
DEFINE_READ(PMICFILTR_EL0)
DEFINE_WRITE(PMICFILTR_EL0)
DEFINE_READ(PMZR_EL0)
DEFINE_WRITE(PMZR_EL0)

static bool has_icntr(void)
{
    return FIELD(read_sysreg(id_aa64dfr1_el1), 36, 4) != 0;
}

/* The register is present or UNDEFINED. Accessed at EL1, where nothing traps it. */
static void expect_presence(const char *name, bool present, level_fn fn)
{
    struct trap trap = run_expecting_exception(home == EL2 ? EL2 : EL1, fn, 0);

    expect_eq(name, 0, !present, trap.count);
    if (!present) {
        expect_eq(name, 1, EC_UNKNOWN, ESR_EC(trap.esr));
    }
}

static void test_later_registers(void)
{
    bool p9 = pmu_version() >= PMUVER_V3P9, icntr = has_icntr();

    expect_presence("MRS PMMIR", pmu_version() >= PMUVER_V3P4, get_PMMIR_EL1);
    expect_presence("MSR PMMIR", false, set_PMMIR_EL1);
    expect_presence("MRS PMUACR", p9, get_PMUACR_EL1);
    expect_presence("MSR PMUACR", p9, set_PMUACR_EL1);
    expect_presence("MSR PMZR", p9, set_PMZR_EL0);
    expect_presence("MRS PMZR", false, get_PMZR_EL0);
    expect_presence("MRS PMICNTR", icntr, get_PMICNTR_EL0);
    expect_presence("MSR PMICNTR", icntr, set_PMICNTR_EL0);
    expect_presence("MRS PMICFILTR", icntr, get_PMICFILTR_EL0);
    expect_presence("MSR PMICFILTR", icntr, set_PMICFILTR_EL0);
}

/* PMMIR: SLOTS, BUS_SLOTS, BUS_WIDTH, THWIDTH and EDGE; thresholds only since PMUv3p8. */
static void test_pmmir(void)
{
    uint64_t pmmir = read_sysreg(PMMIR_EL1);

    expect_eq("bits 63 to 32", 0, 0, pmmir >> 32);
    expect_range("THWIDTH", 0, 0, pmu_version() >= PMUVER_V3P8 ? 12 : 0, FIELD(pmmir, 20, 4));
    if (FIELD(pmmir, 20, 4) == 0) {
        expect_eq("EDGE", 0, 0, FIELD(pmmir, 24, 4));
    }
}

/* Without thresholds the upper half of PMEVTYPER is RES0. */
static void test_upper_pmevtyper(void)
{
    if (pmu_version() >= PMUVER_V3P8 && FIELD(read_sysreg(PMMIR_EL1), 20, 4) != 0) {
        skip_test("FEAT_PMUv3_TH exists");
        return;
    }
    write_pmevtyper(0, ~UINT64_C(0) << 32);
    expect_eq("PMEVTYPER0", 0, 0, read_pmevtyper(0) >> 32);
}

/* Bits of MDCR_EL2 that a later version defines have no effect in earlier ones. */
static void test_hpmd_since_p1(void)
{
    bool effect = pmu_version() >= PMUVER_V3P1;

    pmu_count_instructions();
    write_sysreg(mdcr_el2, MDCR_EL2_HPMN(pmu_counters()) | MDCR_EL2_HPMD);
    isb();
    expect_eq("PMEVCNTR0", 0, effect ? 0 : loop_count(&loops[0], 10), loop_countdown(10));
}

static void test_hccd_since_p5(void)
{
    uint64_t before;

    write_sysreg(pmccfiltr_el0, PMEVTYPER_NSH);
    write_sysreg(pmcntenset_el0, BIT(CYCLE_COUNTER));
    write_sysreg(pmcr_el0, PMCR_E | PMCR_LC);
    write_sysreg(mdcr_el2, MDCR_EL2_HPMN(pmu_counters()) | MDCR_EL2_HCCD);
    isb();
    before = read_sysreg(pmccntr_el0);
    for (unsigned i = 0; i < 10; i++) {
        __asm__ volatile("isb");
        (void)read_sysreg(cntvct_el0);
    }
    expect_eq("PMCCNTR stands", 0, pmu_version() >= PMUVER_V3P5,
              read_sysreg(pmccntr_el0) == before);
}

static void test_hlp_since_p5(void)
{
    pmu_count(1, EVENT_SW_INCR | PMEVTYPER_NSH);
    write_pmevcntr(1, BIT(32) - 1);
    write_sysreg(mdcr_el2, MDCR_EL2_HPMN(1) | MDCR_EL2_HPME | MDCR_EL2_HLP);
    isb();
    write_sysreg(pmswinc_el0, BIT(1));
    isb();
    expect_eq("PMOVSSET", 0, pmu_version() >= PMUVER_V3P5 ? 0 : BIT(1), read_sysreg(pmovsset_el0));
}

static void test_freeze_since_p7(void)
{
    bool effect = pmu_version() >= PMUVER_V3P7;

    pmu_count_instructions();
    write_sysreg(pmcr_el0, PMCR_E | PMCR_FZO);
    write_sysreg(pmovsset_el0, BIT(0));
    expect_eq("PMEVCNTR0", 0, effect ? 0 : loop_count(&loops[0], 10), loop_countdown(10));
}

static void test_long_since_p5(void)
{
    pmu_count(0, EVENT_SW_INCR | filter_everywhere());
    write_sysreg(pmcr_el0, PMCR_E | PMCR_LP);
    write_pmevcntr(0, BIT(32) - 1);
    write_sysreg(pmswinc_el0, BIT(0));
    isb();
    expect_eq("PMOVSSET", 0, pmu_version() >= PMUVER_V3P5 ? 0 : BIT(0), read_sysreg(pmovsset_el0));
}

/* FEAT_PMUv3_ICNTR: an instruction counter in addition to the event counters, always of 64 bits. */
static void test_icntr(void)
{
    uint64_t before, after;

    if (!has_icntr()) {
        skip_test("no FEAT_PMUv3_ICNTR");
        return;
    }
    write_sysreg(PMICFILTR_EL0, filter_everywhere());
    write_sysreg(pmcntenset_el0, BIT(32));
    write_sysreg(pmcr_el0, PMCR_E);
    isb();
    before = read_sysreg(PMICNTR_EL0);
    after = read_sysreg(PMICNTR_EL0);
    expect_eq("PMICNTR", 0, 1, after - before);
    write_sysreg(pmcntenclr_el0, BIT(32));
}

const struct test test_table[] = {
    TEST("versions.as-configured", test_as_asked, .counters = 0),
    TEST("versions.perfmon", test_perfmon, .counters = 0),
    TEST("versions.pmceid", test_pmceid, .counters = 0),
    TEST("versions.unknown-events", test_unknown_events, .counters = 1),
    TEST("versions.pmcr-bits", test_pmcr_bits, .counters = 0),
    TEST("versions.pmcr-fixed", test_pmcr_fixed, .counters = 0),
    TEST("versions.counter-width", test_counter_width, .counters = 0),
    TEST("versions.event-width", test_event_width, .counters = 1),
    TEST("versions.later-registers", test_later_registers, .home = HOME_EL1 | HOME_EL2),
    TEST("versions.pmmir", test_pmmir, .version = PMUVER_V3P4),
    TEST("versions.upper-pmevtyper", test_upper_pmevtyper, .counters = 1),
    TEST("versions.hpmd-since-p1", test_hpmd_since_p1, .home = HOME_EL2, .counters = 1),
    TEST("versions.hccd-since-p5", test_hccd_since_p5, .home = HOME_EL2),
    TEST("versions.hlp-since-p5", test_hlp_since_p5, .home = HOME_EL2, .counters = 2),
    TEST("versions.freeze-since-p7", test_freeze_since_p7, .counters = 1),
    TEST("versions.long-since-p5", test_long_since_p5, .counters = 1),
    TEST("versions.icntr", test_icntr, .version = PMUVER_V3P9),
    {0},
};

/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * Thresholds, edges and links, on cycles whose contents are known. The list of runs gives width=,
 * the slots of a cycle, th=, the bits of a threshold, and edge=, as PMMIR_EL1 has it: 0, 1 (edges)
 * or 2 (edges and links).
 */
#include "tests/models/thresholds.h"

#include "registers/pmu.h"
#include "runtime/bootargs.h"
#include "runtime/layout.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"
#include "tests/models/models.h"

#define CPU_CYCLES 0x11u
#define INST_RETIRED 0x08u
#define LD_RETIRED 0x06u
#define ST_RETIRED 0x07u
#define MEM_ACCESS 0x13u
#define STALL_BACKEND 0x24u
#define STALL 0x3cu
#define STALL_SLOT 0x3fu
#define EXC_PABORT 0x83u
#define EXC_SVC 0x82u
#define CNT_CYCLES 0x4004u

/* Fields of PMEVTYPER<n>_EL0: TC is bits 63 to 61, TE 60, TLC 55 to 54. TH starts at bit 32. */
#define TC(tc) ((uint64_t)(tc) << 61)
#define TE BIT(60)
#define TLC(tlc) ((uint64_t)(tlc) << 54)
#define TH(th) ((uint64_t)(th) << 32)

enum {
    NE,
    NE_COUNT,
    EQ,
    EQ_COUNT,
    GE,
    GE_COUNT,
    LT,
    LT_COUNT
};

static uint64_t from_runs(const char *name)
{
    uint64_t value;

    return bootarg(name, &value) ? value : 0;
}

/* From here on code and data are in the caches. */
static void warm_up(level_fn code, uint64_t mask)
{
    struct model_arg arg = {.address = SCRATCH_BASE, .mask = mask};

    call_at(EL0, code, (uintptr_t)&arg);
    call_at(EL0, code, (uintptr_t)&arg);
}

/* Runs a stream with counters 0 and 1, which start at 0 and count at EL0 only. */
static void run(level_fn code, uint64_t type0, uint64_t type1)
{
    struct model_arg arg = {.address = SCRATCH_BASE, .mask = 3};

    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    write_sysreg(pmcr_el0, PMCR_E);
    write_pmevtyper(0, type0 | PMEVTYPER_P);
    write_pmevtyper(1, type1 | PMEVTYPER_P);
    warm_up(code, arg.mask);
    write_pmevcntr(0, 0);
    write_pmevcntr(1, 0);
    call_at(EL0, code, (uintptr_t)&arg);
}

static bool has_width(uint64_t width)
{
    if (from_runs("width") != width || !from_runs("th")) {
        skip_test("cycles have another width");
        return false;
    }
    return true;
}

static bool has_edge(uint64_t edge)
{
    if (from_runs("edge") < edge) {
        skip_test("no FEAT_PMUv3_EDGE or FEAT_PMUv3_TH2");
        return false;
    }
    return true;
}

/* The values of the ID registers, and which bits the others keep. */
static void test_registers(void)
{
    uint64_t width = from_runs("th"), edge = from_runs("edge");
    uint64_t pmmir = read_sysreg(PMMIR_EL1), kept = 0;

    kept |= width ? TC(7) | TH(BIT(width) - 1) : 0;
    kept |= edge >= 1 ? TE : 0;
    expect_eq("THWIDTH", 0, width, FIELD(pmmir, 20, 4));
    expect_eq("EDGE", 0, edge, FIELD(pmmir, 24, 4));
    for (unsigned n = 0; n < pmu_counters(); n++) {
        uint64_t tlc = edge >= 2 && n % 2 ? TLC(3) : 0;

        write_pmevtyper(n, ~UINT64_C(0) << 32);
        expect_eq("PMEVTYPER", n, kept | tlc, read_pmevtyper(n));
        write_pmevtyper(n, 0);
        expect_eq("PMEVTYPER", n, 0, read_pmevtyper(n));
    }
    write_sysreg(pmccfiltr_el0, ~UINT64_C(0) << 32);
    expect_eq("PMCCFILTR", 0, 0, read_sysreg(pmccfiltr_el0));
}

struct row {
    uint64_t th;
    uint64_t counts[8];
};

static void check_rows(level_fn code, uint64_t event, const struct row *rows, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        for (unsigned tc = NE; tc <= LT_COUNT; tc++) {
            uint64_t type = event | TH(rows[i].th) | TC(tc), where = rows[i].th << 4 | tc;

            if (rows[i].th < BIT(from_runs("th"))) {
                run(code, type, type);
                expect_eq("even counter: TH and TC", where, rows[i].counts[tc], read_pmevcntr(0));
                expect_eq("odd counter: TH and TC", where, rows[i].counts[tc], read_pmevcntr(1));
            }
        }
    }
}

#define CHECK(code, event, rows) check_rows(code, event, rows, sizeof(rows) / sizeof((rows)[0]))

/* Ten cycles with 1 2 0 2 2 1 0 0 1 0 accesses, 9 in all. TC and TH of 0 mean no threshold. */
static void test_accesses(void)
{
    static const struct row rows[] = {
        {0, {9, 6, 0, 4, 9, 10, 0, 0}},     {1, {6, 7, 3, 3, 9, 6, 0, 4}},
        {2, {3, 7, 6, 3, 6, 3, 3, 7}},      {3, {9, 10, 0, 0, 0, 0, 9, 10}},
        {4095, {9, 10, 0, 0, 0, 0, 9, 10}},
    };

    if (has_width(1)) {
        CHECK(threshold_accesses, MEM_ACCESS, rows);
    }
}

/* 22 cycles: one for each of 8 instructions and of 14 stalls, which have a slot each. */
static void test_narrow_stalls(void)
{
    static const struct row slots[] = {
        {0, {14, 14, 0, 8, 14, 22, 0, 0}},
        {1, {0, 8, 14, 14, 14, 14, 0, 8}},
        {2, {14, 22, 0, 0, 0, 0, 14, 22}},
    };
    static const struct row insns[] = {
        {0, {8, 8, 0, 14, 8, 22, 0, 0}},
        {1, {0, 14, 8, 8, 8, 8, 0, 14}},
    };
    static const struct row cycles[] = {
        {0, {22, 22, 0, 0, 22, 22, 0, 0}},
        {1, {0, 0, 22, 22, 22, 22, 0, 0}},
    };

    if (has_width(1)) {
        CHECK(threshold_stalls, STALL_SLOT, slots);
        CHECK(threshold_stalls, STALL_BACKEND, slots);
        CHECK(threshold_stalls, INST_RETIRED, insns);
        CHECK(threshold_stalls, CPU_CYCLES, cycles);
    }
}

/*
 * Four slots in a cycle, 64 in 16 cycles. STALL counts cycles in which no operation is sent, and
 * STALL_SLOT slots that none occupies (D14.3). i is an instruction, s a lost slot: the third
 * instruction stalls for two cycles, then the fourth completes its cycle, and the fifth stalls for
 * twelve: ssss ssss iiii, 12 times ssss, iiii.
 */
static void test_wide_stalls(void)
{
    static const struct row slots[] = {
        {0, {56, 14, 0, 2, 56, 16, 0, 0}}, {1, {56, 16, 0, 0, 56, 14, 0, 2}},
        {3, {56, 16, 0, 0, 56, 14, 0, 2}}, {4, {0, 2, 56, 14, 56, 14, 0, 2}},
        {5, {56, 16, 0, 0, 0, 0, 56, 16}},
    };
    static const struct row insns[] = {
        {0, {8, 2, 0, 14, 8, 16, 0, 0}},
        {1, {8, 16, 0, 0, 8, 2, 0, 14}},
        {4, {0, 14, 8, 2, 8, 2, 0, 14}},
    };
    static const struct row stalls[] = {
        {0, {14, 14, 0, 2, 14, 16, 0, 0}},
        {1, {0, 2, 14, 14, 14, 14, 0, 2}},
    };
    static const struct row cycles[] = {{1, {0, 0, 16, 16, 16, 16, 0, 0}}};

    if (has_width(4)) {
        CHECK(threshold_stalls, STALL_SLOT, slots);
        CHECK(threshold_stalls, INST_RETIRED, insns);
        CHECK(threshold_stalls, STALL, stalls);
        CHECK(threshold_stalls, STALL_BACKEND, stalls);
        CHECK(threshold_stalls, CPU_CYCLES, cycles);
    }
}

struct function {
    uint64_t type;
    uint64_t count;
};

/*
 * Edges of conditions on 1 2 0 2 2 1 0 0 1 0. TC of 2 and 6 counts edges of both kinds. Before the
 * first cycle the condition was false. TC of 0 and 4 is reserved: no threshold.
 */
static void test_edges(void)
{
    static const struct function rows[] = {
        {TE | TC(NE_COUNT), 3},         /* ~0: 1 1 0 1 1 1 0 0 1 0 */
        {TE | TC(EQ_COUNT), 3},         /* =0: 0 0 1 0 0 0 1 1 0 1 */
        {TE | TC(EQ), 5},               /* the same */
        {TE | TC(GE_COUNT) | TH(1), 3}, /* 1 1 0 1 1 1 0 0 1 0 */
        {TE | TC(LT_COUNT) | TH(1), 3}, /* 0 0 1 0 0 0 1 1 0 1 */
        {TE | TC(LT) | TH(1), 5},       /* the same */
        {TE | TC(NE_COUNT) | TH(1), 3}, /* ~1: 0 1 1 1 1 0 1 1 0 1 */
        {TE | TC(NE), 9},               /* reserved */
        {TE | TC(GE), 9},
        {TE | TC(NE) | TH(1), 9},
    };

    if (!has_width(1) || !has_edge(1)) {
        return;
    }
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        run(threshold_accesses, MEM_ACCESS | rows[i].type, MEM_ACCESS | rows[i].type);
        expect_eq("even counter: edge", i, rows[i].count, read_pmevcntr(0));
        expect_eq("odd counter: edge", i, rows[i].count, read_pmevcntr(1));
    }
}

/* Stalls begin twice, after MUL and after UDIV, however wide a cycle is. They end once. */
static void test_stall_edges(void)
{
    uint64_t begins = TE | TC(NE_COUNT) | STALL_BACKEND, both = TE | TC(EQ) | STALL_BACKEND;

    if (!has_edge(1)) {
        return;
    }
    run(threshold_stalls, begins, both);
    expect_eq("begins", 0, 2, read_pmevcntr(0));
    /*
     * The condition that there is no stall is true between the two and at the end, and, if a cycle
     * has one slot, before the first.
     */
    expect_eq("both", 0, from_runs("width") == 1 ? 5 : 3, read_pmevcntr(1));
}

struct link {
    uint64_t type0;
    uint64_t type1;
    uint64_t count0;
    uint64_t count1;
};

/*
 * Accesses are 1 2 0 2 2 1 0 0 1 0, loads 1 1 0 1 1 0 0 0 1 0, stores 0 1 0 1 1 1 0 0 0 0. Each
 * cycle has one instruction. The letters are those of the tables in D13.8.
 */
static void test_links(void)
{
    static const struct link rows[] = {
        /* C: cycles with two accesses, else one instruction: 3 * 2 + 7. */
        {INST_RETIRED, MEM_ACCESS | TLC(1) | TC(EQ) | TH(2), 10, 13},
        /* D: 3 + 7; with the loads of the other cycles: 1 + 1. */
        {INST_RETIRED, MEM_ACCESS | TLC(1) | TC(EQ_COUNT) | TH(2), 10, 10},
        {LD_RETIRED, MEM_ACCESS | TLC(1) | TC(EQ_COUNT) | TH(2), 5, 5},
        /* E: instructions, loads and stores of cycles with two accesses, or with one. */
        {INST_RETIRED, MEM_ACCESS | TLC(2) | TC(EQ) | TH(2), 10, 3},
        {LD_RETIRED, MEM_ACCESS | TLC(2) | TC(EQ) | TH(1), 5, 2},
        {ST_RETIRED, MEM_ACCESS | TLC(2) | TC(EQ) | TH(1), 4, 1},
        /*
         * The input from the lower counter is what that counter counts: cycles without a load. It
         * is 1 where MEM is 0.
         */
        {LD_RETIRED | TC(EQ_COUNT), MEM_ACCESS | TLC(2) | TC(LT) | TH(1), 5, 4},
        {MEM_ACCESS | TC(GE) | TH(2), INST_RETIRED | TLC(2) | TC(GE) | TH(1), 6, 6},
        /*
         * Without a threshold of its own: the value never equals 5, so everything comes from the
         * lower counter.
         */
        {MEM_ACCESS, INST_RETIRED | TLC(1) | TC(EQ) | TH(5), 9, 9},
        /* Here TC and TH of 0 are a condition: accesses if there are any, else instructions. */
        {INST_RETIRED, MEM_ACCESS | TLC(1), 10, 9 + 4},
        /* Reserved values mean no threshold. */
        {INST_RETIRED, MEM_ACCESS | TLC(3) | TC(EQ) | TH(2), 10, 9},
        {INST_RETIRED, MEM_ACCESS | TLC(2) | TC(EQ_COUNT) | TH(2), 10, 9},
    };

    if (!has_width(1) || !has_edge(2)) {
        return;
    }
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        run(threshold_accesses, rows[i].type0, rows[i].type1);
        expect_eq("linked, even", i, rows[i].count0, read_pmevcntr(0));
        expect_eq("linked, odd", i, rows[i].count1, read_pmevcntr(1));
    }
}

/* Accesses follow a cycle without accesses in cycles 1, 4 and 9: 1 1 1 loads, 0 1 0 stores. */
static void test_linked_edges(void)
{
    static const struct link rows[] = {
        {LD_RETIRED, MEM_ACCESS | TLC(2) | TE | TC(NE_COUNT), 5, 3},
        {ST_RETIRED, MEM_ACCESS | TLC(2) | TE | TC(NE_COUNT), 4, 1},
        {ST_RETIRED, MEM_ACCESS | TLC(1) | TE | TC(NE_COUNT), 4, 9},
    };

    if (!has_width(1) || !has_edge(2)) {
        return;
    }
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        run(threshold_accesses, rows[i].type0, rows[i].type1);
        expect_eq("linked edges, even", i, rows[i].count0, read_pmevcntr(0));
        expect_eq("linked edges, odd", i, rows[i].count1, read_pmevcntr(1));
    }
}

/* Slots are lost only in cycles in which nothing is sent. */
static void test_wide_links(void)
{
    if (has_width(4) && has_edge(2)) {
        run(threshold_stalls, STALL_SLOT, INST_RETIRED | TLC(2) | TC(LT) | TH(1));
        expect_eq("even", 0, 56, read_pmevcntr(0));
        expect_eq("nothing is sent", 0, 56, read_pmevcntr(1));
        run(threshold_stalls, STALL_SLOT, INST_RETIRED | TLC(2) | TC(GE) | TH(1));
        expect_eq("something is sent", 0, 0, read_pmevcntr(1));
    }
}

/* The interrupt comes with the instruction in whose cycles the counter overflows. */
static void check_overflow(level_fn code, uint64_t type, unsigned k, const char *after)
{
    struct model_arg arg = {.address = SCRATCH_BASE, .mask = 1};
    struct pmu_irq *irq;

    run(code, type, 0);
    write_sysreg(pmcntenclr_el0, pmu_mask());
    write_pmevcntr(0, BIT(32) - k);
    irq = pmu_irq_watch(pmu_mask());
    write_sysreg(pmovsclr_el0, pmu_mask());
    write_sysreg(pmintenset_el1, UINT64_C(1));
    isb();
    call_at_with_irqs(EL0, code, (uintptr_t)&arg);
    expect_eq("interrupts", k, 1, irq->count);
    expect_eq("ELR", k, (uintptr_t)after, irq->elr);
    write_sysreg(pmintenclr_el1, pmu_mask());
}

static void test_overflow(void)
{
    const uint64_t two = MEM_ACCESS | TC(GE_COUNT) | TH(2);
    const uint64_t stalled = STALL_BACKEND | TC(GE_COUNT) | TH(1);

    if (!from_runs("th")) {
        skip_test("no FEAT_PMUv3_TH");
        return;
    }
    if (from_runs("width") == 1) {
        check_overflow(threshold_accesses, two, 1, accesses_after_1);
        check_overflow(threshold_accesses, two, 2, accesses_after_2);
        check_overflow(threshold_accesses, two, 3, accesses_after_3);
    }
    for (unsigned k = 1; k <= 14; k++) {
        check_overflow(threshold_stalls, stalled, k, k <= 2 ? stalls_after_mul : stalls_after_udiv);
    }
}

/* A counter without a threshold, and the cycle counter, are not affected. */
static void test_others(void)
{
    struct model_arg arg = {.address = SCRATCH_BASE, .mask = UINT64_C(7) | BIT(CYCLE_COUNTER)};

    if (!from_runs("th")) {
        skip_test("no FEAT_PMUv3_TH");
        return;
    }
    run(threshold_stalls, CPU_CYCLES | TC(GE) | TH(1), CPU_CYCLES);
    write_pmevtyper(2, STALL_SLOT | PMEVTYPER_P);
    write_sysreg(pmccfiltr_el0, PMEVTYPER_P);
    for (unsigned n = 0; n < 3; n++) {
        write_pmevcntr(n, 0);
    }
    write_sysreg(pmccntr_el0, 0);
    for (unsigned i = 1; i <= 100; i++) {
        call_at(EL0, threshold_stalls, (uintptr_t)&arg);
        expect_eq("with a threshold, without", i, read_pmevcntr(1), read_pmevcntr(0));
        expect_eq("PMCCNTR", i, read_pmevcntr(1), read_sysreg(pmccntr_el0));
        expect_eq("STALL_SLOT", i, 14 * i * from_runs("width"), read_pmevcntr(2));
    }
}

/* From EL1, with the counter read at each step. A read takes a cycle and ends it. */
static void test_reads(void)
{
    if (!has_width(1)) {
        return;
    }
    write_sysreg(pmcr_el0, PMCR_E);
    write_pmevtyper(0, INST_RETIRED | TC(EQ) | TH(1) | filter_everywhere());
    write_pmevcntr(0, 0);
    write_sysreg(pmcntenset_el0, UINT64_C(1));
    for (unsigned i = 1; i <= 3; i++) {
        uint64_t before, after;

        __asm__ volatile("mrs %0, pmevcntr0_el0\n\tnop\n\tnop\n\tmrs %1, pmevcntr0_el0"
                         : "=&r"(before), "=r"(after));
        expect_eq("from read to read", i, 3, after - before);
    }
}

/* Four cycles, starting at 0, with an increment in the first and the third. */
static __attribute__((noinline)) void increment_twice(void)
{
    write_pmevcntr(0, 0);
    write_pmevcntr(1, 0);
    __asm__ volatile(".balign 64\n\tmsr pmcntenset_el0, %0\n\tmsr pmswinc_el0, %0\n\tnop\n\t"
                     "msr pmswinc_el0, %0\n\tmsr pmcntenclr_el0, %0" ::"r"(UINT64_C(3)));
}

/* A software increment falls into the cycle of its write. */
static void test_software_increment(void)
{
    if (!has_width(1)) {
        return;
    }
    write_sysreg(pmcr_el0, PMCR_E);
    write_pmevtyper(0, EVENT_SW_INCR | TC(GE_COUNT) | TH(1) | filter_everywhere());
    write_pmevtyper(1, EVENT_SW_INCR | TC(EQ_COUNT) | TH(0) | filter_everywhere());
    /* The first time, the code is not in the cache. */
    increment_twice();
    increment_twice();
    expect_eq("cycles with an increment", 0, 2, read_pmevcntr(0));
    expect_eq("cycles without", 0, 2, read_pmevcntr(1));
}

/* SVC returns to the next instruction; BRK is skipped. */
static bool go_on(struct frame *frame, unsigned el)
{
    (void)el;
    frame->elr += ESR_EC(frame->esr) == EC_BRK64 ? 4 : 0;
    return ESR_EC(frame->esr) == EC_BRK64 ||
           (ESR_EC(frame->esr) == EC_SVC64 && ESR_ISS(frame->esr) == 0);
}

/*
 * The exception of an SVC is in the cycle of the SVC. That of a BRK, which is not executed, is in
 * the cycle of the next instruction, which is the only load.
 */
static void test_exceptions(void)
{
    const uint64_t only_if_any = TLC(2) | TC(GE) | TH(1);

    if (!has_width(1) || !has_edge(2)) {
        return;
    }
    this_cpu()->on_sync = go_on;
    run(threshold_exceptions, EXC_SVC, INST_RETIRED | only_if_any);
    expect_eq("SVC", 0, 1, read_pmevcntr(0));
    expect_eq("SVC with an instruction", 0, 1, read_pmevcntr(1));
    run(threshold_exceptions, EXC_SVC, LD_RETIRED | only_if_any);
    expect_eq("SVC with a load", 0, 0, read_pmevcntr(1));
    run(threshold_exceptions, EXC_PABORT, LD_RETIRED | only_if_any);
    expect_eq("BRK", 0, 1, read_pmevcntr(0));
    expect_eq("BRK with a load", 0, 1, read_pmevcntr(1));
    run(threshold_exceptions, EXC_PABORT | TC(GE_COUNT) | TH(1), INST_RETIRED | TC(EQ) | TH(1));
    expect_eq("cycles with a BRK", 0, 1, read_pmevcntr(0));
    expect_eq("instructions", 0, 7, read_pmevcntr(1));
}

/*
 * Ticks of the system counter fall into cycles, too. All cycles with ticks together have all ticks.
 */
static void test_ticks(void)
{
    struct model_arg arg = {.address = SCRATCH_BASE, .mask = 3};

    if (!from_runs("th")) {
        skip_test("no FEAT_PMUv3_TH");
        return;
    }
    run(threshold_stalls, CNT_CYCLES | TC(GE) | TH(1), CNT_CYCLES);
    for (unsigned i = 0; i < 1000; i++) {
        call_at(EL0, threshold_stalls, (uintptr_t)&arg);
    }
    if (from_runs("width") == 1) {
        expect_eq("ticks", 0, read_pmevcntr(1), read_pmevcntr(0));
    }
    expect_range("ticks", 0, 1, ~UINT64_C(0), read_pmevcntr(1));
}

#define THRESHOLD_TEST(name, run)                                                                  \
    TEST(name, run, .home = HOME_EL1 | HOME_EL2, .counters = 3, .version = PMUVER_V3P8)

const struct test test_table[] = {
    THRESHOLD_TEST("thresholds.registers", test_registers),
    THRESHOLD_TEST("thresholds.accesses", test_accesses),
    THRESHOLD_TEST("thresholds.narrow stalls", test_narrow_stalls),
    THRESHOLD_TEST("thresholds.wide stalls", test_wide_stalls),
    THRESHOLD_TEST("thresholds.edges", test_edges),
    THRESHOLD_TEST("thresholds.stall edges", test_stall_edges),
    THRESHOLD_TEST("thresholds.links", test_links),
    THRESHOLD_TEST("thresholds.linked edges", test_linked_edges),
    THRESHOLD_TEST("thresholds.wide links", test_wide_links),
    THRESHOLD_TEST("thresholds.overflow", test_overflow),
    THRESHOLD_TEST("thresholds.others", test_others),
    THRESHOLD_TEST("thresholds.reads", test_reads),
    THRESHOLD_TEST("thresholds.exceptions", test_exceptions),
    THRESHOLD_TEST("thresholds.ticks", test_ticks),
    THRESHOLD_TEST("thresholds.software increment", test_software_increment),
    {0},
};

/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * AArch32: a 32-bit EL1 under this EL2, and a 32-bit EL0. Registers have 32-bit views. Instructions
 * that fail their condition are executed and counted.
 */
#include "registers/pmu.h"
#include "runtime/mmu.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"
#include "tests/aarch32/aarch32_code.h"

#define RUNS 1000u
#define ITERATIONS 10u

/* SCTLR of AArch32: translation off, CP15 barriers enabled as usual. */
#define SCTLR_AARCH32 UINT64_C(0x30c50838)

extern const uint32_t aarch32_blob[];

static uint32_t buffer[8];

static uint32_t call_with(enum level level, unsigned function, uint32_t r0, uint32_t r1)
{
    const uint32_t regs[4] = {r0, r1, 0, 0};

    return (uint32_t)call_aarch32(level, (uint32_t)(uintptr_t)aarch32_blob + aarch32_blob[function],
                                  regs);
}

static uint32_t call(enum level level, unsigned function, uint32_t r0)
{
    return call_with(level, function, r0, (uint32_t)(uintptr_t)buffer);
}

static bool enter_aarch32_el1(void)
{
    if (!has_aarch32(EL1)) {
        skip_test("EL1 is AArch64 only");
        return false;
    }
    write_sysreg(sctlr_el1, SCTLR_AARCH32);
    write_sysreg(hcr_el2, 0);
    isb();
    return true;
}

/* The comments beside the functions derive the counts. */
static const struct {
    const char *name;
    unsigned function;
    unsigned per_iteration;
} loops32[] = {
    {"A32 countdown", A32_COUNTDOWN, 2},           {"A32 conditional", A32_CONDITIONAL, 10},
    {"A32 block transfer", A32_BLOCK_TRANSFER, 5}, {"A32 coprocessor", A32_COPROCESSOR, 6},
    {"A32 interworking", A32_INTERWORKING, 5},     {"T32 countdown", T32_COUNTDOWN, 2},
    {"T32 IT blocks", T32_IT_BLOCKS, 10},          {"T32 mixed sizes", T32_MIXED_SIZES, 7},
};

static void check_loops(enum level level)
{
    for (unsigned n = 0; n < sizeof(loops32) / sizeof(loops32[0]); n++) {
        pmu_count_instructions();
        for (unsigned i = 0; i < RUNS; i++) {
            expect_eq(loops32[n].name, i, loops32[n].per_iteration * ITERATIONS + 1,
                      call(level, loops32[n].function, ITERATIONS));
        }
    }
}

static void test_el1(void)
{
    if (enter_aarch32_el1()) {
        check_loops(EL1);
    }
}

static bool has_aarch32_el0(void)
{
    if (!has_aarch32(EL0)) {
        skip_test("no AArch32");
        return false;
    }
    return true;
}

static void test_el0(void)
{
    if (has_aarch32_el0()) {
        check_loops(EL0);
    }
}

/* The filter is that of the exception level, whatever the level's execution state. */
static void test_filters(void)
{
    static const struct {
        uint64_t filter;
        bool counted;
    } cases[] = {
        {0, true},
        {PMEVTYPER_P, true},
        {PMEVTYPER_U, false},
        {PMEVTYPER_P | PMEVTYPER_U, false},
    };

    if (!has_aarch32_el0()) {
        return;
    }
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        pmu_count(0, EVENT_INST_RETIRED | cases[i].filter);
        expect_eq("EL0", cases[i].filter, cases[i].counted ? 2 * ITERATIONS + 1 : 0,
                  call(EL0, A32_COUNTDOWN, ITERATIONS));
    }
}

/* An UNDEFINED instruction is not executed, in either instruction set. */
static void test_undefined(void)
{
    static const unsigned functions[] = {A32_UNDEFINED, T32_UNDEFINED};
    struct cpu *cpu = this_cpu();

    if (!has_aarch32_el0()) {
        return;
    }
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    pmu_count(0, EVENT_INST_RETIRED | PMEVTYPER_P);
    for (unsigned i = 0; i < 2 * RUNS; i++) {
        cpu->trap = (struct trap){0};
        cpu->expecting = true;
        expect_eq(i & 1 ? "T32" : "A32", i, 4 + 1, call(EL0, functions[i & 1], 0));
        cpu->expecting = false;
        expect_eq("exceptions", i, 1, cpu->trap.count);
    }
}

/* Pages that are mapped when they are first accessed. */
#define PAGE_BEFORE 2u
#define PAGE_TRIED 3u

static unsigned mapped;
static enum page_use mapped_as;

static bool map_page(struct frame *frame, unsigned el)
{
    unsigned ec = ESR_EC(frame->esr);

    (void)el;
    if (ec != EC_DABORT_LOWER && ec != EC_IABORT_LOWER) {
        return false;
    }
    mapped++;
    page_map(PAGE_TRIED, mapped_as);
    return true;
}

static void prepare_fault(enum page_use use)
{
    mapped = 0;
    mapped_as = use;
    page_map(PAGE_BEFORE, use);
    page_map(PAGE_TRIED, PAGE_UNMAPPED);
    this_cpu()->on_sync = map_page;
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    pmu_count(0, EVENT_INST_RETIRED | PMEVTYPER_P);
}

/*
 * A load at EL0 faults and EL1 maps the page. The load, in an IT block with a condition, counts
 * once.
 */
static void test_load_faults(void)
{
    static const struct {
        const char *name;
        unsigned function, instructions, before;
    } cases[] = {
        {"LDR", A32_LOAD_FAULT, 5, 0},
        {"LDM", A32_LOAD_MULTIPLE_FAULT, 5, 8},
        {"LDREQ", T32_IT_LOAD_FAULT, 6, 0},
    };

    for (unsigned c = 0; c < 3 && has_aarch32_el0(); c++) {
        for (unsigned i = 0; i < RUNS; i++) {
            prepare_fault(PAGE_DATA);
            expect_eq(cases[c].name, i, cases[c].instructions + 1,
                      call_with(EL0, cases[c].function, 0,
                                (uint32_t)page_address(PAGE_TRIED) - cases[c].before));
            expect_eq("exceptions", i, 1, mapped);
        }
    }
}

/* A 32-bit T32 instruction whose second half is not mapped at first. */
static void test_crossing(void)
{
    const uint8_t *code = (const uint8_t *)aarch32_blob;
    const uint8_t *from = code + (aarch32_blob[T32_CROSSING] & ~1u);
    const uint8_t *end = code + (aarch32_blob[T32_CROSSING_END] & ~1u);
    uintptr_t start = page_address(PAGE_TRIED) - T32_CROSSING_OFFSET - 2;
    uint32_t leave = (uint32_t)(uintptr_t)code + aarch32_blob[A32_LEAVE];
    const uint32_t regs[4] = {0, leave, 0, 0};

    if (!has_aarch32_el0()) {
        return;
    }
    page_map(PAGE_BEFORE, PAGE_DATA);
    page_map(PAGE_TRIED, PAGE_DATA);
    for (uint8_t *to = (uint8_t *)start; from < end; from++) {
        *(volatile uint8_t *)to++ = *from;
    }
    __asm__ volatile("dsb ish\n\tic iallu\n\tdsb ish\n\tisb" : : : "memory");
    for (unsigned i = 0; i < RUNS; i++) {
        prepare_fault(PAGE_EL0_CODE);
        expect_eq("T32", i, 3 + 1, call_aarch32(EL0, (uint32_t)start | 1, regs));
        expect_eq("exceptions", i, 1, mapped);
    }
}

/* Registers are the lower halves of the AArch64 registers, and their bits have the same meaning. */
static void test_counter_registers(void)
{
    if (!enter_aarch32_el1()) {
        return;
    }
    write_pmevcntr(0, 0x12345678);
    expect_eq("PMEVCNTR0", 0, 0x12345678, call(EL1, A32_READ_PMEVCNTR0, 0));
    call(EL1, A32_WRITE_PMEVCNTR0, 0x9abcdef0);
    expect_eq("PMEVCNTR0", 1, 0x9abcdef0, read_pmevcntr(0) & 0xffffffff);
    call(EL1, A32_WRITE_PMEVTYPER0, 0x80000008);
    expect_eq("PMEVTYPER0", 0, 0x80000008, read_pmevtyper(0));
    expect_eq("PMEVTYPER0", 1, 0x80000008, call(EL1, A32_READ_PMEVTYPER0, 0));
    call(EL1, A32_WRITE_PMSELR, 0);
    expect_eq("PMSELR", 0, 0, call(EL1, A32_READ_PMSELR, 0));
    expect_eq("PMXEVTYPER", 0, 0x80000008, call(EL1, A32_READ_PMXEVTYPER, 0));
    call(EL1, A32_WRITE_PMXEVTYPER, 0x40000000);
    expect_eq("PMXEVTYPER", 1, 0x40000000, read_pmevtyper(0));
    expect_eq("PMXEVCNTR", 0, 0x9abcdef0, call(EL1, A32_READ_PMXEVCNTR, 0));
    call(EL1, A32_WRITE_PMXEVCNTR, 77);
    expect_eq("PMXEVCNTR", 1, 77, read_pmevcntr(0) & 0xffffffff);
    call(EL1, A32_WRITE_PMSELR, 31);
    call(EL1, A32_WRITE_PMXEVTYPER, 0x80000000);
    expect_eq("PMCCFILTR", 0, 0x80000000, read_sysreg(pmccfiltr_el0));
    expect_eq("PMCCFILTR", 1, 0x80000000, call(EL1, A32_READ_PMCCFILTR, 0));
    call(EL1, A32_WRITE_PMCCFILTR, 0x40000000);
    expect_eq("PMCCFILTR", 2, 0x40000000, read_sysreg(pmccfiltr_el0));
}

/* MRC and MCR access the lower half of PMCCNTR, MRRC and MCRR all of it. */
static void test_pmccntr(void)
{
    if (!enter_aarch32_el1()) {
        return;
    }
    write_sysreg(pmccntr_el0, UINT64_C(0x1122334455667788));
    expect_eq("MRC", 0, 0x55667788, call(EL1, A32_READ_PMCCNTR, 0));
    expect_eq("MRRC lower", 0, 0x55667788, call(EL1, A32_READ_PMCCNTR_WIDE, 0));
    expect_eq("MRRC upper", 0, 0x11223344, call(EL1, A32_READ_PMCCNTR_WIDE, 1));
    call(EL1, A32_WRITE_PMCCNTR, 0x99aabbcc);
    expect_eq("MCR", 0, UINT64_C(0x1122334499aabbcc), read_sysreg(pmccntr_el0));
    call_with(EL1, A32_WRITE_PMCCNTR_WIDE, 0xddeeff00, 0x01020304);
    expect_eq("MCRR", 0, UINT64_C(0x01020304ddeeff00), read_sysreg(pmccntr_el0));
}

static const struct {
    const char *name;
    unsigned read_set, write_set, read_clear, write_clear;
} bitmaps32[] = {
    {"PMCNTEN", A32_READ_PMCNTENSET, A32_WRITE_PMCNTENSET, A32_READ_PMCNTENCLR,
     A32_WRITE_PMCNTENCLR},
    {"PMINTEN", A32_READ_PMINTENSET, A32_WRITE_PMINTENSET, A32_READ_PMINTENCLR,
     A32_WRITE_PMINTENCLR},
    {"PMOVS", A32_READ_PMOVSSET, A32_WRITE_PMOVSSET, A32_READ_PMOVSR, A32_WRITE_PMOVSR},
};

static void test_bitmaps(void)
{
    if (!enter_aarch32_el1()) {
        return;
    }
    for (unsigned i = 0; i < 3; i++) {
        call(EL1, bitmaps32[i].write_clear, 0xffffffff);
        call(EL1, bitmaps32[i].write_set, 0xffffffff);
        expect_eq(bitmaps32[i].name, 0, pmu_mask(), call(EL1, bitmaps32[i].read_set, 0));
        call(EL1, bitmaps32[i].write_clear, 1);
        expect_eq(bitmaps32[i].name, 1, pmu_mask() & ~UINT64_C(1),
                  call(EL1, bitmaps32[i].read_clear, 0));
        call(EL1, bitmaps32[i].write_clear, 0xffffffff);
        expect_eq(bitmaps32[i].name, 2, 0, call(EL1, bitmaps32[i].read_set, 0));
    }
}

static void test_identification(void)
{
    uint64_t pmceid0 = read_sysreg(pmceid0_el0), pmceid1 = read_sysreg(pmceid1_el0);

    if (!enter_aarch32_el1()) {
        return;
    }
    expect_eq("PMCR", 0, read_sysreg(pmcr_el0) & 0xffffffff, call(EL1, A32_READ_PMCR, 0));
    expect_eq("PMCEID0", 0, pmceid0 & 0xffffffff, call(EL1, A32_READ_PMCEID0, 0));
    expect_eq("PMCEID1", 0, pmceid1 & 0xffffffff, call(EL1, A32_READ_PMCEID1, 0));
    if (pmu_version() >= PMUVER_V3P1) {
        expect_eq("PMCEID2", 0, pmceid0 >> 32, call(EL1, A32_READ_PMCEID2, 0));
        expect_eq("PMCEID3", 0, pmceid1 >> 32, call(EL1, A32_READ_PMCEID3, 0));
    }
    if (pmu_version() >= PMUVER_V3P4) {
        expect_eq("PMMIR", 0, read_sysreg(PMMIR_EL1) & 0xffffffff, call(EL1, A32_READ_PMMIR, 0));
    }
}

/*
 * AArch32 cannot set a threshold, but one that is set applies. Each cycle of the pipeline either
 * has one instruction or is stalled and has none. TC is bits 63 to 61, TH starts at bit 32: first
 * >= 1, then < 1.
 */
static void test_threshold(void)
{
    const uint64_t one = UINT64_C(0x8000000100000000), none = UINT64_C(0xc000000100000000);

    if (!enter_aarch32_el1()) {
        return;
    }
    if (pmu_version() < PMUVER_V3P8 || !FIELD(read_sysreg(PMMIR_EL1), 20, 4)) {
        skip_test("no FEAT_PMUv3_TH");
        return;
    }
    pmu_count(0, EVENT_INST_RETIRED | one);
    expect_eq("one or more", 0, 2 * ITERATIONS + 1, call(EL1, A32_COUNTDOWN, ITERATIONS));
    expect_eq("PMEVTYPER0", 0, EVENT_INST_RETIRED, call(EL1, A32_READ_PMEVTYPER0, 0));
    write_pmevtyper(0, EVENT_CPU_CYCLES | none);
    call(EL1, A32_WRITE_PMEVTYPER0, EVENT_INST_RETIRED);
    expect_eq("PMEVTYPER0_EL0", 0, EVENT_INST_RETIRED | none, read_pmevtyper(0));
    expect_eq("less than one", 0, 0, call(EL1, A32_COUNTDOWN, ITERATIONS));
}

/* PMCR and PMSWINC have the same effect as from AArch64. */
static void test_control(void)
{
    if (!enter_aarch32_el1()) {
        return;
    }
    pmu_count(0, EVENT_SW_INCR);
    call(EL1, A32_WRITE_PMSWINC, 1);
    call(EL1, A32_WRITE_PMSWINC, 1);
    expect_eq("PMSWINC", 0, 2, read_pmevcntr(0));
    call(EL1, A32_WRITE_PMCR, 0);
    call(EL1, A32_WRITE_PMSWINC, 1);
    expect_eq("PMCR.E == 0", 0, 2, read_pmevcntr(0));
    call(EL1, A32_WRITE_PMCR, (uint32_t)PMCR_P);
    expect_eq("PMCR.P", 0, 0, read_pmevcntr(0));
}

/* Accesses that EL0 may not make are reported as coprocessor accesses. */
static void expect_trap(enum level from, enum level to, unsigned function, unsigned class)
{
    struct cpu *cpu = this_cpu();

    cpu->trap = (struct trap){0};
    cpu->expecting = true;
    call(from, function, 0);
    cpu->expecting = false;
    expect_eq("exceptions", function, 1, cpu->trap.count);
    expect_eq("level", function, to, cpu->trap.el);
    expect_eq("class", function, class, ESR_EC(cpu->trap.esr));
}

static void test_userenr(void)
{
    if (!has_aarch32_el0()) {
        return;
    }
    expect_trap(EL0, EL1, A32_READ_PMCR, EC_CP15_32);
    expect_trap(EL0, EL1, A32_READ_PMCCNTR, EC_CP15_32);
    expect_trap(EL0, EL1, A32_READ_PMCCNTR_WIDE, EC_CP15_64);
    expect_trap(EL0, EL1, A32_WRITE_PMSWINC, EC_CP15_32);
    expect_trap(EL0, EL1, A32_READ_PMINTENSET, EC_UNKNOWN);
    write_sysreg(pmuserenr_el0, PMUSERENR_CR);
    write_sysreg(pmccntr_el0, UINT64_C(0x500000007));
    expect_eq("CR, MRC", 0, 7, call(EL0, A32_READ_PMCCNTR, 0));
    expect_eq("CR, MRRC", 0, 5, call(EL0, A32_READ_PMCCNTR_WIDE, 1));
    expect_trap(EL0, EL1, A32_WRITE_PMCCNTR, EC_CP15_32);
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    expect_eq("EN", 0, read_sysreg(pmcr_el0) & 0xffffffff, call(EL0, A32_READ_PMCR, 0));
    expect_eq("PMUSERENR", 0, PMUSERENR_EN, call(EL0, A32_READ_PMUSERENR, 0));
}

static void test_tpm(void)
{
    if (!enter_aarch32_el1()) {
        return;
    }
    write_sysreg(mdcr_el2, MDCR_EL2_HPMN(pmu_counters()) | MDCR_EL2_TPM);
    isb();
    expect_trap(EL1, EL2, A32_READ_PMCR, EC_CP15_32);
    expect_trap(EL1, EL2, A32_WRITE_PMCNTENSET, EC_CP15_32);
    expect_trap(EL1, EL2, A32_READ_PMCCNTR_WIDE, EC_CP15_64);
    expect_trap(EL1, EL2, A32_READ_PMEVCNTR0, EC_CP15_32);
    expect_trap(EL1, EL2, A32_READ_PMUSERENR, EC_CP15_32);
}

/* HPMN hides counters from a 32-bit EL1, too. */
static void test_hpmn(void)
{
    if (!enter_aarch32_el1()) {
        return;
    }
    write_sysreg(mdcr_el2, MDCR_EL2_HPMN(1));
    isb();
    expect_eq("PMCR.N", 0, 1, PMCR_N((uint64_t)call(EL1, A32_READ_PMCR, 0)));
    call(EL1, A32_WRITE_PMCNTENSET, 0xffffffff);
    expect_eq("PMCNTENSET", 0, BIT(0) | BIT(CYCLE_COUNTER), read_sysreg(pmcntenset_el0));
    call(EL1, A32_WRITE_PMSELR, 1);
    expect_trap(EL1, EL2, A32_READ_PMXEVCNTR, EC_CP15_32);
}

const struct test test_table[] = {
    TEST("aarch32.el1", test_el1, .home = HOME_EL2, .counters = 1),
    TEST("aarch32.el0", test_el0, .counters = 1),
    TEST("aarch32.filters", test_filters, .home = HOME_EL1 | HOME_EL2, .counters = 1),
    TEST("aarch32.undefined", test_undefined, .home = HOME_EL1 | HOME_EL2, .counters = 1),
    TEST("aarch32.load-faults", test_load_faults, .home = HOME_EL1 | HOME_EL2, .counters = 1),
    TEST("aarch32.crossing", test_crossing, .home = HOME_EL1 | HOME_EL2, .counters = 1),
    TEST("aarch32.counter-registers", test_counter_registers, .home = HOME_EL2, .counters = 1),
    TEST("aarch32.pmccntr", test_pmccntr, .home = HOME_EL2),
    TEST("aarch32.bitmaps", test_bitmaps, .home = HOME_EL2),
    TEST("aarch32.identification", test_identification, .home = HOME_EL2),
    TEST("aarch32.threshold", test_threshold, .home = HOME_EL2, .counters = 1),
    TEST("aarch32.control", test_control, .home = HOME_EL2, .counters = 1),
    TEST("aarch32.userenr", test_userenr, .home = HOME_EL1 | HOME_EL2),
    TEST("aarch32.tpm", test_tpm, .home = HOME_EL2, .counters = 1),
    TEST("aarch32.hpmn", test_hpmn, .home = HOME_EL2, .counters = 2),
    {0},
};

/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * FEAT_SPE: which instructions are sampled, and what their records say; filters; a buffer that is
 * full, unmapped, read-only or a device; and any values in all registers.
 */
#include "runtime/gic.h"
#include "runtime/layout.h"
#include "runtime/mmu.h"
#include "runtime/pmu_setup.h"
#include "tests/samples/spe.h"

static uint8_t buffer[2 * PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));
static uint64_t memory[8] __attribute__((aligned(64)));

/*
 * The instructions that an iteration executes: offset, access and operation type, with the class in
 * bits 9:8.
 */
static const struct {
    unsigned offset;
    int access;
    unsigned operation;
} loop[] = {
    {0, 8, 0x100},   {4, 16, 0x101}, {8, 3, 0x100},   {12, -1, 0x201},
    {16, -1, 0x200}, {24, 0, 0x106}, {28, -1, 0x000}, {32, -1, 0x201},
};
#define LOOP (sizeof(loop) / sizeof(loop[0]))

static void take(struct sample *s, unsigned header, uint64_t value)
{
    switch (header) {
    case 0xb0:
        s->pc = value;
        break;
    case 0xb1:
        s->target = value;
        break;
    case 0xb2:
        s->address = value;
        break;
    case 0xb3:
        s->physical = value;
        break;
    case 0x98:
        s->latency = value;
        break;
    case 0x43:
        s->source = value;
        break;
    case 0x48:
    case 0x49:
    case 0x4a:
        s->operation = (uint64_t)(header & 3) << 8 | value;
        break;
    case 0x62:
        s->events = value;
        break;
    default:
        break;
    }
}

/* Reads record n. Packets have a header and 1 << bits 5:4 bytes; byte 1 ends the record. */
struct sample spe_get(unsigned n)
{
    const uint8_t *bytes = buffer + n * RECORD_SIZE;
    struct sample s = {.source = ~UINT64_C(0)};

    for (unsigned at = 0; at < RECORD_SIZE && !s.ended;) {
        unsigned header = bytes[at++];
        unsigned size = 1u << (header >> 4 & 3);
        uint64_t value = 0;

        s.ended = header == 1;
        for (unsigned i = 0; !s.ended && i < size && at < RECORD_SIZE; i++) {
            value |= (uint64_t)bytes[at++] << 8 * i;
        }
        take(&s, header, value);
    }
    return s;
}

void spe_allow(void)
{
    if (home == EL3) {
        write_sysreg(mdcr_el3, read_sysreg(mdcr_el3) | NSPB_NON_SECURE);
    }
    if (has_el(EL2)) {
        write_sysreg(mdcr_el2, (read_sysreg(mdcr_el2) & ~TPMS) | E2PB_EL1);
        write_sysreg(PMSCR_EL2, PA);
    }
    if (home == EL2) {
        write_sysreg(HDFGRTR_EL2, HDFGTR_NPMSNEVFR);
        write_sysreg(HDFGWTR_EL2, HDFGTR_NPMSNEVFR);
    }
    write_sysreg(PMSFCR_EL1, 0);
    write_sysreg(PMSIRR_EL1, INTERVAL);
    write_sysreg(PMBSR_EL1, 0);
    write_sysreg(PMBPTR_EL1, (uint64_t)buffer);
    write_sysreg(PMBLIMITR_EL1, ((uint64_t)buffer + PAGE_SIZE) | 1);
    for (unsigned i = 0; i < sizeof(buffer); i++) {
        ((volatile uint8_t *)buffer)[i] = 0;
    }
    isb();
}

void spe_stop(void)
{
    write_sysreg(PMBLIMITR_EL1, 0);
    write_sysreg(PMBSR_EL1, 0);
    write_sysreg(PMSCR_EL1, 0);
    if (home == EL2) {
        write_sysreg(HDFGRTR_EL2, 0);
        write_sysreg(HDFGWTR_EL2, 0);
    }
    isb();
}

void spe_run(level_fn fn, uint64_t first, uint64_t iterations)
{
    struct run what = {E1SPE | PA, (uint64_t)memory, iterations};

    if (fn == spe_misses) {
        what.memory = SCRATCH_BASE;
    }
    write_sysreg(PMSICR_EL1, first);
    expect_eq("iterations that are left", 0, 0, call_at(EL1, fn, (uint64_t)&what));
}

unsigned spe_records(void)
{
    return (unsigned)(read_sysreg(PMBPTR_EL1) - (uint64_t)buffer) / RECORD_SIZE;
}

uint64_t spe_code(const char *start, unsigned offset)
{
    return ((uint64_t)start + offset) | BIT(63) | UINT64_C(1) << 61;
}

static void expect_sample(unsigned n, unsigned instruction)
{
    struct sample s = spe_get(n);
    const int access = loop[instruction].access;
    uint64_t address = access < 0 ? 0 : (uint64_t)memory + (uint64_t)access;

    expect_eq("END", n, 1, s.ended);
    expect_eq("PC", n, spe_code(spe_loop_start, loop[instruction].offset), s.pc);
    expect_eq("operation", n, loop[instruction].operation, s.operation);
    expect_eq("address", n, address, s.address);
    expect_eq("physical address", n, access < 0 ? 0 : address | BIT(63), s.physical);
    expect_eq("retired", n, BIT(1), s.events & BIT(1));
    expect_eq("misaligned", n, access == 3 ? BIT(11) : 0, s.events & BIT(11));
    expect_eq("not taken", n, instruction == 3 ? BIT(6) : 0, s.events & BIT(6));
    if (instruction == 4) {
        expect_eq("target", n, spe_code(spe_loop_start, 24), s.target);
    }
    if (instruction == 7) {
        expect_eq("target", n, spe_code(spe_loop_start, 0), s.target);
    }
}

/*
 * Instruction 1 is the ISB, 2 the first of the loop. The period is one more than a multiple of the
 * loop's length, so each sample is the instruction after that of the sample before.
 */
static void test_periods(void)
{
    const unsigned first = 2 + 8 * 4;

    spe_allow();
    /* So many that the last branch back, which is not taken, is not sampled. */
    spe_run(spe_loop, first, 1010);
    expect_eq("records", 0, 1 + (1 + 8 * 1010 + 1 - first) / PERIOD, spe_records());
    for (unsigned n = 0; n < spe_records(); n++) {
        expect_sample(n, n % LOOP);
    }
    spe_stop();
}

/* The count continues where it was left, whatever is executed between where profiling is off. */
static void test_continues(void)
{
    const unsigned first = 100;
    const unsigned length = 1 + 8 * 50 + 1;

    spe_allow();
    spe_run(spe_loop, first, 50);
    expect_eq("records", 0, 2, spe_records());
    /* The second was instruction 357; 45 of 402 instructions have been counted since, the first by
     * 0. */
    expect_eq("PMSICR", 0, INTERVAL - (length - first - PERIOD - 1), read_sysreg(PMSICR_EL1));
    spe_stop();
}

static void test_full(void)
{
    spe_allow();
    gic_enable(INTID_SPE);
    expect_eq("line", 0, 0, gic_line(INTID_SPE));
    spe_run(spe_loop, 2, 8000);
    expect_eq("PMBSR", 0, PMBSR_FULL, read_sysreg(PMBSR_EL1));
    expect_eq("records", 0, RECORDS, spe_records());
    expect_eq("line", 0, 1, gic_line(INTID_SPE));
    expect_sample(RECORDS - 1, (RECORDS - 1) % LOOP);
    expect_eq("nothing beyond", 0, 0, buffer[PAGE_SIZE]);
    write_sysreg(PMBSR_EL1, 0);
    isb();
    expect_eq("line", 0, 0, gic_line(INTID_SPE));
    gic_disable(INTID_SPE);
    spe_stop();
}

void spe_expect_fault(uint64_t pointer, uint64_t pmbsr)
{
    spe_allow();
    write_sysreg(PMBPTR_EL1, pointer);
    write_sysreg(PMBLIMITR_EL1, (pointer + PAGE_SIZE) | 1);
    spe_run(spe_loop, 2, 200);
    expect_eq("PMBSR", pointer, pmbsr, read_sysreg(PMBSR_EL1));
    expect_eq("PMBPTR", pointer, pointer, read_sysreg(PMBPTR_EL1));
    spe_stop();
}

static void test_faults(void)
{
    page_map(3, PAGE_UNMAPPED);
    spe_expect_fault(page_address(3), PMBSR_STAGE1 | TRANSLATION_LEVEL3);
    spe_expect_fault(TEXT_BASE, PMBSR_STAGE1 | PERMISSION_LEVEL3);
    spe_expect_fault(UART_BASE, PMBSR_STAGE1 | EXTERNAL_ABORT | PMBSR_EA);
}

/* A page that becomes unmapped between two records stops at the second. */
static void test_second_page(void)
{
    page_map(4, PAGE_DATA);
    page_map(5, PAGE_UNMAPPED);
    spe_allow();
    write_sysreg(PMBPTR_EL1, page_address(5) - RECORD_SIZE);
    write_sysreg(PMBLIMITR_EL1, page_address(6) | 1);
    spe_run(spe_loop, 2, 200);
    expect_eq("PMBSR", 0, PMBSR_STAGE1 | TRANSLATION_LEVEL3, read_sysreg(PMBSR_EL1));
    expect_eq("PMBPTR", 0, page_address(5), read_sysreg(PMBPTR_EL1));
    spe_stop();
}

static void test_type_filter(void)
{
    spe_allow();
    write_sysreg(PMSFCR_EL1, FT | TYPE_LD);
    spe_run(spe_loop, 2, 300);
    expect_eq("records", 0, 4, spe_records());
    expect_sample(0, 0);
    expect_sample(1, 2);
    expect_sample(2, 5);
    expect_sample(3, 0);
    spe_allow();
    write_sysreg(PMSFCR_EL1, FT | TYPE_B);
    spe_run(spe_loop, 2, 300);
    expect_eq("records", 0, 3, spe_records());
    expect_sample(0, 3);
    expect_sample(1, 4);
    expect_sample(2, 7);
    spe_stop();
}

static void test_event_filters(void)
{
    spe_allow();
    write_sysreg(PMSFCR_EL1, FE);
    write_sysreg(PMSEVFR_EL1, BIT(11));
    spe_run(spe_loop, 2, 300);
    expect_eq("records", 0, 1, spe_records());
    expect_sample(0, 2);
    spe_allow();
    write_sysreg(PMSFCR_EL1, FNE);
    write_sysreg(PMSNEVFR_EL1, BIT(1));
    spe_run(spe_loop, 2, 300);
    expect_eq("records of what does not retire", 0, 0, spe_records());
    spe_stop();
}

/* Loads that miss each cache have a latency of 150 cycles at least, and DRAM as their source. */
static void test_latency(void)
{
    struct sample s;

    spe_allow();
    write_sysreg(PMSFCR_EL1, FT | TYPE_LD | FL);
    write_sysreg(PMSLATFR_EL1, 30);
    write_sysreg(PMSEVFR_EL1, 0);
    spe_run(spe_misses, 2, 600);
    expect_eq("some", 0, 1, spe_records() > 0);
    for (unsigned n = 0; n < spe_records(); n++) {
        s = spe_get(n);
        expect_eq("PC", n, spe_code(spe_miss_load, 0), s.pc);
        expect_eq("latency", n, 1, s.latency > 150);
        expect_eq("source", n, 0xe, s.source);
        expect_eq("events", n, BIT(3) | BIT(9), s.events & (BIT(3) | BIT(9)));
    }
    spe_allow();
    write_sysreg(PMSFCR_EL1, FL);
    spe_run(spe_loop, 2 + 8 * 10, 300);
    expect_eq("hits", 0, 0, spe_records());
    spe_stop();
}

/* Discard mode samples, but writes nothing. */
static void test_discard(void)
{
    spe_allow();
    write_sysreg(PMBLIMITR_EL1, ((uint64_t)buffer + PAGE_SIZE) | 5);
    spe_run(spe_loop, 2, 300);
    expect_eq("records", 0, 0, spe_records());
    expect_eq("PMBSR", 0, 0, read_sysreg(PMBSR_EL1));
    spe_stop();
}

/* What counters of the PMU's events of SPE have counted. */
static void expect_events(uint64_t population, uint64_t fed, uint64_t passed)
{
    expect_eq("SAMPLE_POP", 0, population, read_pmevcntr(0));
    expect_eq("SAMPLE_FEED", 0, fed, read_pmevcntr(1));
    expect_eq("SAMPLE_FILTRATE", 0, passed, read_pmevcntr(2));
    expect_eq("SAMPLE_COLLISION", 0, 0, read_pmevcntr(3));
}

static void allow_events(void)
{
    spe_allow();
    pmu_reset();
    for (unsigned n = 0; n < 4; n++) {
        pmu_count(n, (SAMPLE_POP + n) | filter_everywhere());
    }
}

/*
 * The population is the ISB, the loop and the MSR; after the buffer is full it does not grow. Its
 * instructions 2 + n * PERIOD are fed.
 */
static void test_pmu_events(void)
{
    const unsigned iterations = 1010;
    const uint64_t population = 1 + LOOP * iterations + 1;
    const uint64_t fed = 1 + (population - 2) / PERIOD;

    expect_eq("PMCEID0", 0, 0xf, read_sysreg(pmceid0_el0) >> 32 & 0xf);
    allow_events();
    spe_run(spe_loop, 2, iterations);
    expect_events(population, fed, fed);
    allow_events();
    write_sysreg(PMSFCR_EL1, FT | TYPE_LD);
    spe_run(spe_loop, 2, iterations);
    expect_events(population, fed, spe_records());
    expect_eq("loads", 0, (fed + 7) / 8 + (fed + 5) / 8 + (fed + 2) / 8, spe_records());
    allow_events();
    spe_run(spe_loop, 2, 8000);
    expect_events(2 + (RECORDS - 1) * PERIOD, RECORDS, RECORDS);
    allow_events();
    write_sysreg(PMBLIMITR_EL1, 0);
    spe_run(spe_loop, 2, iterations);
    expect_events(0, 0, 0);
    pmu_reset();
    spe_stop();
}

/* The interrupt of a counter comes at the instruction that makes it overflow. */
static void test_pmu_overflow(void)
{
    allow_events();
    write_pmevcntr(0, UINT32_MAX - 99);
    write_pmevcntr(1, UINT32_MAX - 2);
    spe_run(spe_loop, 2, 12);
    expect_eq("98 instructions", 0, 0, read_sysreg(pmovsset_el0));
    spe_run(spe_loop, 2, 12);
    expect_eq("196 instructions, 2 samples", 0, 1, read_sysreg(pmovsset_el0));
    spe_run(spe_loop, 2, 12);
    expect_eq("3 samples", 0, 3, read_sysreg(pmovsset_el0));
    pmu_reset();
    spe_stop();
}

/* Any register of the encodings around SPE's is written or read, with any value, at any level. */
#define ACCESS_BYTES 8
#define ACCESSES 96u
#define HOSTILE_ROUNDS 3000u

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void test_hostile(void)
{
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
    unsigned refused = 0;

    spe_allow();
    for (unsigned i = 0; i < HOSTILE_ROUNDS; i++) {
        uint64_t n = next_random(&state) % ACCESSES;
        enum level el = (enum level)(next_random(&state) % (home + 1u));
        level_fn access = (level_fn)(uintptr_t)(spe_accesses + ACCESS_BYTES * n);

        if (has_el(el)) {
            refused += run_expecting_exception(el, access, next_random(&state)).count;
        }
        if (i % 16 == 0) {
            /* Records must not be written over the image. */
            write_sysreg(PMBPTR_EL1, (uint64_t)buffer);
            spe_run(spe_loop, next_random(&state) % 64, 20);
        }
        write_sysreg(PMBPTR_EL1, page_address(3));
    }
    expect_eq("some are refused", 0, 1, refused > HOSTILE_ROUNDS / 8);
    expect_eq("some are not", 0, 1, refused < HOSTILE_ROUNDS);
    expect_eq("PMSFCR_EL1", 0, 0, read_sysreg(PMSFCR_EL1) & ~UINT64_C(0x7000f));
    expect_eq("PMBSR_EL1", 0, 0, read_sysreg(PMBSR_EL1) & ~UINT64_C(0xfc0fffff));
    spe_stop();
    test_periods();
}

const struct test test_table[] = {
    TEST("spe.periods", test_periods),
    TEST("spe.continues", test_continues),
    TEST("spe.full", test_full),
    TEST("spe.faults", test_faults),
    TEST("spe.second-page", test_second_page),
    TEST("spe.type-filter", test_type_filter),
    TEST("spe.event-filters", test_event_filters),
    TEST("spe.latency", test_latency),
    TEST("spe.discard", test_discard),
    TEST("spe.pmu-events", test_pmu_events, .counters = 4),
    TEST("spe.pmu-overflow", test_pmu_overflow, .counters = 4),
    TEST("spe.vectors", test_vectors),
    TEST("spe.calls", test_calls, .home = HOME_EL1 | HOME_EL2, .counters = 1),
    TEST("spe.identity", test_identity),
    TEST("spe.el0-undefined", test_el0_undefined),
    TEST("spe.el2-traps", test_el2_traps, .home = HOME_EL2),
    TEST("spe.el3-traps", test_el3_traps, .home = HOME_EL3),
    TEST("spe.nested", test_nested, .home = HOME_EL2),
    TEST("spe.granules", test_granules, .home = HOME_EL3),
    TEST("spe.hostile", test_hostile),
    {0},
};

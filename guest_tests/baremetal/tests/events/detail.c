/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * The events that tell apart what instructions do in detail. Every one is counted for each case of
 * detail_cases.S, so a case also shows what it does not count.
 */
#include "registers/pmu.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"
#include "tests/events/events.h"

#define ITERATIONS 100u

#define EFFECTIVE_INST_SPEC 0x121u

struct detail_case {
    const char *name;
    const char *code;
    const uint16_t *counts; /* pairs of an event and its count; 0 ends them */
    uint32_t needs;
    uint32_t effective;
};

/* A row without a name ends the table. */
extern const struct detail_case detail_cases[], tag_cases[];

/* Of all CPUs; then of A64FX alone. */
static const uint16_t common[] = {
    0x0068, 0x0069, 0x006c, 0x006d, 0x006e, 0x006f, 0x0077, 0x0090, 0x0091, 0x009f, 0x4021,
    0x4022, 0x4024, 0x4025, 0x4026, 0x8000, 0x8002, 0x8005, 0x8006, 0x800e, 0x8010, 0x8014,
    0x8018, 0x801c, 0x8028, 0x8034, 0x8038, 0x8043, 0x8074, 0x8075, 0x8076, 0x8077, 0x8079,
    0x807c, 0x807f, 0x8085, 0x8086, 0x8087, 0x8089, 0x808a, 0x8091, 0x8092, 0x8095, 0x8096,
    0x809f, 0x80a5, 0x80a6, 0x80ad, 0x80ae, 0x80af, 0x80bc, 0x80bd, 0x80c0, 0x80c1, 0x80c2,
    0x80c3, 0x80c4, 0x80c5, 0x80c6, 0x80c7, 0x80e3, 0x80e7, 0x80eb, 0x80ef, 0};
static const uint16_t a64fx[] = {0x0105, 0x0108, 0x0112, 0x0113, 0x011a, 0x0121, 0x0123, 0x0124, 0};
/* Those that tag_cases count. */
static const uint16_t tags[] = {0x4024, 0x4025, 0x4026, 0};

#define MIDR_A64FX UINT64_C(0x46000010)

static bool is_a64fx(void)
{
    return (read_sysreg(midr_el1) & UINT64_C(0xff00fff0)) == MIDR_A64FX;
}

static bool is_of(const uint16_t *events, uint16_t event)
{
    for (; *events; events++) {
        if (*events == event) {
            return true;
        }
    }
    return false;
}

/* What a counter of the event reads after a case. The loop has two instructions of its own. */
static uint64_t expected(const struct detail_case *c, uint16_t event)
{
    if (is_of(a64fx, event) && !is_a64fx()) {
        return 0;
    }
    if (event == EFFECTIVE_INST_SPEC) {
        return (c->effective + UINT64_C(2)) * ITERATIONS + 1;
    }
    for (const uint16_t *pair = c->counts; *pair; pair += 2) {
        if (pair[0] == event) {
            return pair[1] * UINT64_C(1) * ITERATIONS;
        }
    }
    return 0;
}

static void run(const struct detail_case *c, enum level level, uint64_t mask)
{
    struct event_arg arg = {.buffer = event_buffer + 64, .iterations = ITERATIONS, .mask = mask};

    call_at(level, (level_fn)(uintptr_t)c->code, (uintptr_t)&arg);
}

/* PMUv3 has 10 bits of an event's number. */
static bool is_number(uint16_t event)
{
    return event < 0x400 || pmu_version() >= PMUVER_V3P1;
}

/* Counts the events from @events on in as many counters as there are; returns how many. */
static unsigned count_some(const struct detail_case *c, enum level level, const uint16_t *events)
{
    unsigned n = 0;

    for (; n < pmu_counters() && events[n] && is_number(events[n]); n++) {
        write_pmevtyper(n, events[n] | filter_everywhere());
        write_pmevcntr(n, 0);
    }
    run(c, level, (UINT64_C(1) << n) - 1);
    for (unsigned i = 0; i < n; i++) {
        expect_eq(c->name, BIT(20) | (uint64_t)level << 16 | events[i], expected(c, events[i]),
                  read_pmevcntr(i));
    }
    return n;
}

/* The events are sorted by number. */
static void count_all(const struct detail_case *c, enum level level, const uint16_t *events)
{
    while (*events && is_number(*events)) {
        events += count_some(c, level, events);
    }
}

static void set_up(void)
{
    enable_features();
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    write_sysreg(pmcr_el0, PMCR_E);
}

static void test_counts(void)
{
    set_up();
    for (const struct detail_case *c = detail_cases; c->name; c++) {
        for (unsigned level = EL0; level <= EL1 && has_feature(c->needs); level++) {
            count_all(c, (enum level)level, common);
            count_all(c, (enum level)level, a64fx);
        }
    }
}

/*
 * A counter that overflows in the middle of a case has its flag set, and counts on. Every event of
 * the case is tried alone, with the overflow at its first, second, and last but one count.
 */
static void overflow_at(const struct detail_case *c, uint16_t event, uint64_t counts, uint64_t at)
{
    write_pmevtyper(0, event | filter_everywhere());
    write_pmevcntr(0, (UINT64_C(1) << 32) - at);
    write_sysreg(pmovsclr_el0, ~UINT64_C(0));
    run(c, EL0, 1);
    expect_eq(c->name, BIT(20) | event, counts - at, read_pmevcntr(0) & UINT32_MAX);
    expect_eq(c->name, BIT(21) | event, 1, read_sysreg(pmovsclr_el0) & 1);
}

static void overflow_all(const struct detail_case *c)
{
    write_sysreg(pmintenset_el1, 1);
    for (; c->name; c++) {
        for (const uint16_t *pair = c->counts; *pair && has_feature(c->needs); pair += 2) {
            uint64_t counts = expected(c, pair[0]);

            if (counts && is_of(common, pair[0]) && is_number(pair[0])) {
                overflow_at(c, pair[0], counts, 1);
                overflow_at(c, pair[0], counts, 2);
                overflow_at(c, pair[0], counts, counts - 1);
            }
        }
    }
    write_sysreg(pmintenclr_el1, 1);
}

static void test_overflows(void)
{
    set_up();
    overflow_all(detail_cases);
}

/* The fields of the registers, and write-back memory that has tags. */
#define SCR_EL3_ATA BIT(26)
#define HCR_EL2_ATA BIT(56)
#define SCTLR_EL1_ATA (BIT(42) | BIT(43))
#define SCTLR_EL1_TCF_SYNC (BIT(38) | BIT(40))
#define TCR_EL1_TBI0 BIT(37)
#define MAIR_TAGGED UINT64_C(0x00f0)
/* PSTATE.TCO, by an encoding that every assembler knows. */
#define TCO S3_3_C4_C2_7

static void check_tags(void)
{
    if (home == EL3) {
        write_sysreg(scr_el3, read_sysreg(scr_el3) | SCR_EL3_ATA);
    }
    if (home >= EL2 && has_el(EL2)) {
        write_sysreg(hcr_el2, read_sysreg(hcr_el2) | HCR_EL2_ATA);
    }
    write_sysreg(mair_el1, MAIR_TAGGED);
    write_sysreg(tcr_el1, read_sysreg(tcr_el1) | TCR_EL1_TBI0);
    write_sysreg(sctlr_el1, read_sysreg(sctlr_el1) | SCTLR_EL1_ATA | SCTLR_EL1_TCF_SYNC);
    __asm__ volatile("isb\n\ttlbi vmalle1\n\tdsb ish\n\tisb" : : : "memory");
}

static void test_tags(void)
{
    set_up();
    if (!has_feature(NEEDS_MTE)) {
        return;
    }
    check_tags();
    for (const struct detail_case *c = tag_cases; c->name; c++) {
        for (unsigned level = EL0; level <= EL1 && has_feature(c->needs); level++) {
            /* An exception from EL0 to this level sets it. */
            write_sysreg(TCO, UINT64_C(0));
            count_all(c, (enum level)level, tags);
        }
    }
    overflow_all(tag_cases);
    write_sysreg(sctlr_el1, read_sysreg(sctlr_el1) & ~SCTLR_EL1_TCF_SYNC);
    isb();
}

const struct test test_table[] = {
    TEST("detail.counts", test_counts, .counters = 1),
    TEST("detail.overflows", test_overflows, .counters = 1),
    TEST("detail.tags", test_tags, .counters = 1),
    {0},
};

/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * Which events PMCEID<n>_EL0 announce: those that this machine counts. What it is made of, the list
 * of runs says: stalls=, l2= and llc=, which are 0, 1 and 1 by default.
 */
#include "registers/pmu.h"
#include "runtime/bootargs.h"
#include "runtime/layout.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"

/* Arm ARM D14.12: bit n of PMCEID0 is event n, that of PMCEID1 event 0x20 + n. */
#define ALWAYS_0                                                                                   \
    (UINT64_C(0xffff) | BIT(0x10) | BIT(0x11) | BIT(0x12) | BIT(0x13) | BIT(0x14) | BIT(0x15) |    \
     BIT(0x1b) | BIT(0x1c) | BIT(0x1d))
#define CHAIN_0 BIT(0x1e)
#define L2_0 (BIT(0x16) | BIT(0x17) | BIT(0x18))
/* BR_RETIRED, BR_MIS_PRED_RETIRED; TLBs; walks; OP_RETIRED, OP_SPEC. */
#define ALWAYS_1                                                                                   \
    (BIT(0x01) | BIT(0x02) | BIT(0x05) | BIT(0x06) | BIT(0x0d) | BIT(0x0f) | BIT(0x14) |           \
     BIT(0x15) | BIT(0x1a) | BIT(0x1b))
#define STALLS_1 (BIT(0x03) | BIT(0x04) | BIT(0x1c))
#define STALL_SLOT_1 BIT(0x1f)
#define LLC_1 (BIT(0x12) | BIT(0x13) | BIT(0x16) | BIT(0x17))
/* 0x4004: CNT_CYCLES. */
#define CNT_CYCLES_0 BIT(32 + 4)

static bool has(const char *name, uint64_t otherwise)
{
    uint64_t value = otherwise;

    bootarg(name, &value);
    return value != 0;
}

static void test_low(void)
{
    uint64_t expected = ALWAYS_0;

    uint64_t got = read_sysreg(pmceid0_el0);

    /* With one counter there is nothing to chain, and either will do. */
    expected |= pmu_counters() >= 2 ? CHAIN_0 : got & CHAIN_0;
    expected |= has("l2", 1) ? L2_0 : 0;
    expected |= pmu_version() >= PMUVER_V3P1 ? CNT_CYCLES_0 : 0;
    expect_eq("PMCEID0", 0, expected, got);
}

static void test_high(void)
{
    uint64_t expected = ALWAYS_1;

    expected |= has("llc", 1) ? LLC_1 : 0;
    if (has("stalls", 0)) {
        expected |= STALLS_1;
        expected |= pmu_version() >= PMUVER_V3P4 ? STALL_SLOT_1 : 0;
    }
    expect_eq("PMCEID1", 0, expected, read_sysreg(pmceid1_el0));
}

/* Reads 512 KB, a line at a time, at a level whose memory is cached. */
static uint64_t read_memory(uint64_t address)
{
    for (unsigned n = 0; n < 8192; n++) {
        (void)*(volatile uint64_t *)(address + n * UINT64_C(64));
    }
    return 0;
}

/* What is announced counts, and what is not does not. */
static void test_counts(void)
{
    static const struct {
        const char *name;
        uint64_t otherwise;
        uint64_t event;
    } events[] = {
        {"stalls", 0, 0x24}, {"stalls", 0, 0x3c}, {"l2", 1, 0x16},
        {"l2", 1, 0x50},     {"llc", 1, 0x36},    {"always", 1, 0x03},
    };

    for (unsigned i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        pmu_count(0, events[i].event | filter_everywhere());
        call_at(EL1, read_memory, SCRATCH_BASE + i * UINT64_C(0x80000));
        expect_eq("counts", events[i].event, has(events[i].name, events[i].otherwise),
                  read_pmevcntr(0) != 0);
    }
}

const struct test test_table[] = {
    TEST("pmceid.low", test_low),
    TEST("pmceid.high", test_high),
    TEST("pmceid.counts", test_counts, .counters = 1),
    {0},
};

/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * The events that PMCEID<n>_EL0 announces are those that this machine counts. The list of runs says
 * what the machine has: stalls=, waits= (for long instructions), l2= and llc=; the defaults are 0,
 * 1, 1 and 1.
 */
#include "registers/pmu.h"
#include "runtime/bootargs.h"
#include "runtime/layout.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"

/* Arm ARM D14.12: bit n of PMCEID0 is event n, that of PMCEID1 event 0x20 + n. */
#define ALWAYS_0                                                                                   \
    (UINT64_C(0xffff) | BIT(0x10) | BIT(0x11) | BIT(0x12) | BIT(0x13) | BIT(0x14) | BIT(0x15) |    \
     BIT(0x19) | BIT(0x1b) | BIT(0x1c) | BIT(0x1d))
#define CHAIN_0 BIT(0x1e)
#define L2_0 (BIT(0x16) | BIT(0x17) | BIT(0x18))
/* BR_RETIRED, BR_MIS_PRED_RETIRED; TLBs; REMOTE_ACCESS; walks; OP_RETIRED, OP_SPEC. */
#define ALWAYS_1                                                                                   \
    (BIT(0x01) | BIT(0x02) | BIT(0x05) | BIT(0x06) | BIT(0x0d) | BIT(0x0f) | BIT(0x11) |           \
     BIT(0x14) | BIT(0x15) | BIT(0x1a) | BIT(0x1b))
#define STALLS_1 (BIT(0x03) | BIT(0x04) | BIT(0x1c))
/* L2D_CACHE_ALLOCATE */
#define L2_1 BIT(0x00)
/* STALL_SLOT, of the backend, of the frontend, and both */
#define STALL_SLOT_1 (BIT(0x1d) | BIT(0x1e) | BIT(0x1f))
#define LLC_1 (BIT(0x09) | BIT(0x0a) | BIT(0x0b) | BIT(0x12) | BIT(0x13) | BIT(0x16) | BIT(0x17))
/* 0x4004: CNT_CYCLES. */
#define CNT_CYCLES_0 BIT(32 + 4)
/* Long-latency misses: L1D_CACHE_LMISS_RD, 0x4006 L1I_CACHE_LMISS, 0x4009 L2D_CACHE_LMISS_RD. */
#define LMISS_1 BIT(0x19)
#define LMISS_0 BIT(32 + 6)
#define LMISS_L2_0 BIT(32 + 9)
/* 0x400b: L3D_CACHE_LMISS_RD. */
#define LMISS_LLC_0 BIT(32 + 11)
/* 0x4020 to 0x4022: LDST_ALIGN_LAT, LD_ALIGN_LAT, ST_ALIGN_LAT. */
#define ALIGN_LAT_1 (BIT(32) | BIT(33) | BIT(34))
/* 0x4024 to 0x4026: MEM_ACCESS_CHECKED, MEM_ACCESS_CHECKED_RD, MEM_ACCESS_CHECKED_WR. */
#define CHECKED_1 (BIT(36) | BIT(37) | BIT(38))

#define ID_AA64PFR1_EL1 S3_0_C0_C4_1

/* Does memory have allocation tags? */
static bool has_tags(void)
{
    return FIELD(read_sysreg(ID_AA64PFR1_EL1), 8, 4) >= 2;
}

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

    /* With one counter there is nothing to chain, so either value is correct. */
    expected |= pmu_counters() >= 2 ? CHAIN_0 : got & CHAIN_0;
    expected |= has("l2", 1) ? L2_0 : 0;
    expected |= pmu_version() >= PMUVER_V3P1 ? CNT_CYCLES_0 : 0;
    if (pmu_version() >= PMUVER_V3P4) {
        expected |= LMISS_0 | (has("l2", 1) ? LMISS_L2_0 : 0);
        expected |= has("llc", 1) ? LMISS_LLC_0 : 0;
    }
    expect_eq("PMCEID0", 0, expected, got);
}

static bool announces_stalls(void)
{
    return has("stalls", 0) || pmu_version() >= PMUVER_V3P1;
}

static void test_high(void)
{
    uint64_t expected = ALWAYS_1;

    expected |= has("l2", 1) ? L2_1 : 0;
    expected |= has("llc", 1) ? LLC_1 : 0;
    expected |= pmu_version() >= PMUVER_V3P1 ? ALIGN_LAT_1 | (has_tags() ? CHECKED_1 : 0) : 0;
    if (pmu_version() >= PMUVER_V3P4 && has("waits", 1)) {
        expected |= STALL_SLOT_1;
    }
    if (announces_stalls()) {
        expected |= STALLS_1;
    }
    expected |= pmu_version() >= PMUVER_V3P4 ? LMISS_1 : 0;
    expect_eq("PMCEID1", 0, expected, read_sysreg(pmceid1_el0));
}

/*
 * What the architecture requires of every PMU (D14.6) with caches and branch prediction. This
 * machine has models of these whatever its CPU is. Some are required from a version on, some with
 * an L2 cache only.
 */
static const struct {
    unsigned number;
    unsigned version;
    bool l2;
} mandatory[] = {
    {0x00, PMUVER_V3, false},     /* SW_INCR */
    {0x03, PMUVER_V3, false},     /* L1D_CACHE_REFILL */
    {0x04, PMUVER_V3, false},     /* L1D_CACHE */
    {0x08, PMUVER_V3, false},     /* INST_RETIRED or INST_SPEC */
    {0x10, PMUVER_V3, false},     /* BR_MIS_PRED */
    {0x11, PMUVER_V3, false},     /* CPU_CYCLES */
    {0x12, PMUVER_V3, false},     /* BR_PRED */
    {0x14, PMUVER_V3P9, false},   /* L1I_CACHE */
    {0x23, PMUVER_V3P1, false},   /* STALL_FRONTEND */
    {0x24, PMUVER_V3P1, false},   /* STALL_BACKEND */
    {0x39, PMUVER_V3P4, false},   /* L1D_CACHE_LMISS_RD */
    {0x3c, PMUVER_V3P4, false},   /* STALL */
    {0x4006, PMUVER_V3P4, false}, /* L1I_CACHE_LMISS */
    {0x4009, PMUVER_V3P4, true},  /* L2D_CACHE_LMISS_RD */
};

static bool is_announced(unsigned number)
{
    uint64_t pmceid = number & 0x20 ? read_sysreg(pmceid1_el0) : read_sysreg(pmceid0_el0);

    return (pmceid >> ((number & 0x1f) + (number & 0x4000 ? 32 : 0)) & 1) != 0;
}

static void test_mandatory(void)
{
    for (unsigned i = 0; i < sizeof(mandatory) / sizeof(mandatory[0]); i++) {
        if (pmu_version() >= mandatory[i].version && (!mandatory[i].l2 || has("l2", 1))) {
            expect_eq("announced", mandatory[i].number, 1, is_announced(mandatory[i].number));
        }
    }
}

/* Reads 512 KB, one line at a time, at a level whose memory is cached. */
static uint64_t read_memory(uint64_t address)
{
    for (unsigned n = 0; n < 8192; n++) {
        (void)*(volatile uint64_t *)(address + n * UINT64_C(64));
    }
    return 0;
}

/* Announced events count, and others do not. */
static void test_counts(void)
{
    const struct {
        const char *name;
        uint64_t otherwise;
        uint64_t event;
    } events[] = {
        {"waits", announces_stalls(), 0x24},
        {"waits", announces_stalls(), 0x3c},
        {"l2", 1, 0x16},
        {"l2", 1, 0x50},
        {"llc", 1, 0x36},
        {"llc", 1, 0x2b},
        {"llc", 1, 0xa2},
        {"always", 1, 0x19},
        {"always", 1, 0x03},
        {"always", 1, 0x45},
        {"always", 1, 0x4c},
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
    TEST("pmceid.mandatory", test_mandatory),
    TEST("pmceid.counts", test_counts, .counters = 1),
    {0},
};

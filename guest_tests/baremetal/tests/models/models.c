/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * The default models of caches and TLBs. L1D has 32 KB in 8 ways and L1I 32 KB in 4, both FIFO. L2
 * has 512 KB in 8 ways, the last level 2 MB in 16 ways, both LRU. Lines have 64 bytes. The L1 TLBs
 * have 48 pages, FIFO; the L2 TLB has 1024 in 4 ways, LRU. The tests count at EL0 and know every
 * access.
 */
#include "tests/models/models.h"

#include "registers/pmu.h"
#include "runtime/bootargs.h"
#include "runtime/mmu.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"

#define KB UINT64_C(1024)
#define MB (1024 * KB)
#define LINE UINT64_C(64)
#define PAGE UINT64_C(4096)
/* Lines at this distance are in the same set: 64 sets of 64 bytes. */
#define L1D_SET_STRIDE UINT64_C(4096)

/* Arm ARM D14.12. */
enum {
    L1I_CACHE_REFILL = 0x01,
    L1I_TLB_REFILL = 0x02,
    L1D_CACHE_REFILL = 0x03,
    L1D_CACHE = 0x04,
    L1D_TLB_REFILL = 0x05,
    L1I_CACHE = 0x14,
    L1D_CACHE_WB = 0x15,
    BUS_ACCESS = 0x19,
    L2D_CACHE_ALLOCATE = 0x20,
    L3D_CACHE_ALLOCATE = 0x29,
    L3D_CACHE_REFILL = 0x2a,
    L3D_CACHE = 0x2b,
    L1D_CACHE_WB_VICTIM = 0x46,
    L1D_CACHE_WB_CLEAN = 0x47,
    L2D_CACHE_WB_VICTIM = 0x56,
    BUS_ACCESS_RD = 0x60,
    BUS_ACCESS_WR = 0x61,
    L3D_CACHE_RD = 0xa0,
    L3D_CACHE_REFILL_RD = 0xa2,
    L2D_CACHE = 0x16,
    L2D_CACHE_REFILL = 0x17,
    L2D_CACHE_WB = 0x18,
    L1D_TLB = 0x25,
    L1I_TLB = 0x26,
    L2D_TLB_REFILL = 0x2d,
    L2D_TLB = 0x2f,
    LL_CACHE = 0x32,
    LL_CACHE_MISS = 0x33,
    DTLB_WALK = 0x34,
    ITLB_WALK = 0x35,
    LL_CACHE_RD = 0x36,
    LL_CACHE_MISS_RD = 0x37,
    L1D_CACHE_RD = 0x40,
    L1D_CACHE_WR = 0x41,
    L1D_CACHE_REFILL_RD = 0x42,
    L1D_CACHE_REFILL_WR = 0x43,
    L1D_CACHE_REFILL_INNER = 0x44,
    L1D_CACHE_REFILL_OUTER = 0x45,
    L1D_TLB_REFILL_RD = 0x4c,
    L1D_TLB_REFILL_WR = 0x4d,
    L2D_CACHE_RD = 0x50,
    L2D_CACHE_WR = 0x51,
    L2D_CACHE_REFILL_RD = 0x52,
    L2D_CACHE_REFILL_WR = 0x53,
    L2D_TLB_REFILL_RD = 0x5c,
    L2D_TLB_REFILL_WR = 0x5d,
    L2D_TLB_RD = 0x5e,
    L2D_TLB_WR = 0x5f,
};

static const uint16_t data_events[] = {L1D_CACHE,        L1D_CACHE_RD,        L1D_CACHE_WR,
                                       L1D_CACHE_REFILL, L1D_CACHE_REFILL_RD, L1D_CACHE_WB,
                                       L2D_CACHE,        L2D_CACHE_RD,        L2D_CACHE_WR,
                                       L2D_CACHE_REFILL, L2D_CACHE_WB,        L2D_CACHE_REFILL_RD,
                                       LL_CACHE,         LL_CACHE_MISS,       L1D_CACHE_REFILL_WR,
                                       LL_CACHE_RD,      LL_CACHE_MISS_RD,    L1D_TLB,
                                       L1D_TLB_REFILL,   L2D_CACHE_REFILL_WR, L2D_TLB,
                                       L2D_TLB_REFILL,   DTLB_WALK,           0};

static const uint16_t outer_events[] = {BUS_ACCESS,
                                        BUS_ACCESS_RD,
                                        BUS_ACCESS_WR,
                                        L2D_CACHE_ALLOCATE,
                                        L3D_CACHE_ALLOCATE,
                                        L3D_CACHE,
                                        L3D_CACHE_RD,
                                        L3D_CACHE_REFILL,
                                        L3D_CACHE_REFILL_RD,
                                        L1D_CACHE_WB_VICTIM,
                                        L2D_CACHE_WB_VICTIM,
                                        L1D_CACHE_WB_CLEAN,
                                        0};

static const uint16_t cause_events[] = {L1D_CACHE_REFILL_INNER,
                                        L1D_CACHE_REFILL_OUTER,
                                        L1D_TLB_REFILL_RD,
                                        L1D_TLB_REFILL_WR,
                                        L2D_TLB_RD,
                                        L2D_TLB_WR,
                                        L2D_TLB_REFILL_RD,
                                        L2D_TLB_REFILL_WR,
                                        0};

static const uint16_t fetch_events[] = {L1I_CACHE, L1I_CACHE_REFILL, L1I_TLB, L1I_TLB_REFILL,
                                        ITLB_WALK, L1D_CACHE,        0};

static void load(uint64_t address, uint64_t size)
{
    model_run(model_load, address, size / LINE, LINE);
}

static void store(uint64_t address, uint64_t size)
{
    model_run(model_store, address, size / LINE, LINE);
}

static void load_one(uint64_t address)
{
    model_run(model_load, address, 1, 0);
}

/* An event and its expected count. */
struct expected {
    uint16_t event;
    uint64_t count;
};

static void expect_all(const char *where, const struct expected *expected)
{
    for (; expected->event; expected++) {
        expect_eq(where, BIT(20) | expected->event, expected->count, model_take(expected->event));
    }
}

#define EXPECT(where, ...) expect_all(where, (const struct expected[]){__VA_ARGS__, {0}})

/* 64 KB that no cache holds: 1024 lines in 16 pages. */
static void test_stream(void)
{
    model_count(data_events);
    model_flush();
    load(model_fresh(64 * KB), 64 * KB);
    EXPECT("loads", {L1D_CACHE, 1024}, {L1D_CACHE_RD, 1024}, {L1D_CACHE_WR, 0},
           {L1D_CACHE_REFILL, 1024}, {L1D_CACHE_REFILL_RD, 1024}, {L1D_CACHE_REFILL_WR, 0},
           {L1D_CACHE_WB, 0}, {L2D_CACHE, 1024}, {L2D_CACHE_RD, 1024}, {L2D_CACHE_REFILL, 1024},
           {L2D_CACHE_WB, 0}, {LL_CACHE, 1024}, {LL_CACHE_RD, 1024}, {LL_CACHE_MISS, 1024},
           {LL_CACHE_MISS_RD, 1024}, {L1D_TLB, 1024}, {L1D_TLB_REFILL, 16}, {L2D_TLB, 16},
           {L2D_TLB_REFILL, 16}, {DTLB_WALK, 16});
    store(model_fresh(64 * KB), 64 * KB);
    /*
     * The second 512 lines replace the first 512, which are dirty. These are written to lines that
     * L2 has.
     */
    EXPECT("stores", {L1D_CACHE, 1024}, {L1D_CACHE_RD, 0}, {L1D_CACHE_WR, 1024},
           {L1D_CACHE_REFILL, 1024}, {L1D_CACHE_REFILL_RD, 0}, {L1D_CACHE_REFILL_WR, 1024},
           {L1D_CACHE_WB, 512}, {L2D_CACHE, 1024 + 512}, {L2D_CACHE_RD, 0},
           {L2D_CACHE_WR, 1024 + 512}, {L2D_CACHE_REFILL_WR, 1024}, {L2D_CACHE_WB, 0},
           {LL_CACHE, 1024}, {LL_CACHE_RD, 0}, {LL_CACHE_MISS, 1024}, {DTLB_WALK, 16});
}

/* 16 KB, and how many of its lines are there the second time: all. */
static void test_reuse(void)
{
    uint64_t address = model_fresh(16 * KB);

    model_count(data_events);
    model_flush();
    load(address, 16 * KB);
    EXPECT("first", {L1D_CACHE, 256}, {L1D_CACHE_REFILL, 256}, {L1D_TLB_REFILL, 4});
    load(address, 16 * KB);
    EXPECT("second", {L1D_CACHE, 256}, {L1D_CACHE_REFILL, 0}, {L1D_TLB_REFILL, 0});
    store(address, 16 * KB);
    EXPECT("stores", {L1D_CACHE_WR, 256}, {L1D_CACHE_REFILL, 0}, {L1D_TLB_REFILL, 0});
    EXPECT("all of them", {L2D_CACHE, 256}, {LL_CACHE, 256}, {L1D_CACHE_WB, 0}, {L2D_TLB, 4});
}

/* 8 lines of one set stay; 9 replace each other. */
static void test_conflicts(void)
{
    uint64_t address = model_fresh(9 * L1D_SET_STRIDE);

    model_count(data_events);
    model_flush();
    for (unsigned round = 0; round < 10; round++) {
        model_run(model_load, address, 8, L1D_SET_STRIDE);
    }
    EXPECT("8 lines", {L1D_CACHE, 80}, {L1D_CACHE_REFILL, 8});
    model_flush();
    for (unsigned round = 0; round < 10; round++) {
        model_run(model_load, address, 9, L1D_SET_STRIDE);
    }
    EXPECT("9 lines", {L1D_CACHE, 90}, {L1D_CACHE_REFILL, 90}, {L2D_CACHE_REFILL, 9});
}

/*
 * A ninth line replaces the line that came first, or with LRU the one used longest ago, which is
 * the second.
 */
static void test_policy(void)
{
    uint64_t lru = 0, address = model_fresh(9 * L1D_SET_STRIDE);

    bootarg("lru", &lru);
    model_count(data_events);
    model_flush();
    model_run(model_load, address, 8, L1D_SET_STRIDE);
    load_one(address);
    load_one(address + 8 * L1D_SET_STRIDE);
    EXPECT("filled", {L1D_CACHE, 10}, {L1D_CACHE_REFILL, 9});
    load_one(address);
    EXPECT("the first", {L1D_CACHE_REFILL, lru ? 0 : 1});
    load_one(address + 1 * L1D_SET_STRIDE);
    EXPECT("the second", {L1D_CACHE_REFILL, 1});
}

/* 512 dirty lines fill the cache. Then 512 clean lines replace them, once. */
static void test_write_back(void)
{
    model_count(data_events);
    model_flush();
    store(model_fresh(32 * KB), 32 * KB);
    EXPECT("stores", {L1D_CACHE_WR, 512}, {L1D_CACHE_REFILL_WR, 512}, {L1D_CACHE_WB, 0},
           {L2D_CACHE_WR, 512});
    load(model_fresh(32 * KB), 32 * KB);
    EXPECT("pushed out", {L1D_CACHE_REFILL_RD, 512}, {L1D_CACHE_WB, 512}, {L2D_CACHE_WR, 512},
           {L2D_CACHE_RD, 512}, {L2D_CACHE_REFILL, 512 + 512}, {L2D_CACHE_WB, 0});
    load(model_fresh(32 * KB), 32 * KB);
    EXPECT("clean", {L1D_CACHE_WB, 0}, {LL_CACHE, 3 * 512});
    /* 1 MB is twice what L2 holds. */
    load(model_fresh(1024 * KB), 1024 * KB);
    EXPECT("out of L2", {L2D_CACHE_WB, 512}, {L2D_CACHE_RD, 512 + 16384}, {LL_CACHE, 16384 + 512},
           {LL_CACHE_RD, 512 * 2 + 16384});
}

/*
 * 512 lines become dirty, and move outwards: to L2 when 32 KB are loaded, to the last level when
 * 1 MB is, and to memory when 4 MB are, twice what the last level holds.
 */
static void test_outwards(void)
{
    model_count(outer_events);
    model_flush();
    store(model_fresh(32 * KB), 32 * KB);
    EXPECT("stores", {BUS_ACCESS, 512}, {BUS_ACCESS_RD, 512}, {BUS_ACCESS_WR, 0}, {L3D_CACHE, 512},
           {L3D_CACHE_RD, 0}, {L3D_CACHE_REFILL, 512}, {L3D_CACHE_REFILL_RD, 0},
           {L2D_CACHE_ALLOCATE, 0}, {L1D_CACHE_WB_VICTIM, 0});
    load(model_fresh(32 * KB), 32 * KB);
    EXPECT("out of L1", {BUS_ACCESS_RD, 512}, {BUS_ACCESS_WR, 0}, {L2D_CACHE_ALLOCATE, 512},
           {L1D_CACHE_WB_VICTIM, 512}, {L1D_CACHE_WB_CLEAN, 0}, {L3D_CACHE_ALLOCATE, 0},
           {L3D_CACHE_RD, 512});
    load(model_fresh(1024 * KB), 1024 * KB);
    EXPECT("out of L2", {BUS_ACCESS_RD, 16384}, {BUS_ACCESS_WR, 0}, {L3D_CACHE_ALLOCATE, 512},
           {L2D_CACHE_WB_VICTIM, 512}, {L3D_CACHE, 512 + 16384 + 512}, {L3D_CACHE_RD, 16384},
           {L3D_CACHE_REFILL_RD, 512 + 16384});
    load(SCRATCH_BASE, 4096 * KB);
    EXPECT("out of the last level", {BUS_ACCESS_WR, 512}, {L3D_CACHE_ALLOCATE, 0});
}

/* 64 KB are 1024 lines in 16 pages, and twice the size of L1. */
static void test_causes(void)
{
    uint64_t address = model_fresh(64 * KB);

    model_count(cause_events);
    model_flush();
    load(address, 64 * KB);
    EXPECT("loads", {L1D_CACHE_REFILL_INNER, 0}, {L1D_CACHE_REFILL_OUTER, 1024},
           {L1D_TLB_REFILL_RD, 16}, {L1D_TLB_REFILL_WR, 0}, {L2D_TLB_RD, 16}, {L2D_TLB_WR, 0},
           {L2D_TLB_REFILL_RD, 16}, {L2D_TLB_REFILL_WR, 0});
    load(address, 64 * KB);
    EXPECT("loads again", {L1D_CACHE_REFILL_INNER, 1024}, {L1D_CACHE_REFILL_OUTER, 0},
           {L1D_TLB_REFILL_RD, 0}, {L2D_TLB_RD, 0});
    store(model_fresh(64 * KB), 64 * KB);
    EXPECT("stores", {L1D_CACHE_REFILL_INNER, 0}, {L1D_CACHE_REFILL_OUTER, 1024},
           {L1D_TLB_REFILL_RD, 0}, {L1D_TLB_REFILL_WR, 16}, {L2D_TLB_RD, 0}, {L2D_TLB_WR, 16},
           {L2D_TLB_REFILL_RD, 0}, {L2D_TLB_REFILL_WR, 16});
}

/* An instruction that loads and stores makes the line dirty: two accesses, one refill. */
static void test_atomics(void)
{
    model_count(data_events);
    model_flush();
    model_run(model_add, model_fresh(32 * KB), 512, LINE);
    EXPECT("ldadd", {L1D_CACHE, 1024}, {L1D_CACHE_RD, 512}, {L1D_CACHE_WR, 512},
           {L1D_CACHE_REFILL, 512});
    load(model_fresh(32 * KB), 32 * KB);
    EXPECT("pushed out", {L1D_CACHE_WB, 512});
}

/*
 * Twice the size of L1: the second time, all lines come from L2. Twice the size of L2: from the
 * last level.
 */
static void test_outer(void)
{
    uint64_t address = model_fresh(1024 * KB);

    model_count(data_events);
    model_flush();
    load(address, 64 * KB);
    EXPECT("64 KB", {L2D_CACHE_REFILL, 1024}, {LL_CACHE_RD, 1024});
    load(address, 64 * KB);
    EXPECT("64 KB again", {L1D_CACHE_REFILL, 2 * 1024}, {L2D_CACHE_REFILL, 0}, {LL_CACHE_RD, 0});
    model_flush();
    load(address, 1024 * KB);
    EXPECT("1 MB", {L2D_CACHE_REFILL, 16384}, {LL_CACHE_RD, 16384}, {LL_CACHE_MISS_RD, 16384});
    load(address, 1024 * KB);
    EXPECT("1 MB again", {L2D_CACHE_REFILL, 16384}, {LL_CACHE_RD, 16384}, {LL_CACHE_MISS_RD, 0},
           {LL_CACHE_MISS, 16384});
}

/* 48 pages stay in the L1 TLB. 49 pages in turns are never in L1, but in L2. */
static void test_tlb(void)
{
    uint64_t address = model_fresh(49 * PAGE);

    model_count(data_events);
    model_flush();
    for (unsigned round = 0; round < 10; round++) {
        model_run(model_load, address, 48, PAGE + LINE);
    }
    EXPECT("48 pages", {L1D_TLB, 480}, {L1D_TLB_REFILL, 48}, {L2D_TLB, 48}, {DTLB_WALK, 48});
    model_flush();
    for (unsigned round = 0; round < 10; round++) {
        model_run(model_load, address, 49, PAGE);
    }
    EXPECT("49 pages", {L1D_TLB, 490}, {L1D_TLB_REFILL, 490}, {L2D_TLB, 490}, {L2D_TLB_REFILL, 49},
           {DTLB_WALK, 49});
}

/* An access to two lines is two accesses, and an access to two pages too. */
static void test_crossing(void)
{
    uint64_t address = model_fresh(4 * PAGE);

    model_count(data_events);
    model_flush();
    load_one(address + LINE - 4);
    EXPECT("two lines", {L1D_CACHE, 2}, {L1D_CACHE_RD, 2}, {L1D_CACHE_REFILL, 2},
           {L1D_TLB_REFILL, 1});
    load_one(address + LINE - 4);
    EXPECT("again", {L1D_CACHE, 2}, {L1D_CACHE_REFILL, 0}, {L1D_TLB_REFILL, 0});
    model_run(model_store, address + 2 * PAGE - 4, 1, 0);
    EXPECT("two pages", {L1D_CACHE_WR, 2}, {L1D_CACHE_REFILL, 2}, {L1D_TLB_REFILL, 2});
}

/*
 * Code of 1026 lines does not fit, and code of 258 lines does. Of 51 pages the pages do not fit
 * either. The first pass also looks up the first page.
 */
static void test_fetches(void)
{
    model_count(fetch_events);
    model_run(model_chain_long, 0, 0, 0);
    EXPECT("64 KB", {L1I_CACHE, CHAIN_LONG + 2}, {L1I_CACHE_REFILL, CHAIN_LONG + 2},
           {L1I_TLB, CHAIN_LONG + 2}, {L1D_CACHE, 0});
    model_run(model_chain_long, 0, 0, 0);
    EXPECT("64 KB again", {L1I_CACHE, CHAIN_LONG + 2}, {L1I_CACHE_REFILL, CHAIN_LONG + 2});
    model_run(model_chain_short, 0, 0, 0);
    EXPECT("16 KB", {L1I_CACHE, CHAIN_SHORT + 2}, {L1I_CACHE_REFILL, CHAIN_SHORT + 2});
    model_take(L1I_TLB_REFILL);
    model_run(model_chain_short, 0, 0, 0);
    EXPECT("16 KB again", {L1I_CACHE, CHAIN_SHORT + 2}, {L1I_CACHE_REFILL, 0}, {L1I_TLB_REFILL, 0});
    model_run(model_chain_pages, 0, 0, 0);
    model_take(L1I_TLB_REFILL);
    model_take(ITLB_WALK);
    model_run(model_chain_pages, 0, 0, 0);
    EXPECT("pages", {L1I_TLB_REFILL, CHAIN_PAGES + 2}, {ITLB_WALK, 0});
}

/* Another ASID is another address space. What the caches hold of the first stays. */
static void test_spaces(void)
{
    uint64_t address = model_fresh(16 * KB), ttbr0 = read_sysreg(ttbr0_el1);

    model_count(data_events);
    model_flush();
    load(address, 16 * KB);
    EXPECT("one", {L1D_CACHE_REFILL, 256}, {L1D_TLB_REFILL, 4}, {DTLB_WALK, 4});
    write_sysreg(ttbr0_el1, ttbr0 | BIT(48));
    isb();
    load(address, 16 * KB);
    EXPECT("another", {L1D_CACHE_REFILL, 256}, {L1D_TLB_REFILL, 4}, {DTLB_WALK, 4});
    write_sysreg(ttbr0_el1, ttbr0);
    isb();
    load(address, 16 * KB);
    EXPECT("the first", {L1D_CACHE, 3 * 256}, {L1D_CACHE_REFILL, 0}, {L1D_TLB_REFILL, 0});
}

static void set_secure(bool secure)
{
    uint64_t scr = read_sysreg(scr_el3);

    write_sysreg(scr_el3, secure ? scr & ~SCR_EL3_NS : scr | SCR_EL3_NS);
    isb();
}

/* Secure and Non-secure state have address spaces of their own, with the same ASIDs. */
static void test_states(void)
{
    uint64_t address = model_fresh(16 * KB);

    model_count(data_events);
    model_flush();
    load(address, 16 * KB);
    EXPECT("Non-secure", {L1D_CACHE_REFILL, 256}, {L1D_TLB_REFILL, 4}, {DTLB_WALK, 4});
    set_secure(true);
    load(address, 16 * KB);
    EXPECT("Secure", {L1D_CACHE_REFILL, 256}, {L1D_TLB_REFILL, 4}, {DTLB_WALK, 4});
    set_secure(false);
    load(address, 16 * KB);
    EXPECT("Non-secure again", {L1D_CACHE, 3 * 256}, {L1D_CACHE_REFILL, 0}, {L1D_TLB_REFILL, 0});
}

/*
 * Counted at EL1, where the TLBI is executed. The caches use virtual addresses and keep their
 * lines.
 */
static void check_tlbi(const char *where, level_fn code, uint64_t address, uint64_t walks)
{
    struct model_arg arg = {.address = address, .mask = BIT(4) - 1};
    static const uint16_t events[] = {L1D_TLB_REFILL, DTLB_WALK, L1D_CACHE, L1D_CACHE_REFILL, 0};

    model_count(events);
    for (unsigned n = 0; events[n]; n++) {
        write_pmevtyper(n, events[n] | PMEVTYPER_U);
    }
    call_at(EL1, code, (uintptr_t)&arg);
    EXPECT(where, {L1D_TLB_REFILL, walks}, {DTLB_WALK, walks}, {L1D_CACHE, 4},
           {L1D_CACHE_REFILL, 2});
}

static void test_tlbi(void)
{
    check_tlbi("a page", model_tlbi_page, model_fresh(2 * PAGE), 2 + 1);
    check_tlbi("all", model_tlbi_all, model_fresh(2 * PAGE), 2 + 2);
}

/* Two lines of a block are one entry, which a TLBI of any address in the block removes. */
static void test_tlbi_of_block(void)
{
    check_tlbi("a page", model_tlbi_page, BLOCKS_BASE + MB, 1 + 1);
    check_tlbi("all", model_tlbi_all, BLOCKS_BASE + 3 * MB, 1 + 1);
}

/* Each block of 2 MB is one entry of all TLBs. */
static void test_blocks(void)
{
    uint64_t address = BLOCKS_BASE + 4 * MB;

    model_count(data_events);
    model_flush();
    model_run(model_load, address, 4 * MB / PAGE, PAGE);
    EXPECT("4 MB", {L1D_CACHE, 1024}, {L1D_TLB_REFILL, 2}, {L2D_TLB, 2}, {DTLB_WALK, 2});
    model_run(model_load, address + LINE, 4 * MB / PAGE, PAGE);
    EXPECT("again", {L1D_CACHE, 1024}, {L1D_TLB_REFILL, 0}, {DTLB_WALK, 0});
    load_one(address + 2 * MB - 4);
    EXPECT("both blocks", {L1D_CACHE, 2}, {L1D_TLB_REFILL, 0}, {DTLB_WALK, 0});
    load_one(address + 4 * MB - 4);
    EXPECT("the next one", {L1D_CACHE, 2}, {L1D_TLB_REFILL, 1}, {DTLB_WALK, 1});
    load_one(BLOCKS_BASE - 4);
    EXPECT("a page and a block", {L1D_CACHE, 2}, {L1D_TLB_REFILL, 2}, {DTLB_WALK, 2});
}

/* With two stages of translation, the entries are of 4 KB. */
static void test_blocks_of_guest(void)
{
    stage2_enable();
    model_count(data_events);
    model_flush();
    model_run(model_load, BLOCKS_BASE + 4 * MB, 4 * MB / PAGE, PAGE);
    EXPECT("4 MB", {L1D_CACHE, 1024}, {L1D_TLB_REFILL, 1024}, {DTLB_WALK, 1024});
}

/* Only what runs at EL0 is counted, so the same code has the same counts again. */
static void test_again(void)
{
    uint64_t address = model_fresh(128 * KB), first[32];

    model_count(data_events);
    for (unsigned i = 0; i < 3; i++) {
        model_flush();
        load(address, 128 * KB);
        store(address, 50 * KB);
        model_run(model_load, address, 1000, 104);
        for (unsigned n = 0; data_events[n]; n++) {
            uint64_t now = model_take(data_events[n]);

            first[n] = i == 0 ? now : first[n];
            expect_eq("event", data_events[n], first[n], now);
        }
    }
}

/* The predictor that the list of runs names. */
static bool is_predictor(unsigned first, unsigned last)
{
    uint64_t branch = 0;

    bootarg("branch", &branch);
    if (branch < first || branch > last) {
        skip_test("the machine has another predictor");
        return false;
    }
    return true;
}

static void test_static(void)
{
    if (is_predictor(0, 0)) {
        test_static_branches();
    }
}

static void test_bimodal(void)
{
    if (is_predictor(1, 1)) {
        test_bimodal_branches();
    }
}

static void test_learning(void)
{
    if (is_predictor(2, 3)) {
        test_learning_branches();
    }
}

#define MODEL_TEST(name, run) TEST(name, run, .home = HOME_EL1 | HOME_EL2, .counters = MODEL_EVENTS)

const struct test test_table[] = {
    MODEL_TEST("models.stream", test_stream),
    MODEL_TEST("models.reuse", test_reuse),
    MODEL_TEST("models.conflicts", test_conflicts),
    MODEL_TEST("models.policy", test_policy),
    MODEL_TEST("models.write-back", test_write_back),
    MODEL_TEST("models.outwards", test_outwards),
    MODEL_TEST("models.causes", test_causes),
    MODEL_TEST("models.atomics", test_atomics),
    MODEL_TEST("models.outer", test_outer),
    MODEL_TEST("models.tlb", test_tlb),
    MODEL_TEST("models.spaces", test_spaces),
    TEST("models.states", test_states, .home = HOME_EL3, .counters = MODEL_EVENTS),
    MODEL_TEST("models.tlbi", test_tlbi),
    MODEL_TEST("models.blocks", test_blocks),
    MODEL_TEST("models.tlbi-of-block", test_tlbi_of_block),
    TEST("models.blocks-of-guest", test_blocks_of_guest, .home = HOME_EL2,
         .counters = MODEL_EVENTS),
    MODEL_TEST("models.maintained", test_maintained),
    MODEL_TEST("models.maintained-el1", test_maintained_from_el1),
    MODEL_TEST("models.emptied", test_emptied),
    MODEL_TEST("models.maintained-fetches", test_maintained_fetches),
    MODEL_TEST("models.crossing", test_crossing),
    MODEL_TEST("models.fetches", test_fetches),
    MODEL_TEST("models.repeats", test_again),
    MODEL_TEST("models.static", test_static),
    MODEL_TEST("models.bimodal", test_bimodal),
    MODEL_TEST("models.learning", test_learning),
    MODEL_TEST("models.indirect", test_indirect),
    MODEL_TEST("models.returns", test_returns),
    MODEL_TEST("models.spaces-of-branches", test_spaces_of_branches),
    {0},
};

/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * The caches that CLIDR_EL1 and CCSIDR_EL1 describe are those whose refills are counted. A loop
 * over an array of a cache's size has none from the second time on. If the array has one line more,
 * all lines of one set miss, with FIFO and with LRU; if it is twice as large, all lines do.
 */
#include "registers/pmu.h"
#include "runtime/layout.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"
#include "tests/models/models.h"

/* Arm ARM D14.12. */
enum {
    L1D_CACHE_REFILL = 0x03,
    L2D_CACHE_REFILL = 0x17,
};

struct cache {
    uint64_t line;
    uint64_t ways;
    uint64_t size;
};

/* The data or unified cache of a level, from 1 (Arm ARM D24.2.24 to D24.2.29). */
static struct cache describe(unsigned level)
{
    bool wide = read_sysreg(ID_AA64MMFR2_EL1) >> 20 & 0xf;
    uint64_t ccsidr, sets;
    struct cache cache;

    write_sysreg(csselr_el1, (level - 1) << 1);
    __asm__ volatile("isb");
    ccsidr = read_sysreg(ccsidr_el1);
    cache.line = UINT64_C(1) << ((ccsidr & 7) + 4);
    cache.ways = (ccsidr >> 3 & (wide ? 0x1fffff : 0x3ff)) + 1;
    sets = (wide ? ccsidr >> 32 & 0xffffff : ccsidr >> 13 & 0x7fff) + 1;
    cache.size = sets * cache.ways * cache.line;
    return cache;
}

/* The first two passes bring in what stays. */
static void expect_refills(uint16_t event, uint64_t size, uint64_t line, uint64_t refills)
{
    const uint16_t events[] = {event, 0};

    model_count(events);
    for (unsigned pass = 0; pass < 3; pass++) {
        model_take(event);
        model_run(model_load, SCRATCH_BASE, size / line, line);
    }
    expect_eq("refills of an array of bytes", size, refills, model_take(event));
}

static void check_level(unsigned level, uint16_t event)
{
    const struct cache cache = describe(level);

    for (uint64_t size = cache.size / 8; size <= cache.size; size *= 2) {
        expect_refills(event, size, cache.line, 0);
    }
    expect_refills(event, cache.size + cache.line, cache.line, cache.ways + 1);
    expect_refills(event, 2 * cache.size, cache.line, 2 * cache.size / cache.line);
}

static void test_l1(void)
{
    check_level(1, L1D_CACHE_REFILL);
}

static void test_l2(void)
{
    check_level(2, L2D_CACHE_REFILL);
}

const struct test test_table[] = {
    TEST("told.l1d", test_l1, .home = HOME_EL1, .counters = 1),
    TEST("told.l2", test_l2, .home = HOME_EL1, .counters = 1),
    {0},
};

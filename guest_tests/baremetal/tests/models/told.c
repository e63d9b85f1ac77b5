/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * The caches that CLIDR_EL1 and CCSIDR_EL1 describe are those whose refills are counted. A loop
 * over an array of a cache's size has none from the second time on. If the array has one line more,
 * all lines of one set miss, with FIFO and with LRU; if it is twice as large, all lines do.
 *
 * The boot argument levels= is how many levels of caches the machine has, 2 by default. If it is
 * given, they are what the user chose, and l1i= has the bytes of L1I.
 */
#include "registers/pmu.h"
#include "runtime/bootargs.h"
#include "runtime/layout.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"
#include "tests/models/models.h"

/* Arm ARM D14.12. */
enum {
    L1D_CACHE_REFILL = 0x03,
    L2D_CACHE_REFILL = 0x17,
    L3D_CACHE_REFILL = 0x2a,
};

/* CSSELR_EL1.InD */
#define INSTRUCTIONS 1u

struct cache {
    uint64_t line;
    uint64_t ways;
    uint64_t size;
};

/* A cache of a level, from 1 (Arm ARM D24.2.24 to D24.2.29). @kind: INSTRUCTIONS, or 0. */
static struct cache describe(unsigned level, unsigned kind)
{
    bool wide = read_sysreg(ID_AA64MMFR2_EL1) >> 20 & 0xf;
    uint64_t ccsidr, sets;
    struct cache cache;

    write_sysreg(csselr_el1, (level - 1) << 1 | kind);
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
    const struct cache cache = describe(level, 0);

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

/* CLIDR_EL1.Ctype<n>: 0 from the first level on that has no cache. */
static unsigned count_levels(void)
{
    unsigned levels = 0;

    while (read_sysreg(clidr_el1) >> 3 * levels & 7) {
        levels++;
    }
    return levels;
}

/* CLIDR_EL1.LoC: QEMU's A64FX has 0 there. */
static void test_levels(void)
{
    uint64_t levels = 2;
    bool chosen = bootarg("levels", &levels);

    expect_eq("levels", 0, levels, count_levels());
    if (chosen) {
        expect_eq("level of coherency", 0, levels, read_sysreg(clidr_el1) >> 24 & 7);
    }
}

static void test_llc(void)
{
    if (count_levels() < 3) {
        skip_test("CLIDR describes no third level");
    } else {
        check_level(3, L3D_CACHE_REFILL);
    }
}

/* CTR_EL0.IminLine and DminLine: the smallest lines, in words. */
static void test_lines(void)
{
    const uint64_t ctr = read_sysreg(ctr_el0);
    struct cache l1i = describe(1, INSTRUCTIONS);
    uint64_t size = l1i.size;

    expect_eq("line of L1I", 0, l1i.line, UINT64_C(4) << (ctr & 0xf));
    expect_eq("line of L1D", 0, describe(1, 0).line, UINT64_C(4) << (ctr >> 16 & 0xf));
    bootarg("l1i", &size);
    expect_eq("bytes of L1I", 0, size, l1i.size);
}

const struct test test_table[] = {
    TEST("told.l1d", test_l1, .home = HOME_EL1, .counters = 1),
    TEST("told.l2", test_l2, .home = HOME_EL1, .counters = 1),
    TEST("told.llc", test_llc, .home = HOME_EL1, .counters = 1),
    TEST("told.levels", test_levels, .home = HOME_EL1),
    TEST("told.lines", test_lines, .home = HOME_EL1),
    {0},
};

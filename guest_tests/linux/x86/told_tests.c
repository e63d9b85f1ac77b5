/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The caches that CPUID describes are those whose misses are counted. As many lines of one set as
 * the cache has ways stay in it, and one more line makes all of them miss, with FIFO and with LRU.
 */
#include <cpuid.h>
#include <stdint.h>

#include "memory/caches.h"
#include "suite.h"

/* CPUID.04H, and 8000001DH, which has the same format: the cache of this level that has data. */
static bool find_cache(unsigned leaf, unsigned level, struct cache *cache)
{
    unsigned a, b, c, d;

    for (unsigned i = 0; __get_cpuid_count(leaf, i, &a, &b, &c, &d) && (a & 0x1f); i++) {
        if ((a >> 5 & 7) == level && (a & 0x1f) != 2) {
            *cache = (struct cache){(b >> 22) + 1, (b & 0xfff) + 1, c + 1ull};
            return true;
        }
    }
    return false;
}

/*
 * TCG's CPUs lack TOPOEXT, so Linux takes AMD's caches from leaves 80000005H and 80000006H, and
 * looks up the ways of L1 in the table for L2 (amd_cpuid4() of cacheinfo.c): 8 become 16.
 */
static void test_files(const struct test *test)
{
    struct cache cache;
    unsigned leaf = find_cache(0x8000001d, 1, &cache) ? 0x8000001d : 4;

    (void)test;
    for (unsigned level = 1; level <= 3; level++) {
        unsigned index = level == 1 ? 0 : level;
        bool knows_ways = leaf == 4 || level > 1;

        if (!find_cache(leaf, level, &cache)) {
            test_fail("CPUID %#x has no cache of level %u", leaf, level);
            return;
        }
        expect_eq("level", level, cache_number(index, "level"));
        if (knows_ways) {
            expect_eq("ways", cache.ways, cache_number(index, "ways_of_associativity"));
            expect_eq("sets", cache.sets, cache_number(index, "number_of_sets"));
        }
        expect_eq("line", cache.line, cache_number(index, "coherency_line_size"));
        expect_eq("KiB", cache.ways * cache.line * cache.sets >> 10, cache_number(index, "size"));
    }
}

/* perf's cache-misses are those of the last level of Intel's CPUs, and of AMD's L2. */
static void test_told(const struct test *test)
{
    struct cache cache;
    bool amd = find_cache(0x8000001d, 1, &cache);
    unsigned leaf = amd ? 0x8000001d : 4;
    unsigned behind = amd ? 2 : 3;

    cache_stay();
    if (!find_cache(leaf, test->n ? behind : 1, &cache)) {
        test_fail("CPUID %#x has no such cache", leaf);
        return;
    }
    cache_expect(&cache, test->n ? PERF_TYPE_HARDWARE : PERF_TYPE_HW_CACHE,
                 test->n ? PERF_COUNT_HW_CACHE_MISSES : L1D_READ_MISS);
}

const struct test told_tests[] = {
    {"told/l1d", test_told, NULL, 0, 1, 1},
    {"told/behind", test_told, NULL, 1, 1, 1},
    {"told/files", test_files, NULL, 0, 1, 1},
};
const size_t told_tests_count = ARRAY_SIZE(told_tests);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * With pmu-cache-told=on, the caches that Linux shows are those whose misses are counted. On arm64,
 * Linux takes levels and types from CLIDR, and all else from the device tree.
 */
#include <string.h>

#include "event.h"
#include "memory/caches.h"
#include "suite.h"

enum {
    L1D,
    L1I,
    L2,
    LLC,
    /* Arm ARM D14.12 */
    L2D_CACHE_REFILL = 0x17,
    L3D_CACHE_REFILL = 0x2a,
};

static const struct {
    uint64_t level;
    const char *type;
} known[] = {
    [L1D] = {1, "Data"},
    [L1I] = {1, "Instruction"},
    [L2] = {2, "Unified"},
    [LLC] = {3, "Unified"},
};

static void expect_text(unsigned index, const char *name, const char *expected)
{
    char text[64];

    cache_text(index, name, text, sizeof(text));
    if (strcmp(text, expected) != 0) {
        test_fail("%s of index%u: expected %s got %s", name, index, expected,
                  text[0] ? text : "nothing");
    }
}

/* The smallest line of CTR_EL0.IminLine or DminLine, which Linux lets programs read. */
static uint64_t smallest_line(unsigned shift)
{
    uint64_t ctr;

    __asm__("mrs %0, ctr_el0" : "=r"(ctr));
    return UINT64_C(4) << (ctr >> shift & 0xf);
}

static void test_files(const struct test *test)
{
    (void)test;
    for (unsigned index = L1D; index <= (machine.no_llc ? L2 : LLC); index++) {
        uint64_t ways = cache_number(index, "ways_of_associativity");
        uint64_t line = cache_number(index, "coherency_line_size");
        uint64_t sets = cache_number(index, "number_of_sets");

        expect_eq("level", known[index].level, cache_number(index, "level"));
        expect_text(index, "type", known[index].type);
        expect_eq("line", smallest_line(index == L1I ? 0 : 16), line);
        expect_eq("KiB", ways * line * sets >> 10, cache_number(index, "size"));
        expect_text(index, "shared_cpu_list", index == LLC && machine.shared ? "0-1" : "0");
    }
    expect_eq("next cache", 0, cache_number(machine.no_llc ? LLC : LLC + 1, "level"));
}

static void test_told(const struct test *test)
{
    const unsigned index = (unsigned)test->n;
    struct cache cache;

    if (index == LLC && machine.no_llc) {
        test_skip("needs a last level");
        return;
    }
    cache = (struct cache){cache_number(index, "ways_of_associativity"),
                           cache_number(index, "coherency_line_size"),
                           cache_number(index, "number_of_sets")};
    if (cache.ways == 0) {
        test_fail("Linux shows no ways of index%u", index);
        return;
    }
    cache_stay();
    if (index == L1D) {
        cache_expect(&cache, PERF_TYPE_HW_CACHE, L1D_READ_MISS);
    } else {
        cache_expect(&cache, event_pmu_type(), index == L2 ? L2D_CACHE_REFILL : L3D_CACHE_REFILL);
    }
}

const struct test told_tests[] = {
    {"told/files", test_files, NULL, 0, 1, 1},
    {"told/l1d", test_told, NULL, L1D, 1, 1},
    {"told/l2", test_told, NULL, L2, 1, 1},
    {"told/llc", test_told, NULL, LLC, 1, 1},
};
const size_t told_tests_count = ARRAY_SIZE(told_tests);

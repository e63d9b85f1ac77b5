/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The caches that CPUID describes are those whose misses are counted. As many lines of one set as
 * the cache has ways stay in it, and one more line makes all of them miss, with FIFO and with LRU.
 */
#define _GNU_SOURCE
#include <cpuid.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "event.h"
#include "suite.h"

#define ROUNDS 100u
#define PAGE 4096u

/* Linux's numbers of caches, operations and results. */
#define L1D_READ_MISS (PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

struct cache {
    uint64_t ways;
    uint64_t line;
    uint64_t sets;
};

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

/* A number in a file of the first CPU's cache with this index; 0: there is none. */
static uint64_t read_file(unsigned index, const char *name)
{
    char path[128];
    unsigned long long n = 0;
    FILE *f;

    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%u/%s", index, name);
    f = fopen(path, "re");
    if (f) {
        if (fscanf(f, "%llu", &n) != 1) {
            n = 0;
        }
        fclose(f);
    }
    return n;
}

/*
 * Linux numbers L1D, L1I, L2 and the last level from 0; lscpu -C prints these files. TCG's CPUs
 * lack TOPOEXT, so Linux takes AMD's caches from leaves 80000005H and 80000006H, and looks up the
 * ways of L1 in the table for L2 (amd_cpuid4() of cacheinfo.c): 8 become 16.
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
        expect_eq("level", level, read_file(index, "level"));
        if (knows_ways) {
            expect_eq("ways", cache.ways, read_file(index, "ways_of_associativity"));
            expect_eq("sets", cache.sets, read_file(index, "number_of_sets"));
        }
        expect_eq("line", cache.line, read_file(index, "coherency_line_size"));
        expect_eq("KiB", cache.ways * cache.line * cache.sets >> 10, read_file(index, "size"));
    }
}

/* Reads lines that are this far apart, in turns. */
static void read_lines(const volatile char *array, uint64_t lines, uint64_t stride)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (uint64_t i = 0; i < lines; i++) {
            (void)array[i * stride];
        }
    }
}

static uint64_t count(struct perf_event_attr *attr, const char *array, uint64_t lines,
                      uint64_t stride)
{
    int fd = event_must_open(attr, 0, -1, -1);
    uint64_t misses;

    if (fd < 0) {
        return UINT64_MAX;
    }
    read_lines(array, lines, stride);
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    read_lines(array, lines, stride);
    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    misses = event_read(fd);
    close(fd);
    return misses;
}

/* A few lines of the program itself may miss. */
static void check_cache(const struct cache *cache, uint32_t type, uint64_t config)
{
    const uint64_t stride = cache->sets * cache->line;
    struct perf_event_attr attr = {.type = type,
                                   .size = sizeof(attr),
                                   .config = config,
                                   .disabled = 1,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    uint64_t size = stride * (2 * cache->ways + 1);
    char *array = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (array == MAP_FAILED) {
        test_fail("cannot allocate %llu bytes", (unsigned long long)size);
        return;
    }
    for (uint64_t i = 0; i < size; i += PAGE) {
        array[i] = 1;
    }
    for (uint64_t lines = cache->ways / 2; lines <= 2 * cache->ways; lines++) {
        /* In the first round there may be lines of the loop before. */
        uint64_t all = lines > cache->ways ? (ROUNDS - 1) * lines : 0;

        expect_between("misses", all, all + ROUNDS / 2,
                       count(&attr, array + stride / 2, lines, stride));
    }
    munmap(array, size);
}

/* perf's cache-misses are those of the last level of Intel's CPUs, and of AMD's L2. */
static void test_told(const struct test *test)
{
    struct cache cache;
    bool amd = find_cache(0x8000001d, 1, &cache);
    unsigned leaf = amd ? 0x8000001d : 4;
    unsigned behind = amd ? 2 : 3;
    cpu_set_t first;

    /* Each vCPU has caches of its own. */
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    sched_setaffinity(0, sizeof(first), &first);
    if (!find_cache(leaf, test->n ? behind : 1, &cache)) {
        test_fail("CPUID %#x has no such cache", leaf);
        return;
    }
    check_cache(&cache, test->n ? PERF_TYPE_HARDWARE : PERF_TYPE_HW_CACHE,
                test->n ? PERF_COUNT_HW_CACHE_MISSES : L1D_READ_MISS);
}

const struct test told_tests[] = {
    {"told/l1d", test_told, NULL, 0, 1, 1},
    {"told/behind", test_told, NULL, 1, 1, 1},
    {"told/files", test_files, NULL, 0, 1, 1},
};
const size_t told_tests_count = ARRAY_SIZE(told_tests);

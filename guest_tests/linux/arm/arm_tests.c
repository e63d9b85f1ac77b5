/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A 32-bit guest: its perf counts exactly, with 32-bit registers. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "perf.h"
#include "suite.h"

static void test_loop(const struct test *test)
{
    struct stat_result result;

    if (perf_stat(&result, ROW_PLAIN, "-e %s -- " PROGRAMS "loop32 %" PRIu64, test->program,
                  test->n)) {
        expect_row(&result, 0, known_instructions("loop32", test->n));
    }
}

/* Loads and branches of the argument, of the digits and of the rounds. */
static void test_kinds(const struct test *test)
{
    const unsigned digits = 4;
    struct stat_result result;

    if (perf_stat(&result, ROW_PLAIN,
                  "-e ld_retired:u,st_retired:u,branches:u,pc_write_retired:u -- " PROGRAMS
                  "loop32 %" PRIu64,
                  test->n)) {
        expect_row(&result, 0, 2 + digits);
        expect_row(&result, 1, 0);
        expect_row(&result, 2, 2 + 2 * digits + test->n);
        /*
         * Taken branches: at the end of the number, back from each digit, and in all rounds but the
         * last.
         */
        expect_row(&result, 3, 1 + digits + test->n - 1);
    }
}

/* All accesses are aligned, and to cacheable memory. The kernel has short descriptors. */
static void test_cache(const struct test *test)
{
    const unsigned digits = 4;
    struct stat_result result;

    if (perf_stat(&result, ROW_PLAIN,
                  "-e mem_access:u,l1d_cache:u,l1d_cache_refill:u -- " PROGRAMS "loop32 %" PRIu64,
                  test->n)) {
        expect_row(&result, 0, 2 + digits);
        expect_row(&result, 1, 2 + digits);
        expect_between("l1d_cache_refill", 1, 2 + digits, result.rows[2].value);
    }
}

/* User and kernel separately, and together. */
static void test_identity(const struct test *test)
{
    struct stat_result result;

    if (perf_stat(&result, ROW_PLAIN,
                  "-e {instructions:u,instructions:k,instructions} -- " PROGRAMS "loop32 %" PRIu64,
                  test->n)) {
        expect_row(&result, 0, known_instructions("loop32", test->n));
        expect_between("instructions:k", 1000, UINT64_MAX, result.rows[1].value);
        expect_eq("instructions = :u + :k", result.rows[0].value + result.rows[1].value,
                  result.rows[2].value);
    }
}

/*
 * The driver of CPUs before Armv8 has its own names of events, and maps branches to the event of
 * taken ones: arm_v7_pmu.c.
 */
static void test_v7_names(const struct test *test)
{
    const unsigned digits = 4;
    struct stat_result result;

    if (perf_stat(&result, ROW_PLAIN,
                  "-e ld_retired:u,st_retired:u,branches:u,pc_write_retired:u -- " PROGRAMS
                  "loop32 %" PRIu64,
                  test->n)) {
        expect_row(&result, 0, 2 + digits);
        expect_row(&result, 1, 0);
        expect_row(&result, 2, 1 + digits + test->n - 1);
        expect_row(&result, 3, 1 + digits + test->n - 1);
    }
}

/*
 * A sample for each period, whatever CPU the program is on. Another interrupt that is due at the
 * same instruction may come first, and then the sample has an address in the kernel: record_tests.c
 * has that, and why a sample may be there twice.
 */
static void test_samples(const struct test *test)
{
    const unsigned period = 10007;
    uint64_t count = 0, in_loop = 0, expected = known_instructions("loop32", test->n) / period;
    char lines[2][128] = {"", ""};
    unsigned turn = 0;
    FILE *file;

    if (!command_run(NULL, 60,
                     "perf record -q -N -B --per-thread -T -o /tmp/data -e instructions:u -c 10007 "
                     "-- " PROGRAMS "loop32 100000") ||
        !command_run("/tmp/samples", 60, "perf script -i /tmp/data --ns -F time,ip,sym")) {
        return;
    }
    file = fopen("/tmp/samples", "re");
    while (file != NULL && fgets(lines[turn], sizeof(lines[turn]), file) != NULL) {
        if (strcmp(lines[0], lines[1]) != 0) {
            count++;
            in_loop += strstr(lines[turn], "loop_body") != NULL;
            turn = 1 - turn;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    expect_eq("samples", expected, count);
    expect_between("samples in loop_body", expected - 1, expected, in_loop);
}

const struct test arm_tests[] = {
    {"arm/loop-0", test_loop, "instructions:u", 0, 1, 1},
    {"arm/loop-1", test_loop, "instructions:u", 1, 1, 1},
    {"arm/loop-1000", test_loop, "instructions:u", 1000, 1, 1},
    {"arm/loop-1000000", test_loop, "instructions:u", 1000000, 1, 1},
    {"arm/raw", test_loop, "r8:u", 5000, 1, 1},
    /* Two counters, the second of which counts the wraps of the first. */
    {"arm/pair", test_loop, "armv8_pmuv3/inst_retired,long=1/u", 5000, 1, 2},
    {"arm/pair-wrap", test_loop, "armv8_pmuv3/inst_retired,long=1/u", 540000000, 1, 2},
    {"arm/kinds", test_kinds, NULL, 5000, 1, 4},
    {"arm/cache", test_cache, NULL, 5000, 1, 3},
    {"arm/identity", test_identity, NULL, 5000, 1, 3},
    {"arm/v7-names", test_v7_names, NULL, 5000, 1, 4},
    {"arm/samples", test_samples, NULL, 100000, 1, 1},
};
const size_t arm_tests_count = ARRAY_SIZE(arm_tests);

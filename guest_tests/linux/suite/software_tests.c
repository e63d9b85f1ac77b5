/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Software events with known counts, alone and in one group with events of the PMU. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <string.h>

#include "perf.h"
#include "suite.h"

/* The N faults of "fault N", and one for the page of its code. */
static uint64_t known_faults(uint64_t n)
{
    return n + 1;
}

/* The faults that the kernel takes for the program while it loads it are excluded by :u. */
static void test_faults(const struct test *test)
{
    struct stat_result result;

    if (perf_stat(&result, ROW_PLAIN, "-e page-faults:u -- " PROGRAMS "fault %" PRIu64, test->n)) {
        expect_row(&result, 0, known_faults(test->n));
    }
}

/* A real-time task keeps its CPU until it sleeps; so does what it starts. */
static void be_realtime(bool realtime)
{
    const struct sched_param param = {.sched_priority = realtime ? 1 : 0};

    if (sched_setscheduler(0, realtime ? SCHED_FIFO : SCHED_OTHER, &param) != 0) {
        test_fail("sched_setscheduler: %s", strerror(errno));
    }
}

static void test_switches(const struct test *test)
{
    struct stat_result result;

    keep_to_first_cpu(true);
    be_realtime(true);
    if (perf_stat(&result, ROW_PLAIN, "-e context-switches -- " PROGRAMS "pingpong %" PRIu64,
                  test->n)) {
        expect_row(&result, 0, 2 * test->n + 1);
    }
    be_realtime(false);
    keep_to_first_cpu(false);
}

static void test_migrations(const struct test *test)
{
    struct stat_result result;

    /* The program moves itself to CPU 0 first, so it must already be there. */
    keep_to_first_cpu(true);
    if (perf_stat(&result, ROW_PLAIN, "-e cpu-migrations -- " PROGRAMS "migrate %" PRIu64,
                  test->n)) {
        expect_row(&result, 0, test->n);
    }
    keep_to_first_cpu(false);
}

/*
 * The program stops after a CPU time since it was forked. The rest depends on the host's other
 * work.
 */
static void test_clock(const struct test *test)
{
    struct stat_result result;

    if (perf_stat(&result, ROW_PLAIN, "-e task-clock -- " PROGRAMS "spin %" PRIu64, test->n)) {
        expect_between("task-clock in ms", test->n * 9 / 10, 3 * test->n + 200,
                       result.rows[0].value);
    }
}

/* Events of both kinds in one group. */
static void test_mixed(const struct test *test)
{
    struct stat_result result;

    if (perf_stat(&result, ROW_PLAIN,
                  "-e {instructions:u,page-faults:u,task-clock} -- " PROGRAMS "fault %" PRIu64,
                  test->n)) {
        expect_row(&result, 0, known_instructions("fault", test->n));
        expect_row(&result, 1, known_faults(test->n));
    }
}

const struct test software_tests[] = {
    {"software/page-faults", test_faults, NULL, 3000, 1, 0},
    {"software/context-switches", test_switches, NULL, 500, 1, 0},
    {"software/cpu-migrations", test_migrations, NULL, 200, 2, 0},
    {"software/task-clock", test_clock, NULL, 200, 1, 0},
    {"software/group-with-hardware", test_mixed, NULL, 1000, 1, 1},
};
const size_t software_tests_count = ARRAY_SIZE(software_tests);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel's driver found, and what perf shows of it. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <unistd.h>

#include "perf.h"
#include "suite.h"

enum {
    KLOG_READ_ALL = 3,
    KLOG_SIZE = 1 << 18
};

/* "... PMU driver, 7 (0,8000003f) counters available": the cycle counter is one of them. */
static void test_counters(const struct test *test)
{
    static char log[KLOG_SIZE];
    int size = klogctl(KLOG_READ_ALL, log, sizeof(log) - 1);
    const char *line = size > 0 ? strstr(log, "PMU driver, ") : NULL;

    (void)test;
    if (line == NULL) {
        test_fail("the kernel found no PMU");
        return;
    }
    expect_eq("counters in dmesg", machine.counters + 1, strtoul(line + 12, NULL, 10));
}

static void test_cpus(const struct test *test)
{
    (void)test;
    expect_eq("CPUs", machine.cpus, (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
}

static void test_sysfs(const struct test *test)
{
    char path[128];

    snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/events/%s", pmu_name(),
             test->program);
    if (access(path, R_OK) != 0) {
        test_fail("%s: expected a file got none", path);
    }
}

static void test_list(const struct test *test)
{
    char line[256];
    bool found = false;
    FILE *file;

    if (!command_run("/tmp/list", 30, "perf list --no-desc hw")) {
        return;
    }
    file = fopen("/tmp/list", "re");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        found = found || strstr(line, test->program) != NULL;
    }
    if (file != NULL) {
        fclose(file);
    }
    if (!found) {
        test_fail("perf list: expected %s got none", test->program);
    }
}

/* Without event counters, cycles are counted all the same, and instructions never. */
static void test_no_counters(const struct test *test)
{
    struct stat_result result;

    (void)test;
    if (machine.counters != 0) {
        test_skip("the PMU has event counters");
        return;
    }
    if (perf_stat(&result, ROW_PLAIN,
                  "-e cycles:u,instructions:u,cycles:k -- " PROGRAMS "loop 1000000")) {
        expect_between("cycles:u or cycles:k", 1, UINT64_MAX,
                       result.rows[0].value + result.rows[2].value);
        expect_eq("instructions:u is counted", 0, result.rows[1].counted);
    }
}

const struct test driver_tests[] = {
    {"driver/counters", test_counters, NULL, 0, 1, 0},
    {"driver/cpus", test_cpus, NULL, 0, 1, 0},
    {"driver/sysfs-inst_retired", test_sysfs, "inst_retired", 0, 1, 0},
    {"driver/sysfs-cpu_cycles", test_sysfs, "cpu_cycles", 0, 1, 0},
    {"driver/list-instructions", test_list, "instructions", 0, 1, 1},
    {"driver/list-cycles", test_list, "cpu-cycles", 0, 1, 0},
    {"driver/no-counters", test_no_counters, NULL, 0, 1, 0},
};
const size_t driver_tests_count = ARRAY_SIZE(driver_tests);

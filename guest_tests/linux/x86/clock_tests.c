/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reference cycles are the TSC's, and the lockup detector's NMIs come in time. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "command.h"
#include "perf.h"
#include "suite.h"

/* In per mille. */
#define NEARLY 1
#define SECOND 1000000000ull
#define TRIES 5

static bool is_near(uint64_t got, uint64_t known)
{
    return got >= known - known / 1000 * NEARLY && got <= known + known / 1000 * NEARLY;
}

/*
 * A CPU that never halts has as many reference cycles as the TSC. perf starts and stops the two one
 * after the other, and the host may do something else in between. So it is tried several times: a
 * wrong rate is never right.
 */
static void test_reference(const struct test *test)
{
    struct stat_result result;
    uint64_t got = 0, tsc = 0;

    keep_to_first_cpu(true);
    for (unsigned i = 0; i < TRIES && (i == 0 || !is_near(got, tsc)); i++) {
        if (!perf_stat(&result, ROW_PLAIN,
                       "-C 0 -e ref-cycles,msr/tsc/ -- " PROGRAMS "loop %" PRIu64, test->n)) {
            keep_to_first_cpu(false);
            return;
        }
        got = result.rows[0].value;
        tsc = result.rows[1].value;
    }
    expect_between("ref-cycles", tsc - tsc / 1000 * NEARLY, tsc + tsc / 1000 * NEARLY, got);
    keep_to_first_cpu(false);
}

/* N: the MHz of the clock that the CPU model's list of events names for 013CH. */
static void test_bus(const struct test *test)
{
    struct stat_result result;
    uint64_t ns;

    keep_to_first_cpu(true);
    if (perf_stat(&result, ROW_PLAIN,
                  "-C 0 -e bus-cycles,duration_time -- " PROGRAMS "loop 100000000")) {
        ns = result.rows[1].value;
        /* The TSC has a whole number of cycles in one of the bus. */
        expect_between("bus-cycles", ns * test->n / 1000 * 93 / 100,
                       ns * test->n / 1000 * 107 / 100, result.rows[0].value);
    }
    keep_to_first_cpu(false);
}

static bool write_file(const char *path, unsigned value)
{
    FILE *file = fopen(path, "we");
    bool ok = file != NULL && fprintf(file, "%u", value) > 0;

    return (file == NULL || fclose(file) == 0) && ok;
}

static uint64_t ns_now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * SECOND + (uint64_t)ts.tv_nsec;
}

/* The NMIs of the first CPU. */
static uint64_t nmis(void)
{
    char line[4096];
    uint64_t count = UINT64_MAX;
    FILE *file = fopen("/proc/interrupts", "re");

    while (file != NULL && count == UINT64_MAX && fgets(line, sizeof(line), file) != NULL) {
        const char *found = strstr(line, "NMI:");

        if (found != NULL) {
            count = strtoull(found + strlen("NMI:"), NULL, 10);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return count;
}

/* Spins until the next NMI, or for four periods. Returns its time. */
static uint64_t next_nmi(uint64_t period)
{
    uint64_t end = ns_now() + 4 * period;
    uint64_t before = nmis(), now;

    do {
        now = ns_now();
    } while (nmis() == before && now < end);
    return now;
}

static bool is_period(uint64_t ns, uint64_t period)
{
    return ns >= period / 100 * 95 && ns <= period / 100 * 105;
}

/*
 * N: watchdog_thresh. A busy host delays single NMIs, so the best of three is taken. Linux measures
 * the rate of the TSC at boot, and takes as many cycles for a second.
 */
static void test_watchdog(const struct test *test)
{
    uint64_t period = test->n * SECOND;
    uint64_t first, ns = 0;

    keep_to_first_cpu(true);
    expect_eq("watchdog_thresh", true,
              write_file("/proc/sys/kernel/watchdog_thresh", (unsigned)test->n) &&
                  write_file("/proc/sys/kernel/watchdog", 1));
    first = next_nmi(period);
    for (unsigned i = 0; i < 3 && !is_period(ns, period); i++) {
        uint64_t next = next_nmi(period);

        ns = next - first;
        first = next;
    }
    expect_between("ms between two NMIs", period / 1000000 * 95 / 100, period / 1000000 * 105 / 100,
                   ns / 1000000);
    write_file("/proc/sys/kernel/watchdog", 0);
    keep_to_first_cpu(false);
}

const struct test clock_tests[] = {
    {"clocks/reference", test_reference, NULL, 100000000, 1, 2},
    {"clocks/bus-25", test_bus, NULL, 25, 1, 2},
    {"clocks/bus-100", test_bus, NULL, 100, 1, 2},
    {"clocks/bus-133", test_bus, NULL, 133, 1, 2},
    {"clocks/watchdog-1", test_watchdog, NULL, 1, 1, 1},
    {"clocks/watchdog-2", test_watchdog, NULL, 2, 1, 1},
    {"clocks/watchdog-long", test_watchdog, NULL, 10, 1, 1},
};
const size_t clock_tests_count = ARRAY_SIZE(clock_tests);

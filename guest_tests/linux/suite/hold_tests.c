/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts across something that is done to the machine as a whole from outside (saved and loaded,
 * moved to another QEMU). The test says READY on the console when its counters run, and counts on
 * long enough for that to be done.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "event.h"
#include "perf.h"
#include "suite.h"

enum {
    HOLD_PERIOD = 100000007,
    HOLD_TIMEOUT = 120
};

static double now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Rounds of the loop in a second. */
static uint64_t rate(void)
{
    const uint64_t n = 50000000;
    double begin = now();

    command_run(NULL, 60, PROGRAMS "loop 50000000");
    return (uint64_t)((double)n / (now() - begin));
}

/* How many lines are not the same as the one before; record_tests.c says why. */
static uint64_t lines_of(const char *path)
{
    char lines[2][256] = {"", ""};
    FILE *file = fopen(path, "re");
    uint64_t n = 0;

    while (file != NULL && fgets(lines[n & 1], sizeof(lines[0]), file) != NULL) {
        n += strcmp(lines[0], lines[1]) != 0;
    }
    if (file != NULL) {
        fclose(file);
    }
    return n;
}

/* perf stat and perf record, each on a loop of its own, at the same time. */
static void test_hold(const struct test *test)
{
    uint64_t n = rate() * test->n;
    uint64_t known = known_instructions("loop", n);
    struct command record, stat;
    struct stat_result result;
    char line[200];

    snprintf(line, sizeof(line),
             "perf record -q -N -B --per-thread -T -o /tmp/perf.data -e instructions:u -c %d "
             "-- " PROGRAMS "loop %" PRIu64,
             HOLD_PERIOD, n);
    if (!command_start(&record, INPUT_NULL, "/tmp/record", line)) {
        return;
    }
    if (perf_stat_start(
            &stat, "-e instructions:u,instructions:u,cycles:u -- " PROGRAMS "loop %" PRIu64, n)) {
        pause_ms(1000);
        printf("READY %s\n", test->name);
        fflush(stdout);
        if (perf_stat_finish(&stat, &result, ROW_PLAIN)) {
            expect_row(&result, 0, known);
            expect_row(&result, 1, known);
        }
    }
    if (command_wait(&record, HOLD_TIMEOUT) &&
        command_run("/tmp/script", 60, "perf script -i /tmp/perf.data --ns -F time,ip")) {
        expect_eq("samples", known / HOLD_PERIOD, lines_of("/tmp/script"));
    }
}

const struct test hold_tests[] = {
    {"hold/loops", test_hold, NULL, 6, 1, 2},
};
const size_t hold_tests_count = ARRAY_SIZE(hold_tests);

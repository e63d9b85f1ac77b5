/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts across something that is done to the whole machine from outside (saved and loaded, or
 * moved to another QEMU). The test prints READY on the console when its counters run, and counts on
 * long enough for that to be done.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "event_kinds.h"
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

/* Returns the rounds of a program in a second, measured by a run of @n rounds. */
static uint64_t rate(const char *program, uint64_t n)
{
    char line[64];
    double begin = now();

    snprintf(line, sizeof(line), PROGRAMS "%s %" PRIu64, program, n);
    command_run(NULL, 60, line);
    return (uint64_t)((double)n / (now() - begin));
}

/* Returns how many lines differ from the line before; record_tests.c says why. */
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

/*
 * Events of all kinds, one less than there are counters. When perf starts, it tries some events,
 * for which others must not have to wait. Stores are not among them: a store-exclusive before which
 * an interrupt came fails, and is not counted.
 */
static const unsigned events[] = {0x08, 0x0c, 0x21, 0x06, 0x82};
#define EVENTS "r8:u,rc:u,r21:u,r6:u,r82:u"

static void check_events(const struct stat_result *result, uint64_t n)
{
    uint64_t known;

    for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
        if (known_kinds("kinds", n, pmu_event_find(events[i])->kinds, &known)) {
            expect_row(result, i, known);
        }
    }
}

/* perf stat and perf record at the same time, each on a program of its own. */
static void test_hold(const struct test *test)
{
    uint64_t n = rate("loop", 50000000) * test->n;
    uint64_t kinds = rate("kinds", 20000) * test->n / 2;
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
    if (perf_stat_start(&stat, "-e " EVENTS ",cycles:u -- " PROGRAMS "kinds %" PRIu64, kinds)) {
        pause_ms(1000);
        printf("READY %s\n", test->name);
        fflush(stdout);
        if (perf_stat_finish(&stat, &result, ROW_PLAIN)) {
            check_events(&result, kinds);
        }
    }
    if (command_wait(&record, HOLD_TIMEOUT) &&
        command_run("/tmp/script", 60, "perf script -i /tmp/perf.data --ns -F time,ip")) {
        expect_eq("samples", known / HOLD_PERIOD, lines_of("/tmp/script"));
    }
}

const struct test migration_tests[] = {
    {"hold/programs", test_hold, NULL, 6, 1, 6},
};
const size_t migration_tests_count = ARRAY_SIZE(migration_tests);

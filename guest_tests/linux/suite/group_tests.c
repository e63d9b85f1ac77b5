/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Groups, pinned events, and more events than counters. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "event.h"
#include "perf.h"
#include "suite.h"

enum {
    MAX_EVENTS = 40
};

/* "event,event,..." n times. */
static void repeat_event(char *list, size_t size, const char *event, unsigned n)
{
    size_t at = 0;

    for (unsigned i = 0; i < n; i++) {
        at += (size_t)snprintf(list + at, size - at, "%s%s", i > 0 ? "," : "", event);
    }
}

static bool stat_events(struct stat_result *result, const char *events, uint64_t n)
{
    return perf_stat(result, ROW_PLAIN, "-e %s -- " PROGRAMS "loop %" PRIu64, events, n);
}

static void test_pair(const struct test *test)
{
    struct stat_result result;

    if (stat_events(&result, "{instructions:u,cycles:u}", test->n)) {
        expect_row(&result, 0, known_instructions("loop", test->n));
        expect_between("cycles:u", 1, UINT64_MAX, result.rows[1].value);
        expect_eq("per cent of cycles:u", 100, (uint64_t)result.rows[1].percent);
    }
}

/*
 * As many events as counters, and the cycle counter: nothing is multiplexed, all counts are exact.
 */
static void test_full(const struct test *test)
{
    char events[MAX_EVENTS * 16];
    struct stat_result result;

    repeat_event(events, sizeof(events) - 16, "instructions:u", machine.counters);
    strcat(events, ",cycles:u");
    if (!stat_events(&result, events, test->n)) {
        return;
    }
    expect_eq("rows", machine.counters + 1, result.count);
    for (unsigned i = 0; i < machine.counters; i++) {
        expect_row(&result, i, known_instructions("loop", test->n));
    }
    expect_eq("per cent of cycles:u", 100, (uint64_t)result.rows[machine.counters].percent);
}

/*
 * One event more than counters: they take turns, and perf scales each count by the time that the
 * event was on the PMU. The loop's rate is steady, so the result is close to the true count.
 */
static void check_shared(const struct stat_result *result, unsigned events, uint64_t truth)
{
    double percent = 0;

    expect_eq("rows", events, result->count);
    for (unsigned i = 0; i < result->count; i++) {
        percent += result->rows[i].percent;
        expect_between("per cent of the time", 1, 99, (uint64_t)result->rows[i].percent);
        expect_between("scaled count", truth / 2, truth * 2, result->rows[i].value);
    }
    /* All counters were in use nearly all of the time. */
    expect_between("sum of per cent", machine.counters * 90, machine.counters * 101,
                   (uint64_t)percent);
}

static void test_shared(const struct test *test)
{
    unsigned n = machine.counters + 1;
    char events[MAX_EVENTS * 16];
    struct stat_result result;

    repeat_event(events, sizeof(events), "instructions:u", n);
    if (stat_events(&result, events, test->n)) {
        check_shared(&result, n, known_instructions("loop", test->n));
    }
}

/*
 * Pinned events do not take turns. The first ones keep their counters; one that comes late gets
 * none.
 */
static void test_pinned(const struct test *test)
{
    char events[MAX_EVENTS * 16];
    struct stat_result result;

    repeat_event(events, sizeof(events), "instructions:uD", machine.counters + 1);
    if (!stat_events(&result, events, test->n)) {
        return;
    }
    expect_eq("rows", machine.counters + 1, result.count);
    for (unsigned i = 0; i < machine.counters; i++) {
        expect_row(&result, i, known_instructions("loop", test->n));
    }
    expect_eq("one too many is counted", 0, result.rows[machine.counters].counted);
}

/* A pinned event is exact beside others that take turns. */
static void test_pinned_shared(const struct test *test)
{
    char events[MAX_EVENTS * 16] = "instructions:uD,";
    struct stat_result result;

    repeat_event(events + strlen(events), sizeof(events) - 20, "instructions:u",
                 machine.counters + 2);
    if (stat_events(&result, events, test->n)) {
        expect_row(&result, 0, known_instructions("loop", test->n));
        expect_between("per cent of another", 1, 99, (uint64_t)result.rows[1].percent);
    }
}

/*
 * Returns how many events the kernel accepts in one group. The kernel asks the PMU for the number
 * of counters. It does not include disabled events, so none is disabled.
 */
static void check_group_size(struct perf_event_attr attr, unsigned expected)
{
    int fds[MAX_EVENTS];
    unsigned n = 0;

    attr.disabled = 0;
    for (; n < MAX_EVENTS; n++) {
        fds[n] = event_open(&attr, 0, -1, n > 0 ? fds[0] : -1);
        if (fds[n] < 0) {
            break;
        }
    }
    if (n < MAX_EVENTS) {
        expect_eq("errno of one too many", EINVAL, (uint64_t)errno);
    }
    expect_eq("events in one group", expected, n);
    while (n > 0) {
        close(fds[--n]);
    }
}

static void test_group_size(const struct test *test)
{
    (void)test;
    check_group_size(event_user(EVENT_INST_RETIRED), machine.counters);
}

/* A 64-bit event needs a pair of counters before PMUv3p5. A single odd counter cannot be used. */
static void test_long_group_size(const struct test *test)
{
    struct perf_event_attr attr = event_user(EVENT_INST_RETIRED);

    (void)test;
    attr.config1 = CONFIG1_LONG;
    check_group_size(attr, machine.version >= PMU_P5 ? machine.counters : machine.counters / 2);
}

const struct test group_tests[] = {
    {"group/instructions-cycles", test_pair, NULL, 1000000, 1, 1},
    {"group/as-many-as-counters", test_full, NULL, 1000000, 1, 1},
    {"group/one-too-many", test_shared, NULL, 100000000, 1, 1},
    {"group/pinned", test_pinned, NULL, 1000000, 1, 1},
    {"group/pinned-among-shared", test_pinned_shared, NULL, 50000000, 1, 2},
    {"group/size", test_group_size, NULL, 0, 1, 1},
    {"group/size-of-64-bit", test_long_group_size, NULL, 0, 1, 2},
};
const size_t group_tests_count = ARRAY_SIZE(group_tests);

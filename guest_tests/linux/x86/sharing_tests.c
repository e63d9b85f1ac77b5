/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of loads that hit the last level, by what the other CPU has of the line, and of requests
 * that leave L2. The program "sharing" says what its loads and stores find. The machine has
 * pmu-llc-shared=on.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "perf.h"
#include "suite.h"
#include "x86.h"

#define DATA "/tmp/perf.data"
#define SCRIPT "/tmp/script"

enum {
    TIMEOUT = 300,
    LINES = 64, /* of a page */
    TURNS = 3,
    LARGE = 65536,
    MIDDLE = 16384,
    /* Loads of the argument, and of the turn before it changes. */
    OTHERS = 4,
    MODIFIED = LINES + TURNS,
    CLEAN = 2 * LINES, /* L3 hits of lines that the other CPU has not modified */
    STORES = 2 * LINES + TURNS + LARGE + MIDDLE
};

/* An event: how often it happens with N = 0, how much more often with N = 1. */
struct event {
    const char *event; /* NULL: the end */
    uint64_t once;
    uint64_t more;
    uint64_t others; /* it may happen up to this much more often */
};

static const struct {
    const char *model;
    struct event events[12];
} models[] = {
    {"Nehalem",
     {{"r20f:u", MODIFIED, 0, 0},         /* OTHER_CORE_L2_HITM */
      {"r8cb:u", MODIFIED + CLEAN, 0, 0}, /* OTHER_CORE_L2_HIT_HITM */
      {"r4cb:u", 0, MIDDLE, OTHERS},      /* LLC_UNSHARED_HIT */
      {"r200f:u", LINES, 0, OTHERS}}},    /* LOCAL_DRAM */
    {"Broadwell",
     {{"r1d2:u", 0, 0, 0},           /* XSNP_MISS */
      {"r2d2:u", CLEAN, 0, 0},       /* XSNP_HIT */
      {"r4d2:u", MODIFIED, 0, 0},    /* XSNP_HITM */
      {"r8d2:u", 0, MIDDLE, OTHERS}, /* XSNP_NONE */
      {"r4d1:u", 0, MIDDLE, OTHERS}, /* L3_HIT, without snoops */
      {"r4b0:u", STORES, 0, 0}}},    /* DEMAND_RFO */
    {"Skylake",
     {{"r1d2:u", 0, 0, 0},
      {"r2d2:u", CLEAN, 0, 0},
      {"r4d2:u", MODIFIED, 0, 0},
      {"r8d2:u", 0, MIDDLE, OTHERS},
      {"r4d1:u", MODIFIED + CLEAN, MIDDLE, OTHERS},         /* L3_HIT: all */
      {"r20d1:u", LINES, 0, OTHERS},                        /* L3_MISS */
      {"r10b0:u", LINES, 0, OTHERS},                        /* L3_MISS_DEMAND_DATA_RD */
      {"r1b0:u", MODIFIED + CLEAN + LINES, MIDDLE, OTHERS}, /* DEMAND_DATA_RD */
      {"r4b0:u", STORES, 0, 0}}},
    {"Icelake",
     {{"r1d2:u", 0, 0, 0},
      {"r2d2:u", LINES, 0, 0},            /* XSNP_NO_FWD */
      {"r4d2:u", MODIFIED + LINES, 0, 0}, /* XSNP_FWD */
      {"r8d2:u", 0, MIDDLE, OTHERS},
      {"r4d1:u", MODIFIED + CLEAN, MIDDLE, OTHERS},
      {"r1b0:u", MODIFIED + CLEAN + LINES, MIDDLE, OTHERS},
      {"r4b0:u", STORES, 0, 0}}},
};

static void expect_event(const struct test *test, const struct event *event)
{
    uint64_t least = event->once + event->more * test->n;
    struct stat_result result;

    if (perf_stat(&result, ROW_PLAIN, "-e %s -- " PROGRAMS "%s %" PRIu64, event->event,
                  test->program, test->n)) {
        expect_between(event->event, least, least + event->others, result.rows[0].value);
    }
}

static void test_counts(const struct test *test)
{
    for (size_t i = 0; i < ARRAY_SIZE(models); i++) {
        if (!x86_is_model(models[i].model)) {
            continue;
        }
        for (const struct event *event = models[i].events; event->event != NULL; event++) {
            expect_event(test, event);
        }
        return;
    }
    test_fail("there are no events for this CPU model");
}

static bool record(const struct test *test, const char *event)
{
    char line[300];

    snprintf(line, sizeof(line),
             "perf record -q -N -B -d --switch-events -o " DATA " -c 1 -e %s -- " PROGRAMS
             "%s %" PRIu64,
             event, test->program, test->n);
    return command_run(NULL, TIMEOUT, line) &&
           command_run(SCRIPT, TIMEOUT,
                       "perf script --show-switch-events -i " DATA " -F addr,ip,sym,data_src");
}

/*
 * Expects samples whose line has a text and is of a function, or of any if it is NULL. There may be
 * one less for each time that Linux has started the counter, because it lets it count at least 2
 * events (x86_perf_event_set_period()). The loads of the turn can be such events.
 */
static void expect_samples(const char *text, const char *function, uint64_t all)
{
    char line[512];
    unsigned count = 0, starts = 0;
    FILE *file = fopen(SCRIPT, "re");

    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        count += !x86_is_switch(line, &starts) && strstr(line, text) != NULL &&
                 (function == NULL || strstr(line, function) != NULL);
    }
    if (file != NULL) {
        fclose(file);
    }
    expect_between(function != NULL ? function : text, all - starts, all, count);
}

/* The data source of each load that has a latency above 30 cycles agrees with the events. */
static void test_sources(const struct test *test)
{
    if (!record(test, "cpu/mem-loads,ldlat=30/uP")) {
        return;
    }
    expect_samples("L3 hit|SNP HitM|", NULL, MODIFIED);
    expect_samples("L3 hit|SNP HitM|", "load_modified", LINES);
    expect_samples("L3 hit|SNP Hit|", NULL, CLEAN);
    expect_samples("L3 hit|SNP Hit|", "load_shared", LINES);
    expect_samples("L3 hit|SNP Hit|", "load_forwarded", LINES);
    expect_samples("RAM hit", "load_new", LINES);
}

/*
 * A record of a load that counts as XSNP_HITM has the address of that load. On Icelake this is
 * XSNP_FWD, which counts more loads.
 */
static void test_records(const struct test *test)
{
    unsigned more = x86_is_model("Icelake") ? LINES : 0;

    if (record(test, "cpu/event=0xd2,umask=0x4/upp")) {
        expect_samples("|OP LOAD|", NULL, MODIFIED + more);
        expect_samples("|OP LOAD|", "load_modified", LINES);
    }
}

const struct test sharing_tests[] = {
    {"sharing/counts", test_counts, "sharing", 1, 2, 1},
    {"sharing/counts-small", test_counts, "sharing", 0, 2, 1},
    {"sharing/sources", test_sources, "sharing", 0, 2, 1},
    {"sharing/records", test_records, "sharing", 0, 2, 1},
};
const size_t sharing_tests_count = ARRAY_SIZE(sharing_tests);

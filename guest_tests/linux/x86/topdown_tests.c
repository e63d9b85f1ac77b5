/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Top-down analysis; and events that are parts of others, which they add up to. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event.h"
#include "perf.h"
#include "suite.h"
#include "x86.h"

/* CPU models by a part of their names, perf's group of metrics, and the parts of all slots. */
static const struct {
    const char *model;
    const char *group;
    const char *parts[5];
} analyses[] = {
    {"Skylake",
     "TopdownL1",
     {"tma_retiring", "tma_bad_speculation", "tma_frontend_bound", "tma_backend_bound"}},
    {"Icelake",
     "TopdownL1",
     {"tma_retiring", "tma_bad_speculation", "tma_frontend_bound", "tma_backend_bound"}},
    {"SapphireRapids",
     "TopdownL1",
     {"tma_retiring", "tma_bad_speculation", "tma_frontend_bound", "tma_backend_bound"}},
    {"SapphireRapids",
     "TopdownL2",
     {"tma_heavy_operations", "tma_light_operations", "tma_branch_mispredicts",
      "tma_machine_clears"}},
    {"EPYC-Genoa",
     "PipelineL1",
     {"retiring", "bad_speculation", "frontend_bound", "backend_bound", "smt_contention"}},
};

/* Level 2 splits each part of level 1; of these four the other four are the rest. */
static const char *const other_parts[] = {"tma_fetch_latency", "tma_fetch_bandwidth",
                                          "tma_memory_bound", "tma_core_bound"};

/* The value of a metric, in per cent; a failed test if perf has not printed it in its range. */
static double part_of(const struct stat_result *result, const char *name)
{
    for (size_t i = 0; i < result->count; i++) {
        const char *at = strstr(result->rows[i].metric, name);

        if (at != NULL && (at == result->rows[i].metric || at[-1] == ' ') &&
            at[strlen(name)] == '\0') {
            double part = strtod(result->rows[i].metric_value, NULL);

            printf("  %s %s\n", name, result->rows[i].metric_value);
            if (!(part >= 0 && part <= 100)) {
                test_fail("%s: expected 0 to 100 got %f", name, part);
            }
            return part;
        }
    }
    test_fail("%s: expected a value got none", name);
    return 0;
}

/*
 * perf prints a decimal, so each part is off by up to 0.05. Without groups perf counts each event
 * once: AMD's 6 counters suffice.
 */
static void check_analysis(size_t i)
{
    struct stat_result result;
    bool level_2 = strcmp(analyses[i].group, "TopdownL2") == 0;
    double sum = 0;

    if (!perf_stat(&result, ROW_PLAIN, "--metric-no-group -M %s -- busybox ls -R /proc/1 /sys/bus",
                   analyses[i].group)) {
        return;
    }
    for (size_t part = 0; part < 5 && analyses[i].parts[part] != NULL; part++) {
        sum += part_of(&result, analyses[i].parts[part]);
    }
    for (size_t part = 0; level_2 && part < ARRAY_SIZE(other_parts); part++) {
        sum += part_of(&result, other_parts[part]);
    }
    expect_between("their sum, in thousandths", level_2 ? 998 : 999, level_2 ? 1002 : 1001,
                   (uint64_t)(sum * 10 + 0.5));
}

static void test_topdown(const struct test *test)
{
    bool found = false;

    (void)test;
    for (size_t i = 0; i < ARRAY_SIZE(analyses); i++) {
        if (x86_is_model(analyses[i].model)) {
            found = true;
            check_analysis(i);
        }
    }
    if (!found) {
        test_skip("this CPU model has other events");
    }
}

/*
 * PERF_METRICS has fractions of 255 of the slots, which Linux multiplies by the slots. They are the
 * slots that general counters count. If the rounded fraction is smaller when Linux reads it again
 * after a context switch, Linux does not subtract the difference, so the sum may exceed the slots.
 */
static void test_slots(const struct test *test)
{
    enum {
        SLOTS,
        RETIRING,
        BAD_SPEC,
        FE_BOUND,
        BE_BOUND,
        INSTRUCTIONS,
        ALL,
        BACKEND
    };
    struct stat_result result;
    uint64_t slots, sum, unit;

    if (!x86_is_model("Icelake") && !x86_is_model("SapphireRapids")) {
        test_skip("this CPU model has no PERF_METRICS");
        return;
    }
    if (!perf_stat(&result, ROW_PLAIN,
                   "-e {slots:u,topdown-retiring:u,topdown-bad-spec:u,topdown-fe-bound:u,"
                   "topdown-be-bound:u,instructions:u,r1a4:u,r2a4:u} -- " PROGRAMS "%s %" PRIu64,
                   test->program, test->n)) {
        return;
    }
    slots = result.rows[SLOTS].value;
    unit = 2 * slots / 255;
    sum = result.rows[RETIRING].value + result.rows[BAD_SPEC].value + result.rows[FE_BOUND].value +
          result.rows[BE_BOUND].value;
    expect_eq("slots of a general counter", slots, result.rows[ALL].value);
    expect_between("the sum of the metrics", slots - unit, slots + unit, sum);
    expect_between("retiring", result.rows[INSTRUCTIONS].value - unit,
                   result.rows[INSTRUCTIONS].value + unit, result.rows[RETIRING].value);
    expect_between("backend bound",
                   result.rows[BACKEND].value > unit ? result.rows[BACKEND].value - unit : 0,
                   result.rows[BACKEND].value + unit, result.rows[BE_BOUND].value);
}

/* The first event is the sum of the others. */
static const struct {
    const char *model;
    const char *what;
    const char *events;
} sums[] = {
    {"Skylake", "stores that miss L1D", "{re224,rc224,r2224}"},
    {"Skylake", "fetches that miss L1I", "{re424,rc424,r2424}"},
    {"Skylake", "loads that miss L1D", "{re124,rc124,r2124}"},
    {"EPYC Processor", "data in L2", "{rc860,r7064,r864}"},
    {"EPYC-Genoa", "data in L2", "{rf864,rf064,r864}"},
    {"EPYC", "fetches in L2", "{r764,r664,r164}"},
    {"EPYC", "misses of the L1 DTLB", "{rff45,r145,r1045}"},
    {"EPYC-Genoa", "fills of L1D", "{rff43,r143,r243,r843}"},
    {"EPYC-Genoa", "fills of L1I", "{r10000188e,r82,r83}"},
};

static void test_sums(const struct test *test)
{
    struct stat_result result;
    bool found = false;

    for (size_t i = 0; i < ARRAY_SIZE(sums); i++) {
        uint64_t sum = 0;

        if (!x86_is_model(sums[i].model)) {
            continue;
        }
        found = true;
        if (!perf_stat(&result, ROW_PLAIN, "-e %s -- " PROGRAMS "%s %" PRIu64, sums[i].events,
                       test->program, test->n)) {
            return;
        }
        for (size_t row = 1; row < result.count; row++) {
            sum += result.rows[row].value;
        }
        expect_between(sums[i].what, 1, UINT64_MAX, result.rows[0].value);
        expect_eq(sums[i].what, result.rows[0].value, sum);
    }
    if (!found) {
        test_skip("this CPU model has other events");
    }
}

const struct test topdown_tests[] = {
    {"topdown", test_topdown, NULL, 0, 1, 4},
    {"x86/slots", test_slots, "loop", 1000000, 1, 4},
    {"x86/sums", test_sums, "walk", 20, 1, 4},
};
const size_t topdown_tests_count = ARRAY_SIZE(topdown_tests);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf's metrics on x86. A metric that perf lists for the CPU model, and that the manual's page
 * does not list as wrong, is finite and in its range. Parts add up to the whole.
 */
#define _GNU_SOURCE
#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf.h"
#include "suite.h"

/* docs/x86-metrics.md: "| `METRIC` | MODEL, MODEL | EVENTS |". */
#define PAGE "/x86-metrics.md"
/*
 * Most of it is the kernel's work for a new process, which misses in all caches and TLBs and
 * mispredicts all kinds of branches. It is short, because events with CMASK make the machine slow.
 */
/* Its floating point is of all kinds but vectors of 512 bits. */
#define WORKLOAD "busybox env " PROGRAMS "flops 1000"

/* The width of a cycle is the limit if @most is 0. The first pattern that fits is taken. */
static const struct {
    const char *pattern;
    double most;
} limits[] = {
    {"tma_info_branches_*", 1},
    {"*_thread_ipc", 0},
    {"*_core_coreipc", 0},
    {"*_core_epc", 0},
    {"*_core_ilp", 0},
    {"*_pipeline_execute", 0},
    {"*_pipeline_retire", 0},
    {"*_fetch_upc", 0},
    {"*_thread_uoppi", 1.01}, /* a uop is an instruction; PERF_METRICS has 8 bits */
    {"*_execute_per_issue", 1},
    {"*pki*", 1000},
    {"*_mpi", 1},
    {"*s_per_instr", 1},
    {"*_fill_bw*", 1000}, /* GB/s */
    {"*", INFINITY},
};

/* Metrics of which one run must print that the first is the sum of the others, by @off at most. */
static const struct {
    const char *list;
    const char *metrics[6];
    double off;
} sums[] = {
    {"amdzen4", {"all_l2_cache_accesses", "all_l2_cache_hits", "all_l2_cache_misses"}, 0.2},
    {"amdzen4",
     {"all_l1_data_cache_fills", "l1_data_cache_fills_from_same_ccx",
      "l1_data_cache_fills_from_memory", "l1_data_cache_fills_from_different_ccx"},
     0.2},
    {"amdzen1", {"all_l2_cache_accesses", "all_l2_cache_hits", "all_l2_cache_misses"}, 0.2},
};

/* Does a row of the page list the metric for this CPU model? */
static bool row_has(char *row, const char *name)
{
    char *end, *model, *rest = NULL;

    if (strncmp(row, "| `", 3) != 0 || (end = strchr(row + 3, '`')) == NULL) {
        return false;
    }
    *end = '\0';
    if (strcmp(row + 3, name) != 0 || (end = strchr(end + 4, '|')) == NULL) {
        return false;
    }
    *end = '\0';
    for (model = strtok_r(row + 3 + strlen(name) + 3, " ,", &rest); model != NULL;
         model = strtok_r(NULL, " ,", &rest)) {
        if (strcmp(model, machine.list) == 0) {
            return true;
        }
    }
    return false;
}

/* Where cores have one thread, these are constants without events, which perf does not print. */
static bool is_constant(const char *name)
{
    return fnmatch("*_smt_2t_utilization", name, 0) == 0 ||
           fnmatch("*_slots_utilization", name, 0) == 0;
}

static bool is_listed_as_wrong(const char *name)
{
    char row[1024];
    bool found = false;
    FILE *page = fopen(PAGE, "re");

    if (page == NULL) {
        test_fail("%s: not in the guest", PAGE);
        return true;
    }
    while (!found && fgets(row, sizeof(row), page) != NULL) {
        found = row_has(row, name);
    }
    fclose(page);
    return found;
}

static void check_range(const struct stat_row *row)
{
    double value = strtod(row->metric_value, NULL), most;
    size_t i = 0;

    while (fnmatch(limits[i].pattern, row->metric, 0) != 0) {
        i++;
    }
    most = limits[i].most > 0 ? limits[i].most : machine.width;
    if (row->metric_percent) {
        most = 100;
    }
    printf("  %s %s\n", row->metric, row->metric_value);
    /* perf prints at least one decimal. */
    if (!(isfinite(value) && value >= 0 && value <= most + 0.05)) {
        test_fail("%s: expected 0 to %g got %s", row->metric, most, row->metric_value);
    }
}

/* Were all events of this run counted all the time? */
static bool is_whole(const struct stat_result *result)
{
    for (size_t i = 0; i < result->count; i++) {
        if (result->rows[i].event[0] != '\0' && result->rows[i].percent < 100) {
            return false;
        }
    }
    return true;
}

/* Without thresholds, for which perf would count the events of further metrics. */
static bool measure(struct stat_result *result, char names[][METRIC_NAME], size_t n)
{
    char text[16 * METRIC_NAME] = "";

    for (size_t i = 0; i < n; i++) {
        size_t at = strlen(text);

        snprintf(text + at, sizeof(text) - at, "%s%s", i > 0 ? "," : "", names[i]);
    }
    return perf_stat(result, ROW_PLAIN,
                     "--metric-no-group --metric-no-threshold -M %s -- " WORKLOAD, text);
}

/* As many at once as there are counters for. */
static void check_some(char names[][METRIC_NAME], size_t n)
{
    static struct stat_result result;

    if (!measure(&result, names, n)) {
        return;
    }
    if (!is_whole(&result) && n > 1) {
        check_some(names, n / 2);
        check_some(names + n / 2, n - n / 2);
        return;
    }
    expect_eq(names[0], true, is_whole(&result));
    for (size_t i = 0; i < n; i++) {
        const struct stat_row *row = metrics_row(&result, names[i]);

        if (strstr(names[i], "iparith_avx512")) {
            /* No machine has such instructions, and perf does not divide by 0. */
            expect_eq(names[i], true, row == NULL);
        } else if (row == NULL) {
            test_fail("%s: expected a value got none", names[i]);
        } else {
            check_range(row);
        }
    }
}

/* The machine's argument gives the least number of right metrics that perf lists. */
static void test_metrics(const struct test *test)
{
    static char names[METRICS_MAX][METRIC_NAME];
    size_t n, right = 0;

    if (machine.list == NULL) {
        test_skip("perf has no metrics of this CPU model");
        return;
    }
    n = metrics_list(names);
    for (size_t i = 0; i < n; i++) {
        if (!is_constant(names[i]) && !is_listed_as_wrong(names[i])) {
            memmove(names[right++], names[i], METRIC_NAME);
        }
    }
    expect_between("metrics that are right", machine.metrics, METRICS_MAX, right);
    for (size_t i = 0; i < right && !test_failed(); i += test->n) {
        check_some(names + i, right - i < test->n ? right - i : (size_t)test->n);
    }
}

static double value_of(const struct stat_result *result, const char *name)
{
    const struct stat_row *row = metrics_row(result, name);

    return row != NULL ? strtod(row->metric_value, NULL) : NAN;
}

static void check_sum(size_t i)
{
    static struct stat_result result;
    char names[6][METRIC_NAME];
    size_t n = 0;
    double sum = 0, whole;

    while (n < 6 && sums[i].metrics[n] != NULL) {
        snprintf(names[n], METRIC_NAME, "%s", sums[i].metrics[n]);
        n++;
    }
    if (!measure(&result, names, n)) {
        return;
    }
    expect_eq("all the time", true, is_whole(&result));
    whole = value_of(&result, names[0]);
    for (size_t part = 1; part < n; part++) {
        sum += value_of(&result, names[part]);
    }
    if (!(whole > 0 && fabs(sum - whole) <= sums[i].off)) {
        test_fail("%s: expected %f got %f", names[0], whole, sum);
    }
}

static void test_sums(const struct test *test)
{
    bool found = false;

    (void)test;
    for (size_t i = 0; i < ARRAY_SIZE(sums); i++) {
        if (machine.list != NULL && strcmp(sums[i].list, machine.list) == 0) {
            found = true;
            check_sum(i);
        }
    }
    if (!found) {
        test_skip("there are no such metrics of this CPU model");
    }
}

/*
 * Intel's metrics of floating point, of "flops": instructions, of which a round has 18, for each
 * operation, for each instruction that computes, and for those of a kind (flops.S). perf's list of
 * skylakex has 8_FLOPS under the number of 4_FLOPS, so its 31 operations are 55. AMD's lists have
 * no such metrics.
 */
static void test_flops(const struct test *test)
{
    static const struct {
        const char *list;
        const char *metric;
        double value;
    } rows[] = {
        {"icelakex", "tma_info_inst_mix_ipflop", 18.0 / 31},
        {"skylakex", "tma_info_inst_mix_ipflop", 18.0 / (31 - 8 * 1 + 8 * 4)},
        {NULL, "tma_info_inst_mix_iparith", 18.0 / 11},
        {NULL, "tma_info_inst_mix_iparith_scalar_dp", 18.0 / 2},
        {NULL, "tma_info_inst_mix_iparith_scalar_sp", 18.0 / 3},
        {NULL, "tma_info_inst_mix_iparith_avx128", 18.0 / 3},
        {NULL, "tma_info_inst_mix_iparith_avx256", 18.0 / 3},
    };
    static struct stat_result result;

    if (machine.list == NULL ||
        (strcmp(machine.list, "skylakex") != 0 && strcmp(machine.list, "icelakex") != 0)) {
        test_skip("perf has no such metrics of this CPU model");
        return;
    }
    for (size_t i = 0; i < ARRAY_SIZE(rows) && !test_failed(); i++) {
        double value;

        if (rows[i].list != NULL && strcmp(rows[i].list, machine.list) != 0) {
            continue;
        }
        if (!perf_stat(&result, ROW_PLAIN,
                       "--all-user --metric-no-group --metric-no-threshold -M %s -- " PROGRAMS
                       "flops %" PRIu64,
                       rows[i].metric, test->n)) {
            return;
        }
        /* perf prints two decimals. */
        value = value_of(&result, rows[i].metric);
        if (!(fabs(value - rows[i].value) <= 0.0051)) {
            test_fail("%s: expected %f got %f", rows[i].metric, rows[i].value, value);
        }
    }
}

const struct test metric_tests[] = {
    {"metric/all", test_metrics, NULL, 12, 1, 4},
    {"metric/sums", test_sums, NULL, 0, 1, 4},
    {"metric/flops", test_flops, NULL, 100000, 1, 2},
};
const size_t metric_tests_count = ARRAY_SIZE(metric_tests);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf's metrics: arithmetic on counts, from tables that perf has for some CPUs. The counts are
 * those of a program whose instructions are known, so the metrics are computed here and compared.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_kinds.h"
#include "perf.h"
#include "suite.h"

enum {
    ROUNDS = 1000
};

/**
 * struct metric - a metric of perf
 * @name: perf's name.
 * @scale: of the quotient: per cent, per thousand.
 * @over, @plus, @minus, @under: events; @scale * (@over + @plus - @minus) / @under.
 * @special: computes it from the counts if it is not such a quotient.
 */
struct metric {
    const char *name;
    double scale;
    const char *over, *plus, *minus, *under;
    double (*special)(const struct stat_result *result);
};

/* Events of the metrics that have no name in sysfs. */
static const struct {
    const char *name;
    unsigned number;
} other_names[] = {
    {"LD_SPEC", 0x70},       {"ST_SPEC", 0x71},        {"DP_SPEC", 0x73},
    {"ASE_SPEC", 0x74},      {"VFP_SPEC", 0x75},       {"CRYPTO_SPEC", 0x77},
    {"BR_IMMED_SPEC", 0x78}, {"BR_RETURN_SPEC", 0x79}, {"BR_INDIRECT_SPEC", 0x7a},
};

/* Returns the count of an event; NAN if perf has not printed it. */
static double count_of(const struct stat_result *result, const char *event)
{
    for (size_t i = 0; i < result->count; i++) {
        if (strcasecmp(result->rows[i].event, event) == 0) {
            return (double)result->rows[i].value;
        }
    }
    return NAN;
}

static double slots(const struct stat_result *result)
{
    return machine.width * count_of(result, "CPU_CYCLES");
}

static double busy(const struct stat_result *result)
{
    return 1 - count_of(result, "STALL_SLOT") / slots(result);
}

static double retired(const struct stat_result *result)
{
    return count_of(result, "OP_RETIRED") / count_of(result, "OP_SPEC");
}

static double retiring(const struct stat_result *result)
{
    return 100 * retired(result) * busy(result);
}

/* Each misprediction is taken for four cycles in which all slots are lost. */
static double bad_speculation(const struct stat_result *result)
{
    double lost = count_of(result, "BR_MIS_PRED") * 4 / count_of(result, "CPU_CYCLES");

    return 100 * ((1 - retired(result)) * busy(result) + lost);
}

/* Of the four cycles, perf takes some from the stalls of each end: as many as the core loses. */
static double lost_in(const struct stat_result *result, double v1, double n2)
{
    return (machine.width == 5 ? n2 : v1) * count_of(result, "BR_MIS_PRED") /
           count_of(result, "CPU_CYCLES");
}

static double frontend_bound(const struct stat_result *result)
{
    return 100 * (count_of(result, "STALL_SLOT_FRONTEND") / slots(result) - lost_in(result, 4, 1));
}

static double backend_bound(const struct stat_result *result)
{
    return 100 * (count_of(result, "STALL_SLOT_BACKEND") / slots(result) - lost_in(result, 0, 3));
}

static double ipc_rate(const struct stat_result *result)
{
    return 100 * count_of(result, "INST_RETIRED") / slots(result);
}

static double retired_rate(const struct stat_result *result)
{
    return 100 * retired(result);
}

static double wasted_rate(const struct stat_result *result)
{
    return 100 * (1 - retired(result));
}

#define RATIO(name, scale, over, under)                                                            \
    {                                                                                              \
        name, scale, over, NULL, NULL, under, NULL                                                 \
    }
#define SPECIAL(name, fn)                                                                          \
    {                                                                                              \
        name, 1, NULL, NULL, NULL, NULL, fn                                                        \
    }

static const struct metric metrics[] = {
    RATIO("backend_stalled_cycles", 100, "STALL_BACKEND", "CPU_CYCLES"),
    RATIO("frontend_stalled_cycles", 100, "STALL_FRONTEND", "CPU_CYCLES"),
    RATIO("branch_immed_spec_rate", 100, "BR_IMMED_SPEC", "INST_SPEC"),
    RATIO("branch_indirect_spec_rate", 100, "BR_INDIRECT_SPEC", "INST_SPEC"),
    RATIO("branch_return_spec_rate", 100, "BR_RETURN_SPEC", "INST_SPEC"),
    RATIO("branch_misprediction_ratio", 1, "BR_MIS_PRED_RETIRED", "BR_RETIRED"),
    RATIO("branch_mpki", 1000, "BR_MIS_PRED_RETIRED", "INST_RETIRED"),
    RATIO("branch_pki", 1000, "BR_RETIRED", "INST_RETIRED"),
    {"branch_percentage", 100, "BR_IMMED_SPEC", "BR_INDIRECT_SPEC", NULL, "INST_SPEC", NULL},
    RATIO("crypto_percentage", 100, "CRYPTO_SPEC", "INST_SPEC"),
    RATIO("integer_dp_percentage", 100, "DP_SPEC", "INST_SPEC"),
    RATIO("load_percentage", 100, "LD_SPEC", "INST_SPEC"),
    RATIO("scalar_fp_percentage", 100, "VFP_SPEC", "INST_SPEC"),
    RATIO("simd_percentage", 100, "ASE_SPEC", "INST_SPEC"),
    RATIO("store_percentage", 100, "ST_SPEC", "INST_SPEC"),
    RATIO("dtlb_mpki", 1000, "DTLB_WALK", "INST_RETIRED"),
    RATIO("dtlb_walk_ratio", 1, "DTLB_WALK", "L1D_TLB"),
    RATIO("itlb_mpki", 1000, "ITLB_WALK", "INST_RETIRED"),
    RATIO("itlb_walk_ratio", 1, "ITLB_WALK", "L1I_TLB"),
    RATIO("ipc", 1, "INST_RETIRED", "CPU_CYCLES"),
    RATIO("spec_ipc", 1, "INST_SPEC", "CPU_CYCLES"),
    RATIO("l1d_cache_miss_ratio", 1, "L1D_CACHE_REFILL", "L1D_CACHE"),
    RATIO("l1d_cache_mpki", 1000, "L1D_CACHE_REFILL", "INST_RETIRED"),
    RATIO("l1d_tlb_miss_ratio", 1, "L1D_TLB_REFILL", "L1D_TLB"),
    RATIO("l1d_tlb_mpki", 1000, "L1D_TLB_REFILL", "INST_RETIRED"),
    RATIO("l1i_cache_miss_ratio", 1, "L1I_CACHE_REFILL", "L1I_CACHE"),
    RATIO("l1i_cache_mpki", 1000, "L1I_CACHE_REFILL", "INST_RETIRED"),
    RATIO("l1i_tlb_miss_ratio", 1, "L1I_TLB_REFILL", "L1I_TLB"),
    RATIO("l1i_tlb_mpki", 1000, "L1I_TLB_REFILL", "INST_RETIRED"),
    RATIO("l2_cache_miss_ratio", 1, "L2D_CACHE_REFILL", "L2D_CACHE"),
    RATIO("l2_cache_mpki", 1000, "L2D_CACHE_REFILL", "INST_RETIRED"),
    RATIO("l2_tlb_miss_ratio", 1, "L2D_TLB_REFILL", "L2D_TLB"),
    RATIO("l2_tlb_mpki", 1000, "L2D_TLB_REFILL", "INST_RETIRED"),
    RATIO("ll_cache_read_miss_ratio", 1, "LL_CACHE_MISS_RD", "LL_CACHE_RD"),
    RATIO("ll_cache_read_mpki", 1000, "LL_CACHE_MISS_RD", "INST_RETIRED"),
    {"ll_cache_read_hit_ratio", 1, "LL_CACHE_RD", NULL, "LL_CACHE_MISS_RD", "LL_CACHE_RD", NULL},
    SPECIAL("retiring", retiring),
    SPECIAL("bad_speculation", bad_speculation),
    SPECIAL("ipc_rate", ipc_rate),
    SPECIAL("retired_rate", retired_rate),
    SPECIAL("wasted_rate", wasted_rate),
    RATIO("l3d_cache_miss_rate", 100, "L3D_CACHE_REFILL", "L3D_CACHE"),
    RATIO("l3d_cache_mpki", 1000, "L3D_CACHE_REFILL", "INST_RETIRED"),
    SPECIAL("backend_bound", backend_bound),
    SPECIAL("frontend_bound", frontend_bound),
};

static const struct metric *find_metric(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(metrics); i++) {
        if (strcmp(metrics[i].name, name) == 0) {
            return &metrics[i];
        }
    }
    return NULL;
}

static double compute(const struct metric *metric, const struct stat_result *result)
{
    double sum;

    if (metric->special != NULL) {
        return metric->special(result);
    }
    sum = count_of(result, metric->over);
    sum += metric->plus != NULL ? count_of(result, metric->plus) : 0;
    sum -= metric->minus != NULL ? count_of(result, metric->minus) : 0;
    return metric->scale * (sum / count_of(result, metric->under));
}

/* As perf does, which prints one or two decimals. */
static void print_like(char *text, size_t size, double value, const char *printed)
{
    const char *point = strchr(printed, '.');

    snprintf(text, size, "%.*f", point != NULL ? (int)strlen(point + 1) : 0, value);
}

/* perf prints a metric on one of its events' lines, or on a line by itself. */
static void check_metric(const struct metric *metric, const struct stat_result *result)
{
    const struct stat_row *row = metrics_row(result, metric->name);
    char expected[32];

    if (row == NULL) {
        test_fail("%s: expected a line got none", metric->name);
        return;
    }
    print_like(expected, sizeof(expected), compute(metric, result), row->metric_value);
    if (strcmp(expected, row->metric_value) != 0) {
        test_fail("%s: expected %s got %s", metric->name, expected, row->metric_value);
    }
}

static const struct pmu_event *event_of(const char *name)
{
    for (size_t i = 0; i < pmu_events_count; i++) {
        if (pmu_events[i].name != NULL && strcasecmp(pmu_events[i].name, name) == 0) {
            return pmu_event_find(pmu_events[i].number);
        }
    }
    for (size_t i = 0; i < ARRAY_SIZE(other_names); i++) {
        if (strcasecmp(other_names[i].name, name) == 0) {
            return pmu_event_find(other_names[i].number);
        }
    }
    test_fail("%s: this event is not in the test's table", name);
    return NULL;
}

/*
 * A count is the known one, or at least the same on each line. An event that is not claimed counts
 * nothing.
 */
static void check_counts(const struct stat_result *result)
{
    for (size_t i = 0; i < result->count && !test_failed(); i++) {
        const struct stat_row *row = &result->rows[i];
        const struct pmu_event *event;
        uint64_t known;

        if (row->event[0] == '\0') {
            continue;
        }
        event = event_of(row->event);
        if (event == NULL) {
            known = 0;
        } else if (!known_kinds("kinds", ROUNDS, event->kinds, &known)) {
            known = (uint64_t)count_of(result, row->event);
        }
        expect_row(result, i, known);
    }
}

/* So many at once that their events have counters all the time. */
static void check_some(char names[METRICS_MAX][METRIC_NAME], size_t begin, size_t end)
{
    struct stat_result result;
    char text[512] = "";

    for (size_t i = begin; i < end; i++) {
        size_t at = strlen(text);

        if (find_metric(names[i]) == NULL) {
            test_fail("%s: this metric is not in the test's table", names[i]);
            return;
        }
        snprintf(text + at, sizeof(text) - at, "%s%s", i > begin ? "," : "", names[i]);
    }
    if (!perf_stat(&result, ROW_PLAIN, "--all-user -M %s -- " PROGRAMS "kinds %d", text, ROUNDS)) {
        return;
    }
    check_counts(&result);
    for (size_t i = begin; i < end; i++) {
        check_metric(find_metric(names[i]), &result);
    }
}

/* All metrics that perf lists for this CPU. The machine's argument gives their number. */
static void test_metrics(const struct test *test)
{
    static char names[METRICS_MAX][METRIC_NAME];
    size_t n = metrics_list(names), step = test->n;

    expect_eq("metrics in perf list", machine.metrics, n);
    for (size_t begin = 0; begin < n && !test_failed(); begin += step) {
        check_some(names, begin, begin + step < n ? begin + step : n);
    }
}

/* The value of a metric; NAN if perf has not printed it. */
static double metric_of(const struct stat_result *result, const char *name)
{
    const struct stat_row *row = metrics_row(result, name);

    return row != NULL ? atof(row->metric_value) : NAN;
}

/* Each slot is of one of the four kinds. perf prints a decimal, so the sum may be off by 0.1. */
static void test_topdown(const struct test *test)
{
    static const char *const parts[] = {"retiring", "bad_speculation", "frontend_bound",
                                        "backend_bound"};
    struct stat_result result;
    double sum = 0;

    if (machine.metrics == 0) {
        test_skip("perf knows no metrics of this CPU type");
        return;
    }
    if (!perf_stat(&result, ROW_PLAIN, "-M %s,%s,%s,%s -- " PROGRAMS "%s %" PRIu64, parts[0],
                   parts[1], parts[2], parts[3], test->program, test->n)) {
        return;
    }
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        double part = metric_of(&result, parts[i]);

        if (!(part >= 0 && part <= 100)) {
            test_fail("%s: expected 0 to 100 got %f", parts[i], part);
        }
        sum += part;
    }
    if (!(sum > 99.85 && sum < 100.15)) {
        test_fail("sum: expected 99.9 to 100.1 got %f", sum);
    }
}

const struct test metric_tests[] = {
    {"metric/all", test_metrics, NULL, 8, 1, 0},
    {"metric/topdown-kinds", test_topdown, "kinds", 1000, 1, 0},
    {"metric/topdown-stream", test_topdown, "stream", 10, 1, 0},
    {"metric/topdown-forks", test_topdown, "forks", 3, 1, 0},
};
const size_t metric_tests_count = ARRAY_SIZE(metric_tests);

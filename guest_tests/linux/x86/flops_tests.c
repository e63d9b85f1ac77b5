/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Floating point by width and precision (Intel), and by kind (AMD), of the program "flops". */
#include <inttypes.h>
#include <stdio.h>

#include "perf.h"
#include "suite.h"
#include "x86.h"

struct event {
    const char *number;
    unsigned per_round;
    unsigned once;
};

enum {
    MOST_EVENTS = 16,
    AT_ONCE = 3 /* fewer than there are counters */
};

/* FP_ARITH_INST_RETIRED: FMA counts twice. The sums are those of perf's lists. */
static const struct event intel[MOST_EVENTS] = {
    {"r1c7", 2, 0},  {"r2c7", 3, 0},  {"r4c7", 1, 0}, {"r8c7", 2, 0},  {"r10c7", 2, 0},
    {"r20c7", 1, 0}, {"r18c7", 4, 0}, {"r3c7", 5, 0}, {"rfcc7", 6, 0},
};

/* FP_RET_SSE_AVX_OPS and EX_RET_MMX_FP_INSTR of family 17h, model 1. */
static const struct event zen1[MOST_EVENTS] = {
    {"r103", 12, 0}, {"r203", 1, 0},  {"r403", 4, 0},  {"r803", 2, 0},  {"r1003", 1, 0},
    {"r2003", 0, 0}, {"r4003", 2, 0}, {"r8003", 8, 0}, {"rf03", 19, 0}, {"rff03", 30, 0},
    {"r1cb", 3, 0},  {"r2cb", 2, 0},  {"r4cb", 11, 1},
};

/*
 * From Zen 2 on both precisions are one kind. Zen 4 has operations by type, too: scalar and vector,
 * and multiply-accumulate of both (PAPI's FP_INS, VEC_INS and FMA_INS); additions, comparisons and
 * logic; vectors of 128 and of 256 bits; x87, MMX and all of SSE and AVX.
 */
static const struct event zen4[MOST_EVENTS] = {
    {"r103", 13, 0}, {"r203", 1, 0}, {"r403", 6, 0},  {"r803", 10, 0}, {"r1f03", 30, 0},
    {"r303", 14, 0}, {"rf0a", 5, 0}, {"rf00a", 5, 1}, {"r440a", 2, 0}, {"r110a", 2, 0},
    {"rd70a", 1, 1}, {"rf0c", 3, 1}, {"rf00c", 2, 0}, {"r308", 5, 0},  {"r1c08", 10, 1},
};
static const struct event zen2[MOST_EVENTS] = {
    {"r103", 13, 0},  {"r203", 1, 0}, {"r403", 6, 0}, {"r803", 10, 0},
    {"rff03", 30, 0}, {"r1cb", 3, 0}, {"r2cb", 2, 0}, {"r4cb", 11, 1},
};

static void count(const struct event *events, unsigned n, uint64_t rounds)
{
    struct stat_result result;
    char list[64] = "";
    size_t at = 0;

    for (unsigned i = 0; i < n; i++) {
        at += (size_t)snprintf(list + at, sizeof(list) - at, " -e %s:u", events[i].number);
    }
    if (!perf_stat(&result, ROW_PLAIN, "%s -- " PROGRAMS "flops %" PRIu64, list, rounds)) {
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        expect_row(&result, i, events[i].per_round * rounds + events[i].once);
    }
}

static void test_flops(const struct test *test)
{
    const struct event *events = x86_is_model("EPYC-Genoa")  ? zen4
                                 : x86_is_model("EPYC-Rome") ? zen2
                                 : x86_is_model("EPYC")      ? zen1
                                 : x86_is_model("Skylake")   ? intel
                                 : x86_is_model("Icelake")   ? intel
                                                             : NULL;
    unsigned n = 0;

    if (events == NULL) {
        test_skip("this CPU model has no such events, or no FMA");
        return;
    }
    while (n < MOST_EVENTS && events[n].number) {
        n++;
    }
    for (unsigned i = 0; i < n; i += AT_ONCE) {
        count(&events[i], n - i < AT_ONCE ? n - i : AT_ONCE, test->n);
    }
}

const struct test flops_tests[] = {
    {"x86/flops", test_flops, NULL, 10000, 1, 1},
};
const size_t flops_tests_count = ARRAY_SIZE(flops_tests);

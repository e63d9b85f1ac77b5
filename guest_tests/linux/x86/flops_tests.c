/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Floating point by width and precision (Intel), and by kind (AMD), of the program "flops". */
#include <inttypes.h>

#include "perf.h"
#include "suite.h"
#include "x86.h"

struct event {
    const char *number;
    unsigned per_round;
    unsigned once;
};

enum {
    MOST_EVENTS = 16
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

/* From Zen 2 on both precisions are one kind. */
static const struct event zen4[MOST_EVENTS] = {
    {"r103", 13, 0}, {"r203", 1, 0}, {"r403", 6, 0}, {"r803", 10, 0}, {"r1f03", 30, 0},
};
static const struct event zen2[MOST_EVENTS] = {
    {"r103", 13, 0},  {"r203", 1, 0}, {"r403", 6, 0}, {"r803", 10, 0},
    {"rff03", 30, 0}, {"r1cb", 3, 0}, {"r2cb", 2, 0}, {"r4cb", 11, 1},
};

static void test_flops(const struct test *test)
{
    const struct event *events = x86_is_model("EPYC-Genoa")  ? zen4
                                 : x86_is_model("EPYC-Rome") ? zen2
                                 : x86_is_model("EPYC")      ? zen1
                                 : x86_is_model("Skylake")   ? intel
                                 : x86_is_model("Icelake")   ? intel
                                                             : NULL;
    struct stat_result result;

    if (events == NULL) {
        test_skip("this CPU model has no such events, or no FMA");
        return;
    }
    for (unsigned i = 0; i < MOST_EVENTS && events[i].number; i++) {
        if (!perf_stat(&result, ROW_PLAIN, "-e %s:u -- " PROGRAMS "flops %" PRIu64,
                       events[i].number, test->n)) {
            return;
        }
        expect_row(&result, 0, events[i].per_round * test->n + events[i].once);
    }
}

const struct test flops_tests[] = {
    {"x86/flops", test_flops, NULL, 10000, 1, 1},
};
const size_t flops_tests_count = ARRAY_SIZE(flops_tests);

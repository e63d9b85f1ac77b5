/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CMASK, INV and Edge: conditions on how many events a cycle has. */
#include <inttypes.h>

#include "perf.h"
#include "suite.h"
#include "x86.h"

enum {
    WIDTH = 4,   /* instructions in a cycle */
    BODY = 8,    /* instructions in a round of "loop", of which the last is its only branch */
    OTHERS = 100 /* more than the instructions outside the loop, and the interrupts in it */
};

struct condition {
    const char *event;
    unsigned per_round;
    bool never; /* a cycle has no more instructions than slots */
};

/*
 * With pmu-cycles=issue, a round of the loop takes two cycles, of which one has a branch. An
 * interrupt splits a cycle of the program in two.
 */
static const struct condition conditions[] = {
    {"cpu/event=0xc0,umask=0,cmask=1/u", BODY / WIDTH, false},
    {"cpu/event=0xc0,umask=0,cmask=4/u", BODY / WIDTH, false},
    {"cpu/event=0xc0,umask=0,cmask=5/u", 0, true},
    {"cpu/event=0xc0,umask=0,cmask=4,inv=1/u", 0, false},
    {"cpu/event=0xc0,umask=0,cmask=5,inv=1/u", BODY / WIDTH, false},
    {"cpu/event=0xc0,umask=0,cmask=4,edge=1/u", 0, false},
    {"cpu/event=0xc4,umask=0,cmask=1/u", 1, false},
    {"cpu/event=0xc4,umask=0,cmask=2/u", 0, false},
    {"cpu/event=0xc4,umask=0,cmask=1,inv=1/u", 1, false},
    {"cpu/event=0xc4,umask=0,cmask=1,edge=1/u", 1, false},
};

static void test_conditions(const struct test *test)
{
    struct stat_result result;

    if (machine.width != WIDTH) {
        test_skip("a cycle has another width");
        return;
    }
    for (size_t i = 0; i < ARRAY_SIZE(conditions); i++) {
        const struct condition *c = &conditions[i];
        uint64_t known;

        if (!perf_stat(&result, ROW_PLAIN,
                       "-e {cycles:u,instructions:u,%s} -- " PROGRAMS "%s %" PRIu64, c->event,
                       test->program, test->n)) {
            return;
        }
        expect_row(&result, 1, x86_known(test->program, X86_INSTRUCTIONS, test->n));
        known = test->n * BODY / WIDTH;
        expect_between("cycles:u", known, known + OTHERS, result.rows[0].value);
        known = test->n * c->per_round;
        expect_between(c->event, known > OTHERS ? known - OTHERS : 0, c->never ? 0 : known + OTHERS,
                       result.rows[2].value);
    }
}

/* Each cycle has a branch, or it has none. */
static void test_inverted(const struct test *test)
{
    struct stat_result result;

    if (machine.width != WIDTH) {
        test_skip("a cycle has another width");
    } else if (perf_stat(&result, ROW_PLAIN,
                         "-e {cycles:u,cpu/event=0xc4,umask=0,cmask=1/u,"
                         "cpu/event=0xc4,umask=0,cmask=1,inv=1/u} -- " PROGRAMS "%s %" PRIu64,
                         test->program, test->n)) {
        expect_between("cycles with a branch", 1, UINT64_MAX, result.rows[1].value);
        expect_row(&result, 0, result.rows[1].value + result.rows[2].value);
    }
}

/*
 * CYCLE_ACTIVITY.STALLS_TOTAL and UOPS_EXECUTED.STALL_CYCLES are the same cycles, the second as
 * those in which no uop is executed.
 */
static void test_stalls(const struct test *test)
{
    struct stat_result result;

    if (!x86_is_model("Skylake")) {
        test_skip("this CPU model has other events");
    } else if (perf_stat(&result, ROW_PLAIN,
                         "-e {r40004a3:u,r18001b1:u} -- " PROGRAMS "%s %" PRIu64, test->program,
                         test->n)) {
        expect_between("stalls", test->n, UINT64_MAX, result.rows[0].value);
        expect_row(&result, 1, result.rows[0].value);
    }
}

const struct test condition_tests[] = {
    {"x86/conditions", test_conditions, "loop", 20000, 1, 4},
    {"x86/inverted", test_inverted, "branches", 2000, 1, 4},
    {"x86/stalls", test_stalls, "flops", 1000, 1, 4},
};
const size_t condition_tests_count = ARRAY_SIZE(condition_tests);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf record -b, which needs FEAT_BRBE and Linux 6.17. The branches of the programs are known. An
 * interrupt may end a sample's records early, or lie between them, so filters select what does not
 * depend on that: user branches of one kind. Linux drops all records at a context switch. Under
 * icount, how many switches there are does not depend on how busy the host is.
 */
#include <string.h>

#include "branch/stacks.h"
#include "suite.h"

enum {
    INSTRUCTION_BYTES = 4,
    LOOP_BODY = 8,
    RECORDS = 64
};

static void test_caps(const struct test *test)
{
    (void)test;
    stacks_expect_depth(RECORDS);
}

/* The branch back of loop_body, which is predicted and takes the 8 cycles of an iteration. */
static void check_loop(const struct branch *branch, struct stacks *stacks)
{
    expect_eq("target", branch->from - (LOOP_BODY - 1) * INSTRUCTION_BYTES, branch->to);
    expect_eq("flag", 'P', (uint64_t)branch->flag);
    if (strcmp(branch->type, "COND") != 0) {
        test_fail("expected type COND got %s", branch->type);
    }
    stacks->seen += branch->cycles == LOOP_BODY;
}

static void test_loop(const struct test *test)
{
    uint64_t samples = known_instructions(test->program, test->n) / STACKS_PERIOD;
    struct stacks stacks;

    if (stacks_record("-j cond,u", test->program, test->n) && stacks_read(check_loop, &stacks)) {
        expect_eq("samples", samples, stacks.samples);
        expect_between("branches", (samples - stacks.emptied) * RECORDS, samples * RECORDS,
                       stacks.branches);
        /* Cycles after an interrupt are unknown, and those of its iteration are more or fewer. */
        expect_between("branches with 8 cycles", stacks.branches * 9 / 10, stacks.branches,
                       stacks.seen);
    }
}

/* With static prediction, branches forward that are taken are mispredicted, and others are not. */
static void check_direction(const struct branch *branch, struct stacks *stacks)
{
    bool forward = branch->to > branch->from;

    expect_eq("flag", forward ? 'M' : 'P', (uint64_t)branch->flag);
    stacks->seen += forward;
}

static void test_mispredicted(const struct test *test)
{
    struct stacks stacks;

    if (stacks_record("-j cond,u", test->program, test->n) &&
        stacks_read(check_direction, &stacks)) {
        /* Of 2 rounds, 3 of the 5 conditional branches that are taken go forward. */
        expect_between("branches forward", stacks.branches * 3 / 5 - stacks.samples,
                       stacks.branches * 3 / 5 + stacks.samples, stacks.seen);
    }
}

/* Of the branches of middle and inner, one kind: always the same addresses. */
static void test_call(const struct test *test)
{
    stacks_expect_filter("-j call,u", "CALL", test->program, test->n, RECORDS);
}

static void test_return(const struct test *test)
{
    stacks_expect_filter("-j any_ret,u", "RET", test->program, test->n, RECORDS);
}

/* User and kernel: a sample has system calls, and addresses of both. */
static void check_kernel(const struct branch *branch, struct stacks *stacks)
{
    stacks->seen += branch->from >> 63 && branch->to >> 63;
}

static void test_kernel(const struct test *test)
{
    struct stacks stacks;

    if (stacks_record("-j any,u,k", test->program, test->n) && stacks_read(check_kernel, &stacks)) {
        expect_between("branches of the kernel", stacks.branches / 2, stacks.branches - 1,
                       stacks.seen);
    }
}

static void test_report(const struct test *test)
{
    if (stacks_record("-b", test->program, test->n)) {
        stacks_expect_reports("loop_body");
    }
}

const struct test branch_tests[] = {
    {"branch/caps", test_caps, NULL, 0, 1, 1},
    {"branch/loop", test_loop, "loop", 100000, 1, 1},
    {"branch/mispredicted", test_mispredicted, "mix", 2000, 1, 1},
    {"branch/call", test_call, "callers", 4000, 1, 1},
    {"branch/return", test_return, "callers", 4000, 1, 1},
    {"branch/kernel", test_kernel, "callers", 4000, 1, 1},
    {"branch/report", test_report, "loop", 20000, 1, 1},
};
const size_t branch_tests_count = ARRAY_SIZE(branch_tests);

/* SPDX-License-Identifier: GPL-2.0-or-later */

/* Models of branch prediction. The loop's own branch is predicted as well as the one it is about.
 */
#include "tests/models.h"

#include "registers/pmu.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"

#define BR_MIS_PRED 0x10
#define BR_PRED 0x12
#define BR_RETIRED 0x21
#define BR_MIS_PRED_RETIRED 0x22
#define N 100u

static const uint16_t events[] = {BR_MIS_PRED, BR_PRED, BR_RETIRED, BR_MIS_PRED_RETIRED, 0};

static uint64_t run(const char *where, level_fn code, uint64_t branches)
{
    uint64_t missed;

    model_run(code, model_fresh(4096), N, 0);
    missed = model_take(BR_MIS_PRED);
    expect_eq(where, BR_PRED, branches, model_take(BR_PRED));
    expect_eq(where, BR_RETIRED, branches, model_take(BR_RETIRED));
    expect_eq(where, BR_MIS_PRED_RETIRED, missed, model_take(BR_MIS_PRED_RETIRED));
    return missed;
}

/* Backward is taken, forward is not: of the loop's own branch only the last time is wrong. */
void test_static_branches(void)
{
    model_count(events);
    for (unsigned i = 0; i < 3; i++) {
        expect_eq("backward", i, 1, run("backward", model_backward, N));
        expect_eq("forward, taken", i, N + 1, run("forward, taken", model_forward, 2 * N));
        expect_eq("forward, not taken", i, 1, run("forward, not taken", model_not_taken, 2 * N));
        expect_eq("by turns", i, N / 2 + 1, run("by turns", model_alternating, 2 * N));
        expect_eq("direct", i, 1, run("direct", model_direct, 3 * N));
    }
}

/*
 * Counters from 0 to 3 that begin at 1, not taken. The loop's branch is wrong the first time, and
 * the last, which leaves 2: from then on only the last time. By turns: the first, at an even count,
 * is taken, from 1 to 2, the next is not, from 2 to 1, all wrong.
 */
void test_bimodal_branches(void)
{
    model_count(events);
    expect_eq("backward", 0, 2, run("backward", model_backward, N));
    expect_eq("backward", 1, 1, run("backward", model_backward, N));
    expect_eq("forward, taken", 0, 2 + 1, run("forward, taken", model_forward, 2 * N));
    expect_eq("forward, taken", 1, 1, run("forward, taken", model_forward, 2 * N));
    expect_eq("forward, not taken", 0, 2, run("forward, not taken", model_not_taken, 2 * N));
    expect_eq("by turns", 0, 2 + N, run("by turns", model_alternating, 2 * N));
    expect_eq("by turns", 1, 1 + N, run("by turns", model_alternating, 2 * N));
}

/*
 * Predictors with a history find out. gshare looks at 13 outcomes: after another loop it is wrong
 * until they are all of this one, in either branch.
 */
#define LEARNING 20u

void test_learning_branches(void)
{
    model_count(events);
    for (unsigned i = 0; i < 10; i++) {
        run("by turns", model_alternating, 2 * N);
    }
    expect_range("by turns", 0, 0, LEARNING, run("by turns", model_alternating, 2 * N));
    run("forward, taken", model_forward, 2 * N);
    expect_range("forward, taken", 0, 0, LEARNING, run("forward, taken", model_forward, 2 * N));
}

/*
 * An indirect branch goes where it went last: two targets by turns are always wrong. What is more
 * than that is the loop's own branch.
 */
void test_indirect(void)
{
    uint64_t missed;

    model_count(events);
    missed = run("same", model_indirect_same, 2 * N);
    expect_range("same", 0, 1 + 1, 1 + LEARNING, missed);
    missed = run("same", model_indirect_same, 2 * N);
    expect_range("same", 1, 0, LEARNING, missed);
    missed = run("two", model_indirect_two, 2 * N);
    expect_range("two", 0, N, N + LEARNING, missed);
    missed = run("two", model_indirect_two, 2 * N);
    expect_range("two", 1, N - 1, N + LEARNING, missed);
}

/*
 * 16 calls can be returned from; the outer ones of more have been forgotten. In nested calls the
 * b.eq is wrong at most once for the one time that it is taken, and a few times until it is known.
 */
void test_returns(void)
{
    model_count(events);
    model_run(model_calls, 0, N, 0);
    model_take(BR_MIS_PRED);
    model_run(model_calls, 0, N, 0);
    expect_range("calls", 0, 0, 3, model_take(BR_MIS_PRED));
    for (unsigned depth = 2; depth <= 30; depth++) {
        uint64_t forgotten = depth > 16 ? depth - 16 : 0;
        uint64_t buffer = model_fresh(4096);

        for (unsigned i = 0; i < 10; i++) {
            model_run(model_nested, buffer, depth, 0);
            model_take(BR_MIS_PRED);
        }
        model_run(model_nested, buffer, depth, 0);
        expect_range("nested", depth, forgotten, forgotten + 2, model_take(BR_MIS_PRED));
    }
}

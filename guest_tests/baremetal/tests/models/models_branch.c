/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * Models of branch prediction. The loop's own branch is predicted as well as the branch under test.
 */
#include "tests/models/models.h"

#include "registers/pmu.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"

#define L1D_CACHE 0x04
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

/*
 * Backward is predicted taken, forward is not. The loop's own branch is mispredicted the last time
 * only.
 */
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
 * Counters go from 0 to 3 and begin at 1, not taken. The loop's branch is mispredicted the first
 * time and the last time, which leaves 2. After that it is mispredicted only the last time. The
 * alternating branch is taken at an even count (the counter goes from 1 to 2), and not taken the
 * next time (2 to 1): always mispredicted.
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
 * Predictors with a history learn the pattern. gshare uses 13 outcomes. After another loop it
 * mispredicts until all of them are of this loop, for either branch.
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
 * An indirect branch is predicted to go where it went last, so two targets in turns are always
 * mispredicted. The rest is the loop's own branch.
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
 * 16 calls can be returned from. If there are more, the outer ones are forgotten. In nested calls
 * the b.eq is mispredicted at most once for the one time that it is taken, and a few times until it
 * is learned.
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

/* Runs a loop in two address spaces that executed no branch before, at EL1, where it counts. */
static uint64_t mispredicted_in_new_spaces(const uint16_t *counted)
{
    static uint64_t asid = 16;
    uint64_t ttbr0 = read_sysreg(ttbr0_el1);
    struct model_arg arg = {.iterations = N, .stride = ttbr0 | (asid + 1) << 48};

    model_count(counted);
    for (unsigned n = 0; counted[n]; n++) {
        write_pmevtyper(n, counted[n] | PMEVTYPER_U);
        arg.mask |= BIT(n);
    }
    write_sysreg(ttbr0_el1, ttbr0 | asid << 48);
    isb();
    call_at(EL1, model_two_spaces, (uintptr_t)&arg);
    write_sysreg(ttbr0_el1, ttbr0);
    isb();
    asid += 2;
    return model_take(BR_MIS_PRED);
}

/* Each address space has a predictor of its own, whatever else is counted. */
void test_spaces_of_branches(void)
{
    static const uint16_t alone[] = {BR_MIS_PRED, 0};
    static const uint16_t with_accesses[] = {BR_MIS_PRED, L1D_CACHE, 0};

    expect_eq("alone", 0, mispredicted_in_new_spaces(with_accesses),
              mispredicted_in_new_spaces(alone));
}

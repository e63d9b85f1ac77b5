/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_LOOPS_H
#define TESTS_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/level.h"

/*
 * A loop with a known number of instructions. It reads PMEVCNTR0_EL0 before and after n iterations
 * (n is even), and returns the difference. A read counts itself before it takes its value. The
 * difference therefore includes the second read and not the first; this is the 1 in loop_count().
 */
struct loop {
    const char *name;
    level_fn run;
    unsigned per_two_iterations;
    bool needs_lse;
};

/* A row without a name ends the table. */
extern const struct loop loops[];

bool loop_can_run(const struct loop *loop);
uint64_t loop_count(const struct loop *loop, uint64_t iterations);

/* The result of many runs of one loop at one level. */
struct loop_runs {
    const struct loop *loop;
    uint64_t iterations;
    uint64_t runs;
    uint64_t expected;
    /* The place to report if it is not zero; otherwise the number of the run is reported. */
    uint64_t tag;
    /* The first run that was not as expected, and its count; or runs, and expected. */
    uint64_t bad_run;
    uint64_t got;
};

/* Runs a loop many times at a level, expects the same count each time, and reports. */
void expect_loop_runs(const char *where, enum level level, struct loop_runs *runs);

uint64_t loop_countdown(uint64_t iterations);
uint64_t loop_memory(uint64_t iterations);
uint64_t loop_two_paths(uint64_t iterations);
uint64_t loop_calls(uint64_t iterations);
uint64_t loop_indirect(uint64_t iterations);
uint64_t loop_barriers(uint64_t iterations);
uint64_t loop_sysregs(uint64_t iterations);
uint64_t loop_straight(uint64_t iterations);
uint64_t loop_exclusive(uint64_t iterations);
uint64_t loop_atomics(uint64_t iterations);

#endif

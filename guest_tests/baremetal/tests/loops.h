/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_LOOPS_H
#define TESTS_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/level.h"

/*
 * A loop with a known number of instructions: it reads PMEVCNTR0_EL0 before and after n
 * iterations, n even, and returns the difference. The second read counts itself before it takes
 * its value, the first one does too and so is not in the difference: hence the 1 in loop_count().
 */
struct loop {
    const char *name;
    level_fn run;
    unsigned per_two_iterations;
    bool needs_lse;
};

/* Ended by a row without a name. */
extern const struct loop loops[];

bool loop_can_run(const struct loop *loop);
uint64_t loop_count(const struct loop *loop, uint64_t iterations);

/* What happened in many runs of one loop, at one level. */
struct loop_runs {
    const struct loop *loop;
    uint64_t iterations;
    uint64_t runs;
    uint64_t expected;
    /* What to report as the place if not zero; else the number of the run is. */
    uint64_t tag;
    /* The first run that was not as expected, and its count; or runs, and expected. */
    uint64_t bad_run;
    uint64_t got;
};

/* Runs a loop again and again at a level, each time expecting the same count; reports. */
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

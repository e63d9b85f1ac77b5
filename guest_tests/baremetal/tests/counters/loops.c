/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/counters/loops.h"

#include "registers/sysreg.h"
#include "runtime/report.h"

/* loops_asm.S derives the numbers beside each loop. */
const struct loop loops[] = {
    {"countdown", loop_countdown, 2 * 2, false},
    {"memory", loop_memory, 2 * 5, false},
    {"two paths", loop_two_paths, 4 + 6, false},
    {"calls", loop_calls, 2 * 6, false},
    {"indirect", loop_indirect, 7 + 8, false},
    {"barriers", loop_barriers, 2 * 6, false},
    {"sysregs", loop_sysregs, 2 * 5, false},
    {"straight", loop_straight, 2 * 3002, false},
    {"exclusive", loop_exclusive, 2 * 6, false},
    {"atomics", loop_atomics, 2 * 6, true},
    {0},
};

bool loop_can_run(const struct loop *loop)
{
    return !loop->needs_lse || FIELD(read_sysreg(id_aa64isar0_el1), 20, 4) >= 2;
}

uint64_t loop_count(const struct loop *loop, uint64_t iterations)
{
    return loop->per_two_iterations * (iterations / 2) + 1;
}

static uint64_t run_many(uint64_t arg)
{
    struct loop_runs *r = (struct loop_runs *)arg;

    r->got = r->expected;
    for (r->bad_run = 0; r->bad_run < r->runs; r->bad_run++) {
        r->got = r->loop->run(r->iterations);
        if (r->got != r->expected) {
            break;
        }
    }
    return 0;
}

void expect_loop_runs(const char *where, enum level level, struct loop_runs *runs)
{
    call_at(level, run_many, (uintptr_t)runs);
    expect_eq(where, runs->tag ? runs->tag : runs->bad_run, runs->expected, runs->got);
}

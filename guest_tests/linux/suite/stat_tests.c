/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf stat on whole programs: perf prints the known number of user instructions. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "perf.h"
#include "suite.h"

static void test_exact(const struct test *test)
{
    struct stat_result result;

    if (perf_stat(&result, ROW_PLAIN, "-e instructions:u -- " PROGRAMS "%s %" PRIu64, test->program,
                  test->n)) {
        expect_row(&result, 0, known_instructions(test->program, test->n));
    }
}

/* The same by other names of the event; the %s is the PMU. */
static void test_by_name(const struct test *test)
{
    char event[128];
    struct stat_result result;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(event, sizeof(event), test->program, pmu_name());
#pragma GCC diagnostic pop
    if (perf_stat(&result, ROW_PLAIN, "-e %s -- " PROGRAMS "loop %" PRIu64, event, test->n)) {
        expect_row(&result, 0, known_instructions("loop", test->n));
    }
}

/* N rounds and 2 * N rounds differ by N rounds, whatever the rest of the program executes. */
static void test_difference(const struct test *test)
{
    struct stat_result once, twice;

    if (perf_stat(&once, ROW_PLAIN, "-e instructions:u -- " PROGRAMS "loop %" PRIu64, test->n) &&
        perf_stat(&twice, ROW_PLAIN, "-e instructions:u -- " PROGRAMS "loop %" PRIu64,
                  2 * test->n)) {
        expect_eq("difference", 8 * test->n, twice.rows[0].value - once.rows[0].value);
    }
}

/* What the kernel executes is not counted for the program, and vice versa. */
static void test_kernel(const struct test *test)
{
    struct stat_result result;
    uint64_t n = test->n;

    if (!perf_stat(&result, ROW_PLAIN,
                   "-e instructions:u,instructions:k -- " PROGRAMS "syscalls %" PRIu64, n)) {
        return;
    }
    expect_row(&result, 0, known_instructions("syscalls", n));
    /* No kernel handles a system call in 30 instructions; none of ours needs 2,000. */
    expect_between("instructions:k", 30 * n, 2000 * n, result.rows[1].value);
}

/* A group starts and stops at once, so its parts add up to the whole exactly. */
static void test_identity(const struct test *test)
{
    struct stat_result result;

    if (!perf_stat(&result, ROW_PLAIN,
                   "-e {instructions:u,instructions:k,instructions} -- " PROGRAMS
                   "syscalls %" PRIu64,
                   test->n)) {
        return;
    }
    expect_row(&result, 0, known_instructions("syscalls", test->n));
    expect_eq("instructions = :u + :k", result.rows[0].value + result.rows[1].value,
              result.rows[2].value);
}

static void test_repeat(const struct test *test)
{
    struct stat_result result;

    if (!perf_stat(&result, ROW_REPEAT, "-r 5 -e instructions:u -- " PROGRAMS "loop %" PRIu64,
                   test->n)) {
        return;
    }
    expect_row(&result, 0, known_instructions("loop", test->n));
    expect_eq("deviation in 1/100 %", 0, (uint64_t)(result.rows[0].deviation * 100));
}

/*
 * The counts that perf prints for each interval add up to the summary, for which perf reads no
 * counter again (stop_read_counter). The last one may be missing in both: perf ends without it if
 * the program ends while perf prints (skip_signal() of builtin-stat.c).
 */
static void test_interval(const struct test *test)
{
    uint64_t known = known_instructions("loop", test->n), sum = 0, longest = 0, whole = 0;
    struct stat_result result;

    if (!perf_stat(&result, ROW_SCOPE,
                   "-I 20 --summary -e instructions:u -- " PROGRAMS "loop %" PRIu64, test->n)) {
        return;
    }
    for (size_t i = 0; i < result.count; i++) {
        uint64_t value = result.rows[i].value;

        if (strstr(result.rows[i].scope, "summary") != NULL) {
            whole = value;
        } else {
            sum += value;
            longest = value > longest ? value : longest;
        }
    }
    expect_eq("summary", sum, whole);
    expect_between("sum of intervals", known - longest, known, sum);
    expect_between("number of intervals", 2, STAT_MAX_ROWS, result.count - 1);
}

/* One cycle for each instruction, and the cycles for which long instructions wait. */
static void test_cycles(const struct test *test)
{
    struct stat_result result;

    if (machine.clock) {
        test_skip("cycles are the clock's");
    } else if (perf_stat(&result, ROW_PLAIN,
                         "-e {cycles:u,instructions:u,r24:u} -- " PROGRAMS "%s %" PRIu64,
                         test->program, test->n)) {
        expect_row(&result, 1, known_instructions(test->program, test->n));
        expect_row(&result, 0, result.rows[1].value + result.rows[2].value);
    }
}

/* Cycles of a task pass at the clock's 1 GHz, as its run time does. */
static void test_clock(const struct test *test)
{
    struct stat_result result;
    uint64_t cycles, user;

    if (!machine.clock) {
        test_skip("cycles are not the clock's");
        return;
    }
    if (!perf_stat(&result, ROW_PLAIN, "-e cycles,cycles:u,task-clock -- " PROGRAMS "loop %" PRIu64,
                   test->n)) {
        return;
    }
    cycles = result.rows[0].value;
    user = result.rows[1].value;
    expect_between("task-clock in ms", 1, 100000, result.rows[2].value);
    expect_between("cycles against task-clock", result.rows[2].value * 900000,
                   (result.rows[2].value + 1) * 1100000, cycles);
    expect_between("cycles:u against cycles", cycles / 2, cycles, user);
}

const struct test stat_tests[] = {
    {"stat/loop-0", test_exact, "loop", 0, 1, 1},
    {"stat/loop-1", test_exact, "loop", 1, 1, 1},
    {"stat/loop-1000", test_exact, "loop", 1000, 1, 1},
    {"stat/loop-1000000", test_exact, "loop", 1000000, 1, 1},
    {"stat/syscalls", test_exact, "syscalls", 10000, 1, 1},
    {"stat/fault-1", test_exact, "fault", 1, 1, 1},
    {"stat/fault-2000", test_exact, "fault", 2000, 1, 1},
    {"stat/segv", test_exact, "segv", 500, 1, 1},
    {"stat/signal", test_exact, "signal", 500, 1, 1},
    {"stat/forks", test_exact, "forks", 50, 1, 1},
    {"stat/threads", test_exact, "threads", 1000000, 1, 1},
    {"stat/jit", test_exact, "jit", 500, 1, 1},
    {"stat/mix", test_exact, "mix", 2000, 1, 1},
    {"stat/trapped", test_exact, "trapped", 500, 1, 1},
    {"stat/migrate", test_exact, "migrate", 100, 2, 1},
    {"stat/difference", test_difference, NULL, 123456, 1, 1},
    {"stat/kernel", test_kernel, NULL, 10000, 1, 2},
    {"stat/identity", test_identity, NULL, 10000, 1, 3},
    {"stat/repeat", test_repeat, NULL, 10000, 1, 1},
    {"stat/interval", test_interval, NULL, 120000000, 1, 1},
    /* More than 2^31 instructions: the kernel re-arms its 32-bit counter on the way. */
    {"stat/wrap", test_exact, "loop", 300000000, 1, 1},
    {"stat/cycles", test_cycles, "loop", 100000, 1, 2},
    {"stat/cycles", test_cycles, "kinds", 2000, 1, 2},
    {"clock/cycles", test_clock, NULL, 20000000, 1, 1},
    {"stat/raw", test_by_name, "r8:u", 5000, 1, 1},
    {"stat/sysfs-number", test_by_name, "%s/event=0x8/u", 5000, 1, 1},
    {"stat/64-bit", test_by_name, "%s/event=0x8,long=1/u", 5000, 1, 2},
    /* More than 2^32: the upper half of a pair of counters, or of a 64-bit counter. */
    {"stat/wrap-64-bit", test_by_name, "%s/event=0x8,long=1/u", 600000000, 1, 2},
};
const size_t stat_tests_count = ARRAY_SIZE(stat_tests);

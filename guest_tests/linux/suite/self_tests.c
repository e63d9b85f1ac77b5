/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_event_open() without perf: a program that measures itself. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "event.h"
#include "perf.h"
#include "suite.h"

static uint64_t measured(uint64_t rounds)
{
    return MEASURE_FIXED + MEASURE_ROUND * rounds;
}

/* Many measurements in a row; each of K rounds and of 2 * K is exact by itself. */
static void test_rows(const struct test *test)
{
    struct perf_event_attr attr = event_user(EVENT_INST_RETIRED);
    int fd = event_must_open(&attr, 0, -1, -1);

    for (unsigned i = 0; fd >= 0 && i < test->n && !test_failed(); i++) {
        uint64_t k = 1 + i * 7;

        ioctl(fd, PERF_EVENT_IOC_RESET, 0);
        measure_loop(fd, k, 0);
        expect_eq("K rounds", measured(k), event_read(fd));
        ioctl(fd, PERF_EVENT_IOC_RESET, 0);
        measure_loop(fd, 2 * k, 0);
        expect_eq("2 * K rounds", measured(2 * k), event_read(fd));
    }
    close(fd);
}

/* Without a reset in between, a disabled event keeps its count and continues from there. */
static void test_resume(const struct test *test)
{
    struct perf_event_attr attr = event_user(EVENT_INST_RETIRED);
    int fd = event_must_open(&attr, 0, -1, -1);
    uint64_t expected = 0;

    for (unsigned i = 0; fd >= 0 && i < test->n && !test_failed(); i++) {
        measure_loop(fd, i + 1, 0);
        expected += measured(i + 1);
        expect_eq("sum", expected, event_read(fd));
    }
    close(fd);
}

/* The members of a group count the same, and one read() returns them all. */
static void test_group(const struct test *test)
{
    struct {
        uint64_t count, enabled, running, values[3];
    } data = {0};
    struct perf_event_attr attr = event_user(EVENT_INST_RETIRED);
    int leader, second, third;

    attr.read_format =
        PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    leader = event_must_open(&attr, 0, -1, -1);
    attr.disabled = 0;
    second = event_must_open(&attr, 0, -1, leader);
    attr.config = EVENT_CPU_CYCLES;
    third = event_must_open(&attr, 0, -1, leader);
    if (leader >= 0 && second >= 0 && third >= 0) {
        measure_loop(leader, test->n, PERF_IOC_FLAG_GROUP);
        expect_eq("bytes read", sizeof(data), (uint64_t)read(leader, &data, sizeof(data)));
        expect_eq("members", 3, data.count);
        expect_eq("leader", measured(test->n), data.values[0]);
        expect_eq("second", measured(test->n), data.values[1]);
        expect_between("cycles", 1, UINT64_MAX, data.values[2]);
        expect_eq("time running", data.enabled, data.running);
    }
    close(third);
    close(second);
    close(leader);
}

/* Counts the pending real-time signals; there is one for each overflow. */
static uint64_t take_signals(const sigset_t *set)
{
    const struct timespec none = {0};
    uint64_t n = 0;

    while (sigtimedwait(set, NULL, &none) > 0) {
        n++;
    }
    return n;
}

/* A signal after each fixed number of instructions, as profilers within a program use it. */
static void test_overflow_signal(const struct test *test)
{
    const uint64_t period = 1009;
    struct perf_event_attr attr = event_user(EVENT_INST_RETIRED);
    sigset_t set;
    int fd;

    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &set, NULL);
    attr.sample_period = period;
    fd = event_must_open(&attr, 0, -1, -1);
    if (fcntl(fd, F_SETOWN, getpid()) != 0 || fcntl(fd, F_SETSIG, SIGRTMIN) != 0 ||
        fcntl(fd, F_SETFL, O_ASYNC) != 0) {
        test_fail("fcntl: %s", strerror(errno));
    }
    measure_loop(fd, test->n, 0);
    expect_eq("count", measured(test->n), event_read(fd));
    expect_eq("signals", measured(test->n) / period, take_signals(&set));
    close(fd);
}

static void trace_me(void)
{
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    execl(PROGRAMS "loop", "loop", "100", (char *)NULL);
    _exit(127);
}

/* Each single step is one instruction more. */
static void check_steps(pid_t child, int fd, uint64_t steps)
{
    int status;

    for (uint64_t i = 0; i < steps && !test_failed(); i++) {
        expect_eq("instructions after as many steps", i, event_read(fd));
        if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) != 0 ||
            waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) {
            test_fail("the child does not step: %s", strerror(errno));
        }
    }
    ptrace(PTRACE_CONT, child, NULL, NULL);
    waitpid(child, &status, 0);
    expect_eq("instructions at the end", known_instructions("loop", 100), event_read(fd));
}

static void test_single_step(const struct test *test)
{
    struct perf_event_attr attr = event_user(EVENT_INST_RETIRED);
    pid_t child = fork();
    int status, fd;

    if (child == 0) {
        trace_me();
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) {
        test_fail("the child did not stop at its first instruction");
        return;
    }
    attr.disabled = 0;
    fd = event_must_open(&attr, child, -1, -1);
    if (fd >= 0) {
        check_steps(child, fd, test->n);
        close(fd);
    }
}

const struct test self_tests[] = {
    {"self/rows", test_rows, NULL, 1000, 1, 1},
    {"self/resume", test_resume, NULL, 100, 1, 1},
    {"self/group", test_group, NULL, 100000, 1, 2},
    {"self/overflow-signal", test_overflow_signal, NULL, 100000, 1, 1},
    {"self/single-step", test_single_step, NULL, 120, 1, 1},
};
const size_t self_tests_count = ARRAY_SIZE(self_tests);

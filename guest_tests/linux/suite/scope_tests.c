/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scope of counting: a CPU, all CPUs, a process, a thread; and several CPUs at once. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "event.h"
#include "perf.h"
#include "suite.h"

enum {
    THREADS = 3,
    /* The user instructions that perf itself may execute on a CPU that it observes. */
    PERF_ITSELF = 10000000,
};

/* A CPU's event counts what ran on that CPU, all of it, and nothing else. */
static void test_cpu_event(const struct test *test)
{
    struct perf_event_attr attr = event_user(EVENT_INST_RETIRED);
    char line[128];
    int fd;

    /* Everything else runs on CPUs that are not observed. */
    keep_to_first_cpu(true);
    fd = event_must_open(&attr, -1, 1, -1);
    snprintf(line, sizeof(line), PROGRAMS "on 2 " PROGRAMS "loop %" PRIu64, test->n);
    if (fd >= 0) {
        ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
        if (command_run(NULL, 30, line)) {
            ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
            expect_eq("CPU 1", KNOWN_ON + known_instructions("loop", test->n), event_read(fd));
        }
        close(fd);
    }
    keep_to_first_cpu(false);
}

/* Different loads on CPUs 1 and 2 at the same time: cpu * N rounds each. */
static void test_cpu_events(const struct test *test)
{
    struct perf_event_attr attr = event_user(EVENT_INST_RETIRED);
    struct command loops[2];
    char line[128];
    int fds[2];

    keep_to_first_cpu(true);
    for (unsigned i = 0; i < 2; i++) {
        fds[i] = event_must_open(&attr, -1, (int)i + 1, -1);
        ioctl(fds[i], PERF_EVENT_IOC_ENABLE, 0);
    }
    for (unsigned i = 0; i < 2; i++) {
        snprintf(line, sizeof(line), PROGRAMS "on %u " PROGRAMS "loop %" PRIu64, 2u << i,
                 (i + 1) * test->n);
        command_start(&loops[i], INPUT_NULL, NULL, line);
    }
    for (unsigned i = 0; i < 2; i++) {
        command_wait(&loops[i], 30);
    }
    for (unsigned i = 0; i < 2; i++) {
        ioctl(fds[i], PERF_EVENT_IOC_DISABLE, 0);
        expect_eq(i == 0 ? "CPU 1" : "CPU 2",
                  KNOWN_ON + known_instructions("loop", (i + 1) * test->n), event_read(fds[i]));
        close(fds[i]);
    }
    keep_to_first_cpu(false);
}

/**
 * struct racer - a loop on a CPU of its own, with an event of its own
 */
struct racer {
    pid_t pid;
    int event;
    int gate;
};

static void racer_start(struct racer *racer, unsigned cpu, uint64_t n)
{
    struct perf_event_attr attr = event_user(EVENT_INST_RETIRED);
    char mask[24], rounds[24], byte;
    int ends[2];

    snprintf(mask, sizeof(mask), "%u", 1u << cpu);
    snprintf(rounds, sizeof(rounds), "%" PRIu64, n);
    if (pipe2(ends, O_CLOEXEC) != 0) {
        test_fail("pipe: %s", strerror(errno));
        return;
    }
    racer->pid = fork();
    if (racer->pid == 0) {
        close(ends[1]);
        if (read(ends[0], &byte, 1) == 1) {
            execl(PROGRAMS "on", "on", mask, PROGRAMS "loop", rounds, (char *)NULL);
        }
        _exit(127);
    }
    close(ends[0]);
    racer->gate = ends[1];
    attr.enable_on_exec = 1;
    racer->event = event_must_open(&attr, racer->pid, -1, -1);
}

/* A loop on each CPU at once, of different lengths. */
static void test_parallel(const struct test *test)
{
    unsigned n = machine.cpus < 4 ? machine.cpus : 4;
    struct racer racers[4];
    int status;

    for (unsigned cpu = 0; cpu < n; cpu++) {
        racer_start(&racers[cpu], cpu, (cpu + 1) * test->n);
    }
    for (unsigned cpu = 0; cpu < n && !test_failed(); cpu++) {
        if (write(racers[cpu].gate, "g", 1) != 1) {
            test_fail("write: %s", strerror(errno));
        }
    }
    for (unsigned cpu = 0; cpu < n; cpu++) {
        close(racers[cpu].gate);
        if (waitpid(racers[cpu].pid, &status, 0) != racers[cpu].pid || status != 0) {
            test_fail("a loop ended with status %#x", (unsigned)status);
        }
        expect_eq("one of the loops",
                  KNOWN_ON_WHOLE + known_instructions("loop", (cpu + 1) * test->n),
                  event_read(racers[cpu].event));
        close(racers[cpu].event);
    }
}

/* perf's own views of all CPUs or of one include perf itself. */
static void test_all_cpus(const struct test *test)
{
    uint64_t known = known_instructions("loop", test->n);
    struct stat_result result;

    if (perf_stat(&result, ROW_PLAIN, "-a -e instructions:u -- " PROGRAMS "loop %" PRIu64,
                  test->n)) {
        expect_between("instructions:u", known, known + PERF_ITSELF, result.rows[0].value);
    }
}

static void test_one_cpu(const struct test *test)
{
    uint64_t known = known_instructions("loop", test->n);
    struct stat_result result;

    if (perf_stat(&result, ROW_PLAIN,
                  "-C 1 -e instructions:u -- " PROGRAMS "on 2 " PROGRAMS "loop %" PRIu64,
                  test->n)) {
        expect_between("CPU 1", known + KNOWN_ON, known + PERF_ITSELF, result.rows[0].value);
    }
}

static void test_each_cpu(const struct test *test)
{
    uint64_t known = known_instructions("loop", test->n);
    struct stat_result result;

    if (!perf_stat(&result, ROW_SCOPE,
                   "-a -A -e instructions:u -- " PROGRAMS "on 2 " PROGRAMS "loop %" PRIu64,
                   test->n)) {
        return;
    }
    expect_eq("rows", machine.cpus, result.count);
    for (unsigned i = 0; i < result.count; i++) {
        bool busy = strcmp(result.rows[i].scope, "CPU1") == 0;

        expect_between(result.rows[i].scope, busy ? known : 0, (busy ? known : 0) + PERF_ITSELF,
                       result.rows[i].value);
    }
}

/* "threads N" is started, and each of its threads waits for its byte. */
static bool start_threads(struct command *threads, uint64_t n)
{
    char line[64], path[64];

    snprintf(line, sizeof(line), PROGRAMS "threads %" PRIu64, n);
    if (!command_start(threads, INPUT_PIPE, NULL, line)) {
        return false;
    }
    for (int i = 0; i < THREADS; i++) {
        /* The thread ids are not always consecutive, but in an idle machine they are. */
        snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)threads->pid, (int)threads->pid + i);
        for (unsigned waited = 0; !thread_sleeps(path); waited++) {
            if (waited > 1000) {
                test_fail("%s never waited for input", path);
                command_kill(threads);
                return false;
            }
            pause_ms(2);
        }
    }
    return true;
}

static void release_threads(struct command *threads)
{
    if (write(threads->in, "123", THREADS) != THREADS) {
        test_fail("write: %s", strerror(errno));
    }
    command_wait(threads, 30);
}

static void test_process(const struct test *test)
{
    struct command threads, perf;
    struct stat_result result;
    uint64_t known = 0;

    if (!start_threads(&threads, test->n)) {
        return;
    }
    for (unsigned i = 1; i <= THREADS; i++) {
        known += known_thread(test->n, i);
    }
    if (perf_stat_attach(&perf, "-e instructions:u -p %d", (int)threads.pid)) {
        release_threads(&threads);
        if (perf_stat_finish(&perf, &result, ROW_PLAIN)) {
            expect_row(&result, 0, known);
        }
    }
}

/* One of the three threads. */
static void test_thread(const struct test *test)
{
    struct command threads, perf;
    struct stat_result result;

    if (!start_threads(&threads, test->n)) {
        return;
    }
    if (perf_stat_attach(&perf, "-e instructions:u -t %d", (int)threads.pid + 1)) {
        release_threads(&threads);
        if (perf_stat_finish(&perf, &result, ROW_PLAIN)) {
            expect_row(&result, 0, known_thread(test->n, 2));
        }
    }
}

static void check_per_thread(const struct stat_result *result, pid_t pid, uint64_t n)
{
    expect_eq("rows", THREADS, result->count);
    for (unsigned i = 0; i < result->count; i++) {
        const char *dash = strrchr(result->rows[i].scope, '-');
        unsigned thread = dash != NULL ? (unsigned)atoi(dash + 1) - (unsigned)pid + 1 : 0;

        if (thread < 1 || thread > THREADS) {
            test_fail("a thread of the program: expected its number got %s", result->rows[i].scope);
        } else {
            expect_row(result, i, known_thread(n, thread));
        }
    }
}

static void test_per_thread(const struct test *test)
{
    struct command threads, perf;
    struct stat_result result;
    pid_t pid;

    if (!start_threads(&threads, test->n)) {
        return;
    }
    pid = threads.pid;
    if (perf_stat_attach(&perf, "--per-thread -e instructions:u -p %d", (int)pid)) {
        release_threads(&threads);
        if (perf_stat_finish(&perf, &result, ROW_SCOPE)) {
            check_per_thread(&result, pid, test->n);
        }
    }
}

const struct test scope_tests[] = {
    {"scope/cpu-event", test_cpu_event, NULL, 100000, 2, 1},
    {"scope/two-cpu-events", test_cpu_events, NULL, 5000000, 3, 1},
    {"scope/parallel-tasks", test_parallel, NULL, 5000000, 1, 1},
    {"scope/all-cpus", test_all_cpus, "-a", 10000000, 1, 1},
    {"scope/cpu-1", test_one_cpu, NULL, 10000000, 2, 1},
    {"scope/each-cpu", test_each_cpu, NULL, 10000000, 2, 1},
    {"scope/process", test_process, NULL, 100000, 1, 1},
    {"scope/thread", test_thread, NULL, 100000, 1, 1},
    {"scope/per-thread", test_per_thread, NULL, 100000, 1, 1},
};
const size_t scope_tests_count = ARRAY_SIZE(scope_tests);

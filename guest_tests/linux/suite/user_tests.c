/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters that a program reads by itself, at EL0 (kernel.perf_user_access). */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "event.h"
#include "perf.h"
#include "suite.h"

/* What measure.S and user_read.inc read. */
_Static_assert(offsetof(struct perf_event_mmap_page, lock) == 8, "PAGE_LOCK");
_Static_assert(offsetof(struct perf_event_mmap_page, index) == 12, "PAGE_INDEX");
_Static_assert(offsetof(struct perf_event_mmap_page, offset) == 16, "PAGE_OFFSET");
_Static_assert(offsetof(struct perf_event_mmap_page, pmc_width) == 48, "PAGE_PMC_WIDTH");
_Static_assert(offsetof(struct user_measure, counts) == 32, "ARGS_COUNTS");
_Static_assert(offsetof(struct user_measure, again) == 56, "ARGS_AGAIN");
_Static_assert(offsetof(struct user_measure, index) == 72, "ARGS_INDEX");

enum {
    EVENT_CHAIN = 0x1e,
    PAGE_SIZE = 4096,
    CYCLE_INDEX = 32
};

static const uint64_t cpu_masks[] = {1, 2}, all_cpus = ~UINT64_C(0);

static bool set_user_access(bool allowed)
{
    FILE *file = fopen("/proc/sys/kernel/perf_user_access", "we");

    if (file == NULL) {
        test_cannot("this kernel has no perf_user_access");
        return false;
    }
    fprintf(file, "%d\n", allowed);
    return fclose(file) == 0;
}

/* Returns whether events of the PMU are 64 bits wide, so that one of them can be requested. */
static uint64_t widest(void)
{
    return CONFIG1_RDPMC | (machine.version >= PMU_P5 ? CONFIG1_LONG : 0);
}

static struct perf_event_attr user_attr(uint64_t event, uint64_t config1)
{
    struct perf_event_attr attr = event_user(event);

    attr.disabled = 0;
    attr.config1 = config1;
    return attr;
}

/* Opens and maps an event of this task. Returns false after a failure. */
static bool user_open(struct user_measure *measure, uint64_t event, uint64_t config1)
{
    struct perf_event_attr attr = user_attr(event, config1);
    void *page;

    memset(measure, 0, sizeof(*measure));
    measure->mask = &all_cpus;
    measure->fd = set_user_access(true) ? event_must_open(&attr, 0, -1, -1) : -1;
    if (measure->fd < 0) {
        return false;
    }
    page = mmap(NULL, PAGE_SIZE, PROT_READ, MAP_SHARED, measure->fd, 0);
    if (page == MAP_FAILED) {
        test_fail("mmap: %s", strerror(errno));
        close(measure->fd);
        return false;
    }
    measure->page = page;
    expect_eq("cap_user_rdpmc", 1, measure->page->cap_user_rdpmc);
    expect_eq("pmc_width", config1 & CONFIG1_LONG ? 64 : 32, measure->page->pmc_width);
    return !test_failed();
}

static void user_close(struct user_measure *measure)
{
    munmap((void *)measure->page, PAGE_SIZE);
    close(measure->fd);
}

/* One measurement, whose every instruction is known, whatever interrupts it. */
static bool measure_exactly(struct user_measure *measure, uint64_t rounds)
{
    uint64_t extra = measure->select ? USER_SELECT : 0;
    uint64_t known = USER_FIXED + extra + 2 * MEASURE_ROUND * rounds;

    measure->rounds = rounds;
    measure_user(measure);
    if (measure->index[0] == 0 || measure->index[1] == 0) {
        test_fail("index in the page: expected that of a counter got 0");
        return false;
    }
    known += (USER_AGAIN + extra) * measure->again[1];
    return expect_eq("second reading - first", known, measure->counts[1] - measure->counts[0]) &&
           expect_eq("read() - second reading", USER_TO_READ,
                     measure->counts[2] - measure->counts[1]);
}

static void measure_many(const struct test *test, uint64_t config1, bool select)
{
    struct user_measure measure;

    if (!user_open(&measure, EVENT_INST_RETIRED, config1)) {
        return;
    }
    measure.select = select;
    for (uint64_t i = 0; i < test->n && measure_exactly(&measure, 1 + i * 7); i++) {
    }
    user_close(&measure);
}

static void test_rows(const struct test *test)
{
    measure_many(test, CONFIG1_RDPMC, false);
}

static void test_selected(const struct test *test)
{
    measure_many(test, widest(), true);
}

static void test_long(const struct test *test)
{
    if (widest() & CONFIG1_LONG) {
        measure_many(test, widest(), false);
    } else {
        test_skip("needs PMUv3p5");
    }
}

/* A 32-bit counter begins in the middle of its range, so it wraps during the test. */
static void test_wrap(const struct test *test)
{
    struct user_measure measure;

    if (user_open(&measure, EVENT_INST_RETIRED, CONFIG1_RDPMC)) {
        measure_exactly(&measure, test->n);
        user_close(&measure);
    }
}

/* The program does it by itself, and perf counts the program. */
static void test_perf_stat(const struct test *test)
{
    const struct sched_param first = {.sched_priority = 1}, normal = {.sched_priority = 0};
    struct stat_result result;

    if (!set_user_access(true)) {
        return;
    }
    /* No other task runs between its two reads. */
    if (sched_setscheduler(0, SCHED_FIFO, &first) != 0) {
        test_fail("sched_setscheduler: %s", strerror(errno));
    }
    if (perf_stat(&result, ROW_PLAIN, "-e instructions:u -- " PROGRAMS "self %llu",
                  (unsigned long long)test->n)) {
        expect_row(&result, 0, known_instructions("self", test->n));
    }
    sched_setscheduler(0, SCHED_OTHER, &normal);
}

/*
 * Occupies a counter of CPU 1, so that tasks get other counters there than on CPU 0. Returns -1 if
 * it cannot.
 */
static int take_counter(void)
{
    struct perf_event_attr attr = event_user(EVENT_INST_RETIRED);

    attr.disabled = 0;
    attr.pinned = 1;
    return event_must_open(&attr, -1, 1, -1);
}

/* The task changes CPUs in the middle of each measurement; the counter is another one there. */
static void test_migrate(const struct test *test)
{
    int taken = take_counter();
    struct user_measure measure;

    if (taken >= 0 && user_open(&measure, EVENT_INST_RETIRED, widest())) {
        sched_setaffinity(0, sizeof(cpu_masks[0]), (const cpu_set_t *)&cpu_masks[0]);
        for (uint64_t i = 0; i < test->n; i++) {
            measure.mask = &cpu_masks[(i + 1) & 1];
            measure.select = (i & 2) != 0;
            if (!measure_exactly(&measure, 1 + i)) {
                break;
            }
            expect_eq("index stays", 0, measure.index[0] == measure.index[1]);
        }
        measure.mask = &all_cpus;
        measure_user(&measure);
        user_close(&measure);
    }
    close(taken);
}

/* Moves the task between CPUs until it has ended. */
static void push_about(pid_t task)
{
    for (unsigned i = 0; kill(task, 0) == 0; i++) {
        sched_setaffinity(task, sizeof(cpu_masks[0]), (const cpu_set_t *)&cpu_masks[i & 1]);
    }
    _exit(0);
}

/* The same, but another process moves the task, at any instruction. */
static void test_pushed(const struct test *test)
{
    int taken = take_counter();
    struct user_measure measure;
    uint64_t again = 0, moved = 0;
    pid_t self = getpid(), other;

    if (taken < 0 || !user_open(&measure, EVENT_INST_RETIRED, widest())) {
        close(taken);
        return;
    }
    measure.mask = NULL; /* EFAULT: it stays where it is */
    other = fork();
    if (other == 0) {
        push_about(self);
    }
    for (uint64_t i = 0; i < test->n && measure_exactly(&measure, 1 + i % 1000); i++) {
        again += measure.again[1];
        moved += measure.index[0] != measure.index[1];
    }
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    sched_setaffinity(0, sizeof(all_cpus), (const cpu_set_t *)&all_cpus);
    expect_between("measurements that began on another CPU", 1, test->n, moved);
    user_close(&measure);
    close(taken);
    printf("user-pushed: %llu moves in the middle, %llu readings again\n",
           (unsigned long long)moved, (unsigned long long)again);
}

/* Between two of its own reads of PMCCNTR there is one by read(). */
static void test_cycles(const struct test *test)
{
    struct user_measure measure;

    if (!user_open(&measure, EVENT_CPU_CYCLES, CONFIG1_RDPMC | CONFIG1_LONG)) {
        return;
    }
    for (uint64_t i = 0, last = 0; i < test->n && !test_failed(); i++) {
        measure.rounds = 1 + i;
        measure_user(&measure);
        expect_eq("index", CYCLE_INDEX, measure.index[0]);
        expect_between("first reading", last, UINT64_MAX / 2, measure.counts[0]);
        expect_between("second reading", measure.counts[0], UINT64_MAX / 2, measure.counts[1]);
        expect_between("read()", measure.counts[1], UINT64_MAX / 2, measure.counts[2]);
        last = measure.counts[2];
    }
    expect_between("cycles of the last loops", 1, UINT64_MAX / 2,
                   measure.counts[1] - measure.counts[0]);
    user_close(&measure);
}

static sigjmp_buf refused;

static void on_sigill(int number)
{
    (void)number;
    siglongjmp(refused, 1);
}

/* Returns whether a PMU instruction works here and now. @value is what it read. */
static bool may(unsigned which, uint64_t *value)
{
    *value = 0;
    signal(SIGILL, on_sigill);
    if (sigsetjmp(refused, 1) != 0) {
        return false;
    }
    *value = try_user(which);
    return true;
}

/* Tries all counters. Those that the machine has, and those after them up to @last, work. */
static void check_allowed(const char *when, unsigned last)
{
    for (unsigned which = 0; which < USER_INSNS && !test_failed(); which++) {
        bool expected = which <= last || which == USER_READ_PMUSERENR;
        uint64_t value;
        char what[80];

        if (which >= machine.counters && which < USER_READ_PMCCNTR) {
            continue;
        }
        snprintf(what, sizeof(what), "%s: user_insn %u is allowed", when, which);
        expect_eq(what, expected, may(which, &value));
    }
    signal(SIGILL, SIG_DFL);
}

/* The kernel sets PMUSERENR.ER and CR: EL0 may read counters and select them, and nothing else. */
static void test_allowed(const struct test *test)
{
    struct user_measure measure;

    (void)test;
    if (user_open(&measure, EVENT_INST_RETIRED, CONFIG1_RDPMC)) {
        check_allowed("with the sysctl", USER_READ_PMXEVCNTR);
        user_close(&measure);
    }
}

/* Without the sysctl an event opens, but has no index, and every access is undefined at once. */
static void test_denied(const struct test *test)
{
    struct user_measure measure;
    uint64_t value;

    (void)test;
    if (!user_open(&measure, EVENT_INST_RETIRED, CONFIG1_RDPMC)) {
        return;
    }
    set_user_access(false);
    expect_eq("PMCCNTR is allowed", 0, may(USER_READ_PMCCNTR, &value));
    expect_eq("PMEVCNTR0 is allowed", 0, may(0, &value));
    expect_eq("PMSELR is allowed", 0, may(USER_READ_PMSELR, &value));
    expect_eq("PMUSERENR is allowed", 1, may(USER_READ_PMUSERENR, &value));
    expect_eq("PMUSERENR", 0, value);
    ioctl(measure.fd, PERF_EVENT_IOC_DISABLE, 0);
    ioctl(measure.fd, PERF_EVENT_IOC_ENABLE, 0);
    expect_eq("index in the page", 0, measure.page->index);
    expect_eq("PMEVCNTR0 is still allowed", 0, may(0, &value));
    signal(SIGILL, SIG_DFL);
    user_close(&measure);
}

/* Leaves a value in all counters. */
static void use_counters(void)
{
    int fds[32];
    unsigned n = machine.counters < 31 ? machine.counters : 31;

    for (unsigned i = 0; i <= n; i++) {
        struct perf_event_attr attr = user_attr(i < n ? EVENT_INST_RETIRED : EVENT_CPU_CYCLES, 0);

        fds[i] = event_must_open(&attr, 0, -1, -1);
    }
    for (unsigned i = 0; i <= n; i++) {
        expect_between("count", 1, UINT64_MAX, event_read(fds[i]));
    }
    for (unsigned i = 0; i <= n; i++) {
        close(fds[i]);
    }
}

/* Counters that are not the task's read 0. */
static void test_hidden(const struct test *test)
{
    struct user_measure measure;
    uint64_t value;

    (void)test;
    use_counters();
    if (!user_open(&measure, EVENT_INST_RETIRED, CONFIG1_RDPMC)) {
        return;
    }
    for (unsigned n = 0; n <= USER_READ_PMCCNTR && !test_failed(); n++) {
        char what[40];

        if (n == measure.page->index - 1 || (n >= machine.counters && n != USER_READ_PMCCNTR)) {
            continue;
        }
        snprintf(what, sizeof(what), "counter %u is allowed", n);
        expect_eq(what, 1, may(n, &value));
        expect_eq("counter of nobody", 0, value);
    }
    signal(SIGILL, SIG_DFL);
    user_close(&measure);
}

/* Events that cannot be opened for access from EL0, and why. */
static void test_refused(const struct test *test)
{
    const int no_long = machine.version >= PMU_P5 ? 0 : EOPNOTSUPP;
    const struct {
        const char *what;
        uint64_t event;
        uint64_t config1;
        int cpu;
        int error;
    } rows[] = {
        {"32 bits", EVENT_INST_RETIRED, CONFIG1_RDPMC, -1, 0},
        {"64 bits", EVENT_INST_RETIRED, CONFIG1_RDPMC | CONFIG1_LONG, -1, no_long},
        {"64 bits of cycles", EVENT_CPU_CYCLES, CONFIG1_RDPMC | CONFIG1_LONG, -1, 0},
        {"64 bits without access", EVENT_INST_RETIRED, CONFIG1_LONG, -1, 0},
        {"a CPU's event", EVENT_INST_RETIRED, CONFIG1_RDPMC, 0, EINVAL},
        {"CHAIN", EVENT_CHAIN, CONFIG1_RDPMC, -1, EINVAL},
        {"CHAIN without access", EVENT_CHAIN, 0, -1, EINVAL},
    };

    (void)test;
    for (size_t i = 0; i < ARRAY_SIZE(rows) && set_user_access(true); i++) {
        struct perf_event_attr attr = user_attr(rows[i].event, rows[i].config1);
        int fd = event_open(&attr, rows[i].cpu < 0 ? 0 : -1, rows[i].cpu, -1);

        expect_eq(rows[i].what, (uint64_t)rows[i].error, fd < 0 ? (uint64_t)errno : 0);
        close(fd);
    }
}

/* "User space counter reading of instructions", "of cycles". */
static void test_perf_test(const struct test *test)
{
    (void)test;
    if (set_user_access(true)) {
        expect_perf_tests("user", 2);
    }
}

const struct test user_tests[] = {
    {"user/rows", test_rows, NULL, 1000, 1, 1},
    {"user/selected", test_selected, NULL, 1000, 1, 1},
    {"user/64-bit", test_long, NULL, 1000, 1, 1},
    {"user-wrap", test_wrap, NULL, 600000000, 1, 1},
    {"user/perf-stat", test_perf_stat, NULL, 100000, 1, 2},
    {"user-migrate", test_migrate, NULL, 200, 2, 2},
    {"user-pushed", test_pushed, NULL, 20000, 2, 2},
    {"user/perf-test", test_perf_test, NULL, 0, 1, 1},
    {"user/cycles", test_cycles, NULL, 200, 1, 0},
    {"user/allowed", test_allowed, NULL, 0, 1, 1},
    {"user/denied", test_denied, NULL, 0, 1, 1},
    {"user/hidden", test_hidden, NULL, 0, 1, 1},
    {"user/refused", test_refused, NULL, 0, 1, 1},
};
const size_t user_tests_count = ARRAY_SIZE(user_tests);

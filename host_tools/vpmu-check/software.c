/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's own events: what the program makes happen N times must be counted N times. */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "cpus.h"

enum {
    TIMES = 100,
    BUSY_MS = 20
};

static void touch_pages(unsigned n)
{
    long page = sysconf(_SC_PAGESIZE);
    size_t size = (size_t)n * (size_t)page;
    volatile char *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED) {
        return;
    }
    madvise((void *)(uintptr_t)memory, size, MADV_NOHUGEPAGE);
    for (unsigned i = 0; i < n; i++) {
        memory[i * (size_t)page] = 1;
    }
    munmap((void *)(uintptr_t)memory, size);
}

static void sleep_often(unsigned n)
{
    struct timespec moment = {0, 1000000};

    for (unsigned i = 0; i < n; i++) {
        nanosleep(&moment, NULL);
    }
}

/* Moves between the first two CPUs that the process may use. */
static void migrate(unsigned n)
{
    struct cpus all, left, pair[2];

    if (!cpus_usable(&all)) {
        return;
    }
    left = all;
    for (unsigned i = 0; i < 2; i++) {
        int cpu;

        pair[i] = left;
        cpu = cpus_first(&pair[i]);
        if (cpu < 0) {
            return;
        }
        CPU_CLR_S((size_t)cpu, sizeof(left), left.sets);
    }
    for (unsigned i = 0; i < n; i++) {
        cpus_use(&pair[i % 2]);
    }
    cpus_use(&all);
}

static size_t count_cpus(void)
{
    struct cpus all;

    return cpus_usable(&all) ? cpus_count(&all) : 1;
}

/**
 * struct software_event
 * @act: makes it happen n times.
 * @about: other things may make it happen, too, and a sleep may end before it begins.
 */
static const struct software_event {
    const char *name;
    uint64_t config;
    void (*act)(unsigned n);
    unsigned cpus;
    bool about;
} software_events[] = {
    {"page-faults", PERF_COUNT_SW_PAGE_FAULTS, touch_pages, 1, false},
    {"minor-faults", PERF_COUNT_SW_PAGE_FAULTS_MIN, touch_pages, 1, false},
    {"context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES, sleep_often, 1, true},
    {"cpu-migrations", PERF_COUNT_SW_CPU_MIGRATIONS, migrate, 2, true},
};

static uint64_t count_acts(int fd, const struct software_event *event, unsigned n)
{
    uint64_t before = counter_read(fd).value;

    counter_start(fd);
    event->act(n);
    counter_stop(fd);
    return counter_read(fd).value - before;
}

/* The difference of 2 N and N times, as for loops; the best of three, because others may add. */
static uint64_t best_of_three(int fd, const struct software_event *event)
{
    uint64_t best = 0;

    for (unsigned i = 0; i < 3 && best != TIMES; i++) {
        uint64_t once = count_acts(fd, event, TIMES), twice = count_acts(fd, event, 2 * TIMES);
        uint64_t got = twice > once ? twice - once : 0;

        if (i == 0 || llabs((int64_t)got - TIMES) < llabs((int64_t)best - TIMES)) {
            best = got;
        }
    }
    return best;
}

static void judge_acts(struct finding *f, int fd, const struct software_event *event)
{
    uint64_t got = best_of_three(fd, event);

    finding_count(f, got, TIMES);
    if (got == 0) {
        finding_is(f, ZERO, "%s", "");
    } else if (got == TIMES) {
        finding_is(f, EXACT, "%s", "");
    } else if (event->about && got > TIMES / 2 && got < 2 * TIMES) {
        finding_is(f, IN_RANGE, "it depends on the scheduler, too");
    } else {
        finding_is(f, OFF, "%s", "");
    }
}

static void check_acts(const struct software_event *event)
{
    struct finding *f = finding_add("software", event->name);
    /* They are counted in the kernel, unless they are asked for without it. */
    struct perf_event_attr attr = counter_attr(PERF_TYPE_SOFTWARE, event->config, COUNT_KERNEL);
    int fd;

    if (count_cpus() < event->cpus) {
        finding_is(f, ABSENT, "needs %u CPUs", event->cpus);
        return;
    }
    fd = counter_open(&attr, -1);
    if (fd < 0 && event->act == touch_pages) {
        attr.exclude_kernel = 1;
        fd = counter_open(&attr, -1);
    }
    if (fd < 0) {
        finding_refused(f, -fd);
        return;
    }
    judge_acts(f, fd, event);
    close(fd);
}

static uint64_t thread_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Return: whether the event was in a tenth of the thread's own clock. */
static bool compare_clock(struct finding *f, int fd)
{
    uint64_t before = counter_read(fd).value, begin = thread_ns(), counted, known;

    counter_start(fd);
    do {
        known = thread_ns() - begin;
    } while (known < BUSY_MS * 1000000ULL);
    counter_stop(fd);
    counted = counter_read(fd).value - before;
    finding_count(f, counted, known);
    return counted < known + known / 10 && counted > known - known / 10;
}

/* If the computer does something else between reading the clock and starting the event, repeat. */
static void check_clock(const char *name, uint64_t config)
{
    struct finding *f = finding_add("software", name);
    struct perf_event_attr attr = counter_attr(PERF_TYPE_SOFTWARE, config, 0);
    int fd = counter_open(&attr, -1);
    bool close_to = false;

    if (fd < 0) {
        finding_refused(f, -fd);
        return;
    }
    for (unsigned i = 0; i < 5 && !close_to; i++) {
        close_to = compare_clock(f, fd);
    }
    close(fd);
    finding_is(f, close_to ? IN_RANGE : f->counted == 0 ? ZERO : OFF, "nanoseconds");
}

void check_software(const struct check *check)
{
    (void)check;
    for (size_t i = 0; i < ARRAY_SIZE(software_events); i++) {
        check_acts(&software_events[i]);
    }
    check_clock("task-clock", PERF_COUNT_SW_TASK_CLOCK);
    check_clock("cpu-clock", PERF_COUNT_SW_CPU_CLOCK);
}

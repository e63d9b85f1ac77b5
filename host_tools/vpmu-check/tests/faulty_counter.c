/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A PMU that is wrong in the way that $FAULT says. It stands in for counter.c, because no computer
 * has all of these faults. Without a fault, instructions and branches are exact, cycles are two for
 * an instruction, and no other event exists.
 *
 * With "hybrid..." there is a PMU for each CPU; the one of CPU N has the type FIRST_TYPE + N, and
 * counts only there. Kernels that are "hybrid-old" do not know types in config: a generic event is
 * of the PMU of the CPU that is asked for, or of the first one.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum {
    EVENTS = 64,
    /* What starts and stops a counter. */
    AROUND = 7,
    /* A number for L1-dcache-loads that is no generic event's. */
    LOADS = PERF_COUNT_HW_MAX,
    FIRST_TYPE = 10
};

static struct {
    uint64_t config;
    struct reading total;
    bool pinned;
    int cpu;
    unsigned runs;
} events[EVENTS];

static bool fault(const char *name)
{
    const char *wanted = getenv("FAULT");

    return wanted != NULL && strcmp(wanted, name) == 0;
}

static bool has_event(uint64_t config)
{
    switch (config) {
    case PERF_COUNT_HW_INSTRUCTIONS:
    case PERF_COUNT_HW_CPU_CYCLES:
    case PERF_COUNT_HW_BRANCH_INSTRUCTIONS:
        return true;
    case PERF_COUNT_HW_CACHE_MISSES:
        return fault("misses") || fault("few-misses") || fault("no-misses") || fault("later-busy");
    default:
        return false;
    }
}

/* Loads, with some that are dropped; AMD's are loads and stores. */
static bool has_loads(void)
{
    return fault("loads") || fault("dropped-loads") || fault("dropped-accesses");
}

static bool is_hybrid(void)
{
    const char *wanted = getenv("FAULT");

    return wanted != NULL && strncmp(wanted, "hybrid", 6) == 0;
}

/* Takes the type out of config, and finds the CPU on which the event counts. Return: false if the
 * kernel refuses the event. */
static bool take_type(struct perf_event_attr *attr, int cpu, int *counts_on)
{
    uint32_t type = (uint32_t)(attr->config >> 32);

    *counts_on = -1;
    if (!is_hybrid()) {
        return type == 0;
    }
    if (attr->type >= FIRST_TYPE) {
        *counts_on = (int)attr->type - FIRST_TYPE;
        attr->type = PERF_TYPE_HARDWARE;
    } else if (fault("hybrid-old")) {
        *counts_on = cpu == -1 ? 0 : cpu;
        return type == 0;
    } else {
        *counts_on = type == 0 ? 0 : (int)type - FIRST_TYPE;
        attr->config = (uint32_t)attr->config;
    }
    return cpu == -1 || cpu == *counts_on;
}

int counter_call(struct perf_event_attr *attr, int cpu, int group)
{
    int fd, counts_on;

    (void)group;
    if (fault("denied")) {
        return -EACCES;
    }
    if (fault("no-call")) {
        return -ENOSYS;
    }
    if (fault("no-pmu")) {
        return -ENOENT;
    }
    if (fault("no-files")) {
        return -EMFILE;
    }
    if (!take_type(attr, cpu, &counts_on)) {
        return -ENOENT;
    }
    if (has_loads() && attr->type == PERF_TYPE_HW_CACHE && attr->config == 0) {
        attr->config = LOADS;
    } else if (attr->type != PERF_TYPE_HARDWARE || attr->sample_period != 0 ||
               !has_event(attr->config)) {
        return -ENOENT;
    }
    if (fault("no-branches") && attr->config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS) {
        return -ENOENT;
    }
    fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fd >= EVENTS) {
        return -EMFILE;
    }
    events[fd].config = attr->config;
    events[fd].total = (struct reading){0, 0, 0};
    events[fd].pinned = attr->pinned;
    events[fd].cpu = counts_on;
    events[fd].runs = 0;
    return fd;
}

void counter_start(int fd)
{
    (void)fd;
}

void counter_stop(int fd)
{
    (void)fd;
}

void counter_group(int fd, bool start)
{
    (void)fd;
    (void)start;
}

struct reading counter_read(int fd)
{
    struct reading total = events[fd].total;

    return total.enabled == 0 ? (struct reading){0, 1000000, 1000000} : total;
}

/* A page's lines follow each other in the page. Those of the large memory are far apart. */
static bool is_large(const void *memory)
{
    return llabs(*(char *const *)memory - (const char *)memory) >= 4096;
}

static uint64_t count_misses(const struct loop *loop, unsigned long turns, const void *memory)
{
    if (fault("no-misses")) {
        return 0;
    }
    if (loop != &loops[LOOP_CHASE] || !is_large(memory)) {
        return 5;
    }
    return fault("few-misses") ? turns / 50 : turns;
}

static uint64_t count_loads(const struct loop *loop, unsigned long turns)
{
    enum quantity quantity = fault("dropped-accesses") ? Q_ACCESSES : Q_LOADS;

    return (uint64_t)loop->per_turn[quantity] * turns + (fault("loads") ? 0 : turns / 50);
}

static uint64_t true_count(uint64_t config, const struct loop *loop, unsigned long turns)
{
    enum quantity branches = fault("taken") ? Q_TAKEN : Q_BRANCHES;
    enum quantity quantity =
        config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS ? branches : Q_INSTRUCTIONS;
    uint64_t count = (uint64_t)loop->per_turn[quantity] * turns + AROUND;

    return config == PERF_COUNT_HW_CPU_CYCLES ? 2 * count : count;
}

/*
 * "once": one run in three is wrong, when the others are right. "often": those after a
 * right one. "noisy": some
 * take far longer. @runs: of this event; a loop is run with N and with 2 N turns, after another
 * one.
 */
static uint64_t wrong_count(uint64_t count, unsigned long turns, uint64_t ns, unsigned runs)
{
    return fault("zero")         ? 0
           : fault("constant")   ? 4711
           : fault("off")        ? count + turns
           : fault("interrupts") ? count + turns / 20000
           : fault("time")       ? ns
           : fault("hybrid-off") ? count + (sched_getcpu() == 0 ? turns : 0)
           : fault("often")      ? count + (runs % 2 == 1 && runs % 6 != 3 ? turns : 0)
           : fault("once")       ? count + (runs % 6 == 0 ? turns : 0)
           : fault("noisy")      ? count + (runs % 5 == 0 ? count / 3 : 0)
                                 : count;
}

/*
 * A clock on a busy computer: each loop takes the same time by accident, and sometimes the time is
 * read late.
 */
static struct reading same_time(void)
{
    static unsigned runs;
    uint64_t late = ++runs % 4 == 0 ? 300000 : 0;

    return (struct reading){1000000, 1000000 + late, 1000000 + late};
}

/* A clock in a guest of a busy host: the program has 88 to 100 % of the time. */
static struct reading disturbed_time(void)
{
    static unsigned runs;
    uint64_t ns = 1000000 + 100000 * (++runs % 5);

    return (struct reading){ns * (88 + 3 * (runs % 5)) / 100, ns, ns};
}

/* The same, with 96 to 97.5 % of the time, and each loop takes nearly the same time by accident. */
static struct reading nearly_same_time(void)
{
    static unsigned runs;
    uint64_t ns = 1000000 + 1000 * (++runs % 5);

    return (struct reading){ns * (960 + 5 * (runs % 4)) / 1000, ns, ns};
}

/* The clock that programs read, in GHz. */
static double ticks_ghz(void)
{
    static double ghz;
    uint64_t ns = now_ns(), ticks = cpu_ticks();

    while (ghz == 0 && now_ns() - ns < 50000000) {
    }
    ghz = ghz != 0 ? ghz : (double)(cpu_ticks() - ticks) / (double)(now_ns() - ns);
    return ghz;
}

/* Each loop takes a millisecond by accident, and cycles are a clock's. */
static struct reading ticks_of_time(void)
{
    return (struct reading){(uint64_t)(1000000 * ticks_ghz()), 1000000, 1000000};
}

/* With "later-busy", another program takes the counter after the first loop; not that of branches.
 */
static struct reading without_counter(int fd, struct reading r)
{
    bool spared = events[fd].config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS;

    if (spared && !fault("never")) {
        return r;
    }
    if (fault("never") || (fault("later-busy") && events[fd].total.enabled != 0)) {
        return (struct reading){0, r.enabled, 0};
    }
    r.running = fault("busy") ? r.enabled / 2 : r.enabled;
    if (is_hybrid() && events[fd].cpu != sched_getcpu()) {
        r = (struct reading){0, r.enabled, 0};
    }
    return r;
}

struct reading counter_loop(int fd, const struct loop *loop, unsigned long turns, void *memory)
{
    uint64_t begin = now_ns(), ns, count;
    struct reading r, *total = &events[fd].total;

    count = events[fd].config == PERF_COUNT_HW_CACHE_MISSES ? count_misses(loop, turns, memory)
            : events[fd].config == LOADS                    ? count_loads(loop, turns)
                                         : true_count(events[fd].config, loop, turns);
    loop->run(turns, memory);
    /* On a busy computer the time would permit as many interrupts as there are dropped loads. */
    ns = has_loads() ? 1000000 : now_ns() - begin;
    r = (struct reading){wrong_count(count, turns, ns, ++events[fd].runs), ns, ns};
    r = fault("time-same")   ? same_time()
        : fault("time-tsc")  ? ticks_of_time()
        : fault("time-busy") ? disturbed_time()
        : fault("time-near") ? nearly_same_time()
                             : without_counter(fd, r);
    *total = (struct reading){total->value + r.value, total->enabled + r.enabled,
                              total->running + r.running};
    return r;
}

/* With "group", each event counts alone, and no group counts. With too few counters, the first ones
 * of single events have them, and no group that is larger. */
static bool counts_in(unsigned index, unsigned count, bool group)
{
    unsigned counters = fault("one-counter") ? 1 : fault("two-counters") ? 2 : EVENTS;

    return group ? count <= counters && !fault("group") : index < counters;
}

void counter_loop_many(const int *fds, unsigned count, bool group, const struct loop *loop,
                       unsigned long turns, void *memory, struct reading *readings)
{
    (void)memory;
    for (unsigned i = 0; i < count; i++) {
        bool counts = counts_in(i, count, group);
        uint64_t n = true_count(events[fds[i]].config, loop, turns);
        uint64_t running = counts || group || !events[fds[i]].pinned ? 1000000 : 0;

        n += fault("group-off") && group && i == 1 ? turns : 0;
        readings[i] = (struct reading){counts ? n : 0, 1000000, running};
        if (fault("group-busy") && group) {
            readings[i] = (struct reading){0, 1000000, 0};
        }
    }
}

/* $CACHES is the size of a cache. */
bool caches_largest(size_t *size)
{
    const char *text = getenv("CACHES");

    *size = text != NULL ? strtoul(text, NULL, 10) : 0;
    return text != NULL;
}

/* There is room for 32 MiB. */
uint64_t caches_limit(void)
{
    return 4 * (32UL << 20);
}

uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

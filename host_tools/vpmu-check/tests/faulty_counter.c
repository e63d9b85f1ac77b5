/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A PMU that is wrong in the way that $FAULT says. It stands in for counter.c, because no computer
 * has all of these faults. Without a fault, instructions and branches are exact, cycles are two for
 * an instruction, and no other event exists.
 */
#include <errno.h>
#include <fcntl.h>
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
    LOADS = PERF_COUNT_HW_MAX
};

static struct {
    uint64_t config;
    struct reading total;
    bool pinned;
} events[EVENTS];

static bool fault(const char *name)
{
    const char *wanted = getenv("FAULT");

    return wanted != NULL && strcmp(wanted, name) == 0;
}

struct perf_event_attr counter_attr(uint32_t type, uint64_t config, unsigned flags)
{
    struct perf_event_attr attr;

    memset(&attr, 0, sizeof(attr));
    attr.type = type;
    attr.config = config;
    attr.exclude_kernel = (flags & (COUNT_KERNEL | COUNT_KERNEL_ONLY)) == 0;
    return attr;
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

int counter_open(struct perf_event_attr *attr, int group)
{
    int fd;

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

/* "once": one run in three is wrong, when the others are right. "noisy": some take far longer. */
static uint64_t wrong_count(uint64_t count, unsigned long turns, uint64_t ns)
{
    static unsigned runs;

    runs++;
    return fault("zero")         ? 0
           : fault("constant")   ? 4711
           : fault("off")        ? count + turns
           : fault("interrupts") ? count + turns / 20000
           : fault("time")       ? ns
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
    r = (struct reading){wrong_count(count, turns, ns), ns, ns};
    r = fault("time-same") ? same_time() : without_counter(fd, r);
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

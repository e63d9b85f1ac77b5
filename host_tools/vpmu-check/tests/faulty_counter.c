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
    AROUND = 7
};

static struct {
    uint64_t config;
    uint64_t value;
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
    if (attr->type != PERF_TYPE_HARDWARE || attr->sample_period != 0 ||
        (attr->config != PERF_COUNT_HW_INSTRUCTIONS && attr->config != PERF_COUNT_HW_CPU_CYCLES &&
         attr->config != PERF_COUNT_HW_BRANCH_INSTRUCTIONS)) {
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
    events[fd].value = 0;
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
    return (struct reading){events[fd].value, 1000000, 1000000};
}

static uint64_t true_count(uint64_t config, const struct loop *loop, unsigned long turns)
{
    enum quantity branches = fault("taken") ? Q_TAKEN : Q_BRANCHES;
    enum quantity quantity =
        config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS ? branches : Q_INSTRUCTIONS;
    uint64_t count = (uint64_t)loop->per_turn[quantity] * turns + AROUND;

    return config == PERF_COUNT_HW_CPU_CYCLES ? 2 * count : count;
}

static uint64_t wrong_count(uint64_t count, unsigned long turns, uint64_t ns)
{
    return fault("zero")         ? 0
           : fault("constant")   ? 4711
           : fault("off")        ? count + turns
           : fault("interrupts") ? count + turns / 20000
           : fault("time")       ? ns
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

struct reading counter_loop(int fd, const struct loop *loop, unsigned long turns, void *memory)
{
    uint64_t begin = now_ns(), ns, count = true_count(events[fd].config, loop, turns);

    loop->run(turns, memory);
    ns = now_ns() - begin;
    count = wrong_count(count, turns, ns);
    events[fd].value += count;
    if (fault("time-same")) {
        return same_time();
    }
    return (struct reading){count, ns, fault("busy") ? ns / 2 : ns};
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

        n += fault("group-off") && group && i == 1 ? turns : 0;
        readings[i] = (struct reading){counts ? n : 0, 1000000,
                                       counts || !events[fds[i]].pinned ? 1000000 : 0};
    }
}

uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

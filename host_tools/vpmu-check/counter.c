/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

int counter_call(struct perf_event_attr *attr, int cpu, int group)
{
    long fd = syscall(SYS_perf_event_open, attr, 0, cpu, group, PERF_FLAG_FD_CLOEXEC);

    return fd < 0 ? -errno : (int)fd;
}

void counter_start(int fd)
{
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

void counter_stop(int fd)
{
    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
}

struct reading counter_read(int fd)
{
    struct reading reading = {0, 0, 0};

    if (read(fd, &reading, sizeof(reading)) != (ssize_t)sizeof(reading)) {
        memset(&reading, 0, sizeof(reading));
    }
    return reading;
}

static struct reading difference(struct reading after, struct reading before)
{
    return (struct reading){after.value - before.value, after.enabled - before.enabled,
                            after.running - before.running};
}

struct reading counter_loop(int fd, const struct loop *loop, unsigned long turns, void *memory)
{
    struct reading before = counter_read(fd);

    counter_start(fd);
    loop->run(turns, memory);
    counter_stop(fd);
    return difference(counter_read(fd), before);
}

uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void counter_group(int fd, bool start)
{
    ioctl(fd, start ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
}

void counter_loop_many(const int *fds, unsigned count, bool group, const struct loop *loop,
                       unsigned long turns, void *memory, struct reading *readings)
{
    /* One call starts a group. */
    unsigned calls = group ? 1 : count;

    for (unsigned i = 0; i < count; i++) {
        readings[i] = counter_read(fds[i]);
    }
    for (unsigned i = 0; i < calls; i++) {
        counter_group(fds[i], true);
    }
    loop->run(turns, memory);
    for (unsigned i = 0; i < calls; i++) {
        counter_group(fds[i], false);
    }
    for (unsigned i = 0; i < count; i++) {
        readings[i] = difference(counter_read(fds[i]), readings[i]);
    }
}

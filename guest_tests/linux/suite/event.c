/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "event.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perf.h"
#include "suite.h"

uint32_t event_pmu_type(void)
{
    unsigned type = 0;
    char path[128];
    FILE *file;

    snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", pmu_name());
    file = fopen(path, "re");
    if (file != NULL) {
        if (fscanf(file, "%u", &type) != 1) {
            type = 0;
        }
        fclose(file);
    }
    return type;
}

struct perf_event_attr event_user(uint64_t number)
{
    struct perf_event_attr attr;

    memset(&attr, 0, sizeof(attr));
    attr.size = sizeof(attr);
    attr.type = event_pmu_type();
    attr.config = number;
    attr.disabled = 1;
    attr.exclude_kernel = 1;
    attr.exclude_hv = 1;
    return attr;
}

int event_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
    return (int)syscall(SYS_perf_event_open, attr, pid, cpu, group, PERF_FLAG_FD_CLOEXEC);
}

int event_must_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
    int fd = event_open(attr, pid, cpu, group);

    if (fd < 0) {
        test_fail("perf_event_open: %s", strerror(errno));
    }
    return fd;
}

uint64_t event_read(int fd)
{
    uint64_t value = 0;

    if (read(fd, &value, sizeof(value)) != sizeof(value)) {
        test_fail("reading an event: %s", errno != 0 ? strerror(errno) : "end of file");
        return 0;
    }
    return value;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which events are opened. If a computer has CPUs of several kinds, the generic events exist in the
 * PMU of each kind.
 */
#include <string.h>
#include <unistd.h>

#include "check.h"

/* Where perf_event_attr.config has the type of the PMU that a generic event is of: Linux 5.13, for
 * Arm 6.6. Older headers do not name it. */
#define TYPE_SHIFT 32

/**
 * struct aim - the PMU whose generic events are opened
 * @type: its type; 0 if there is only one.
 * @cpu: -1 for all; with a CPU Linux takes the PMU of this one.
 */
static struct {
    uint32_t type;
    int cpu;
} aim = {0, -1};

void counter_aim(uint32_t type, int cpu)
{
    aim.type = type;
    aim.cpu = cpu;
}

bool counter_type_is_known(uint32_t type)
{
    struct perf_event_attr attr = counter_attr(
        PERF_TYPE_HARDWARE, (uint64_t)type << TYPE_SHIFT | PERF_COUNT_HW_CPU_CYCLES, 0);
    int fd = counter_call(&attr, -1, -1);

    if (fd >= 0) {
        close(fd);
    }
    return fd >= 0;
}

struct perf_event_attr counter_attr(uint32_t type, uint64_t config, unsigned flags)
{
    struct perf_event_attr attr;

    memset(&attr, 0, sizeof(attr));
    attr.size = sizeof(attr);
    attr.type = type;
    attr.config = config;
    attr.disabled = 1;
    attr.exclude_hv = 1;
    attr.exclude_kernel = (flags & (COUNT_KERNEL | COUNT_KERNEL_ONLY)) == 0;
    attr.exclude_user = (flags & COUNT_KERNEL_ONLY) != 0;
    attr.inherit = (flags & COUNT_CHILDREN) != 0;
    attr.exclude_host = (flags & COUNT_NO_HOST) != 0;
    attr.exclude_guest = (flags & COUNT_NO_GUEST) != 0;
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return attr;
}

int counter_open(const struct perf_event_attr *attr, int group)
{
    struct perf_event_attr asked = *attr;

    asked.disabled = group < 0;
    if (asked.type == PERF_TYPE_HARDWARE || asked.type == PERF_TYPE_HW_CACHE) {
        asked.config |= (uint64_t)aim.type << TYPE_SHIFT;
    }
    return counter_call(&asked, aim.cpu, group);
}

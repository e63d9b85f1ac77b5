/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts events of a program and its children with the kernel's perf events. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest.h"

struct reading {
    uint64_t value, enabled, running;
};

static int fds[GUEST_EVENTS_MAX];

static void set_exclude(struct perf_event_attr *attr, unsigned exclude)
{
    attr->exclude_user = exclude == RUN_EXCLUDE_USER;
    attr->exclude_kernel = exclude == RUN_EXCLUDE_KERNEL;
}

/* tracepoint_number() - the number of "SUBSYSTEM/NAME" for perf; 0 if there is none */
static uint64_t tracepoint_number(const char *name)
{
    char path[256], text[32] = "";
    int fd;

    snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/id", name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return 0;
    }
    if (read(fd, text, sizeof(text) - 1) < 0) {
        text[0] = '\0';
    }
    close(fd);
    return strtoull(text, NULL, 10);
}

/* attr_of() - what the kernel is asked for. Return: 0, or errno if there is no such event. */
static int attr_of(const struct job *job, size_t i, struct perf_event_attr *attr)
{
    const char *text = job->event[i].text;

    memset(attr, 0, sizeof(*attr));
    attr->size = sizeof(*attr);
    attr->disabled = 1;
    attr->inherit = 1;
    attr->enable_on_exec = 1;
    attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    if (job->event[i].tracepoint) {
        char name[128];
        unsigned exclude;

        if (sscanf(text, "%127s %x", name, &exclude) != 2) {
            return EINVAL;
        }
        attr->type = PERF_TYPE_TRACEPOINT;
        attr->config = tracepoint_number(name);
        set_exclude(attr, exclude);
        return attr->config ? 0 : ENOENT;
    }
    {
        unsigned type, exclude;
        unsigned long long config;

        if (sscanf(text, "%x %llx %x", &type, &config, &exclude) != 3) {
            return EINVAL;
        }
        attr->type = type;
        attr->config = config;
        set_exclude(attr, exclude);
    }
    return 0;
}

void count_open(const struct job *job, pid_t pid)
{
    for (size_t i = 0; i < job->events; i++) {
        struct perf_event_attr attr;
        int failed = attr_of(job, i, &attr);

        fds[i] = -1;
        if (!failed) {
            fds[i] = (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
            failed = fds[i] < 0 ? errno : 0;
        }
        if (failed) {
            guest_result("uncounted %zu %d", i, failed);
        }
    }
}

void count_report(const struct job *job)
{
    static struct reading readings[GUEST_EVENTS_MAX];

    /* All are read before anything else happens: processes that the program has left still run. */
    for (size_t i = 0; i < job->events; i++) {
        if (fds[i] >= 0 && read(fds[i], &readings[i], sizeof(readings[i])) < 0) {
            guest_result("uncounted %zu %d", i, errno);
            close(fds[i]);
            fds[i] = -1;
        }
    }
    for (size_t i = 0; i < job->events; i++) {
        const struct reading *r = &readings[i];

        if (fds[i] >= 0) {
            guest_result("count %zu %llu %llu %llu", i, (unsigned long long)r->value,
                         (unsigned long long)r->enabled, (unsigned long long)r->running);
        }
    }
}

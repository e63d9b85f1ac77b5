/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts events of a program and its children, or of all CPUs, with the kernel's perf events. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest.h"

/* Of each event one for the program, or one for each CPU: the kernel has a buffer for each CPU. */
static int fds[GUEST_EVENTS_MAX][GUEST_CPUS_MAX];
static unsigned per_event = 1;

static void set_exclude(struct perf_event_attr *attr, unsigned exclude)
{
    attr->exclude_user = exclude == RUN_EXCLUDE_USER;
    attr->exclude_kernel = exclude == RUN_EXCLUDE_KERNEL;
}

/* set_sampling() - asks for samples. @first: of the program's first event. */
static void set_sampling(const struct job *job, bool first, struct perf_event_attr *attr)
{
    attr->sample_type = RUN_SAMPLE_TYPE | (job->record.chains ? PERF_SAMPLE_CALLCHAIN : 0);
    if (job->record.branches) {
        attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
        attr->branch_sample_type = RUN_BRANCHES;
    }
    if (job->record.stack) {
        attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
        attr->sample_regs_user = job->record.registers;
        attr->sample_stack_user = job->record.stack;
    }
    attr->freq = job->record.frequency != 0;
    attr->sample_period = attr->freq ? job->record.frequency : job->record.period;
    attr->sample_id_all = 1;
    attr->watermark = 1;
    /* The rest is for what comes until they are fetched. */
    attr->wakeup_watermark = GUEST_RING_SIZE / 4;
    attr->mmap = attr->mmap2 = attr->comm = attr->task = attr->build_id = first;
}

/* attr_of() - makes the arguments for the kernel. Return: 0, or errno if there is no such event. */
static int attr_of(const struct job *job, size_t i, struct perf_event_attr *attr)
{
    const char *text = job->event[i].text;

    memset(attr, 0, sizeof(*attr));
    attr->size = sizeof(*attr);
    attr->disabled = 1;
    attr->inherit = !job->machine;
    attr->enable_on_exec = !job->machine;
    attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    if (job->record.on) {
        set_sampling(job, i == 0, attr);
    }
    if (job->event[i].tracepoint) {
        char name[128];
        unsigned exclude;

        if (sscanf(text, "%127s %x", name, &exclude) != 2) {
            return EINVAL;
        }
        attr->type = PERF_TYPE_TRACEPOINT;
        attr->config = tracepoint_number(name);
        set_exclude(attr, exclude);
        return 0;
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

static bool each_cpu(const struct job *job)
{
    return job->machine || job->record.on;
}

/* open_one() - Return: 0 or errno */
static int open_one(const struct job *job, size_t i, pid_t pid)
{
    struct perf_event_attr attr;
    int failed = attr_of(job, i, &attr);

    for (unsigned n = 0; n < per_event; n++) {
        fds[i][n] = -1;
        if (!failed) {
            fds[i][n] = (int)syscall(SYS_perf_event_open, &attr, job->machine ? -1 : pid,
                                     each_cpu(job) ? (int)n : -1, -1, PERF_FLAG_FD_CLOEXEC);
            failed = fds[i][n] < 0 ? errno : 0;
        }
    }
    return failed;
}

void count_open(const struct job *job, pid_t pid)
{
    if (each_cpu(job)) {
        long cpus = sysconf(_SC_NPROCESSORS_ONLN);

        per_event = cpus < GUEST_CPUS_MAX ? (unsigned)cpus : GUEST_CPUS_MAX;
    }
    for (size_t i = 0; i < job->events; i++) {
        int failed = open_one(job, i, pid);

        if (failed) {
            fds[i][0] = -1;
            guest_result("uncounted %zu %d", i, failed);
        }
    }
}

void count_start(const struct job *job)
{
    for (size_t i = 0; job->machine && i < job->events; i++) {
        for (unsigned n = 0; n < per_event && fds[i][0] >= 0; n++) {
            ioctl(fds[i][n], PERF_EVENT_IOC_ENABLE, 0);
        }
    }
}

/*
 * read_all() - the sum of an event's counters. Return: 0 or errno.
 * The counters of a process, one for each CPU, are all enabled while it runs, and one of them runs.
 */
static int read_all(const struct job *job, size_t i, struct reading *sum)
{
    memset(sum, 0, sizeof(*sum));
    for (unsigned n = 0; n < per_event; n++) {
        struct reading r;

        if (read(fds[i][n], &r, sizeof(r)) < 0) {
            return errno;
        }
        sum->value += r.value;
        if (job->machine) {
            sum->enabled += r.enabled;
        } else if (r.enabled > sum->enabled) {
            sum->enabled = r.enabled;
        }
        sum->running += r.running;
    }
    return 0;
}

bool count_is_open(size_t i)
{
    return fds[i][0] >= 0;
}

unsigned count_fds(size_t i, const int **of)
{
    *of = fds[i];
    return count_is_open(i) ? per_event : 0;
}

void count_stop(const struct job *job)
{
    for (size_t i = 0; i < job->events; i++) {
        for (unsigned n = 0; n < per_event && count_is_open(i); n++) {
            ioctl(fds[i][n], PERF_EVENT_IOC_DISABLE, 0);
        }
    }
}

void count_read(const struct job *job, struct reading *readings)
{
    for (size_t i = 0; i < job->events; i++) {
        int failed = count_is_open(i) ? read_all(job, i, &readings[i]) : 0;

        if (failed) {
            guest_result("uncounted %zu %d", i, failed);
            fds[i][0] = -1;
        }
    }
}

void count_report(const struct job *job)
{
    static struct reading readings[GUEST_EVENTS_MAX];

    /* All are read before anything else happens: processes that the program has left still run. */
    count_read(job, readings);
    for (size_t i = 0; i < job->events; i++) {
        const struct reading *r = &readings[i];

        if (count_is_open(i)) {
            guest_result("count %zu %llu %llu %llu", i, (unsigned long long)r->value,
                         (unsigned long long)r->enabled, (unsigned long long)r->running);
        }
    }
}

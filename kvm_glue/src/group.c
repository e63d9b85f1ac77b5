/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Perf events of one thread that count at the same times. */
#define _GNU_SOURCE
#include "kvm_glue/group.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"
/* How often a read of a page is retried because the page changes. */
#define TRIES 16

/* The result of read(2) for PERF_FORMAT_GROUP with both times. */
struct group_data {
    uint64_t count;
    uint64_t enabled;
    uint64_t running;
    uint64_t value[KVM_GLUE_GROUP_MAX];
};

/* Source: Linux 7.3, kernel/events/core.c, perf_event_open(). */
static const struct {
    int error;
    enum kvm_glue_topic topic;
    const char *meaning;
} meanings[] = {
    {EACCES, KVM_GLUE_TOPIC_PERMISSION, NULL},
    {EPERM, KVM_GLUE_TOPIC_PERMISSION, NULL},
    {ENOENT, KVM_GLUE_TOPIC_NO_PMU,
     "the host has no PMU that counts this; perf list shows what it has"},
    {EOPNOTSUPP, KVM_GLUE_TOPIC_NO_PMU,
     "the host's PMU cannot count this, or a machine with a mediated PMU exists and only the host "
     "can be counted; perf list shows what the PMU has"},
    {ENODEV, KVM_GLUE_TOPIC_NO_PMU,
     "the host's PMU cannot count this; perf list shows what it has"},
    {ENOSPC, KVM_GLUE_TOPIC_TOO_FEW,
     "the host's PMU has too few counters; free those that others hold, the NMI watchdog's too"},
    {EINVAL, KVM_GLUE_TOPIC_TOO_FEW,
     "the host's PMU has too few counters for these events together, or cannot count them"},
    {EBUSY, KVM_GLUE_TOPIC_TOO_FEW, "another user holds the host's PMU; stop it"},
    {ESRCH, KVM_GLUE_TOPIC_GONE, "the thread has ended"},
    {EMFILE, KVM_GLUE_TOPIC_OTHER, "too many files are open; raise ulimit -n"},
    {ENFILE, KVM_GLUE_TOPIC_OTHER, "too many files are open on the host; raise fs.file-max"},
    {ENOMEM, KVM_GLUE_TOPIC_OTHER, "the kernel is out of memory; free some"},
    {ENOSYS, KVM_GLUE_TOPIC_NO_PMU,
     "this kernel has no perf events, or a security policy forbids them; allow perf_event_open"},
    {E2BIG, KVM_GLUE_TOPIC_OTHER,
     "this kernel does not know a field of the event; use a later kernel"},
};

enum kvm_glue_topic kvm_glue_group_topic(int error)
{
    for (size_t i = 0; i < KVM_GLUE_COUNT_OF(meanings); i++) {
        if (meanings[i].error == -error) {
            return meanings[i].topic;
        }
    }
    return KVM_GLUE_TOPIC_OTHER;
}

static const char *meaning_of(int error)
{
    for (size_t i = 0; i < KVM_GLUE_COUNT_OF(meanings); i++) {
        if (meanings[i].error == -error) {
            return meanings[i].meaning;
        }
    }
    return "unexpected";
}

int kvm_glue_explain_perf_(const struct kvm_glue_os *os, int error, struct kvm_glue_error *err)
{
    char paranoid[16];

    if (kvm_glue_group_topic(error) != KVM_GLUE_TOPIC_PERMISSION) {
        return kvm_glue_fail_(err, error, "perf_event_open: %s: %s", strerror(-error),
                              meaning_of(error));
    }
    if (kvm_glue_read_text_(os, PARANOID, paranoid, sizeof(paranoid)) < 0) {
        strcpy(paranoid, "unknown");
    }
    return kvm_glue_fail_(err, error,
                          "perf_event_open: %s: kernel.perf_event_paranoid is %.*s; counting the "
                          "kernel and guests needs 1 or less, or CAP_PERFMON",
                          strerror(-error), (int)strcspn(paranoid, "\n"), paranoid);
}

static int open_event(const struct kvm_glue_group *g, const struct kvm_glue_event *event, pid_t tid,
                      uint64_t config1)
{
    struct perf_event_attr attr = {
        .type = event->type,
        .size = sizeof(attr),
        .config = event->config,
        .config1 = config1,
        .read_format =
            PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .disabled = g->count == 0,
        .exclude_user = event->exclude.exclude_user,
        .exclude_kernel = event->exclude.exclude_kernel,
        .exclude_hv = event->exclude.exclude_hv,
        .exclude_host = event->exclude.exclude_host,
        .exclude_guest = event->exclude.exclude_guest,
        .exclude_idle = event->exclude.exclude_idle,
    };

    return g->os->perf_open(&attr, tid, g->count == 0 ? -1 : g->fd[0]);
}

/* A PMU that does not support reads from user space may refuse an event that requests them. */
static int add_event(struct kvm_glue_group *g, const struct kvm_glue_event *event, pid_t tid)
{
    int fd = open_event(g, event, tid, g->user_read ? g->os->user_config : 0);

    if ((fd == -EINVAL || fd == -EOPNOTSUPP) && g->user_read && g->os->user_config != 0) {
        g->user_read = false;
        fd = open_event(g, event, tid, 0);
    }
    if (fd < 0) {
        return fd;
    }
    g->fd[g->count] = fd;
    g->page[g->count] = g->user_read ? g->os->map_page(fd) : NULL;
    g->user_read = g->user_read && g->page[g->count] != NULL;
    g->count++;
    return 0;
}

int kvm_glue_group_open(struct kvm_glue_group *g, const struct kvm_glue_os *os,
                        const struct kvm_glue_event *events, unsigned count, pid_t tid,
                        struct kvm_glue_error *err)
{
    int ret = 0;

    memset(g, 0, sizeof(*g));
    if (count < 1 || count > KVM_GLUE_GROUP_MAX) {
        return kvm_glue_fail_(err, -EINVAL, "a group has %u events; there can be 1 to %u", count,
                              KVM_GLUE_GROUP_MAX);
    }
    g->os = os;
    g->user_read = tid == 0 && os->read_counter != NULL && events[0].type != PERF_TYPE_SOFTWARE;
    for (unsigned i = 0; ret == 0 && i < count; i++) {
        ret = add_event(g, &events[i], tid);
    }
    if (ret == 0) {
        ret = os->ioctl(g->fd[0], PERF_EVENT_IOC_ENABLE, (void *)PERF_IOC_FLAG_GROUP);
    }
    if (ret < 0) {
        kvm_glue_group_close(g);
        return kvm_glue_explain_perf_(os, ret, err);
    }
    return 0;
}

/* A counter narrower than 64 bits is a signed offset to the page's offset field. */
static uint64_t extend(uint64_t counter, unsigned width)
{
    unsigned shift = width == 0 || width > 64 ? 0 : 64 - width;

    return (uint64_t)((int64_t)(counter << shift) >> shift);
}

/*
 * Returns true if the page allows a read from user space now. Source: linux/perf_event.h, struct
 * perf_event_mmap_page.
 */
static bool read_page(const struct kvm_glue_group *g, const volatile struct perf_event_mmap_page *p,
                      uint64_t *value, uint64_t *enabled)
{
    for (unsigned i = 0; i < TRIES; i++) {
        uint32_t lock = p->lock;
        uint64_t running;
        uint32_t index;

        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        index = p->index;
        *enabled = p->time_enabled;
        running = p->time_running;
        if (!p->cap_user_rdpmc || index == 0 || *enabled != running) {
            return false;
        }
        *value = (uint64_t)p->offset + extend(g->os->read_counter(index - 1), p->pmc_width);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        if (p->lock == lock) {
            return true;
        }
    }
    return false;
}

static bool read_pages(const struct kvm_glue_group *g, struct kvm_glue_reading *reading)
{
    for (unsigned i = 0; i < g->count; i++) {
        if (!read_page(g, g->page[i], &reading->value[i], &reading->enabled)) {
            return false;
        }
    }
    reading->running = reading->enabled;
    reading->by_user = true;
    return true;
}

int kvm_glue_group_read(struct kvm_glue_group *g, struct kvm_glue_reading *reading)
{
    struct group_data data;
    size_t wanted = offsetof(struct group_data, value) + g->count * sizeof(data.value[0]);
    ssize_t got;

    if (g->count == 0) {
        return -EBADF;
    }
    if (g->user_read && read_pages(g, reading)) {
        return 0;
    }
    got = g->os->read(g->fd[0], &data, sizeof(data));
    if (got < 0) {
        return (int)got;
    }
    if ((size_t)got != wanted || data.count != g->count) {
        return -ENODEV;
    }
    reading->enabled = data.enabled;
    reading->running = data.running;
    reading->by_user = false;
    memcpy(reading->value, data.value, g->count * sizeof(data.value[0]));
    return 0;
}

/* Returns @a * @b / @c, at most UINT64_MAX. @c is not 0. */
static uint64_t multiply_divide(uint64_t a, uint64_t b, uint64_t c)
{
    unsigned __int128 result = (unsigned __int128)a * b / c;

    return result > UINT64_MAX ? UINT64_MAX : (uint64_t)result;
}

bool kvm_glue_group_delta(const struct kvm_glue_reading *from, const struct kvm_glue_reading *to,
                          unsigned index, uint64_t *delta)
{
    uint64_t enabled = to->enabled - from->enabled;
    uint64_t running = to->running - from->running;

    if (from->by_user != to->by_user) {
        return false;
    }
    *delta = to->value[index] - from->value[index];
    if (enabled != running) {
        if (running == 0) {
            return false;
        }
        *delta = multiply_divide(*delta, enabled, running);
    }
    return true;
}

bool kvm_glue_group_scaled(const struct kvm_glue_reading *from, const struct kvm_glue_reading *to)
{
    return to->enabled - from->enabled != to->running - from->running;
}

void kvm_glue_group_close(struct kvm_glue_group *g)
{
    for (unsigned i = g->count; i-- > 0;) {
        if (g->page[i] != NULL) {
            g->os->unmap_page(g->page[i]);
        }
        g->os->close(g->fd[i]);
    }
    g->count = 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples a guest on a vCPU with perf events of the vCPU's thread. */
#define _GNU_SOURCE
#include "kvm_glue/sampler.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "internal.h"

#define MAX_RATE "/proc/sys/kernel/perf_event_max_sample_rate"

/* The layout of PERF_RECORD_SAMPLE in words, which sample_type determines. */
#define SAMPLE_TYPE                                                                                \
    (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD)
enum {
    SAMPLE_ID,
    SAMPLE_IP,
    SAMPLE_TIME,
    SAMPLE_PERIOD,
    SAMPLE_WORDS
};

/* The layout of PERF_RECORD_LOST and PERF_RECORD_THROTTLE in words. */
enum {
    LOST_ID,
    LOST_SAMPLES,
    LOST_WORDS
};
enum {
    THROTTLE_TIME,
    THROTTLE_ID,
    THROTTLE_WORDS
};

/* The layout of read(2) in words: for one event, and for a group, whose entries follow. */
#define READ_FORMAT                                                                                \
    (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID)
enum {
    READ_VALUE,
    READ_ENABLED,
    READ_RUNNING,
    READ_ID,
    READ_LOST,
    READ_WORDS
};
enum {
    GROUP_COUNT,
    GROUP_ENABLED,
    GROUP_RUNNING,
    GROUP_WORDS
};
enum {
    ENTRY_VALUE,
    ENTRY_ID,
    ENTRY_LOST,
    ENTRY_WORDS
};
#define GROUP_MAX (GROUP_WORDS + KVM_GLUE_SAMPLER_EVENTS * ENTRY_WORDS)

_Static_assert((1 + SAMPLE_WORDS + GROUP_MAX) * sizeof(uint64_t) <= KVM_GLUE_RING_RECORD,
               "a sample is seen whole");

void kvm_glue_sampler_init(struct kvm_glue_sampler *s, const struct kvm_glue_os *os,
                           const struct kvm_glue_sampler_options *options)
{
    memset(s, 0, sizeof(*s));
    s->os = os;
    s->options = *options;
    s->tells_lost = true;
    s->telling = KVM_GLUE_SAMPLER_EVENTS;
}

/*
 * Opening
 */

static int open_event(const struct kvm_glue_sampler *s, const struct kvm_glue_sampled *event)
{
    bool is_first = s->count == 0;
    struct perf_event_attr attr = {
        .type = event->type,
        .size = sizeof(attr),
        .config = event->config,
        .sample_type = SAMPLE_TYPE | (s->options.values ? PERF_SAMPLE_READ : 0),
        .read_format = READ_FORMAT | (s->options.values ? PERF_FORMAT_GROUP : 0) |
                       (s->tells_lost ? PERF_FORMAT_LOST : 0),
        .disabled = is_first || !s->options.values,
        .exclude_host = 1,
        .exclude_user = event->exclude_user,
        .exclude_kernel = event->exclude_kernel,
        .freq = event->frequency != 0,
        .watermark = 1,
        .wakeup_watermark = (uint32_t)(s->options.ring / 2),
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
    };

    attr.sample_period = event->frequency ? event->frequency : event->period;
    return s->os->perf_open(&attr, 0, is_first || !s->options.values ? -1 : s->fd[0]);
}

/* A kernel that does not count lost samples refuses PERF_FORMAT_LOST. */
static int open_any(struct kvm_glue_sampler *s, const struct kvm_glue_sampled *event)
{
    int fd = open_event(s, event);

    if (fd == -EINVAL && s->count == 0 && s->tells_lost) {
        s->tells_lost = false;
        fd = open_event(s, event);
        s->tells_lost = fd == -EINVAL;
    }
    return fd;
}

static int explain(const struct kvm_glue_sampler *s, const struct kvm_glue_sampled *event,
                   int error, struct kvm_glue_error *err)
{
    char rate[32];

    if (error == -EINVAL && event->frequency != 0 &&
        kvm_glue_read_text_(s->os, MAX_RATE, rate, sizeof(rate)) == 0 &&
        strtoull(rate, NULL, 10) < event->frequency) {
        return kvm_glue_fail_(err, error,
                              "kernel.perf_event_max_sample_rate allows %.*s samples a second",
                              (int)strcspn(rate, "\n"), rate);
    }
    return kvm_glue_explain_perf_(s->os, error, err);
}

static int map_ring(struct kvm_glue_sampler *s, int fd, struct kvm_glue_error *err)
{
    const void *data;
    int ret = s->os->map_ring(fd, s->options.ring, &s->page, &data);

    if (ret < 0) {
        s->page = NULL;
        return kvm_glue_fail_(
            err, ret,
            "the kernel refuses a buffer of %zu KiB for samples: %s: use a smaller "
            "one, a larger kernel.perf_event_mlock_kb, or CAP_IPC_LOCK",
            s->options.ring >> 10, strerror(-ret));
    }
    kvm_glue_ring_init(&s->ring, s->page, data, s->options.ring);
    return 0;
}

/* The first event has the ring. The other events write to it as well. */
static int connect_event(struct kvm_glue_sampler *s, int fd, struct kvm_glue_error *err)
{
    int ret = s->os->ioctl(fd, PERF_EVENT_IOC_ID, &s->id[s->count]);

    if (ret == 0 && s->count > 0) {
        ret = s->os->ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, (void *)(intptr_t)s->fd[0]);
    }
    if (ret < 0) {
        return kvm_glue_fail_(err, ret, "a perf event cannot be set up: %s", strerror(-ret));
    }
    return s->count > 0 ? 0 : map_ring(s, fd, err);
}

int kvm_glue_sampler_add(struct kvm_glue_sampler *s, const struct kvm_glue_sampled *event,
                         struct kvm_glue_error *err)
{
    int fd;
    int ret;

    if (s->count == KVM_GLUE_SAMPLER_EVENTS) {
        return kvm_glue_fail_(err, -E2BIG, "a vCPU can have %u events", KVM_GLUE_SAMPLER_EVENTS);
    }
    fd = open_any(s, event);
    if (fd < 0) {
        return explain(s, event, fd, err);
    }
    ret = connect_event(s, fd, err);
    if (ret < 0) {
        s->os->close(fd);
        return ret;
    }
    s->fd[s->count] = fd;
    s->period[s->count] = event->period;
    s->tally[s->count].period = event->frequency ? 1 : event->period;
    s->count++;
    return 0;
}

int kvm_glue_sampler_switch(struct kvm_glue_sampler *s, bool on)
{
    unsigned long request = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
    unsigned leaders = s->options.values && s->count > 0 ? 1 : s->count;
    int ret = 0;

    for (unsigned i = 0; ret == 0 && i < leaders; i++) {
        ret = s->os->ioctl(s->fd[i], request,
                           (void *)(uintptr_t)(s->options.values ? PERF_IOC_FLAG_GROUP : 0));
    }
    return ret;
}

int kvm_glue_sampler_fd(const struct kvm_glue_sampler *s)
{
    return s->count > 0 ? s->fd[0] : -1;
}

/*
 * Counts
 */

static size_t entry_words(const struct kvm_glue_sampler *s)
{
    return s->tells_lost ? ENTRY_WORDS : ENTRY_LOST;
}

/* The index of the event with this id; s->count if there is none. */
static unsigned find_event(const struct kvm_glue_sampler *s, uint64_t id)
{
    unsigned i = 0;

    while (i < s->count && s->id[i] != id) {
        i++;
    }
    return i;
}

/*
 * Finds the entry of an event in the @n words that were read from its group; NULL if it is missing.
 */
static const uint64_t *find_entry(const struct kvm_glue_sampler *s, unsigned event,
                                  const uint64_t *words, size_t n)
{
    size_t step = entry_words(s);

    if (n < GROUP_WORDS || words[GROUP_COUNT] != s->count || n < GROUP_WORDS + s->count * step) {
        return NULL;
    }
    for (unsigned i = 0; i < s->count; i++) {
        const uint64_t *entry = words + GROUP_WORDS + i * step;

        if (entry[ENTRY_ID] == s->id[event]) {
            return entry;
        }
    }
    return NULL;
}

static int read_words(const struct kvm_glue_sampler *s, int fd, uint64_t *words, size_t *n)
{
    ssize_t got = s->os->read(fd, words, GROUP_MAX * sizeof(*words));

    *n = got < 0 ? 0 : (size_t)got / sizeof(*words);
    return got < 0 ? (int)got : 0;
}

/* Reads the value, both times and, if the kernel counts them, the lost samples. */
static int read_group(const struct kvm_glue_sampler *s, unsigned event, uint64_t to[READ_WORDS])
{
    uint64_t words[GROUP_MAX];
    const uint64_t *entry;
    size_t n;
    int ret = read_words(s, s->fd[0], words, &n);

    if (ret < 0) {
        return ret;
    }
    entry = find_entry(s, event, words, n);
    if (!entry) {
        return -ENODEV;
    }
    to[READ_VALUE] = entry[ENTRY_VALUE];
    to[READ_ENABLED] = words[GROUP_ENABLED];
    to[READ_RUNNING] = words[GROUP_RUNNING];
    to[READ_LOST] = s->tells_lost ? entry[ENTRY_LOST] : 0;
    return 0;
}

static int read_event(const struct kvm_glue_sampler *s, unsigned event, uint64_t to[READ_WORDS])
{
    uint64_t words[GROUP_MAX];
    size_t n;
    int ret;

    if (s->options.values) {
        return read_group(s, event, to);
    }
    ret = read_words(s, s->fd[event], words, &n);
    if (ret < 0) {
        return ret;
    }
    if (n != (s->tells_lost ? READ_WORDS : READ_LOST)) {
        return -ENODEV;
    }
    memcpy(to, words, n * sizeof(*words));
    to[READ_LOST] = s->tells_lost ? words[READ_LOST] : 0;
    return 0;
}

int kvm_glue_sampler_read(const struct kvm_glue_sampler *s, unsigned event,
                          struct kvm_glue_sampler_count *count)
{
    const struct kvm_glue_tally *t = &s->tally[event];
    uint64_t words[READ_WORDS];
    int ret = event < s->count ? read_event(s, event, words) : -EINVAL;

    if (ret < 0) {
        return ret;
    }
    *count = (struct kvm_glue_sampler_count){
        .count = words[READ_VALUE],
        .enabled = words[READ_ENABLED],
        .running = words[READ_RUNNING],
        .samples = __atomic_load_n(&t->samples, __ATOMIC_RELAXED),
        .elsewhere = __atomic_load_n(&t->elsewhere, __ATOMIC_RELAXED),
        .throttled = __atomic_load_n(&t->throttled, __ATOMIC_RELAXED),
        .weight = __atomic_load_n(&t->weight, __ATOMIC_RELAXED),
        .period = __atomic_load_n(&t->period, __ATOMIC_RELAXED),
    };
    count->lost = count->elsewhere +
                  (s->tells_lost ? words[READ_LOST] : __atomic_load_n(&t->lost, __ATOMIC_RELAXED));
    count->weight += s->period[event] * count->lost;
    /* The kernel also counts a record of throttling that was lost, which stands for no events. */
    if (count->weight > count->count) {
        count->weight = count->count;
    }
    return 0;
}

/*
 * Samples
 */

/* Adds without a read-modify-write operation, because there is only one writer. */
static void add(uint64_t *to, uint64_t n)
{
    __atomic_store_n(to, *to + n, __ATOMIC_RELAXED);
}

static int take_lost(struct kvm_glue_sampler *s, unsigned event, uint64_t n,
                     struct kvm_glue_sample_taken *taken)
{
    *taken = (struct kvm_glue_sample_taken){.event = event, .lost = n, .time = s->time};
    return 1;
}

/* PERF_RECORD_LOST counts samples of all events. Newer kernels also count them for each event. */
static int tell_lost(struct kvm_glue_sampler *s, struct kvm_glue_sample_taken *taken)
{
    while (s->telling < s->count) {
        unsigned event = s->telling++;
        uint64_t words[READ_WORDS];
        uint64_t n;

        if (read_event(s, event, words) < 0 || words[READ_LOST] <= s->tally[event].lost) {
            continue;
        }
        n = words[READ_LOST] - s->tally[event].lost;
        add(&s->tally[event].lost, n);
        return take_lost(s, event, n, taken);
    }
    return 0;
}

/* Older kernels attribute the lost samples to the event that writes the record. */
static int see_lost(struct kvm_glue_sampler *s, const struct kvm_glue_record *r,
                    struct kvm_glue_sample_taken *taken)
{
    unsigned event = r->n < LOST_WORDS ? s->count : find_event(s, r->words[LOST_ID]);

    if (event == s->count) {
        return -EPROTO;
    }
    if (s->tells_lost) {
        s->telling = 0;
        return tell_lost(s, taken);
    }
    add(&s->tally[event].lost, r->words[LOST_SAMPLES]);
    return r->words[LOST_SAMPLES] ? take_lost(s, event, r->words[LOST_SAMPLES], taken) : 0;
}

static int see_throttle(struct kvm_glue_sampler *s, const struct kvm_glue_record *r)
{
    unsigned event = r->n < THROTTLE_WORDS ? s->count : find_event(s, r->words[THROTTLE_ID]);

    if (event == s->count) {
        return -EPROTO;
    }
    add(&s->tally[event].throttled, 1);
    return 0;
}

/* Stores the values of a sample, which are in the kernel's order. */
static bool take_values(struct kvm_glue_sampler *s, const uint64_t *words, size_t n)
{
    for (unsigned i = 0; i < s->count; i++) {
        const uint64_t *entry = find_entry(s, i, words, n);

        if (!entry) {
            return false;
        }
        s->value[i] = entry[ENTRY_VALUE];
    }
    return true;
}

/* A sample that was taken after the vCPU left the guest does not tell where the guest was. */
static int see_sample(struct kvm_glue_sampler *s, const struct kvm_glue_record *r,
                      struct kvm_glue_sample_taken *taken)
{
    unsigned mode = r->misc & PERF_RECORD_MISC_CPUMODE_MASK;
    unsigned event = r->n < SAMPLE_WORDS ? s->count : find_event(s, r->words[SAMPLE_ID]);
    struct kvm_glue_tally *t = &s->tally[event];

    if (event == s->count || r->words[SAMPLE_PERIOD] == 0 ||
        (s->options.values && !take_values(s, r->words + SAMPLE_WORDS, r->n - SAMPLE_WORDS))) {
        return -EPROTO;
    }
    s->time = r->words[SAMPLE_TIME];
    if (mode != PERF_RECORD_MISC_GUEST_KERNEL && mode != PERF_RECORD_MISC_GUEST_USER) {
        add(&t->elsewhere, 1);
        take_lost(s, event, 1, taken);
        taken->elsewhere = true;
        return 1;
    }
    add(&t->samples, 1);
    add(&t->weight, r->words[SAMPLE_PERIOD]);
    __atomic_store_n(&t->period, r->words[SAMPLE_PERIOD], __ATOMIC_RELAXED);
    *taken = (struct kvm_glue_sample_taken){
        .event = event,
        .user = mode == PERF_RECORD_MISC_GUEST_USER,
        .time = s->time,
        .pc = r->words[SAMPLE_IP],
        .weight = r->words[SAMPLE_PERIOD],
        .value = s->options.values ? s->value : NULL,
    };
    return 1;
}

static int see(struct kvm_glue_sampler *s, const struct kvm_glue_record *r,
               struct kvm_glue_sample_taken *taken)
{
    switch (r->type) {
    case PERF_RECORD_SAMPLE:
        return see_sample(s, r, taken);
    case PERF_RECORD_LOST:
        return see_lost(s, r, taken);
    case PERF_RECORD_THROTTLE:
        return see_throttle(s, r);
    default:
        return 0;
    }
}

int kvm_glue_sampler_next(struct kvm_glue_sampler *s, struct kvm_glue_sample_taken *taken)
{
    struct kvm_glue_record record;
    int ret;

    if (s->count == 0) {
        return 0;
    }
    for (ret = tell_lost(s, taken); ret == 0; ret = see(s, &record, taken)) {
        ret = kvm_glue_ring_next(&s->ring, &record);
        if (ret <= 0) {
            return ret;
        }
    }
    if (ret < 0) {
        s->ring.broken = true;
    }
    return ret;
}

void kvm_glue_sampler_close(struct kvm_glue_sampler *s)
{
    if (s->page) {
        s->os->unmap_ring(s->page, s->options.ring);
        s->page = NULL;
    }
    while (s->count > 0) {
        s->os->close(s->fd[--s->count]);
    }
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KVM_GLUE_GROUP_H
#define KVM_GLUE_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "kvm_glue/error.h"
#include "kvm_glue/os.h"
#include "vpmu/attr.h"

#define KVM_GLUE_GROUP_MAX 6u

/* As in perf_event_attr. */
struct kvm_glue_event {
    uint32_t type;
    uint64_t config;
    struct vpmu_attr exclude;
};

/**
 * struct kvm_glue_group - perf events of one thread that count at the same times
 *
 * Private; the caller owns the memory. All zero is a closed group.
 */
struct kvm_glue_group {
    const struct kvm_glue_os *os;
    unsigned count;
    bool user_read;
    int fd[KVM_GLUE_GROUP_MAX];
    void *page[KVM_GLUE_GROUP_MAX];
};

/**
 * struct kvm_glue_reading - a group's values at one time
 * @enabled: nanoseconds that it could have counted.
 * @running: nanoseconds that it did.
 * @by_user: read without a system call: @enabled and @running are not up to date, but the group
 *     has never been without counters.
 * @value: in the order of the events.
 */
struct kvm_glue_reading {
    uint64_t enabled;
    uint64_t running;
    bool by_user;
    uint64_t value[KVM_GLUE_GROUP_MAX];
};

/**
 * kvm_glue_group_open() - start to count
 * @g: a closed group.
 * @os: the kernel; must outlive @g.
 * @events: what to count.
 * @count: how many, 1 to KVM_GLUE_GROUP_MAX.
 * @tid: the thread; 0 is the calling one, and only then values are read without a system call.
 *
 * Return: 0, -EINVAL for another number of events, or what perf_event_open(2) said, in words of
 * what to do about it.
 */
int kvm_glue_group_open(struct kvm_glue_group *g, const struct kvm_glue_os *os,
                        const struct kvm_glue_event *events, unsigned count, pid_t tid,
                        struct kvm_glue_error *err);

/**
 * kvm_glue_group_read() - all values
 * @g: an open group; if it was opened with @tid 0, by the same thread.
 * @reading: is filled in.
 *
 * Return: 0, -ENODEV if the kernel has given the group up, or what read(2) said.
 */
int kvm_glue_group_read(struct kvm_glue_group *g, struct kvm_glue_reading *reading);

/**
 * kvm_glue_group_delta() - what one event counted between two readings
 * @from: the earlier reading.
 * @to: the later one.
 * @index: the event's place.
 * @delta: is filled in, scaled to the whole time if the group had no counters for a part of it.
 *
 * Return: whether that is known: not if the group did not count at all, or was read in two ways.
 */
bool kvm_glue_group_delta(const struct kvm_glue_reading *from, const struct kvm_glue_reading *to,
                          unsigned index, uint64_t *delta);

/* Did the group have no counters for a part of the time between two readings? */
bool kvm_glue_group_scaled(const struct kvm_glue_reading *from, const struct kvm_glue_reading *to);

/* Stops and closes; may be called for a closed group, and by any thread. */
void kvm_glue_group_close(struct kvm_glue_group *g);

/* The topic to report an error of kvm_glue_group_open() or kvm_glue_group_read() under. */
enum kvm_glue_topic kvm_glue_group_topic(int error);

#endif

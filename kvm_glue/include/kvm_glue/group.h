/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KVM_GLUE_GROUP_H
#define KVM_GLUE_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "kvm_glue/error.h"
#include "kvm_glue/os.h"
#include "vpmu/arm/attr.h"
#include "vpmu/decls.h"

VPMU_DECLS_BEGIN

enum {
    KVM_GLUE_GROUP_MAX = 6
};

/**
 * struct kvm_glue_event - what an event counts
 * @type: perf_event_attr.type.
 * @config: perf_event_attr.config.
 * @exclude: perf_event_attr.exclude_*.
 */
struct kvm_glue_event {
    uint32_t type;
    uint64_t config;
    struct vpmu_attr exclude;
};

/**
 * struct kvm_glue_group - perf events of one thread that count at the same times
 *
 * All fields are private. The caller owns the memory. All zero is a closed group.
 */
struct kvm_glue_group {
    const struct kvm_glue_os *os;
    uint32_t count;
    bool user_read;
    int32_t fd[KVM_GLUE_GROUP_MAX];
    void *page[KVM_GLUE_GROUP_MAX];
};

/**
 * struct kvm_glue_reading - the values of a group at one moment
 * @enabled: nanoseconds for which the group was enabled.
 * @running: nanoseconds of these for which the group had counters.
 * @by_user: the values were read without a system call. @enabled and @running are then not current,
 *     but the group has always had counters.
 * @value: the values, in the order of the events.
 */
struct kvm_glue_reading {
    uint64_t enabled;
    uint64_t running;
    bool by_user;
    uint64_t value[KVM_GLUE_GROUP_MAX];
};

/**
 * kvm_glue_group_open() - open a group and start to count
 * @g: a closed group.
 * @os: the kernel. It must outlive @g.
 * @events: what to count.
 * @count: the number of events, 1 to KVM_GLUE_GROUP_MAX.
 * @tid: the thread that is counted; 0: the calling thread. Only then values can be read without a
 *     system call.
 * @err: is filled in on an error; may be NULL.
 *
 * Return: 0; -EINVAL for another number of events; or the error of perf_event_open(2) or ioctl(2),
 * which @err explains.
 */
int kvm_glue_group_open(struct kvm_glue_group *g, const struct kvm_glue_os *os,
                        const struct kvm_glue_event *events, unsigned count, pid_t tid,
                        struct kvm_glue_error *err);

/**
 * kvm_glue_group_read() - read all values
 * @g: an open group.
 * @reading: is filled in on success.
 *
 * Context: if the group was opened with @tid 0, the thread that opened it.
 * Return: 0; -EBADF if the group is closed; -ENODEV if the kernel has dropped the group; or the
 * error of read(2).
 */
int kvm_glue_group_read(struct kvm_glue_group *g, struct kvm_glue_reading *reading);

/**
 * kvm_glue_group_delta() - what one event counted between two readings
 * @from: the earlier reading.
 * @to: the later reading.
 * @index: the event, 0 to the number of events - 1.
 * @delta: is set if the count is known. It is scaled to the whole time if the group had no counters
 *     for a part of it.
 *
 * Return: true if the count is known; false if the group did not count at all, or if one reading
 * has @by_user and the other does not.
 */
bool kvm_glue_group_delta(const struct kvm_glue_reading *from, const struct kvm_glue_reading *to,
                          unsigned index, uint64_t *delta);

/**
 * kvm_glue_group_scaled() - tell whether the group had no counters for a part of the time between
 *     two readings
 * @from: the earlier reading.
 * @to: the later reading.
 *
 * Return: true if it had none for a part of the time.
 */
bool kvm_glue_group_scaled(const struct kvm_glue_reading *from, const struct kvm_glue_reading *to);

/**
 * kvm_glue_group_close() - stop and close a group
 * @g: an open or closed group.
 */
void kvm_glue_group_close(struct kvm_glue_group *g);

/**
 * kvm_glue_group_topic() - the topic of an error of kvm_glue_group_open() or kvm_glue_group_read()
 * @error: a negative errno.
 *
 * Return: the topic; KVM_GLUE_TOPIC_OTHER for an error that has none.
 */
enum kvm_glue_topic kvm_glue_group_topic(int error);

VPMU_DECLS_END

#endif

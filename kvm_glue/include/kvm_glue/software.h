/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KVM_GLUE_SOFTWARE_H
#define KVM_GLUE_SOFTWARE_H

#include <stdint.h>
#include <sys/types.h>

#include "kvm_glue/error.h"
#include "kvm_glue/group.h"
#include "vpmu/decls.h"

VPMU_DECLS_BEGIN

/* perf's software events of a thread. They need no hardware. */
enum kvm_glue_software_event {
    KVM_GLUE_TASK_CLOCK, /* nanoseconds on a CPU */
    KVM_GLUE_CONTEXT_SWITCHES,
    KVM_GLUE_MIGRATIONS, /* moves to another CPU */
    KVM_GLUE_FAULTS_MINOR,
    KVM_GLUE_FAULTS_MAJOR,
    KVM_GLUE_SOFTWARE_EVENTS,
};

/**
 * struct kvm_glue_software - the software events of one thread
 *
 * All fields are private. The caller owns the memory. All zero is closed.
 */
struct kvm_glue_software {
    struct kvm_glue_group group;
    int32_t tid;
    bool from_proc;
};

/**
 * struct kvm_glue_software_values - counts since the start
 * @valid: a mask of the events whose count is known, by enum kvm_glue_software_event.
 * @value: the counts; KVM_GLUE_TASK_CLOCK in nanoseconds.
 */
struct kvm_glue_software_values {
    uint32_t valid;
    uint64_t value[KVM_GLUE_SOFTWARE_EVENTS];
};

/**
 * kvm_glue_software_name() - the name of a software event
 * @event: enum kvm_glue_software_event, any value.
 *
 * Return: a constant, as perf writes it, such as "task-clock"; NULL if there is no such event.
 */
const char *kvm_glue_software_name(unsigned event);

/**
 * kvm_glue_software_open() - start to count a thread's software events
 * @s: a closed struct.
 * @os: the kernel. It must outlive @s.
 * @tid: a thread of this process; 0: the calling thread.
 * @err: is filled in on an error; may be NULL.
 *
 * If perf_event_paranoid forbids counting in the kernel, task clock and faults are still counted.
 * kvm_glue_software_total() then reads context switches and migrations from /proc, counted from the
 * start of the thread.
 *
 * Return: 0; -ESRCH if there is no such thread; or the error of perf_event_open(2), which @err
 * explains.
 */
int kvm_glue_software_open(struct kvm_glue_software *s, const struct kvm_glue_os *os, pid_t tid,
                           struct kvm_glue_error *err);

/**
 * kvm_glue_software_read() - read the counts with one system call, for the exit path
 * @s: an open struct.
 * @values: is filled in on success, without the counts that only /proc has.
 *
 * Return: 0, or a negative errno.
 */
int kvm_glue_software_read(struct kvm_glue_software *s, struct kvm_glue_software_values *values);

/**
 * kvm_glue_software_total() - read the counts, also those that only /proc has, for a report
 * @s: an open struct; its @tid must not be 0 if /proc is needed.
 * @values: is filled in on success.
 *
 * A thread that has ended keeps its last counts, except those from /proc.
 *
 * Return: 0, or a negative errno.
 */
int kvm_glue_software_total(struct kvm_glue_software *s, struct kvm_glue_software_values *values);

/**
 * kvm_glue_software_close() - stop counting
 * @s: an open or closed struct.
 */
void kvm_glue_software_close(struct kvm_glue_software *s);

VPMU_DECLS_END

#endif

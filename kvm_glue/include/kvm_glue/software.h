/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KVM_GLUE_SOFTWARE_H
#define KVM_GLUE_SOFTWARE_H

#include <stdint.h>
#include <sys/types.h>

#include "kvm_glue/error.h"
#include "kvm_glue/group.h"

/* perf's software events of a thread. They need no hardware. */
enum kvm_glue_software_event {
    KVM_GLUE_TASK_CLOCK, /* nanoseconds on a CPU */
    KVM_GLUE_CONTEXT_SWITCHES,
    KVM_GLUE_MIGRATIONS, /* to another CPU */
    KVM_GLUE_FAULTS_MINOR,
    KVM_GLUE_FAULTS_MAJOR,
    KVM_GLUE_SOFTWARE_EVENTS,
};

/* Private; all zero is closed. @tid is 0 for the thread that opened it. */
struct kvm_glue_software {
    struct kvm_glue_group group;
    pid_t tid;
    bool from_proc;
};

/**
 * struct kvm_glue_software_values - counted since the start
 * @valid: a mask of those that are known.
 */
struct kvm_glue_software_values {
    unsigned valid;
    uint64_t value[KVM_GLUE_SOFTWARE_EVENTS];
};

/* The name of one, as perf writes it. */
const char *kvm_glue_software_name(unsigned event);

/**
 * kvm_glue_software_open() - start to count a thread's software events
 * @s: closed.
 * @os: the kernel; must outlive @s.
 * @tid: a thread of this process, or 0 for the calling one.
 *
 * Where perf_event_paranoid forbids to count in the kernel, task clock and faults are still
 * counted, and context switches and migrations are read from /proc by kvm_glue_software_total();
 * they are then counted since the thread began.
 *
 * Return: 0, or what perf_event_open(2) said, -ESRCH if there is no such thread.
 */
int kvm_glue_software_open(struct kvm_glue_software *s, const struct kvm_glue_os *os, pid_t tid,
                           struct kvm_glue_error *err);

/**
 * kvm_glue_software_read() - values for the exit path: one system call
 * @s: open.
 * @values: is filled in, without what only /proc knows.
 *
 * Return: 0 or a negative errno.
 */
int kvm_glue_software_read(struct kvm_glue_software *s, struct kvm_glue_software_values *values);

/**
 * kvm_glue_software_total() - values for a report
 * @s: open, with a @tid that is not 0 if /proc is needed.
 * @values: is filled in.
 *
 * A thread that has ended keeps its last values, except those from /proc.
 *
 * Return: 0 or a negative errno.
 */
int kvm_glue_software_total(struct kvm_glue_software *s, struct kvm_glue_software_values *values);

/* May be called for what is closed. */
void kvm_glue_software_close(struct kvm_glue_software *s);

#endif

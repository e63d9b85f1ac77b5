/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KVM_GLUE_ERROR_H
#define KVM_GLUE_ERROR_H

#include <stdint.h>

/**
 * struct kvm_glue_error - why a function of this library failed
 * @error: the negative errno that the function returned.
 * @text: one sentence, without a newline: what is wrong and what would be accepted.
 *
 * A function that can fail returns 0 or a negative errno, unless its comment says otherwise. It
 * fills in the error that the caller passes, which may be NULL. On success the error is unchanged.
 *
 * Calling context, unless the comment of a function says otherwise: any thread of the process may
 * call it. It may block in system calls. The caller serialises calls on the same object; calls on
 * different objects need no lock. Pointers must not be NULL.
 */
struct kvm_glue_error {
    int32_t error;
    char text[320];
};

/* Subjects of problems while the guest runs. Each is reported once for all vCPUs. */
enum kvm_glue_topic {
    KVM_GLUE_TOPIC_PERMISSION, /* perf_event_paranoid */
    KVM_GLUE_TOPIC_NO_PMU,     /* the host has no PMU that counts cycles */
    KVM_GLUE_TOPIC_TOO_FEW,    /* too few counters to count at all */
    KVM_GLUE_TOPIC_SCALED,     /* too few counters to count all the time */
    KVM_GLUE_TOPIC_STARVED,    /* other users hold the counters */
    KVM_GLUE_TOPIC_SOFTWARE,   /* software events are missing, some or all */
    KVM_GLUE_TOPIC_MODE,       /* the host mode cannot be determined */
    KVM_GLUE_TOPIC_GONE,       /* a vCPU's thread has ended */
    KVM_GLUE_TOPIC_BROKEN,     /* a counter can no longer be read */
    KVM_GLUE_TOPIC_HOST_ONLY,  /* a mediated PMU is in use: only the host can be counted */
    KVM_GLUE_TOPIC_OTHER,
    KVM_GLUE_TOPICS,
};

/**
 * struct kvm_glue_reporter - receives problems that no caller waits for
 * @report: the callback, or NULL. Any vCPU's thread may call it, at most once for each topic.
 * @opaque: the first argument of @report.
 * @said: private: a mask of the topics that have been reported; initially 0.
 *
 * All vCPUs of a machine share one. It must outlive them.
 */
struct kvm_glue_reporter {
    void (*report)(void *opaque, enum kvm_glue_topic topic, const char *sentence);
    void *opaque;
    uint32_t said;
};

#endif

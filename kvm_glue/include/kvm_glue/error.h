/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KVM_GLUE_ERROR_H
#define KVM_GLUE_ERROR_H

#include <stdint.h>

/**
 * struct kvm_glue_error - why a function of this library failed
 * @error: the negative errno that the function returned.
 * @text: one sentence, without a newline: what was wrong and what would be right.
 *
 * Functions that can fail return 0 or a negative errno and fill in the error that the caller
 * passes, which may be NULL. On success it is untouched.
 */
struct kvm_glue_error {
    int error;
    char text[320];
};

/* What can go wrong while the guest runs, and is then said once for all vCPUs. */
enum kvm_glue_topic {
    KVM_GLUE_TOPIC_PERMISSION, /* perf_event_paranoid */
    KVM_GLUE_TOPIC_NO_PMU,     /* the host has no PMU that counts cycles */
    KVM_GLUE_TOPIC_TOO_FEW,    /* too few counters to count at all */
    KVM_GLUE_TOPIC_SCALED,     /* too few counters to count all the time */
    KVM_GLUE_TOPIC_STARVED,    /* others hold the counters */
    KVM_GLUE_TOPIC_SOFTWARE,   /* no software events, or not all */
    KVM_GLUE_TOPIC_MODE,       /* VHE or not cannot be found out */
    KVM_GLUE_TOPIC_GONE,       /* a vCPU's thread has ended */
    KVM_GLUE_TOPIC_BROKEN,     /* a counter can be read no more */
    KVM_GLUE_TOPIC_OTHER,
    KVM_GLUE_TOPICS,
};

/**
 * struct kvm_glue_reporter - where sentences go that no caller waits for
 * @report: is called from any vCPU's thread, at most once for each topic; or NULL.
 * @opaque: its first argument.
 * @said: a mask of the topics of which something was said; 0 at first. Private.
 *
 * One for all vCPUs of a machine. Must outlive them.
 */
struct kvm_glue_reporter {
    void (*report)(void *opaque, enum kvm_glue_topic topic, const char *sentence);
    void *opaque;
    uint32_t said;
};

#endif

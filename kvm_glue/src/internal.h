/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KVM_GLUE_INTERNAL_H
#define KVM_GLUE_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#include "kvm_glue/error.h"
#include "kvm_glue/os.h"

#define KVM_GLUE_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Fills in @err, which may be NULL, and returns @error. */
__attribute__((format(printf, 3, 4))) int kvm_glue_fail_(struct kvm_glue_error *err, int error,
                                                         const char *format, ...);

/* Fills in @err with the meaning of a negative errno of perf_event_open(2). Returns @error. */
int kvm_glue_explain_perf_(const struct kvm_glue_os *os, int error, struct kvm_glue_error *err);

/* Reports a sentence, unless one was reported on the topic before. */
void kvm_glue_report_(struct kvm_glue_reporter *reporter, enum kvm_glue_topic topic,
                      const char *sentence);

/* Reads a small file as a string, truncated to the buffer. Returns 0 or a negative errno. */
int kvm_glue_read_text_(const struct kvm_glue_os *os, const char *path, char *buf, size_t len);

/* Explains errno @error of a call of KVM: its cause, and the way out. */
const char *kvm_glue_meaning_(int error);
/* The same for KVM_GET_ONE_REG and KVM_SET_ONE_REG. */
const char *kvm_glue_register_meaning_(int error);

/* Reads an ID or PMU register of a vCPU. Returns 0 or a negative errno. */
int kvm_glue_get_reg_(const struct kvm_glue_os *os, int vcpu_fd, uint64_t id, uint64_t *value);
int kvm_glue_set_reg_(const struct kvm_glue_os *os, int vcpu_fd, uint64_t id, uint64_t value);

#endif

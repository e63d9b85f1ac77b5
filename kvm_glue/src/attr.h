/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KVM_GLUE_ATTR_H
#define KVM_GLUE_ATTR_H

#include <stdbool.h>

#include "kvm_arm64.h"
#include "kvm_glue/error.h"
#include "kvm_glue/os.h"

/* Whether the kernel has an attribute, and the vCPU a PMU. */
bool kvm_glue_has_attr_(const struct kvm_glue_os *os, int fd, enum glue_attr attr);

/* Fails with a sentence if the kernel does not have an attribute, or the vCPU no PMU. */
int kvm_glue_need_attr_(const struct kvm_glue_os *os, int fd, enum glue_attr attr,
                        struct kvm_glue_error *err);

/* Sets an attribute. @addr is its argument or NULL. */
int kvm_glue_set_attr_(const struct kvm_glue_os *os, int fd, enum glue_attr attr, void *addr,
                       struct kvm_glue_error *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KVM_GLUE_PMMIR_H
#define KVM_GLUE_PMMIR_H

#include <stdint.h>

#include "kvm_glue/error.h"
#include "kvm_glue/os.h"

/* Reads PMMIR_EL1 as the guest sees it: 0 on a kernel that does not have it. */
int kvm_glue_pmmir_save_(const struct kvm_glue_os *os, int fd, uint64_t *pmmir,
                         struct kvm_glue_error *err);

/* Fails with a sentence if a guest that sees @pmmir cannot run on this vCPU. Changes nothing. */
int kvm_glue_pmmir_check_(const struct kvm_glue_os *os, int fd, uint64_t pmmir,
                          struct kvm_glue_error *err);

/* Makes the guest see @pmmir, which kvm_glue_pmmir_check_() has accepted. */
int kvm_glue_pmmir_restore_(const struct kvm_glue_os *os, int fd, uint64_t pmmir,
                            struct kvm_glue_error *err);

#endif

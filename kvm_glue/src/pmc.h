/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KVM_GLUE_PMC_H
#define KVM_GLUE_PMC_H

#include <stddef.h>
#include <stdint.h>

/* Reads a counter of the PMU without a system call, on architectures where perf allows that. */
#ifdef __aarch64__
uint64_t kvm_glue_pmc_read_(unsigned index);
#define KVM_GLUE_READ_COUNTER kvm_glue_pmc_read_
/* "rdpmc" in /sys/bus/event_source/devices/armv8_pmuv3_0/format. Linux, drivers/perf/arm_pmuv3.c.
 */
#define KVM_GLUE_USER_CONFIG 2
#else
#define KVM_GLUE_READ_COUNTER NULL
#define KVM_GLUE_USER_CONFIG 0
#endif

#endif

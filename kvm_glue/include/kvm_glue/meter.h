/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KVM_GLUE_METER_H
#define KVM_GLUE_METER_H

#include <stdbool.h>
#include <stdint.h>

#include "kvm_glue/error.h"
#include "kvm_glue/group.h"
#include "kvm_glue/mode.h"
#include "kvm_glue/software.h"
#include "vpmu/arm/blackout.h"
#include "vpmu/decls.h"

VPMU_DECLS_BEGIN

/*
 * The meter of a vCPU: how its time is divided between guest, host kernel and VMM. The VMM calls it
 * directly before and after KVM_RUN. While it is switched off, it costs a branch that is not taken.
 *
 * While a machine with a mediated PMU exists on an x86 host, perf refuses events that include
 * guests. The meter then counts the host's cycles only: KVM_GLUE_KERNEL_CYCLES and
 * KVM_GLUE_VMM_CYCLES.
 */

/*
 * What is measured for each exit. Cycles are cycles of the host, scaled if there were too few
 * counters.
 */
enum kvm_glue_part {
    KVM_GLUE_GUEST_CYCLES,    /* in the guest */
    KVM_GLUE_KERNEL_CYCLES,   /* in the host's kernel, from the call of KVM_RUN to its return */
    KVM_GLUE_VMM_CYCLES,      /* from the return of KVM_RUN to its next call: the VMM and its system
                                 calls */
    KVM_GLUE_BLACKOUT_CYCLES, /* in KVM_RUN, counted neither for the guest nor for the host */
    /* The same for events with exclude_hv. Measured only if the kernel runs at EL1. */
    KVM_GLUE_BLACKOUT_NO_HV_CYCLES,
    KVM_GLUE_RUN_NS, /* in KVM_RUN, by CLOCK_MONOTONIC */
    KVM_GLUE_VMM_NS, /* from the return of KVM_RUN to its next call */
    KVM_GLUE_PARTS,
};

/* Rows of the figures: kvm_run.exit_reason as far as there are rows, then these two. */
enum {
    KVM_GLUE_REASON_INTERRUPTED = 46, /* KVM_RUN failed with EINTR or EAGAIN */
    KVM_GLUE_REASON_OTHER = 47,       /* it failed otherwise, or gave a reason without a row */
    KVM_GLUE_REASONS = 48,
};

/**
 * struct kvm_glue_exits - the figures of the exits with one reason
 * @exits: the number of exits.
 * @measured: the number of exits whose cycles are known in all places.
 * @scaled: the number of these whose cycles are scaled.
 * @negative: the number of exits whose blackout was computed as negative, because the counters are
 *     not read at exactly the same time. These are in bucket 0 of the histogram, and in @blackout.
 * @blackout: the sums of KVM_GLUE_BLACKOUT_CYCLES and KVM_GLUE_BLACKOUT_NO_HV_CYCLES, including
 *     negative ones.
 * @software: the software events from the call of KVM_RUN to the next call, by enum
 *     kvm_glue_software_event.
 * @part: the sizes of each enum kvm_glue_part. KVM_GLUE_VMM_* is what followed an exit with this
 *     reason.
 */
struct kvm_glue_exits {
    uint64_t exits;
    uint64_t measured;
    uint64_t scaled;
    uint64_t negative;
    int64_t blackout[2];
    uint64_t software[KVM_GLUE_SOFTWARE_EVENTS];
    struct vpmu_spread part[KVM_GLUE_PARTS];
};

/**
 * struct kvm_glue_meter_options - what a meter measures
 * @mode: enum kvm_glue_mode: where the host's kernel runs. UNKNOWN: the meter determines it during
 *     the first exits, if the PMU allows it.
 * @type: perf_event_attr.type of cycles: PERF_TYPE_HARDWARE; or the type of the host PMU that the
 *     vCPUs run on, if the host has several.
 * @config: perf_event_attr.config of cycles: PERF_COUNT_HW_CPU_CYCLES, or 0x11.
 * @software: also count software events at each exit, which costs two more system calls.
 * @reporter: where problems are reported. Must not be NULL.
 */
struct kvm_glue_meter_options {
    uint32_t mode;
    uint32_t type;
    uint64_t config;
    bool software;
    struct kvm_glue_reporter *reporter;
};

/* Private: everything that is read before or after KVM_RUN. */
struct kvm_glue_sample {
    uint64_t ns;
    bool hardware_valid;
    struct kvm_glue_reading hardware;
    struct kvm_glue_software_values software;
};

/**
 * struct kvm_glue_meter - a vCPU's meter
 *
 * All fields are private. The caller owns the memory, about 180 KiB.
 */
struct kvm_glue_meter {
    uint32_t flags;
    uint32_t sequence;
    const struct kvm_glue_os *os;
    struct kvm_glue_meter_options options;
    uint32_t mode;
    uint32_t probe_left;
    uint32_t reason;
    bool host_only; /* the only event of hardware is that of the host */
    bool entered;
    bool exited;
    struct kvm_glue_group hardware;
    struct kvm_glue_group probe;
    struct kvm_glue_software software;
    struct kvm_glue_sample enter;
    struct kvm_glue_sample exit;
    struct kvm_glue_exits exits[KVM_GLUE_REASONS];
};

/**
 * kvm_glue_meter_init() - make a meter, switched off, with all figures 0
 * @m: memory for it.
 * @os: the kernel. It must outlive @m.
 * @options: what to measure. They are copied.
 *
 * Context: before any other thread uses the meter.
 */
void kvm_glue_meter_init(struct kvm_glue_meter *m, const struct kvm_glue_os *os,
                         const struct kvm_glue_meter_options *options);

/**
 * kvm_glue_meter_switch() - switch a meter on or off
 * @m: the meter.
 * @on: true: on.
 *
 * The vCPU's thread opens or closes its counters before its next KVM_RUN. The figures are kept and
 * continued.
 *
 * Context: any thread, at any time, without a lock.
 */
void kvm_glue_meter_switch(struct kvm_glue_meter *m, bool on);

/**
 * kvm_glue_meter_is_on() - tell whether a meter is switched on or will be before the next KVM_RUN
 * @m: the meter.
 *
 * Context: any thread, at any time, without a lock.
 * Return: true if it is.
 */
bool kvm_glue_meter_is_on(const struct kvm_glue_meter *m);

/**
 * kvm_glue_meter_end() - switch off a meter because the vCPU's thread ends
 * @m: the meter. Its figures are kept.
 *
 * Context: the vCPU's thread; or another thread after the vCPU's thread has been joined.
 */
void kvm_glue_meter_end(struct kvm_glue_meter *m);

/**
 * kvm_glue_meter_get() - copy the figures of one exit reason
 * @m: the meter.
 * @reason: a row, 0 to KVM_GLUE_REASONS - 1.
 * @exits: is filled in.
 *
 * Context: any thread, at any time, without a lock.
 * Return: 0; -EINVAL for a reason without a row; -EAGAIN if the figures changed during each of 1000
 * attempts, as they do if the vCPU's thread is preempted while it adds an exit. @exits then lacks a
 * part of that exit at most.
 */
int kvm_glue_meter_get(const struct kvm_glue_meter *m, unsigned reason,
                       struct kvm_glue_exits *exits);

/**
 * kvm_glue_exits_clear() - set all figures to 0 and all minima to UINT64_MAX
 * @exits: the figures.
 */
void kvm_glue_exits_clear(struct kvm_glue_exits *exits);

/**
 * kvm_glue_exits_add() - add figures to a sum
 * @sum: the sum, initially cleared by kvm_glue_exits_clear().
 * @more: the figures of another exit reason or another vCPU.
 */
void kvm_glue_exits_add(struct kvm_glue_exits *sum, const struct kvm_glue_exits *more);

/**
 * kvm_glue_reason_name() - the name of an exit reason
 * @reason: a row, any value.
 *
 * Return: a constant: the name of KVM_EXIT_* in lower case with hyphens, "interrupted" or "other";
 * NULL if the row has no name.
 * Source: Linux, include/uapi/linux/kvm.h, KVM_EXIT_*.
 */
const char *kvm_glue_reason_name(unsigned reason);

/**
 * kvm_glue_part_name() - the name of a part
 * @part: enum kvm_glue_part, any value.
 *
 * Return: a constant such as "guest-cycles"; NULL if there is no such part.
 */
const char *kvm_glue_part_name(unsigned part);

/**
 * kvm_glue_meter_mode() - the host mode that the meter assumes
 * @m: the meter.
 *
 * Context: any thread, at any time, without a lock.
 * Return: the mode; KVM_GLUE_MODE_UNKNOWN until it is known.
 */
enum kvm_glue_mode kvm_glue_meter_mode(const struct kvm_glue_meter *m);

/**
 * kvm_glue_meter_row() - the row of the figures that an exit belongs to
 * @ret: 0, or the negative errno of KVM_RUN.
 * @reason: kvm_run.exit_reason.
 *
 * Return: 0 to KVM_GLUE_REASONS - 1.
 */
unsigned kvm_glue_meter_row(int ret, uint32_t reason);

/* Private: the slow paths of kvm_glue_meter_enter() and kvm_glue_meter_exit(). */
void kvm_glue_meter_enter_(struct kvm_glue_meter *m);
void kvm_glue_meter_exit_(struct kvm_glue_meter *m, unsigned row);

/**
 * kvm_glue_meter_enter() - call directly before KVM_RUN
 * @m: the vCPU's meter.
 *
 * Context: the vCPU's thread.
 */
inline void kvm_glue_meter_enter(struct kvm_glue_meter *m)
{
    if (__builtin_expect(__atomic_load_n(&m->flags, __ATOMIC_RELAXED) != 0, 0)) {
        kvm_glue_meter_enter_(m);
    }
}

/**
 * kvm_glue_meter_exit() - call directly after KVM_RUN
 * @m: the vCPU's meter.
 * @ret: 0, or the negative errno of KVM_RUN.
 * @reason: kvm_run.exit_reason.
 *
 * Context: the vCPU's thread.
 */
inline void kvm_glue_meter_exit(struct kvm_glue_meter *m, int ret, uint32_t reason)
{
    if (__builtin_expect(__atomic_load_n(&m->flags, __ATOMIC_RELAXED) != 0, 0)) {
        kvm_glue_meter_exit_(m, kvm_glue_meter_row(ret, reason));
    }
}

VPMU_DECLS_END

#endif

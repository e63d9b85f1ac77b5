/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KVM_GLUE_METER_H
#define KVM_GLUE_METER_H

#include <stdbool.h>
#include <stdint.h>

#include "kvm_glue/error.h"
#include "kvm_glue/group.h"
#include "kvm_glue/mode.h"
#include "kvm_glue/software.h"
#include "vpmu/blackout.h"

/*
 * What becomes of a vCPU's time: a meter for each vCPU, hooked in right before and right after
 * KVM_RUN. Off, it costs one branch that is not taken.
 */

/* What is measured of each exit. Cycles are the host's, scaled if counters were too few. */
enum kvm_glue_part {
    KVM_GLUE_GUEST_CYCLES,    /* in the guest */
    KVM_GLUE_KERNEL_CYCLES,   /* in the host's kernel, from the call of KVM_RUN to its return */
    KVM_GLUE_VMM_CYCLES,      /* from there to the next call: the VMM and its system calls */
    KVM_GLUE_BLACKOUT_CYCLES, /* in KVM_RUN, counted neither for the guest nor for the host */
    /* The same of events with exclude_hv, where the kernel runs at EL1. */
    KVM_GLUE_BLACKOUT_NO_HV_CYCLES,
    KVM_GLUE_RUN_NS, /* in KVM_RUN, by the clock */
    KVM_GLUE_VMM_NS, /* from there to the next call */
    KVM_GLUE_PARTS,
};

/* kvm_run.exit_reason as far as there are rows, then: */
#define KVM_GLUE_REASON_INTERRUPTED 46u /* KVM_RUN failed with EINTR or EAGAIN */
#define KVM_GLUE_REASON_OTHER 47u       /* it failed otherwise, or gave a reason without a row */
#define KVM_GLUE_REASONS 48u

/**
 * struct kvm_glue_exits - what is known of the exits of one reason
 * @exits: how many there were.
 * @measured: of how many the cycles are known.
 * @scaled: of how many of those they are scaled.
 * @negative: of how many the blackout came out below 0: the counters are not read at the very same
 *     time. They are in bucket 0 of the histogram, and in @blackout.
 * @blackout: sums of both kinds of blackout, of which negative ones take away.
 * @software: software events, from the call of KVM_RUN to the next call.
 * @part: sizes; KVM_GLUE_VMM_* of what followed an exit of this reason.
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
 * @mode: KVM_GLUE_MODE_UNKNOWN: found out over the first exits, if the PMU can.
 * @type: perf_event_attr.type of cycles: PERF_TYPE_HARDWARE, or the type of the host's PMU that the
 *     vCPUs run on, where cores are unlike.
 * @config: perf_event_attr.config of cycles: PERF_COUNT_HW_CPU_CYCLES, or 0x11.
 * @software: count software events at each exit as well: two more system calls.
 * @reporter: where difficulties are told; not NULL.
 */
struct kvm_glue_meter_options {
    enum kvm_glue_mode mode;
    uint32_t type;
    uint64_t config;
    bool software;
    struct kvm_glue_reporter *reporter;
};

/* A boundary: all that was read there. Private. */
struct kvm_glue_sample {
    uint64_t ns;
    bool hardware_valid;
    struct kvm_glue_reading hardware;
    struct kvm_glue_software_values software;
};

/**
 * struct kvm_glue_meter - a vCPU's meter
 *
 * The caller owns the memory, about 180 KiB. Private; use the functions below.
 */
struct kvm_glue_meter {
    uint32_t flags;
    uint32_t sequence;
    const struct kvm_glue_os *os;
    struct kvm_glue_meter_options options;
    enum kvm_glue_mode mode;
    unsigned probe_left;
    unsigned reason;
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
 * kvm_glue_meter_init() - make a meter, switched off, all figures 0
 * @m: the memory.
 * @os: the kernel; must outlive @m.
 * @options: what to measure.
 */
void kvm_glue_meter_init(struct kvm_glue_meter *m, const struct kvm_glue_os *os,
                         const struct kvm_glue_meter_options *options);

/**
 * kvm_glue_meter_switch() - switch it on or off, by any thread at any time
 * @m: the meter.
 * @on: which. The vCPU's thread opens or closes its counters before its next KVM_RUN. Figures
 *     stay, and are added to.
 */
void kvm_glue_meter_switch(struct kvm_glue_meter *m, bool on);

/* Is it, or will it be, switched on? */
bool kvm_glue_meter_is_on(const struct kvm_glue_meter *m);

/**
 * kvm_glue_meter_end() - the vCPU's thread ends, or is gone
 * @m: the meter. Switched off; its figures stay.
 *
 * By the vCPU's thread itself, or by another once it has been joined.
 */
void kvm_glue_meter_end(struct kvm_glue_meter *m);

/**
 * kvm_glue_meter_get() - a copy of the figures of one reason, by any thread
 * @m: the meter.
 * @reason: below KVM_GLUE_REASONS.
 * @exits: is filled in.
 *
 * Return: 0; -EINVAL for a reason without a row; -EAGAIN if the figures changed all the time.
 */
int kvm_glue_meter_get(const struct kvm_glue_meter *m, unsigned reason,
                       struct kvm_glue_exits *exits);

/* All figures 0, smallest sizes UINT64_MAX. */
void kvm_glue_exits_clear(struct kvm_glue_exits *exits);

/**
 * kvm_glue_exits_add() - make one of the figures of several reasons, or vCPUs
 * @sum: is added to; cleared at first.
 * @more: what is added.
 */
void kvm_glue_exits_add(struct kvm_glue_exits *sum, const struct kvm_glue_exits *more);

/**
 * kvm_glue_reason_name() - what an exit reason is called
 * @reason: a row, below KVM_GLUE_REASONS.
 *
 * Return: the name of KVM_EXIT_* in lower case with hyphens, "interrupted", "other"; NULL where no
 * reason has this number.
 */
const char *kvm_glue_reason_name(unsigned reason);

/* The name of an enum kvm_glue_part: "guest-cycles", ...; NULL if there is none. */
const char *kvm_glue_part_name(unsigned part);

/* The mode that the meter goes by. */
enum kvm_glue_mode kvm_glue_meter_mode(const struct kvm_glue_meter *m);

/* The row of an exit: @ret and @reason are what KVM_RUN returned and kvm_run.exit_reason. */
unsigned kvm_glue_meter_row(int ret, uint32_t reason);

/* Private: the hooks when something is to be done. */
void kvm_glue_meter_enter_(struct kvm_glue_meter *m);
void kvm_glue_meter_exit_(struct kvm_glue_meter *m, unsigned row);

/**
 * kvm_glue_meter_enter() - right before KVM_RUN, in the vCPU's thread
 * @m: its meter.
 */
static inline void kvm_glue_meter_enter(struct kvm_glue_meter *m)
{
    if (__builtin_expect(__atomic_load_n(&m->flags, __ATOMIC_RELAXED) != 0, 0)) {
        kvm_glue_meter_enter_(m);
    }
}

/**
 * kvm_glue_meter_exit() - right after it
 * @m: its meter.
 * @ret: 0, or the negative errno of KVM_RUN.
 * @reason: kvm_run.exit_reason.
 */
static inline void kvm_glue_meter_exit(struct kvm_glue_meter *m, int ret, uint32_t reason)
{
    if (__builtin_expect(__atomic_load_n(&m->flags, __ATOMIC_RELAXED) != 0, 0)) {
        kvm_glue_meter_exit_(m, kvm_glue_meter_row(ret, reason));
    }
}

#endif

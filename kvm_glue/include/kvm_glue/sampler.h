/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KVM_GLUE_SAMPLER_H
#define KVM_GLUE_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kvm_glue/error.h"
#include "kvm_glue/os.h"
#include "kvm_glue/ring.h"

/*
 * Samples of what a guest does on a vCPU: perf events of the vCPU's thread that count nothing but
 * the guest (exclude_host). A sample says where the guest was when the host's PMU interrupted it,
 * which is some instructions after the event.
 */

#define KVM_GLUE_SAMPLER_EVENTS 32u

/**
 * struct kvm_glue_sampled - an event of a guest
 * @number: the host's PMU's number of it.
 * @exclude_user, @exclude_kernel: not EL0's, not EL1's.
 * @period: a sample each time it has happened so often; 0: none, unless there is a frequency.
 * @frequency: so many samples a second, by periods that the kernel finds; or 0.
 */
struct kvm_glue_sampled {
    uint16_t number;
    bool exclude_user;
    bool exclude_kernel;
    uint64_t period;
    uint64_t frequency;
};

/**
 * struct kvm_glue_sampler_options - what all events of a vCPU have in common
 * @type: perf_event_attr.type of the host's PMU: PERF_TYPE_RAW, or a number of its own where cores
 *     are unlike.
 * @values: they are one group, and each sample has the values of all.
 * @ring: bytes for samples that were not taken yet: a power of two, a page or more.
 */
struct kvm_glue_sampler_options {
    uint32_t type;
    bool values;
    size_t ring;
};

/* What is known of an event's samples; written where these are taken. Private. */
struct kvm_glue_tally {
    uint64_t weight;
    uint64_t samples;
    uint64_t lost;
    uint64_t elsewhere;
    uint64_t throttled;
    uint64_t period;
};

/**
 * struct kvm_glue_sampler - the events of a vCPU
 *
 * Private; the caller owns the memory.
 */
struct kvm_glue_sampler {
    const struct kvm_glue_os *os;
    struct kvm_glue_sampler_options options;
    unsigned count;
    bool tells_lost; /* the kernel says how many samples of each event were lost: Linux 6.0 */
    unsigned telling;
    int fd[KVM_GLUE_SAMPLER_EVENTS];
    uint64_t id[KVM_GLUE_SAMPLER_EVENTS];
    uint64_t period[KVM_GLUE_SAMPLER_EVENTS];
    uint64_t value[KVM_GLUE_SAMPLER_EVENTS];
    struct kvm_glue_tally tally[KVM_GLUE_SAMPLER_EVENTS];
    uint64_t time;
    struct perf_event_mmap_page *page;
    struct kvm_glue_ring ring;
};

/**
 * struct kvm_glue_sample_taken - what was sampled, or lost
 * @event: which event, in the order of kvm_glue_sampler_add().
 * @lost: so many samples of it are missing here, and all below but @time says nothing; or 0.
 * @user: the guest was at EL0; otherwise at EL1.
 * @time: CLOCK_MONOTONIC in nanoseconds.
 * @pc: the guest's program counter.
 * @weight: how often the event has happened for this sample; not 0.
 * @value: with options.values, what all events have counted; valid until the next call.
 */
struct kvm_glue_sample_taken {
    unsigned event;
    uint64_t lost;
    bool user;
    uint64_t time;
    uint64_t pc;
    uint64_t weight;
    const uint64_t *value;
};

/**
 * struct kvm_glue_sampler_count - an event, as it stands
 * @count: how often it has happened while it had a counter.
 * @enabled, @running: nanoseconds that the vCPU's thread ran, and that the event had a counter.
 * @weight: what samples stand for, lost ones as well if there is a period: at most @count.
 * @samples, @lost: those that were taken, and those that were not.
 * @elsewhere: of the lost ones, those that do not say where the guest was.
 * @throttled: how often the kernel stopped the event because there were too many samples; what
 *     happened until it went on is not counted.
 * @period: the last one; 0 of an event that is not sampled.
 */
struct kvm_glue_sampler_count {
    uint64_t count;
    uint64_t enabled;
    uint64_t running;
    uint64_t weight;
    uint64_t samples;
    uint64_t lost;
    uint64_t elsewhere;
    uint64_t throttled;
    uint64_t period;
};

/**
 * kvm_glue_sampled_parse() - what an event of a guest is called
 * @text: as vpmu_observer_parse() has it, with no modifiers but u and k.
 * @event: number and exclusions are set, on success.
 *
 * Return: 0, or -EINVAL.
 */
int kvm_glue_sampled_parse(const char *text, struct kvm_glue_sampled *event,
                           struct kvm_glue_error *err);

/**
 * kvm_glue_sampler_init() - begin with no events
 * @s: the memory.
 * @os: the kernel; must outlive @s.
 * @options: are copied.
 */
void kvm_glue_sampler_init(struct kvm_glue_sampler *s, const struct kvm_glue_os *os,
                           const struct kvm_glue_sampler_options *options);

/**
 * kvm_glue_sampler_add() - one more event, which does not count yet
 * @s: the sampler.
 * @event: what to count, and when to sample it.
 *
 * By the vCPU's own thread.
 *
 * Return: 0; -E2BIG if there are KVM_GLUE_SAMPLER_EVENTS; or what perf_event_open(2), ioctl(2) or
 * mmap(2) said, in words of what to do about it. Events that were added before stay.
 */
int kvm_glue_sampler_add(struct kvm_glue_sampler *s, const struct kvm_glue_sampled *event,
                         struct kvm_glue_error *err);

/**
 * kvm_glue_sampler_switch() - all events begin to count, or end
 *
 * While the vCPU's thread is not in KVM_RUN, best by that thread: before Linux 6.6 what is
 * switched on meanwhile may not see EL0 before the next KVM_RUN.
 *
 * Return: 0, or what ioctl(2) said.
 */
int kvm_glue_sampler_switch(struct kvm_glue_sampler *s, bool on);

/* A descriptor that poll(2) finds readable once the ring is half full; -1 without an event. */
int kvm_glue_sampler_fd(const struct kvm_glue_sampler *s);

/**
 * kvm_glue_sampler_next() - the next sample, or what was lost
 * @s: the sampler.
 * @taken: is filled in if there is something.
 *
 * By one thread at a time; any.
 *
 * Return: 1; 0 if there is nothing now; -EPROTO if what is in the ring cannot be, for good.
 */
int kvm_glue_sampler_next(struct kvm_glue_sampler *s, struct kvm_glue_sample_taken *taken);

/**
 * kvm_glue_sampler_read() - how an event stands
 * @s: the sampler.
 * @event: its place.
 * @count: is filled in. What it says of samples is of those that were taken until now.
 *
 * Any thread. Of events that have ended, and whose ring is empty: @count is @weight and what has
 * happened since the last sample, or for samples that were lost if there is a frequency.
 *
 * Return: 0, or what read(2) said; -ENODEV if the kernel has given the event up.
 */
int kvm_glue_sampler_read(const struct kvm_glue_sampler *s, unsigned event,
                          struct kvm_glue_sampler_count *count);

/* Closes all; may be called again. What was counted can be read no more. */
void kvm_glue_sampler_close(struct kvm_glue_sampler *s);

#endif

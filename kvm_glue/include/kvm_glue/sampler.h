/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KVM_GLUE_SAMPLER_H
#define KVM_GLUE_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kvm_glue/error.h"
#include "kvm_glue/os.h"
#include "kvm_glue/ring.h"
#include "vpmu/decls.h"

VPMU_DECLS_BEGIN

/*
 * Samples of a guest on a vCPU: perf events of the vCPU's thread that count only the guest
 * (exclude_host). A sample says where the guest was when the host's PMU interrupted it, which is
 * some instructions after the event.
 */

enum {
    KVM_GLUE_SAMPLER_EVENTS = 32
};

/**
 * struct kvm_glue_sampled - an event of a guest and how it is sampled
 * @type: perf_event_attr.type: the host's PMU, or the kind of @config.
 * @exclude_user: do not count programs: EL0, or CPL 1 to 3.
 * @exclude_kernel: do not count the kernel: EL1, or CPL 0.
 * @config: perf_event_attr.config: the event.
 * @period: events per sample; 0: no samples, unless there is a frequency.
 * @frequency: samples per second, by periods that the kernel chooses; or 0.
 */
struct kvm_glue_sampled {
    uint32_t type;
    bool exclude_user;
    bool exclude_kernel;
    uint64_t config;
    uint64_t period;
    uint64_t frequency;
};

/**
 * struct kvm_glue_sampler_options - settings of all events of a vCPU
 * @values: the events are one group, and each sample has the values of all of them.
 * @ring: the size in bytes of the ring of samples: a power of two, at least a page.
 */
struct kvm_glue_sampler_options {
    bool values;
    uint64_t ring;
};

/* Private: what is known of an event's samples; updated when they are taken. */
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
 * All fields are private. The caller owns the memory.
 */
struct kvm_glue_sampler {
    const struct kvm_glue_os *os;
    struct kvm_glue_sampler_options options;
    uint32_t count;
    bool tells_lost; /* the kernel counts lost samples per event: Linux 6.0 and later */
    uint32_t telling;
    int32_t fd[KVM_GLUE_SAMPLER_EVENTS];
    uint64_t id[KVM_GLUE_SAMPLER_EVENTS];
    uint64_t period[KVM_GLUE_SAMPLER_EVENTS];
    uint64_t value[KVM_GLUE_SAMPLER_EVENTS];
    struct kvm_glue_tally tally[KVM_GLUE_SAMPLER_EVENTS];
    uint64_t time;
    struct perf_event_mmap_page *page;
    struct kvm_glue_ring ring;
};

/**
 * struct kvm_glue_sample_taken - a sample, or samples that were lost
 * @event: the event, in the order of kvm_glue_sampler_add().
 * @lost: the number of samples of the event that were lost here, and then only @elsewhere and @time
 *     below are valid; or 0.
 * @elsewhere: the ring had space for the lost sample, but it does not say where the guest was.
 * @user: the guest was in a program, at EL0 or CPL 1 to 3; otherwise in its kernel.
 * @time: CLOCK_MONOTONIC in nanoseconds.
 * @pc: the guest's program counter.
 * @weight: the number of events that the sample represents; not 0.
 * @value: with kvm_glue_sampler_options.values, the values of all events; valid until the next
 *     call.
 */
struct kvm_glue_sample_taken {
    uint32_t event;
    uint64_t lost;
    bool elsewhere;
    bool user;
    uint64_t time;
    uint64_t pc;
    uint64_t weight;
    const uint64_t *value;
};

/**
 * struct kvm_glue_sampler_count - the current state of an event
 * @count: the number of events while the event had a counter.
 * @enabled: nanoseconds for which the vCPU's thread ran.
 * @running: nanoseconds of these for which the event had a counter.
 * @weight: the number of events that the samples represent, including lost samples if there is a
 *     period; at most @count.
 * @samples: the number of samples taken.
 * @lost: the number of samples lost. From Linux 6.0 on, the kernel includes records of throttling
 *     that were lost.
 * @elsewhere: how many of the lost samples do not say where the guest was.
 * @throttled: how often the kernel stopped the event because there were too many samples. Events
 *     until it continued are not counted.
 * @period: the last period; 0 for an event that is not sampled.
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
 * kvm_glue_sampled_parse() - parse an event of a guest of an Arm host
 * @text: as for vpmu_arm_observer_parse(), but only with the modifiers u and k.
 * @type: perf_event_attr.type of the host's PMU: PERF_TYPE_RAW; or its own number if the host has
 *     several.
 * @event: its event and exclusions are set on success.
 * @err: is filled in on an error; may be NULL.
 *
 * Return: 0, or -EINVAL.
 */
int kvm_glue_sampled_parse(const char *text, uint32_t type, struct kvm_glue_sampled *event,
                           struct kvm_glue_error *err);

/**
 * kvm_glue_sampled_parse_x86() - parse an event of a guest of an x86 host
 * @text: as for vpmu_perf_event_parse(), but only with the modifiers u and k.
 * @event: its event and exclusions are set on success.
 * @err: is filled in on an error; may be NULL.
 *
 * Return: 0, or -EINVAL.
 */
int kvm_glue_sampled_parse_x86(const char *text, struct kvm_glue_sampled *event,
                               struct kvm_glue_error *err);

/**
 * kvm_glue_sampler_init() - make a sampler without events
 * @s: memory for it.
 * @os: the kernel. It must outlive @s.
 * @options: the settings. They are copied.
 */
void kvm_glue_sampler_init(struct kvm_glue_sampler *s, const struct kvm_glue_os *os,
                           const struct kvm_glue_sampler_options *options);

/**
 * kvm_glue_sampler_add() - add an event, which does not count yet
 * @s: the sampler.
 * @event: what to count and how to sample it.
 * @err: is filled in on an error; may be NULL.
 *
 * Context: the vCPU's thread.
 * Return: 0; -E2BIG if there are KVM_GLUE_SAMPLER_EVENTS events already; or the error of
 * perf_event_open(2), ioctl(2) or mmap(2), which @err explains. Events that were added before are
 * kept.
 */
int kvm_glue_sampler_add(struct kvm_glue_sampler *s, const struct kvm_glue_sampled *event,
                         struct kvm_glue_error *err);

/**
 * kvm_glue_sampler_switch() - start or stop all events
 * @s: the sampler.
 * @on: true: start.
 *
 * Context: while the vCPU's thread is not in KVM_RUN, preferably that thread. Before Linux 6.6,
 * events that another thread starts may not count EL0 before the next KVM_RUN.
 * Return: 0, or the error of ioctl(2).
 */
int kvm_glue_sampler_switch(struct kvm_glue_sampler *s, bool on);

/**
 * kvm_glue_sampler_fd() - the descriptor that signals samples
 * @s: the sampler.
 *
 * Return: a descriptor that poll(2) reports as readable when the ring is half full; -1 if there is
 * no event. It belongs to the sampler.
 */
int kvm_glue_sampler_fd(const struct kvm_glue_sampler *s);

/**
 * kvm_glue_sampler_next() - take the next sample, or the number of samples lost
 * @s: the sampler.
 * @taken: is filled in if the result is 1.
 *
 * Return: 1 if there is something; 0 if there is nothing now; -EPROTO, from then on in each call,
 * if the ring contains something that is not a record.
 */
int kvm_glue_sampler_next(struct kvm_glue_sampler *s, struct kvm_glue_sample_taken *taken);

/**
 * kvm_glue_sampler_read() - read the current state of an event
 * @s: the sampler.
 * @event: the event, in the order of kvm_glue_sampler_add().
 * @count: is filled in on success. What it says about samples applies to those taken until now.
 *
 * When the events have stopped and the ring is empty, @count->count is @count->weight plus the
 * events since the last sample; if there is a frequency, also plus the events of lost samples.
 *
 * Return: 0; -ENODEV if the kernel has dropped the event; or the error of read(2).
 */
int kvm_glue_sampler_read(const struct kvm_glue_sampler *s, unsigned event,
                          struct kvm_glue_sampler_count *count);

/**
 * kvm_glue_sampler_close() - close all events
 * @s: the sampler, open or closed. Its counts cannot be read later.
 */
void kvm_glue_sampler_close(struct kvm_glue_sampler *s);

VPMU_DECLS_END

#endif

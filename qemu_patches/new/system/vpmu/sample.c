/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Taking samples
 *
 * When an observer's period ends, the CPU's thread takes a sample and puts it
 * into the CPU's ring.  It never waits there.
 *
 * Call chain and thread are read from the guest's memory, which is not allowed
 * while the lock of the samples is held.  A sample that is taken with the lock
 * held is completed after the release, before the next instruction.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "qemu/timer.h"
#include "system/vpmu_target.h"
#include "tcg/vpmu-profile.h"
#if QEMU_VERSION_MAJOR == 10 && QEMU_VERSION_MINOR == 0
#include "system/cpu-timers.h"
#else
#include "exec/icount.h"
#endif

/*
 * What a sample takes beside the calls here, in nanoseconds: leaving translated
 * code at the instruction that ends the period, and entering it again.  It is
 * an estimate for the hosts of today, and matters for rates above 20,000 Hz.
 */
#define EXIT_NS 1000

/* Reports lost samples.  This must come before the next sample. */
static bool record_put_lost(VPMUObservedCPU *on, uint64_t time)
{
    for (unsigned int i = 0; i < on->base.record->events; i++) {
        VPMUSampler *s = &on->sampler[i];
        struct vpmu_record_lost lost = {
            .head = vpmu_record_head_of(&on->base, VPMU_RECORD_LOST,
                                        sizeof(lost)),
            .time = time,
            .samples = s->unreported,
            .event = i,
        };

        if (s->unreported && !vpmu_ring_put(on, &lost, sizeof(lost))) {
            return false;
        }
        s->unreported = 0;
    }
    return true;
}

/* Do both values of VTTBR_EL2 belong to the same guest? */
static bool is_same_vttbr(uint64_t a, uint64_t b)
{
    return ((a ^ b) & ~VPMU_RECORD_VTTBR_CNP) == 0;
}

static bool is_same_guest(const struct vpmu_record_guest *a,
                          const struct vpmu_record_guest *b)
{
    return a->vttbr == b->vttbr && a->vtcr == b->vtcr &&
           a->ttbr1 == b->ttbr1 && a->ttbr0 == b->ttbr0 && a->tcr == b->tcr;
}

/*
 * Writes the sample's guest if it is needed.  False if there is no room.  The
 * thread of another guest is no longer known.
 */
static bool record_put_guest(VPMUObservedCPU *on,
                             const struct vpmu_record_sample *sample)
{
    struct vpmu_record_guest guest = {
        .head = vpmu_record_head_of(&on->base, VPMU_RECORD_GUEST,
                                    sizeof(guest)),
        .time = sample->time,
    };

    if (sample->world != VPMU_WORLD_GUEST || !vpmu_target->samples->guest) {
        return true;
    }
    vpmu_target->samples->guest(on->base.cpu, &guest);
    if (is_same_guest(&guest, &on->guest)) {
        return true;
    }
    if (!vpmu_ring_put(on, &guest, sizeof(guest))) {
        return false;
    }
    if (!is_same_vttbr(guest.vttbr, on->guest.vttbr)) {
        on->thread[VPMU_THREADS_GUEST] = (VPMUThread) {};
    }
    on->guest = guest;
    return true;
}

/*
 * Puts the sample into the ring, or counts it as lost.  @room: false if records
 * that belong before it did not fit.
 */
static void record_put(VPMUObservedCPU *on, VPMUSample *buf, bool room)
{
    VPMURecord *r = on->base.record;
    VPMUSampler *s = &on->sampler[buf->sample.event];
    size_t words = buf->sample.values + buf->sample.chain;
    size_t branches = buf->sample.branches * sizeof(buf->branch[0]);
    size_t size = sizeof(buf->sample) + words * sizeof(buf->more[0]) + branches;

    memcpy(buf->more + words, buf->branch, branches);
    buf->sample.head = vpmu_record_head_of(&on->base, VPMU_RECORD_SAMPLE,
                                           size);
    if (room && !qatomic_read(&r->full) &&
        record_put_lost(on, buf->sample.time) &&
        vpmu_ring_put(on, (uint8_t *)&buf->sample - buf->before,
                      buf->before + size)) {
        s->samples++;
        return;
    }
    s->lost++;
    s->unreported++;
    vpmu_record_was_lost(r);
}

/* Which CPU wrote the last record of a thread? */
static uint32_t *record_thread_cpu(const VPMUObservedCPU *on, unsigned int of,
                                   const VPMUThread *thread)
{
    return &on->base.record->thread_cpu[of][thread->tid % VPMU_RECORD_THREADS];
}

/* Writes the thread of the samples that follow.  False if there is no room. */
static bool record_put_thread(VPMUObservedCPU *on, unsigned int of,
                              const VPMUThread *thread, uint64_t time)
{
    struct vpmu_record_thread record = {
        .head = vpmu_record_head_of(&on->base, of == VPMU_THREADS_GUEST
                                    ? VPMU_RECORD_GUEST_THREAD
                                    : VPMU_RECORD_THREAD, sizeof(record)),
        .time = time,
        .tid = thread->tid,
        .pid = thread->pid,
        .known = thread->known,
    };

    memcpy(record.comm, thread->name, sizeof(record.comm));
    if (!vpmu_ring_put(on, &record, sizeof(record))) {
        return false;
    }
    on->thread[of] = *thread;
    qatomic_set(record_thread_cpu(on, of, thread), on->base.index + 1);
    return true;
}

/*
 * Does the CPU's last thread record say the same, and has no other CPU written
 * a record of this thread since?  That one may have another name.
 */
static bool record_knows(const VPMUObservedCPU *on, unsigned int of,
                         const VPMUThread *thread)
{
    return memcmp(thread, &on->thread[of], sizeof(*thread)) == 0 &&
           (!thread->known ||
            qatomic_read(record_thread_cpu(on, of, thread)) ==
            on->base.index + 1);
}

/* Where does the CPU's guest keep its threads?  NULL if that is not known. */
static const VPMURecordPlaces *record_guest_places(const VPMUObservedCPU *on)
{
    const VPMURecord *r = on->base.record;

    for (unsigned int i = qatomic_load_acquire(&r->guests); i-- > 0; ) {
        if (is_same_vttbr(r->guest[i].vttbr, on->guest.vttbr)) {
            return &r->guest[i].places;
        }
    }
    return NULL;
}

static const VPMURecordPlaces *record_places(const VPMUObservedCPU *on,
                                             unsigned int of)
{
    VPMURecord *r = on->base.record;

    return of == VPMU_THREADS_GUEST ? record_guest_places(on)
           : r->has_threads ? qapi_VPMURecordThreads_base(&r->threads) : NULL;
}

/*
 * Writes a thread record if it is needed.  False if there is no room.  The
 * guest of the sample is that of the last guest record.
 */
static bool record_thread(VPMUObservedCPU *on,
                          const struct vpmu_record_sample *sample)
{
    unsigned int of = sample->world == VPMU_WORLD_GUEST ? VPMU_THREADS_GUEST
                                                        : VPMU_THREADS_OWN;
    const VPMURecordPlaces *where = record_places(on, of);
    VPMUThread thread = {};

    return !where ||
           !vpmu_thread_find(on->base.cpu, where, sample, &thread) ||
           record_knows(on, of, &thread) ||
           record_put_thread(on, of, &thread, sample->time);
}

/* Adds guest, thread, call chain and stack; puts the sample into the ring. */
static void record_take(VPMUObservedCPU *on, VPMUSample *buf)
{
    VPMURecord *r = on->base.record;
    uint64_t *chain = buf->more + buf->sample.values;
    bool room = record_put_guest(on, &buf->sample) &&
                record_thread(on, &buf->sample);
    unsigned int words;

    if (r->frames) {
        buf->sample.chain =
            vpmu_target->samples->unwind(on->base.cpu, &buf->sample, r, chain,
                                         r->frames);
    }
    words = r->stack ? vpmu_record_stack(on, &buf->sample, &room) : 0;
    vpmu_record_maps(on, buf, chain, buf->sample.chain, words);
    record_put(on, buf, room);
}

/* Begins a sample of @weight events at the current instruction. */
static VPMUSample *record_here(VPMUSampler *s, uint64_t weight, bool in_insn)
{
    VPMUObservedCPU *on = s->on;
    VPMUSample *buf = &on->buf;

    buf->before = 0;
    buf->sample = (struct vpmu_record_sample) {
        .weight = weight,
        .event = s->event,
        .values = on->base.record->values ? on->base.record->events : 0,
    };
    vpmu_target->samples->describe(on->base.cpu, &buf->sample, in_insn);
    buf->sample.branches = vpmu_target->samples->branches(on->base.cpu,
                                                          buf->branch);
    buf->sample.time += on->base.record->shift;
    s->weight += weight;
    return buf;
}

/* Adds the access of the instruction, if there was one. */
static void record_access(VPMUObservedCPU *on, VPMUSample *buf)
{
    struct vpmu_record_access *access = &buf->access;

    *access = (struct vpmu_record_access) {
        .head = vpmu_record_head_of(&on->base, VPMU_RECORD_ACCESS,
                                    sizeof(*access)),
    };
    if (vpmu_target->samples->access(on->base.cpu,
                                     &on->sampler[buf->sample.event].counter,
                                     access)) {
        access->latency = vpmu_access_latency(access->level,
                                              access->translated);
        buf->before = sizeof(*access);
    }
}

/* Returns the period that follows a sample. */
static uint64_t record_period(VPMUSampler *s, uint64_t period,
                              const struct vpmu_record_sample *sample)
{
    uint64_t spent = s->on->spent - s->spent;

    s->spent = s->on->spent;
    period = vpmu_frequency_next(&s->frequency, period, sample->weight,
                                 sample->time, spent);
    if (s->frequency.limited && s->limited < UINT32_MAX) {
        s->limited++;
    }
    return period;
}

static void record_sample(VPMUSampler *s, const struct vpmu_sample *sample,
                          bool in_insn)
{
    struct vpmu_observer *o = &s->counter;
    VPMUSample *buf = record_here(s, sample->periods * o->period, in_insn);

    for (unsigned int i = 0; i < buf->sample.values; i++) {
        void *pmu = vpmu_target->counting->pmu(s->on->base.cpu);

        buf->more[i] =
            vpmu_target->counting->read(pmu, &s->on->sampler[i].counter);
    }
    if (s->frequency.hz) {
        uint64_t period = record_period(s, o->period, &buf->sample);

        vpmu_observer_set_period(vpmu_target->acts->count(s->on->base.cpu), o,
                                 period);
    }
    if (s->on->base.record->has_accesses) {
        record_access(s->on, buf);
    }
    record_take(s->on, buf);
}

void vpmu_record_sample(const struct vpmu_sample *sample, bool in_insn)
{
    VPMUSampler *s = container_of(sample->observer, VPMUSampler, counter);
    /* Under icount, samples take none of the guest's time. */
    bool takes_time = s->frequency.hz && !icount_enabled();
    int64_t begun = takes_time ? get_clock() : 0;

    record_sample(s, sample, in_insn);
    if (takes_time) {
        s->on->spent += get_clock() - begun + EXIT_NS;
    }
}

/* A window without instructions makes no sample. */
void vpmu_record_span(VPMUObservedCPU *on, enum vpmu_span kind,
                      const uint64_t size[VPMU_UNIT_COUNT])
{
    for (unsigned int i = 0; i < on->base.record->events; i++) {
        VPMUSampler *s = &on->sampler[i];

        if (s->span == kind && size[VPMU_UNIT_INSTRUCTIONS]) {
            VPMUSample *buf = record_here(s, size[VPMU_UNIT_INSTRUCTIONS],
                                          false);

            buf->span = (struct vpmu_record_span) {
                .head = vpmu_record_head_of(&on->base, VPMU_RECORD_SPAN,
                                            sizeof(buf->span)),
                .ns = size[VPMU_UNIT_NANOSECONDS],
            };
            buf->before = buf->span.ns ? sizeof(buf->span) : 0;
            record_take(on, buf);
        }
    }
}

static bool record_profile(CPUState *cs, VPMUSampler *s)
{
    const VPMURecord *r = s->on->base.record;
    uint32_t contexts = 0;
    uint32_t costs = 0;

    for (unsigned int i = 0; i < VPMU_WORLD_COUNT; i++) {
        contexts |= s->counter.ctx_mask[i];
    }
    for (unsigned int i = 0; i < r->events; i++) {
        if (s->on->sampler[i].cost != VPMU_COST_COUNT) {
            costs |= VPMU_COST_BIT(s->on->sampler[i].cost);
        }
    }
    return vpmu_profile_on(cs, r->calls[s->event], costs, contexts);
}

void vpmu_record_on(CPUState *cs, run_on_cpu_data data)
{
    VPMUObservedCPU *on = data.host_ptr;

    vpmu_target->samples->set_record(cs, on);
    for (unsigned int i = 0; i < on->base.record->events; i++) {
        VPMUSampler *s = &on->sampler[i];

        s->frequency.last = on->base.record->begun;
        if (s->span == VPMU_SPAN_COUNT) {
            vpmu_target->counting->observe(cs, &s->counter);
            /* The CPU executes nothing between these two. */
            s->exact = s->exact && (s->cost != VPMU_COST_COUNT ||
                                    record_profile(cs, s));
        }
    }
}

void vpmu_record_off(CPUState *cs, run_on_cpu_data data)
{
    VPMUObservedCPU *on = data.host_ptr;

    for (unsigned int i = 0; i < on->base.record->events; i++) {
        VPMUSampler *s = &on->sampler[i];

        s->count = s->span == VPMU_SPAN_COUNT
                   ? vpmu_target->counting->unobserve(cs, &s->counter)
                   : s->weight;
        if (s->exact && s->cost == VPMU_COST_COUNT) {
            s->counters = vpmu_profile_off(cs);
        }
    }
    vpmu_target->samples->set_record(cs, NULL);
}

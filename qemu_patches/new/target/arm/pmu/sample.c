/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sample is taken where an observer's period ends, on the thread of the CPU.
 * That puts it into a ring of the CPU's own and does not wait there.
 *
 * Call chain and thread need the MMU, and that the BQL, if a guest has its page
 * tables in a device.  So a sample that is taken with a lock waits until that
 * is released, before the next instruction.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "internals.h"
#include "sample.h"

static bool ring_put(ARMVPMURecordCPU *on, const void *data, size_t len)
{
    size_t size = on->base.record->size;
    size_t used = on->head - qatomic_load_acquire(&on->tail);
    size_t at = on->head & (size - 1);
    size_t first = MIN(len, size - at);

    if (len > size - used) {
        return false;
    }
    memcpy(on->ring + at, data, first);
    memcpy(on->ring, (const uint8_t *)data + first, len - first);
    qatomic_store_release(&on->head, on->head + len);
    if (used + len > size / 2) {
        arm_vpmu_record_wait(on);
        arm_vpmu_record_kick(on->base.record);
    }
    return true;
}

/* What was lost has to be told of first. */
static bool record_put_lost(ARMVPMURecordCPU *on, uint64_t time)
{
    for (unsigned int i = 0; i < on->base.record->events; i++) {
        VPMUSampler *s = &on->sampler[i];
        struct vpmu_record_lost lost = {
            .head = arm_vpmu_record_head(&on->base, VPMU_RECORD_LOST,
                                         sizeof(lost)),
            .time = time,
            .samples = s->untold,
            .event = i,
        };

        if (s->untold && !ring_put(on, &lost, sizeof(lost))) {
            return false;
        }
        s->untold = 0;
    }
    return true;
}

/*
 * The instruction that comes next.  An access to a register of the PMU counts
 * before it is made, when the PC is still its own.
 */
static uint64_t record_pc(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;

    return (is_a64(env) ? env->pc : env->regs[15]) +
           (cpu->vpmu->accessing ? 4 : 0);
}

static void record_describe(ARMCPU *cpu, struct vpmu_record_sample *sample)
{
    CPUARMState *env = &cpu->env;
    enum vpmu_world world = arm_vpmu_world(cpu);

    sample->time = arm_vpmu_now(cpu);
    sample->pc = record_pc(cpu);
    sample->contextidr =
        env->cp15.contextidr_el[world == VPMU_WORLD_VHE ? 2 : 1];
    sample->vmid = world == VPMU_WORLD_GUEST
                   ? extract64(env->cp15.vttbr_el2, 48, 16) : 0;
    sample->el = arm_current_el(env);
    sample->world = world;
    sample->flags = (is_a64(env) ? 0 : VPMU_RECORD_AARCH32) |
                    (arm_is_secure(env) ? VPMU_RECORD_SECURE : 0);
}

/* Into the ring, if there is room.  @room: there was for what comes before. */
static void record_put(ARMVPMURecordCPU *on, VPMUSample *buf, bool room)
{
    VPMURecord *r = on->base.record;
    VPMUSampler *s = &on->sampler[buf->sample.event];
    size_t size = sizeof(buf->sample) +
                  (buf->sample.values + buf->sample.chain) *
                  sizeof(buf->more[0]);
    size_t before = buf->span.ns ? sizeof(buf->span) : 0;

    buf->span.head = arm_vpmu_record_head(&on->base, VPMU_RECORD_SPAN,
                                          sizeof(buf->span));
    buf->sample.head = arm_vpmu_record_head(&on->base, VPMU_RECORD_SAMPLE,
                                            size);
    if (room && !qatomic_read(&r->full) &&
        record_put_lost(on, buf->sample.time) &&
        ring_put(on, (uint8_t *)&buf->sample - before, before + size)) {
        s->samples++;
        return;
    }
    s->lost++;
    s->untold++;
    arm_vpmu_record_lost(r);
}

/* Tells whose the samples are that come next.  False if there is no room. */
static bool record_put_thread(ARMVPMURecordCPU *on, const VPMUThread *thread,
                              uint64_t time)
{
    struct vpmu_record_thread record = {
        .head = arm_vpmu_record_head(&on->base, VPMU_RECORD_THREAD,
                                     sizeof(record)),
        .time = time,
        .tid = thread->tid,
        .pid = thread->pid,
        .known = thread->known,
    };

    memcpy(record.comm, thread->name, sizeof(record.comm));
    if (!ring_put(on, &record, sizeof(record))) {
        return false;
    }
    on->thread = *thread;
    qatomic_set(&on->base.record->teller[thread->tid % VPMU_RECORD_TELLERS],
                CPU(on->cpu)->cpu_index + 1);
    return true;
}

/* Does the reader know, and has no other CPU told of this thread since? */
static bool record_knows(const ARMVPMURecordCPU *on, const VPMUThread *thread)
{
    const uint32_t *teller =
        &on->base.record->teller[thread->tid % VPMU_RECORD_TELLERS];

    return memcmp(thread, &on->thread, sizeof(*thread)) == 0 &&
           (!thread->known ||
            qatomic_read(teller) == CPU(on->cpu)->cpu_index + 1);
}

/* The same, if it has to be told.  Of guests only their own kernels know. */
static bool record_thread(ARMVPMURecordCPU *on,
                          const struct vpmu_record_sample *sample)
{
    unsigned int kernel = sample->world == VPMU_WORLD_VHE ? 2 : 1;
    VPMUThread thread;

    if (!on->base.record->has_threads || sample->world == VPMU_WORLD_GUEST ||
        sample->el > kernel) {
        return true;
    }
    thread = arm_vpmu_thread(on->cpu, &on->base.record->threads, kernel);
    return record_knows(on, &thread) ||
           record_put_thread(on, &thread, sample->time);
}

/* All that wait are of the same instruction. */
void arm_vpmu_record_waiting(ARMCPU *cpu)
{
    ARMVPMURecordCPU *on = cpu->vpmu->record;
    uint64_t chain[VPMU_RECORD_CHAIN];
    unsigned int n = 0;
    bool room;

    if (!on->waiting) {
        return;
    }
    room = record_thread(on, &on->wait[0].sample);
    if (on->base.record->frames) {
        n = arm_vpmu_unwind(cpu, chain, on->base.record->frames);
    }
    for (unsigned int i = 0; i < on->waiting; i++) {
        VPMUSample *buf = &on->wait[i];

        memcpy(buf->more + buf->sample.values, chain, n * sizeof(chain[0]));
        buf->sample.chain = n;
        record_put(on, buf, room);
    }
    on->waiting = 0;
}

/* What happens here and now, as often as @weight says. */
static VPMUSample *record_here(ARMCPU *cpu, VPMUSampler *s, uint64_t weight)
{
    ARMVPMURecordCPU *on = cpu->vpmu->record;
    VPMUSample *buf = &on->wait[on->waiting];

    buf->span.ns = 0;
    buf->sample = (struct vpmu_record_sample) {
        .weight = weight,
        .event = s->event,
        .values = on->base.record->values ? on->base.record->events : 0,
    };
    record_describe(cpu, &buf->sample);
    s->weight += weight;
    return buf;
}

/* Now, or once there is no lock. */
static void record_take(ARMCPU *cpu, VPMUSample *buf)
{
    ARMVPMURecordCPU *on = cpu->vpmu->record;
    VPMURecord *r = on->base.record;

    if (!r->frames && !r->has_threads) {
        record_put(on, buf, true);
        return;
    }
    if (on->waiting == VPMU_RECORD_EVENTS) {
        record_put(on, buf, false);
        return;
    }
    on->waiting++;
    if (!cpu->vpmu->stepping) {
        arm_vpmu_record_waiting(cpu);
    }
}

void arm_vpmu_record_sample(void *opaque, struct vpmu_observer *o,
                            uint64_t periods)
{
    ARMCPU *cpu = opaque;
    VPMUSampler *s = container_of(o, VPMUSampler, counter);
    VPMUSample *buf = record_here(cpu, s, periods * o->period);

    for (unsigned int i = 0; i < buf->sample.values; i++) {
        buf->more[i] = vpmu_observer_read(&cpu->vpmu->pmu,
                          &cpu->vpmu->record->sampler[i].counter);
    }
    if (s->frequency.hz) {
        o->period = vpmu_frequency_next(&s->frequency, o->period,
                                        buf->sample.weight, buf->sample.time);
    }
    record_take(cpu, buf);
}

/* An empty one stands for nothing. */
void arm_vpmu_record_span(void *opaque, enum vpmu_span kind,
                          const uint64_t size[VPMU_UNIT_COUNT])
{
    ARMCPU *cpu = opaque;
    ARMVPMURecordCPU *on = cpu->vpmu->record;

    for (unsigned int i = 0; i < on->base.record->events; i++) {
        VPMUSampler *s = &on->sampler[i];

        if (s->span == kind && size[VPMU_UNIT_INSTRUCTIONS]) {
            VPMUSample *buf = record_here(cpu, s, size[VPMU_UNIT_INSTRUCTIONS]);

            buf->span.ns = size[VPMU_UNIT_NANOSECONDS];
            record_take(cpu, buf);
        }
    }
}

/* The meter is on, or the recording; is the other? */
void arm_vpmu_record_meter(ARMCPU *cpu)
{
    const ARMVPMURecordCPU *on = cpu->vpmu->record;
    bool wanted = false;

    for (unsigned int i = 0; on && i < on->base.record->events; i++) {
        wanted |= on->sampler[i].span != VPMU_SPAN_COUNT;
    }
    if (cpu->vpmu->meter) {
        cpu->vpmu->meter->ended = wanted ? arm_vpmu_record_span : NULL;
    }
}

void arm_vpmu_record_on(CPUState *cs, run_on_cpu_data data)
{
    ARMVPMURecordCPU *on = data.host_ptr;
    ARMVPMU *vpmu = on->cpu->vpmu;

    arm_vpmu_watch_begin(on->cpu);
    vpmu->record = on;
    for (unsigned int i = 0; i < on->base.record->events; i++) {
        VPMUSampler *s = &on->sampler[i];

        s->frequency.last = on->base.record->begun;
        if (s->span == VPMU_SPAN_COUNT) {
            vpmu_observer_add(&vpmu->pmu, &s->counter);
        }
    }
    arm_vpmu_record_meter(on->cpu);
}

void arm_vpmu_record_off(CPUState *cs, run_on_cpu_data data)
{
    ARMVPMURecordCPU *on = data.host_ptr;
    ARMVPMU *vpmu = on->cpu->vpmu;

    for (unsigned int i = 0; i < on->base.record->events; i++) {
        VPMUSampler *s = &on->sampler[i];

        s->count = s->span == VPMU_SPAN_COUNT
                   ? vpmu_observer_remove(&vpmu->pmu, &s->counter) : s->weight;
    }
    vpmu->record = NULL;
    arm_vpmu_record_meter(on->cpu);
    arm_vpmu_watch_end(on->cpu);
}


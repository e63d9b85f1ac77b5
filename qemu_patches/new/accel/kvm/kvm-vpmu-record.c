/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recorder of KVM guests, by perf events of the vCPUs' threads
 *
 * The library kvm_glue opens the events and reads what the kernel writes into a
 * ring for each vCPU.  This file turns that into records.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "qemu/units.h"
#include "system/kvm_vpmu.h"
#include "system/vpmu_target.h"
#include "kvm_glue/sampler.h"
#include "system/vpmu_record.h"
#include "vpmu/arm/observer.h"

/* The writer writes pieces of this size. */
#define CHUNK (64 * KiB)

/* A sample, followed by values. */
typedef struct KVMRecordSample {
    struct vpmu_record_sample sample;
    uint64_t values[VPMU_RECORD_EVENTS];
} KVMRecordSample;

/* A vCPU that is recorded. */
typedef struct KVMRecordCPU {
    VPMURecordCPU base;
    struct kvm_glue_sampler sampler;
    bool open;
    bool broken;
    /* Used by the writer: bytes that it has not written yet. */
    size_t used;
    uint8_t out[CHUNK];
    /* The totals of all events when the sampler was closed. */
    VPMURecordTotal totals[VPMU_RECORD_EVENTS];
} KVMRecordCPU;

static KVMRecordCPU *sampled(const VPMURecordCPU *on)
{
    return container_of(on, KVMRecordCPU, base);
}

static CPUState *sampled_next_cpu(CPUState *cpu)
{
    return cpu ? CPU_NEXT(cpu) : first_cpu;
}

static int64_t sampled_now(void)
{
    return kvm_glue_os_linux.clock();
}

static int sampled_fd(const VPMURecordCPU *on)
{
    return kvm_glue_sampler_fd(&sampled(on)->sampler);
}

static bool sampled_check(const VPMURecord *r, Error **errp)
{
    if (r->frames || r->stack || r->has_threads) {
        error_setg(errp, "cannot record %s with KVM: when a sample is read, "
                   "the guest has already moved on",
                   r->frames ? "call chains"
                   : r->stack ? "stacks" : "names of threads");
        return false;
    }
    if (r->has_branches) {
        error_setg(errp, "cannot record branches with KVM: the host's branch "
                   "records are not for guests");
        return false;
    }
    if (r->has_accesses) {
        error_setg(errp, "cannot record accesses to memory with KVM: the "
                   "host's PMU does not describe those of guests");
        return false;
    }
    if (r->when_full == VPMU_RECORD_FULL_WAIT) {
        error_setg(errp, "cannot record all samples with KVM: the guest "
                   "continues while the kernel's buffer is full, and these "
                   "samples are lost");
        return false;
    }
    return true;
}

/*
 * Opening and closing
 */

typedef struct KVMRecordOpen {
    KVMRecordCPU *on;
    Error *err;
} KVMRecordOpen;

static bool open_event(KVMRecordCPU *on, unsigned int i, Error **errp)
{
    VPMURecord *r = on->base.record;
    struct kvm_glue_sampled event = {
        .period = r->period[i],
        .frequency = r->frequency[i],
    };
    struct kvm_glue_error err;

    if (vpmu_host()->parse(r->name[i], &event, &err) < 0) {
        error_setg(errp, "cannot record '%s': %s", r->name[i], err.text);
        return false;
    }
    if (kvm_glue_sampler_add(&on->sampler, &event, &err) < 0) {
        error_setg(errp, "the host cannot sample '%s': %s", r->name[i],
                   err.text);
        return false;
    }
    return true;
}

/* Runs on the vCPU's thread, because the events belong to a thread. */
static void open_events(CPUState *cpu, run_on_cpu_data data)
{
    KVMRecordOpen *open = data.host_ptr;
    KVMRecordCPU *on = open->on;
    VPMURecord *r = on->base.record;
    struct kvm_glue_sampler_options options = {
        .values = r->values,
        .ring = r->size,
    };

    kvm_glue_sampler_init(&on->sampler, &kvm_glue_os_linux, &options);
    on->open = true;
    for (unsigned int i = 0; i < r->events && !open->err; i++) {
        open_event(on, i, &open->err);
    }
}

static void read_totals(KVMRecordCPU *on, VPMURecordTotal *totals)
{
    for (unsigned int i = 0; i < on->base.record->events; i++) {
        struct kvm_glue_sampler_count count = {};

        kvm_glue_sampler_read(&on->sampler, i, &count);
        totals[i].count = (struct vpmu_record_count) {
            .count = count.count,
            .weight = count.weight,
            .samples = count.samples,
            .lost = count.lost,
            .period = count.period,
        };
        totals[i].host = (struct vpmu_record_host) {
            .enabled = count.enabled,
            .running = count.running,
            .elsewhere = count.elsewhere,
            .throttled = count.throttled,
        };
    }
}

static void sampled_totals(VPMURecordCPU *base, VPMURecordTotal *totals)
{
    KVMRecordCPU *on = sampled(base);

    if (on->open) {
        read_totals(on, totals);
    } else {
        memcpy(totals, on->totals, sizeof(on->totals));
    }
}

static void sampled_release(VPMURecordCPU *base)
{
    KVMRecordCPU *on = sampled(base);

    if (on->open) {
        read_totals(on, on->totals);
        kvm_glue_sampler_close(&on->sampler);
        on->open = false;
    }
}

static void sampled_free(void *opaque)
{
    sampled_release(opaque);
    g_free(sampled(opaque));
}

static VPMURecordCPU *sampled_new(VPMURecord *r, CPUState *cpu,
                                  VPMURecordEventList *events, Error **errp)
{
    KVMRecordCPU *on = g_new0(KVMRecordCPU, 1);
    KVMRecordOpen open = { .on = on };

    on->base = (VPMURecordCPU) { .record = r, .cpu = cpu,
                                 .index = cpu->cpu_index };
    run_on_cpu(cpu, open_events, RUN_ON_CPU_HOST_PTR(&open));
    if (open.err) {
        error_propagate(errp, open.err);
        sampled_free(&on->base);
        return NULL;
    }
    return &on->base;
}

static void switch_events(VPMURecordCPU *base, bool on)
{
    if (kvm_glue_sampler_switch(&sampled(base)->sampler, on) < 0) {
        warn_report("cannot switch the perf events of vCPU %" PRIu32 " %s",
                    base->index, on ? "on" : "off");
    }
}

static void sampled_on(CPUState *cpu, run_on_cpu_data data)
{
    switch_events(data.host_ptr, true);
}

static void sampled_off(CPUState *cpu, run_on_cpu_data data)
{
    switch_events(data.host_ptr, false);
}

/*
 * The writer
 */

static bool flush(KVMRecordCPU *on)
{
    size_t used = on->used;

    on->used = 0;
    return vpmu_record_write(on->base.record, on->out, used);
}

static bool put(KVMRecordCPU *on, const void *record, size_t size)
{
    if (size > sizeof(on->out) - on->used && !flush(on)) {
        return false;
    }
    memcpy(on->out + on->used, record, size);
    on->used += size;
    return true;
}

static bool put_lost(KVMRecordCPU *on,
                     const struct kvm_glue_sample_taken *taken)
{
    struct vpmu_record_lost lost = {
        .head = vpmu_record_head_of(&on->base, VPMU_RECORD_LOST,
                                    sizeof(lost)),
        .time = taken->time,
        .samples = taken->lost,
        .event = taken->event,
    };

    /* A sample that has no guest address does not mean a full ring. */
    if (!taken->elsewhere) {
        vpmu_record_was_lost(on->base.record);
    }
    return put(on, &lost, sizeof(lost));
}

/* To the record format, the guest is the machine's own kernel and programs. */
static bool put_sample(KVMRecordCPU *on,
                       const struct kvm_glue_sample_taken *taken)
{
    unsigned int values = taken->value ? on->base.record->events : 0;
    size_t size = sizeof(struct vpmu_record_sample) +
                  values * sizeof(uint64_t);
    KVMRecordSample record = {
        .sample = {
            .head = vpmu_record_head_of(&on->base, VPMU_RECORD_SAMPLE, size),
            .time = taken->time,
            .pc = taken->pc,
            .weight = taken->weight,
            .event = taken->event,
            .el = !taken->user,
            .world = VPMU_WORLD_NVHE,
            .values = values,
        },
    };

    memcpy(record.values, taken->value ?: record.values,
           values * sizeof(uint64_t));
    return put(on, &record, size);
}

/*
 * Bounded by what the ring can have held, so that other vCPUs get their turn.
 */
static bool sampled_drain(VPMURecordCPU *base)
{
    KVMRecordCPU *on = sampled(base);
    struct kvm_glue_sample_taken taken;
    int ret = 0;

    for (size_t n = 0; n < base->record->size / sizeof(uint64_t); n++) {
        ret = kvm_glue_sampler_next(&on->sampler, &taken);
        if (ret <= 0) {
            break;
        }
        if (!(taken.lost ? put_lost(on, &taken) : put_sample(on, &taken))) {
            return false;
        }
    }
    if (ret < 0 && !on->broken) {
        on->broken = true;
        warn_report("the samples of vCPU %" PRIu32 " end here: the kernel's "
                    "ring has an invalid record", base->index);
    }
    return flush(on);
}

const VPMURecorder kvm_vpmu_recorder = {
    .host = true,
    .check = sampled_check,
    .next_cpu = sampled_next_cpu,
    .cpu_new = sampled_new,
    .cpu_release = sampled_release,
    .cpu_free = sampled_free,
    .on = sampled_on,
    .off = sampled_off,
    .now = sampled_now,
    .drain = sampled_drain,
    .fd = sampled_fd,
    .totals = sampled_totals,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples by observers of PMUs that QEMU emulates: what there is for each CPU
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/qapi-commands-vpmu.h"
#include "qemu/cutils.h"
#include "qemu/timer.h"
#include "qemu/units.h"
#include "qmp.h"
#include "sample.h"
#include "system/vpmu_cpu.h"

/* What is written at a time before the ring has room again. */
#define CHUNK (64 * KiB)

static ARMVPMURecordCPU *observed(VPMURecordCPU *on)
{
    return container_of(on, ARMVPMURecordCPU, base);
}

static bool observed_check(const VPMURecord *r, Error **errp)
{
    return vpmu_cpu_exists(errp);
}

static CPUState *observed_next_cpu(CPUState *cs)
{
    ARMCPU *cpu = arm_vpmu_next_cpu(cs ? ARM_CPU(cs) : NULL);

    return cpu ? CPU(cpu) : NULL;
}

static int64_t observed_now(void)
{
    return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

/* The CPU itself wakes the writer up. */
static int observed_fd(const VPMURecordCPU *on)
{
    return -1;
}

/*
 * Events
 */

/* Are the meter's spans of this kind the event with that name? */
static bool record_is_span(enum vpmu_span span, const char *name)
{
    if (span < VPMU_SPAN_LEAK_HOST && !strstart(name, "blackout-", &name)) {
        return false;
    }
    return g_str_equal(name, arm_vpmu_span_names[span]);
}

static bool record_take_span(ARMVPMURecordCPU *on, VPMUSampler *s,
                             const VPMURecordEvent *event, Error **errp)
{
    const char *name = on->base.record->name[s->event];

    if (event->period != 1 || on->base.record->values) {
        error_setg(errp, "'%s' is recorded as it happens: with a period of 1, "
                   "and without values of others", name);
        return false;
    }
    if (!on->cpu->vpmu->meter) {
        error_setg(errp, "'%s' is what the meter measures, which is off: "
                   "vpmu-meter switches it on", name);
        return false;
    }
    s->counter.period = 1;
    return true;
}

static bool record_take_event(ARMVPMURecordCPU *on, VPMUSampler *s,
                              const VPMURecordEvent *event, Error **errp)
{
    const char *name = on->base.record->name[s->event];
    const char *why;

    for (s->span = 0; s->span < VPMU_SPAN_COUNT; s->span++) {
        if (record_is_span(s->span, name)) {
            return record_take_span(on, s, event, errp);
        }
    }
    if (vpmu_observer_parse(&on->cpu->vpmu->pmu.config, name, &s->counter,
                            &why)) {
        error_setg(errp, "cannot record '%s': %s", name, why);
        return false;
    }
    s->frequency.hz = event->frequency;
    s->counter.period = s->frequency.hz ? 1 : event->period;
    s->counter.sample = arm_vpmu_record_sample;
    return true;
}

static void observed_release(VPMURecordCPU *base)
{
    ARMVPMURecordCPU *on = observed(base);

    g_free(on->ring);
    on->ring = NULL;
}

static void observed_free(void *opaque)
{
    observed_release(opaque);
    g_free(observed(opaque));
}

static VPMURecordCPU *observed_new(VPMURecord *r, CPUState *cs,
                                   VPMURecordEventList *events, Error **errp)
{
    ARMVPMURecordCPU *on = g_new0(ARMVPMURecordCPU, 1);
    bool ok = true;

    on->base = (VPMURecordCPU) { .record = r, .cpu = cs };
    on->cpu = ARM_CPU(cs);
    on->ring = g_try_malloc(r->size);
    if (!on->ring) {
        error_setg(errp, "there is no memory for a buffer of %zu bytes",
                   r->size);
        ok = false;
    }
    for (unsigned int i = 0; ok && events; i++, events = events->next) {
        on->sampler[i].event = i;
        ok = record_take_event(on, &on->sampler[i], events->value, errp);
    }
    if (!ok) {
        observed_free(&on->base);
        return NULL;
    }
    return &on->base;
}

/*
 * Samples
 */

/* Only whole records are in a ring. */
static bool observed_drain(VPMURecordCPU *base)
{
    ARMVPMURecordCPU *on = observed(base);
    size_t size = base->record->size;
    size_t head = qatomic_load_acquire(&on->head);

    while (on->tail != head) {
        size_t at = on->tail & (size - 1);
        size_t len = MIN(MIN(head - on->tail, size - at), CHUNK);

        if (!arm_vpmu_record_write(base->record, on->ring + at, len)) {
            return false;
        }
        qatomic_store_release(&on->tail, on->tail + len);
    }
    return true;
}

/* While it is active, as far as a look sees. */
static void observed_totals(VPMURecordCPU *base, VPMURecordTotal *totals)
{
    ARMVPMURecordCPU *on = observed(base);
    bool active = base->record->state == VPMU_RECORD_STATE_ACTIVE;
    struct vpmu *seen = active ? arm_vpmu_look(on->cpu) : NULL;

    qemu_spin_lock(&on->cpu->vpmu->stepping_lock);
    for (unsigned int i = 0; i < base->record->events; i++) {
        VPMUSampler *s = &on->sampler[i];

        totals[i].count = (struct vpmu_record_count) {
            .count = !active ? s->count
                     : s->span == VPMU_SPAN_COUNT
                     ? vpmu_observer_read(seen, &s->counter) : s->weight,
            .weight = s->weight,
            .samples = s->samples,
            .lost = s->lost,
            .period = s->counter.period,
        };
    }
    qemu_spin_unlock(&on->cpu->vpmu->stepping_lock);
}

const VPMURecorder *arm_vpmu_recorder(Error **errp)
{
    static const VPMURecorder recorder = {
        .check = observed_check,
        .next_cpu = observed_next_cpu,
        .cpu_new = observed_new,
        .cpu_release = observed_release,
        .cpu_free = observed_free,
        .on = arm_vpmu_record_on,
        .off = arm_vpmu_record_off,
        .now = observed_now,
        .drain = observed_drain,
        .fd = observed_fd,
        .hold = arm_vpmu_record_hold,
        .totals = observed_totals,
    };

    return &recorder;
}

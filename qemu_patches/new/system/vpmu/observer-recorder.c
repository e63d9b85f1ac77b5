/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recorder of emulated PMUs: observers take the samples, and each CPU has
 * a ring for them
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/qapi-commands-vpmu.h"
#include "qemu/timer.h"
#include "qemu/units.h"
#include "system/tcg.h"
#include "system/vpmu_profile.h"
#include "system/vpmu_target.h"
#include "tcg/vpmu-profile.h"

/* The writer frees room in the ring after each piece of this size. */
#define CHUNK (64 * KiB)

static VPMUObservedCPU *observed(VPMURecordCPU *on)
{
    return container_of(on, VPMUObservedCPU, base);
}

static bool observed_check(const VPMURecord *r, Error **errp)
{
    if (!vpmu_cpu_exists(errp)) {
        return false;
    }
    if (r->has_threads && !vpmu_target->threads) {
        error_setg(errp, "cannot record names of threads: where a kernel of "
                   "this machine has them is not known");
        return false;
    }
    return true;
}

static int64_t observed_now(void)
{
    return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

/* There is no descriptor to poll: the CPU itself wakes the writer. */
static int observed_fd(const VPMURecordCPU *on)
{
    return -1;
}

/*
 * Events
 */

static bool record_take_span(VPMUObservedCPU *on, VPMUSampler *s,
                             const VPMURecordEvent *event, Error **errp)
{
    const char *name = on->base.record->name[s->event];

    if (event->period != 1 || on->base.record->values) {
        error_setg(errp, "'%s' is a window of the meter: record it with a "
                   "period of 1 and without values", name);
        return false;
    }
    if (!vpmu_target->meter->is_on(on->base.cpu)) {
        error_setg(errp, "'%s' needs the meter, which is off: "
                   "vpmu-meter switches it on", name);
        return false;
    }
    s->counter.period = 1;
    return true;
}

/* Returns the sampler of the CPU's profile before @event; NULL: none. */
static VPMUSampler *record_profiled(VPMUObservedCPU *on, unsigned int event)
{
    for (unsigned int i = 0; i < event; i++) {
        if (on->sampler[i].exact && on->sampler[i].cost == VPMU_COST_COUNT) {
            return &on->sampler[i];
        }
    }
    return NULL;
}

/* A cost of the instructions that an earlier event profiles. */
static bool record_take_cost(VPMUObservedCPU *on, VPMUSampler *s,
                             unsigned int cost, const char *modifiers,
                             Error **errp)
{
    const VPMUSampler *insns = record_profiled(on, s->event);
    g_autofree char *same = g_strconcat("instructions", modifiers, NULL);

    if (!vpmu_target->samples->costs || !insns ||
        vpmu_target->counting->parse(on->base.cpu, same, &s->counter) ||
        memcmp(s->counter.ctx_mask, insns->counter.ctx_mask,
               sizeof(s->counter.ctx_mask))) {
        error_setg(errp, "'%s' cannot be exact: it needs an exact event "
                   "before it, instructions with the same modifiers",
                   on->base.record->name[s->event]);
        return false;
    }
    s->counter.sources = vpmu_target->samples->costs[cost];
    s->counter.period = 0;
    s->cost = cost;
    s->exact = true;
    return true;
}

/* A CPU has one profile, of instructions. */
static bool record_take_exact(VPMUObservedCPU *on, VPMUSampler *s,
                              Error **errp)
{
    const char *name = on->base.record->name[s->event];
    struct vpmu_observer insns;

    if (!vpmu_target->samples->profile || !tcg_enabled() ||
        vpmu_target->counting->parse(on->base.cpu, "instructions", &insns) ||
        s->counter.sources != insns.sources) {
        error_setg(errp, "'%s' cannot be exact: that is for instructions, "
                   "instructions:u and instructions:k", name);
        return false;
    }
    if (record_profiled(on, s->event)) {
        error_setg(errp, "only one event of instructions can be exact");
        return false;
    }
    s->exact = true;
    s->counter.period = 0;
    return true;
}

static bool record_take_event(VPMUObservedCPU *on, VPMUSampler *s,
                              const VPMURecordEvent *event, Error **errp)
{
    const char *name = on->base.record->name[s->event];
    bool exact = on->base.record->exact[s->event];
    const char *modifiers;
    unsigned int cost = vpmu_cost_find(name, &modifiers);
    const char *why;

    s->on = on;
    s->cost = VPMU_COST_COUNT;
    s->span = vpmu_target->meter ? vpmu_target->meter->span(name)
                                 : VPMU_SPAN_COUNT;
    if (s->span != VPMU_SPAN_COUNT) {
        return record_take_span(on, s, event, errp);
    }
    if (exact && cost != VPMU_COST_COUNT) {
        return record_take_cost(on, s, cost, modifiers, errp);
    }
    why = vpmu_target->counting->parse(on->base.cpu, name, &s->counter);
    if (why) {
        error_setg(errp, "cannot record '%s': %s", name, why);
        return false;
    }
    if (exact) {
        return record_take_exact(on, s, errp);
    }
    s->frequency.hz = event->frequency;
    s->frequency.percent = on->base.record->percent;
    s->counter.period = s->frequency.hz ? 1 : event->period;
    return true;
}

static void observed_release(VPMURecordCPU *base)
{
    VPMUObservedCPU *on = observed(base);

    for (unsigned int i = 0; i < ARRAY_SIZE(on->sampler); i++) {
        vpmu_profile_free(on->sampler[i].counters);
        on->sampler[i].counters = NULL;
    }
    g_free(on->ring);
    on->ring = NULL;
    g_free(on->stack);
    on->stack = NULL;
}

static void observed_free(void *opaque)
{
    observed_release(opaque);
    g_free(observed(opaque));
}

static VPMURecordCPU *observed_new(VPMURecord *r, CPUState *cs,
                                   VPMURecordEventList *events, Error **errp)
{
    VPMUObservedCPU *on = g_new0(VPMUObservedCPU, 1);
    bool ok = true;

    on->base = (VPMURecordCPU) { .record = r, .cpu = cs,
                                 .index = cs->cpu_index };
    on->ring = g_try_malloc(r->size);
    on->stack = r->stack ? g_new(VPMUStack, 1) : NULL;
    if (!on->ring) {
        error_setg(errp, "cannot allocate a buffer of %zu bytes",
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

/* A ring contains whole records only, so a part up to @head is complete. */
static bool observed_drain(VPMURecordCPU *base)
{
    VPMUObservedCPU *on = observed(base);
    size_t size = base->record->size;
    size_t head = qatomic_load_acquire(&on->head);

    while (on->tail != head) {
        size_t at = on->tail & (size - 1);
        size_t len = MIN(MIN(head - on->tail, size - at), CHUNK);

        if (!vpmu_record_write(base->record, on->ring + at, len)) {
            return false;
        }
        qatomic_store_release(&on->tail, on->tail + len);
    }
    return true;
}

/* Writes an array of records in few pieces, because each is a system call. */
static bool write_all(VPMURecord *r, GArray *all)
{
    size_t size = (size_t)all->len * g_array_get_element_size(all);
    bool alive = true;

    for (size_t at = 0; at < size && alive; at += CHUNK) {
        alive = vpmu_record_write(r, all->data + at, MIN(size - at, CHUNK));
    }
    return alive;
}

static void complete_profiled(VPMUObservedCPU *on, VPMUSampler *s,
                              VPMUProfiled *p)
{
    p->code.head = vpmu_record_head_of(&on->base, VPMU_RECORD_CODE,
                                       sizeof(p->code));
    p->sample.head = vpmu_record_head_of(&on->base, VPMU_RECORD_SAMPLE,
                                         sizeof(p->sample));
    p->sample.time = on->base.record->ended;
    p->sample.event = s->event;
    s->weight += p->sample.weight;
    s->samples++;
}

/* What calls cost of the event of a sampler. */
static bool write_calls(VPMUObservedCPU *on, const VPMUSampler *s,
                        const void *counters, const uint16_t *contexts)
{
    GArray *all = vpmu_profile_read_calls(counters, contexts, s->cost);
    bool alive;

    for (unsigned int i = 0; i < all->len; i++) {
        VPMUProfiledCall *p = &g_array_index(all, VPMUProfiledCall, i);

        p->call.head = vpmu_record_head_of(&on->base, p->call.head.type,
                                           sizeof(p->call));
        p->sample.head = vpmu_record_head_of(&on->base, VPMU_RECORD_SAMPLE,
                                             sizeof(p->sample));
        p->sample.time = on->base.record->ended;
        p->sample.event = s->event;
    }
    alive = write_all(on->base.record, all);
    g_array_free(all, true);
    return alive;
}

/*
 * Several costs can be parts of the same total.  Leaves that of this one, as if
 * the others were right: so an error in any of them shows.
 */
static void split_total(VPMUSampler *s, const void *counters,
                        const uint16_t *contexts)
{
    const vpmu_sources *costs = vpmu_target->samples->costs;

    if (!costs[s->cost]) {
        s->count = s->weight;
        return;
    }
    for (unsigned int i = 0; i < VPMU_COST_COUNT; i++) {
        if (i != s->cost && costs[i] == costs[s->cost]) {
            s->count -= vpmu_cost_sum(counters, contexts, i);
        }
    }
}

static bool write_event(VPMUObservedCPU *on, VPMUSampler *s,
                        const void *counters, const uint16_t *contexts)
{
    GArray *all = vpmu_profile_read(counters, contexts, s->cost);
    bool alive;

    for (unsigned int i = 0; i < all->len; i++) {
        complete_profiled(on, s, &g_array_index(all, VPMUProfiled, i));
    }
    alive = write_all(on->base.record, all);
    g_array_free(all, true);
    if (s->cost != VPMU_COST_COUNT) {
        split_total(s, counters, contexts);
    }
    return alive;
}

static bool write_profile(VPMUObservedCPU *on, VPMUSampler *s)
{
    uint16_t contexts[VPMU_WORLD_COUNT];
    bool alive = true;

    /* Then nobody knows how much is missing. */
    s->lost += vpmu_profile_is_full(s->counters);
    for (unsigned int i = 0; i < VPMU_WORLD_COUNT; i++) {
        bool implied = vpmu_target->machine & VPMU_RECORD_X86;

        contexts[i] = s->counter.ctx_mask[implied ? 0 : i];
    }
    for (unsigned int i = 0; i < on->base.record->events && alive; i++) {
        if (on->sampler[i].exact) {
            alive = write_event(on, &on->sampler[i], s->counters, contexts);
        }
    }
    for (unsigned int i = 0; i < on->base.record->events && alive; i++) {
        if (on->sampler[i].exact) {
            alive = write_calls(on, &on->sampler[i], s->counters, contexts);
        }
    }
    return alive;
}

/* Profiles are known at the end. */
static bool observed_finish(VPMURecordCPU *base)
{
    VPMUObservedCPU *on = observed(base);
    bool alive = true;

    for (unsigned int i = 0; i < base->record->events && alive; i++) {
        if (on->sampler[i].counters) {
            alive = write_profile(on, &on->sampler[i]);
        }
    }
    return alive;
}

static void observed_totals(VPMURecordCPU *base, VPMURecordTotal *totals)
{
    VPMUObservedCPU *on = observed(base);
    bool active = base->cpu &&
                  base->record->state == VPMU_RECORD_STATE_ACTIVE;
    void *seen = active ? vpmu_target->counting->snapshot(base->cpu) : NULL;

    for (unsigned int i = 0; i < base->record->events; i++) {
        VPMUSampler *s = &on->sampler[i];

        totals[i].count = (struct vpmu_record_count) {
            .count = !active ? s->count
                     : s->span == VPMU_SPAN_COUNT
                     ? vpmu_target->counting->read(seen, &s->counter)
                     : s->weight,
            .weight = s->weight,
            .samples = s->samples,
            .lost = s->lost,
            .period = s->exact ? 1 : s->counter.period,
            .limited = s->limited,
        };
    }
}

const VPMURecorder vpmu_observed_recorder = {
    .check = observed_check,
    .next_cpu = vpmu_next_cpu,
    .cpu_new = observed_new,
    .cpu_release = observed_release,
    .cpu_free = observed_free,
    .on = vpmu_record_on,
    .off = vpmu_record_off,
    .now = observed_now,
    .drain = observed_drain,
    .fd = observed_fd,
    .hold = vpmu_record_hold,
    .finish = observed_finish,
    .totals = observed_totals,
};

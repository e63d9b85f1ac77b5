/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings: samples of all CPUs for a reader outside of the machine
 *
 * Each CPU has a ring for its samples.  One thread, the writer, writes the
 * contents of the rings to the file descriptor of the command.  Only the writer
 * waits for the reader.  vpmu/record.h describes the format.
 *
 * A recording is first active, then finishing: nothing is counted any more, but
 * the writer has records left.  The main thread makes both transitions, also if
 * the writer finds that the reader is gone.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/clone-visitor.h"
#include "qapi/qapi-commands-vpmu.h"
#include "qapi/qapi-visit-vpmu.h"
#include "qemu/cutils.h"
#include "qemu/main-loop.h"
#include "qemu/units.h"
#include "system/vpmu_target.h"
#include "system/vpmu_record.h"
#include "vpmu/count.h"
#include "vpmu/frequency.h"

#define BUFFER_MIN (64 * KiB)
#define BUFFER_MAX (256 * MiB)
#define BUFFER_DEFAULT (1 * MiB)
#define BUFFERS_MAX (1 * GiB)
/*
 * The least size of a ring if the machine waits for the reader.  Half of it
 * holds all records of the few instructions until the CPU stops.
 */
#define BUFFER_WAIT (512 * KiB)

/* As the default of Linux's perf_cpu_time_max_percent. */
#define PERCENT_DEFAULT 25

/* How often the writer checks rings that are not half full, in milliseconds. */
#define INTERVAL 50
/* How long QEMU's shutdown waits for a reader that takes nothing, in ms. */
#define PATIENCE 5000
/* How many times that for one that takes something; a profile can be large. */
#define PATIENCES 12

/* The current recording, or the last one.  Protected by the BQL. */
static VPMURecord *vpmu_record;

/*
 * The writer
 */

/* Returns the highest CPU number plus 1.  CPUs without a PMU have numbers. */
static uint32_t record_cpus(VPMURecord *r)
{
    int most = 0;

    for (unsigned int i = 0; i < r->cpus->len; i++) {
        VPMURecordCPU *on = r->cpus->pdata[i];

        most = MAX(most, (int)on->index);
    }
    return most + 1;
}

static bool record_write_head(VPMURecord *r)
{
    struct vpmu_record_start start = {
        .head = { .type = VPMU_RECORD_START, .size = sizeof(start) },
        .magic = VPMU_RECORD_MAGIC,
        .cpus = record_cpus(r),
        .events = r->events,
        .flags = (r->values ? VPMU_RECORD_VALUES : 0) |
                 (r->has_branches ? VPMU_RECORD_BRANCHES : 0) |
                 (r->branches.mispredictions ? VPMU_RECORD_PREDICTIONS : 0) |
                 (vpmu_host() ? vpmu_host()->machine : vpmu_target->machine),
        .time = r->begun,
    };
    bool alive = vpmu_record_write(r, &start, sizeof(start));

    for (unsigned int i = 0; i < r->events && alive; i++) {
        struct vpmu_record_event event = {
            .head = { .type = VPMU_RECORD_EVENT, .size = sizeof(event) },
            .period = r->period[i],
            .frequency = r->frequency[i],
        };

        pstrcpy(event.name, sizeof(event.name), r->name[i]);
        alive = vpmu_record_write(r, &event, sizeof(event));
    }
    return alive;
}

static bool record_write_total(VPMURecordCPU *on, unsigned int event,
                               VPMURecordTotal *total)
{
    VPMURecord *r = on->record;

    total->host.head = vpmu_record_head_of(on, VPMU_RECORD_HOST,
                                           sizeof(total->host));
    total->host.event = event;
    total->count.head = vpmu_record_head_of(on, VPMU_RECORD_COUNT,
                                            sizeof(total->count));
    total->count.event = event;
    return (!r->by->host ||
            vpmu_record_write(r, &total->host, sizeof(total->host))) &&
           vpmu_record_write(r, &total->count, sizeof(total->count));
}

static bool record_write_totals(VPMURecordCPU *on)
{
    VPMURecordTotal totals[VPMU_RECORD_EVENTS] = {};
    bool alive = true;

    on->record->by->totals(on, totals);
    for (unsigned int i = 0; i < on->record->events && alive; i++) {
        alive = record_write_total(on, i, &totals[i]);
    }
    return alive;
}

static void record_write_end(VPMURecord *r)
{
    struct vpmu_record_end end = {
        .head = { .type = VPMU_RECORD_END, .size = sizeof(end) },
        .time = r->ended,
        .why = r->why,
    };
    bool alive = true;

    for (unsigned int i = 0; i < r->cpus->len && alive; i++) {
        alive = (!r->by->finish || r->by->finish(r->cpus->pdata[i])) &&
                record_write_totals(r->cpus->pdata[i]);
    }
    if (alive) {
        vpmu_record_write(r, &end, sizeof(end));
    }
}

static void record_finished(void *opaque);

static void *record_writer(void *opaque)
{
    VPMURecord *r = opaque;
    bool alive = record_write_head(r);

    while (alive) {
        bool last = qatomic_load_acquire(&r->finishing);

        for (unsigned int i = 0; i < r->cpus->len && alive; i++) {
            alive = r->by->drain(r->cpus->pdata[i]);
        }
        if (qatomic_read(&r->held)) {
            qemu_bh_schedule(r->hold);
        }
        if (alive && last) {
            record_write_end(r);
            break;
        }
        alive = alive && vpmu_record_poll(r, INTERVAL);
    }
    aio_bh_schedule_oneshot(qemu_get_aio_context(), record_finished, r);
    qemu_sem_post(&r->done);
    return NULL;
}

/*
 * The main thread's side
 */

/* Called while no CPU executes.  Keeps the times of samples from going back. */
static void record_state(void *opaque, bool running, RunState state)
{
    VPMURecord *r = opaque;
    int64_t now = r->by->now() + r->shift;

    if (!running) {
        r->stopped = now;
    } else if (now < r->stopped) {
        r->shift += r->stopped - now;
    }
}

/* Stops sampling.  The writer still writes the samples that exist. */
static void record_finish(VPMURecord *r, enum vpmu_record_why why)
{
    if (r->state != VPMU_RECORD_STATE_ACTIVE) {
        return;
    }
    r->state = VPMU_RECORD_STATE_FINISHING;
    for (unsigned int i = 0; i < r->cpus->len; i++) {
        VPMURecordCPU *on = r->cpus->pdata[i];

        if (on->cpu) {
            vpmu_run_on_cpu(on->cpu, r->by->off, RUN_ON_CPU_HOST_PTR(on));
        }
    }
    qemu_del_vm_change_state_handler(r->state_change);
    r->why = why;
    r->ended = r->by->now() + r->shift;
    qatomic_store_release(&r->finishing, true);
    vpmu_record_kick(r);
    if (r->hold) {
        r->by->hold(r);
    }
}

void vpmu_record_unplug(CPUState *cs)
{
    VPMURecord *r = vpmu_record;
    bool active = r && r->state == VPMU_RECORD_STATE_ACTIVE;

    for (unsigned int i = 0; active && i < r->cpus->len; i++) {
        VPMURecordCPU *on = r->cpus->pdata[i];

        if (on->cpu == cs) {
            r->by->off(cs, RUN_ON_CPU_HOST_PTR(on));
            on->cpu = NULL;
        }
    }
}

static void record_ends_full(void *opaque)
{
    if (opaque == vpmu_record) {
        record_finish(opaque, VPMU_RECORD_FULL);
    }
}

/* Called after the writer has written everything, or has lost its reader. */
static void record_finished(void *opaque)
{
    VPMURecord *r = opaque;

    record_finish(r, VPMU_RECORD_ASKED);
    qemu_thread_join(&r->thread);
    if (r->hold) {
        qemu_bh_delete(r->hold);
    }
    vpmu_record_close(r);
    qemu_sem_destroy(&r->done);
    for (unsigned int i = 0; i < r->cpus->len; i++) {
        r->by->cpu_release(r->cpus->pdata[i]);
    }
    r->state = VPMU_RECORD_STATE_FINISHED;
}

/* QEMU is about to end: give the writer time for the records that are left. */
static void record_shutdown(Notifier *notifier, void *data)
{
    VPMURecord *r = vpmu_record;
    uint64_t written;

    if (r && r->state != VPMU_RECORD_STATE_FINISHED) {
        record_finish(r, VPMU_RECORD_SHUTDOWN);
        for (int i = 0; i < PATIENCES; i++) {
            written = qatomic_read(&r->written);
            if (!qemu_sem_timedwait(&r->done, PATIENCE) ||
                qatomic_read(&r->written) == written) {
                break;
            }
        }
    }
}

static void record_free(VPMURecord *r)
{
    if (!r) {
        return;
    }
    for (unsigned int i = 0; i < r->events; i++) {
        g_free(r->name[i]);
    }
    g_ptr_array_free(r->cpus, true);
    qapi_free_VPMURecordOrc(r->threads.orc);
    g_free(r->orc);
    g_free(r);
}

/*
 * Commands
 */

static bool record_is_exact(const VPMURecordEvent *event)
{
    return event->has_exact && event->exact;
}

static bool record_check_event(const VPMURecordEvent *event, Error **errp)
{
    if (event->has_period &&
        (event->period < 1 || event->period > VPMU_PERIOD_MAX)) {
        error_setg(errp, "the period of '%s' can be 1 to %" PRIu64 ", not %"
                   PRIu64, event->event, (uint64_t)VPMU_PERIOD_MAX,
                   event->period);
        return false;
    }
    if (event->has_frequency &&
        (event->frequency < 1 || event->frequency > VPMU_FREQUENCY_MAX)) {
        error_setg(errp, "the frequency of '%s' can be 1 to %d samples a "
                   "second, not %" PRIu32, event->event,
                   (int)VPMU_FREQUENCY_MAX, event->frequency);
        return false;
    }
    if (event->has_frequency && event->has_period) {
        error_setg(errp, "'%s' can have a period or a frequency, not both",
                   event->event);
        return false;
    }
    if (record_is_exact(event) && (event->has_frequency || event->has_period)) {
        error_setg(errp, "'%s' is exact and cannot have a period or a "
                   "frequency", event->event);
        return false;
    }
    if (event->has_calls && event->calls && !record_is_exact(event)) {
        error_setg(errp, "'%s' cannot have calls: it is not exact",
                   event->event);
        return false;
    }
    if (strlen(event->event) >= VPMU_RECORD_NAME) {
        error_setg(errp, "the name of an event can have at most %d "
                   "characters, not %zu",
                   VPMU_RECORD_NAME - 1, strlen(event->event));
        return false;
    }
    return true;
}

static void record_take_event(VPMURecord *r, const VPMURecordEvent *event)
{
    r->name[r->events] = g_strdup(event->event);
    r->exact[r->events] = record_is_exact(event);
    r->calls[r->events] = event->has_calls && event->calls;
    /* Each event of an exact profile belongs to a sample. */
    r->period[r->events] = r->exact[r->events] ? 1
                           : event->has_period ? event->period : 0;
    r->frequency[r->events] = event->has_frequency ? event->frequency : 0;
    r->events++;
}

/* Sets the events of @r.  Those of its CPUs come later. */
static bool record_take_events(VPMURecord *r, VPMURecordEventList *events,
                               Error **errp)
{
    bool sampled = false;

    for (; events; events = events->next) {
        if (r->events == VPMU_RECORD_EVENTS) {
            error_setg(errp, "at most %d events can be recorded",
                       VPMU_RECORD_EVENTS);
            return false;
        }
        if (!record_check_event(events->value, errp)) {
            return false;
        }
        if (record_is_exact(events->value) && r->by->host) {
            error_setg(errp, "'%s' cannot be exact: that needs an emulated CPU",
                       events->value->event);
            return false;
        }
        record_take_event(r, events->value);
        sampled |= events->value->has_period ||
                   events->value->has_frequency ||
                   record_is_exact(events->value);
    }
    if (!sampled) {
        error_setg(errp, "none of the events has a period or a frequency, or "
                   "is exact; at least one needs it to make samples");
    }
    return sampled;
}

static bool record_take_buffer(VPMURecord *r, uint64_t size, Error **errp)
{
    uint64_t cpus = 0;

    for (CPUState *cpu = NULL; (cpu = r->by->next_cpu(cpu)); ) {
        cpus++;
    }
    if (size < BUFFER_MIN || size > BUFFER_MAX) {
        error_setg(errp, "'buffer' must be %d to %d bytes, not %"
                   PRIu64, (int)BUFFER_MIN, (int)BUFFER_MAX, size);
        return false;
    }
    if (r->when_full == VPMU_RECORD_FULL_WAIT) {
        size = MAX(size, BUFFER_WAIT);
    }
    r->size = pow2ceil(size);
    if (r->size * cpus > BUFFERS_MAX) {
        error_setg(errp, "%" PRIu64 " buffers of %zu bytes exceed the limit "
                   "of 1 GiB", cpus, r->size);
        return false;
    }
    return true;
}

static bool record_take_cpus(VPMURecord *r, VPMURecordEventList *events,
                             Error **errp)
{
    for (CPUState *cpu = NULL; (cpu = r->by->next_cpu(cpu)); ) {
        VPMURecordCPU *on = r->by->cpu_new(r, cpu, events, errp);

        if (!on) {
            return false;
        }
        g_ptr_array_add(r->cpus, on);
    }
    return true;
}

/* Creates a recording.  Events and CPUs are added later. */
static VPMURecord *record_new(const VPMURecorder *by, bool values,
                              unsigned int frames, VPMURecordThreads *threads,
                              VPMURecordFull full)
{
    VPMURecord *r = g_new0(VPMURecord, 1);

    r->by = by;
    r->cpus = g_ptr_array_new_with_free_func(by->cpu_free);
    r->values = values;
    r->frames = frames;
    r->has_threads = threads;
    r->threads = threads ? *threads : (VPMURecordThreads) {};
    if (r->threads.maps) {
        r->maps = *r->threads.maps;
        r->threads.maps = &r->maps;
    }
    if (r->threads.entry) {
        r->entry = *r->threads.entry;
        r->threads.entry = &r->entry;
    }
    r->threads.orc = r->threads.orc
                     ? QAPI_CLONE(VPMURecordOrc, r->threads.orc) : NULL;
    r->ends_full = record_ends_full;
    r->when_full = full;
    return r;
}

static bool record_take_branches(VPMURecord *r, const char *filter,
                                 Error **errp)
{
    const char *why;

    r->has_branches = filter;
    if (filter && vpmu_branch_filter_parse(&r->branches, filter, &why)) {
        error_setg(errp, "cannot record branches '%s': %s", filter, why);
        return false;
    }
    return true;
}

static bool record_take_percent(VPMURecord *r, bool has_percent,
                                uint8_t percent, Error **errp)
{
    r->percent = has_percent ? percent : PERCENT_DEFAULT;
    if (has_percent && r->by->host) {
        error_setg(errp, "'max-percent' is for emulated CPUs: the host's "
                   "kernel limits samples of others "
                   "(kernel.perf_cpu_time_max_percent)");
        return false;
    }
    if (r->percent < 1 || r->percent > VPMU_FREQUENCY_PERCENT_MAX) {
        error_setg(errp, "'max-percent' must be 1 to %d, not %u",
                   (int)VPMU_FREQUENCY_PERCENT_MAX, r->percent);
        return false;
    }
    return true;
}

static bool record_take_stack(VPMURecord *r, uint32_t stack, Error **errp)
{
    r->stack = stack;
    if (stack > VPMU_RECORD_STACK_MAX || stack % 8) {
        error_setg(errp, "'stack' must be a multiple of 8 and at most %u, "
                   "not %" PRIu32, VPMU_RECORD_STACK_MAX, stack);
        return false;
    }
    return true;
}

static bool record_take(VPMURecord *r, VPMURecordEventList *events,
                        uint64_t size, const char *fd, Error **errp)
{
    return r->by->check(r, errp) &&
           record_take_events(r, events, errp) &&
           record_take_buffer(r, size, errp) &&
           record_take_cpus(r, events, errp) &&
           vpmu_record_open(r, fd, errp);
}

static void record_begin(VPMURecord *r)
{
    static Notifier shutdown = { .notify = record_shutdown };

    if (!shutdown.node.le_prev) {
        qemu_register_shutdown_notifier(&shutdown);
    }
    r->begun = r->by->now();
    r->stopped = r->begun;
    r->state_change = qemu_add_vm_change_state_handler(record_state, r);
    if (r->when_full == VPMU_RECORD_FULL_WAIT) {
        r->hold = qemu_bh_new(r->by->hold, r);
    }
    qemu_sem_init(&r->done, 0);
    for (unsigned int i = 0; i < r->cpus->len; i++) {
        VPMURecordCPU *on = r->cpus->pdata[i];

        vpmu_run_on_cpu(on->cpu, r->by->on, RUN_ON_CPU_HOST_PTR(on));
    }
    qemu_thread_create(&r->thread, "vpmu-record", record_writer, r,
                       QEMU_THREAD_JOINABLE);
}

void qmp_vpmu_record_start(const char *fd, VPMURecordEventList *events,
                           bool has_values, bool values, bool has_frames,
                           uint16_t frames, bool has_stack, uint32_t stack,
                           const char *branches,
                           bool has_accesses, bool accesses,
                           VPMURecordThreads *threads,
                           bool has_buffer, uint64_t buffer, bool has_full,
                           VPMURecordFull full, bool has_max_percent,
                           uint8_t max_percent, Error **errp)
{
    const VPMURecorder *by = vpmu_host() ? vpmu_host()->recorder
                                         : &vpmu_observed_recorder;
    VPMURecord *r;

    if (vpmu_record && vpmu_record->state != VPMU_RECORD_STATE_FINISHED) {
        error_setg(errp, "%s",
                   vpmu_record->state == VPMU_RECORD_STATE_ACTIVE
                   ? "there is an active recording already; "
                     "vpmu-record-stop ends it"
                   : "the last recording is not finished: its reader has to "
                     "read the rest, or to close its end");
        return;
    }
    if (has_frames && frames >= VPMU_RECORD_CHAIN) {
        error_setg(errp, "a call chain can have 0 to %d frames, not %d",
                   (int)VPMU_RECORD_CHAIN - 1, frames);
        return;
    }
    r = record_new(by, has_values && values, has_frames ? frames : 0, threads,
                   has_full ? full : VPMU_RECORD_FULL_DROP);
    r->has_accesses = has_accesses && accesses;
    if (!record_take_branches(r, branches, errp) ||
        !record_take_stack(r, has_stack ? stack : 0, errp) ||
        !record_take_percent(r, has_max_percent, max_percent, errp) ||
        !record_take(r, events, has_buffer ? buffer : BUFFER_DEFAULT, fd,
                     errp)) {
        record_free(r);
        return;
    }
    record_free(vpmu_record);
    vpmu_record = r;
    record_begin(r);
}

/* Returns what keeps the active recording from knowing threads of a guest. */
static const char *record_refuses_guest(void)
{
    if (!vpmu_record || vpmu_record->state != VPMU_RECORD_STATE_ACTIVE) {
        return "there is no active recording";
    }
    if (vpmu_host() || !vpmu_target->threads ||
        !vpmu_target->samples->guest) {
        return "a recording of this machine has no threads of guests of its "
               "hypervisor";
    }
    return vpmu_record->guests == VPMU_RECORD_GUESTS
           ? "the recording has places of " stringify(VPMU_RECORD_GUESTS)
             " guests already" : NULL;
}

void qmp_vpmu_record_guest(uint64_t vttbr, VPMURecordPlaces *places,
                           Error **errp)
{
    const char *why = record_refuses_guest();
    VPMURecord *r = vpmu_record;

    if (why) {
        error_setg(errp, "%s", why);
        return;
    }
    r->guest[r->guests] = (VPMURecordGuest) { vttbr, *places };
    qatomic_store_release(&r->guests, r->guests + 1);
}

void qmp_vpmu_record_stop(Error **errp)
{
    if (!vpmu_record || vpmu_record->state != VPMU_RECORD_STATE_ACTIVE) {
        error_setg(errp, "there is no active recording%s",
                   vpmu_record &&
                   vpmu_record->state == VPMU_RECORD_STATE_FINISHING
                   ? "; the last one is finishing" : "");
        return;
    }
    record_finish(vpmu_record, VPMU_RECORD_ASKED);
}

static void record_describe_cpu(VPMURecordCPU *on, VPMURecordCountList ***tail)
{
    VPMURecordTotal totals[VPMU_RECORD_EVENTS] = {};

    on->record->by->totals(on, totals);
    for (unsigned int i = 0; i < on->record->events; i++) {
        VPMURecordCount *count = g_new0(VPMURecordCount, 1);

        count->cpu_index = on->index;
        count->event = g_strdup(on->record->name[i]);
        count->count = totals[i].count.count;
        count->samples = totals[i].count.samples;
        count->lost = totals[i].count.lost;
        QAPI_LIST_APPEND(*tail, count);
    }
}

VPMURecordInfo *qmp_query_vpmu_record(Error **errp)
{
    VPMURecord *r = vpmu_record;
    VPMURecordInfo *info;
    VPMURecordCountList **tail;

    if (!r) {
        error_setg(errp, "there was no recording yet");
        return NULL;
    }
    info = g_new0(VPMURecordInfo, 1);
    tail = &info->counts;
    info->state = r->state;
    info->written = qatomic_read(&r->written);
    for (unsigned int i = 0; i < r->cpus->len; i++) {
        record_describe_cpu(r->cpus->pdata[i], &tail);
    }
    return info;
}

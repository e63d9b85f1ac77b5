/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples of what Arm CPUs do, for a reader outside of the machine
 *
 * Each CPU puts its samples into a ring of its own.  One thread empties the
 * rings into the file descriptor that came with the command; it alone waits
 * for the reader.  vpmu/record.h describes what it writes.
 *
 * A recording is active, then finishing: its observers are gone, and the
 * writer has to give away what is left.  Both ends are decided by the main
 * thread, also where the writer finds that there is no reader any more.
 */

#include "qemu/osdep.h"
#include "monitor/monitor.h"
#include "qapi/error.h"
#include "qapi/qapi-commands-vpmu.h"
#include "qemu/cutils.h"
#include "qemu/main-loop.h"
#include "qemu/units.h"
#include "cpu.h"
#include "internals.h"
#include "private.h"
#include "record.h"

#define BUFFER_MIN (64 * KiB)
#define BUFFER_MAX (256 * MiB)
#define BUFFER_DEFAULT (1 * MiB)
#define BUFFERS_MAX (1 * GiB)
/* A half of it has room for all that a few instructions can leave. */
#define BUFFER_WAIT (512 * KiB)

/* What is written at a time before the ring has room again. */
#define CHUNK (64 * KiB)
/* How often the writer looks, in milliseconds, if no ring becomes half full. */
#define INTERVAL 50
/* How long a reader may take nothing once the recording is finishing. */
#define PATIENCE 5000

/* The recording that goes on, or the last one.  With the BQL held. */
static VPMURecord *vpmu_record;

/*
 * The writer
 */

/* False if there is no reader any more. */
static bool record_wait(VPMURecord *r, int events, int ms)
{
    GPollFD fds[] = {
        { .fd = r->fd, .events = events },
        { .fd = event_notifier_get_fd(&r->kick), .events = G_IO_IN },
    };

    g_poll(fds, ARRAY_SIZE(fds), ms);
    if (event_notifier_test_and_clear(&r->kick)) {
        qatomic_set(&r->kicked, false);
    }
    return !(fds[0].revents & (G_IO_ERR | G_IO_HUP | G_IO_NVAL));
}

/* Time is up for a reader that takes nothing. */
static bool record_gives_up(VPMURecord *r, int64_t *deadline)
{
    int64_t now = g_get_monotonic_time() / 1000;

    if (!qatomic_load_acquire(&r->finishing)) {
        return false;
    }
    if (!*deadline) {
        *deadline = now + PATIENCE;
    }
    return now >= *deadline;
}

static bool record_write(VPMURecord *r, const void *data, size_t len)
{
    int64_t deadline = 0;

    while (len) {
        ssize_t n = write(r->fd, data, len);

        if (n > 0) {
            data = (const uint8_t *)data + n;
            len -= n;
            deadline = 0;
            stat64_add(&r->written, n);
        } else if (n < 0 && errno == EAGAIN) {
            if (record_gives_up(r, &deadline) ||
                !record_wait(r, G_IO_OUT, 1000)) {
                return false;
            }
        } else if (n == 0 || errno != EINTR) {
            return false;
        }
    }
    return true;
}

/* CPUs without a PMU have numbers as well. */
static uint32_t record_cpus(VPMURecord *r)
{
    int most = 0;

    for (unsigned int i = 0; i < r->cpus->len; i++) {
        ARMVPMURecordCPU *on = r->cpus->pdata[i];

        most = MAX(most, CPU(on->cpu)->cpu_index);
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
        .values = r->values,
        .time = r->begun,
    };
    ARMVPMURecordCPU *first = r->cpus->pdata[0];
    bool alive = record_write(r, &start, sizeof(start));

    for (unsigned int i = 0; i < r->events && alive; i++) {
        struct vpmu_record_event event = {
            .head = { .type = VPMU_RECORD_EVENT, .size = sizeof(event) },
            .period = first->sampler[i].frequency.hz
                      ? 0 : first->sampler[i].counter.period,
            .frequency = first->sampler[i].frequency.hz,
        };

        pstrcpy(event.name, sizeof(event.name), r->name[i]);
        alive = record_write(r, &event, sizeof(event));
    }
    return alive;
}

/* Only whole records are in a ring. */
static bool record_drain(ARMVPMURecordCPU *on)
{
    size_t size = on->record->size;
    size_t head = qatomic_load_acquire(&on->head);

    while (on->tail != head) {
        size_t at = on->tail & (size - 1);
        size_t len = MIN(MIN(head - on->tail, size - at), CHUNK);

        if (!record_write(on->record, on->ring + at, len)) {
            return false;
        }
        qatomic_store_release(&on->tail, on->tail + len);
    }
    return true;
}

static bool record_write_counts(ARMVPMURecordCPU *on)
{
    for (unsigned int i = 0; i < on->record->events; i++) {
        VPMUSampler *s = &on->sampler[i];
        struct vpmu_record_count count = {
            .head = arm_vpmu_record_head(on, VPMU_RECORD_COUNT, sizeof(count)),
            .count = s->count,
            .weight = s->weight,
            .samples = s->samples,
            .lost = s->lost,
            .period = s->counter.period,
            .event = i,
        };

        if (!record_write(on->record, &count, sizeof(count))) {
            return false;
        }
    }
    return true;
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
        alive = record_write_counts(r->cpus->pdata[i]);
    }
    if (alive) {
        record_write(r, &end, sizeof(end));
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
            alive = record_drain(r->cpus->pdata[i]);
        }
        arm_vpmu_record_drained(r);
        if (alive && last) {
            record_write_end(r);
            break;
        }
        alive = alive && record_wait(r, 0, INTERVAL);
    }
    aio_bh_schedule_oneshot(qemu_get_aio_context(), record_finished, r);
    qemu_sem_post(&r->done);
    return NULL;
}

/*
 * The main thread's side
 */

/* No more samples; what there is the writer gives away. */
static void record_finish(VPMURecord *r, enum vpmu_record_why why)
{
    if (r->state != VPMU_RECORD_STATE_ACTIVE) {
        return;
    }
    r->state = VPMU_RECORD_STATE_FINISHING;
    for (unsigned int i = 0; i < r->cpus->len; i++) {
        ARMVPMURecordCPU *on = r->cpus->pdata[i];

        run_on_cpu(CPU(on->cpu), arm_vpmu_record_off, RUN_ON_CPU_HOST_PTR(on));
    }
    r->why = why;
    r->ended = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    qatomic_store_release(&r->finishing, true);
    arm_vpmu_record_kick(r);
    arm_vpmu_record_hold(r);
}

static void record_ends_full(void *opaque)
{
    if (opaque == vpmu_record) {
        record_finish(opaque, VPMU_RECORD_FULL);
    }
}

/* The writer is through, or has no reader any more. */
static void record_finished(void *opaque)
{
    VPMURecord *r = opaque;

    record_finish(r, VPMU_RECORD_ASKED);
    qemu_thread_join(&r->thread);
    qemu_bh_delete(r->hold);
    close(r->fd);
    event_notifier_cleanup(&r->kick);
    qemu_sem_destroy(&r->done);
    for (unsigned int i = 0; i < r->cpus->len; i++) {
        ARMVPMURecordCPU *on = r->cpus->pdata[i];

        g_free(on->ring);
        on->ring = NULL;
    }
    r->state = VPMU_RECORD_STATE_FINISHED;
}

/* The main loop is about to end, and with it what is not written by then. */
static void record_shutdown(Notifier *notifier, void *data)
{
    VPMURecord *r = vpmu_record;

    if (r && r->state != VPMU_RECORD_STATE_FINISHED) {
        record_finish(r, VPMU_RECORD_SHUTDOWN);
        qemu_sem_timedwait(&r->done, PATIENCE);
    }
}

static void record_cpu_free(void *opaque)
{
    ARMVPMURecordCPU *on = opaque;

    g_free(on->ring);
    g_free(on);
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
    g_free(r);
}

/*
 * Commands
 */

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
    if (strlen(event->event) >= VPMU_RECORD_NAME) {
        error_setg(errp, "an event to record can have %d characters, not %zu",
                   VPMU_RECORD_NAME - 1, strlen(event->event));
        return false;
    }
    return true;
}

/* Sets @r's events, not yet any CPU's. */
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
        sampled |= events->value->has_period || events->value->has_frequency;
        r->name[r->events++] = g_strdup(events->value->event);
    }
    if (!sampled) {
        error_setg(errp, "none of the events has a period or a frequency: "
                   "there would be no samples");
    }
    return sampled;
}

static bool record_take_buffer(VPMURecord *r, uint64_t size, Error **errp)
{
    uint64_t cpus = 0;

    for (ARMCPU *cpu = NULL; (cpu = arm_vpmu_next_cpu(cpu)); ) {
        cpus++;
    }
    if (size < BUFFER_MIN || size > BUFFER_MAX) {
        error_setg(errp, "the buffer of a CPU can have %d to %d bytes, not %"
                   PRIu64, (int)BUFFER_MIN, (int)BUFFER_MAX, size);
        return false;
    }
    if (r->when_full == VPMU_RECORD_FULL_WAIT) {
        size = MAX(size, BUFFER_WAIT);
    }
    r->size = pow2ceil(size);
    if (r->size * cpus > BUFFERS_MAX) {
        error_setg(errp, "%" PRIu64 " buffers of %zu bytes are more than 1 "
                   "GiB in all", cpus, r->size);
        return false;
    }
    return true;
}

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
    const char *name = on->record->name[s->event];

    if (event->period != 1 || on->record->values) {
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
    const char *name = on->record->name[s->event];
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

static bool record_take_cpu(VPMURecord *r, ARMCPU *cpu,
                            VPMURecordEventList *events, Error **errp)
{
    ARMVPMURecordCPU *on = g_new0(ARMVPMURecordCPU, 1);

    on->record = r;
    on->cpu = cpu;
    g_ptr_array_add(r->cpus, on);
    on->ring = g_try_malloc(r->size);
    if (!on->ring) {
        error_setg(errp, "there is no memory for a buffer of %zu bytes",
                   r->size);
        return false;
    }
    for (unsigned int i = 0; events; i++, events = events->next) {
        on->sampler[i].event = i;
        if (!record_take_event(on, &on->sampler[i], events->value, errp)) {
            return false;
        }
    }
    return true;
}

static VPMURecord *record_new(VPMURecordEventList *events, bool values,
                              uint64_t size, VPMURecordFull full,
                              Error **errp)
{
    VPMURecord *r = g_new0(VPMURecord, 1);
    bool ok;

    r->values = values;
    r->when_full = full;
    r->cpus = g_ptr_array_new_with_free_func(record_cpu_free);
    ok = record_take_events(r, events, errp) &&
         record_take_buffer(r, size, errp);
    for (ARMCPU *cpu = NULL; ok && (cpu = arm_vpmu_next_cpu(cpu)); ) {
        ok = record_take_cpu(r, cpu, events, errp);
    }
    if (!ok) {
        record_free(r);
        return NULL;
    }
    return r;
}

/* Takes the file descriptor, if all else is there. */
static bool record_open(VPMURecord *r, const char *fd, Error **errp)
{
    int err;

    r->fd = monitor_get_fd(monitor_cur(), fd, errp);
    if (r->fd < 0) {
        return false;
    }
    err = event_notifier_init(&r->kick, false);
    if (err || !g_unix_set_fd_nonblocking(r->fd, true, NULL)) {
        error_setg_errno(errp, err ? -err : errno,
                         "cannot write samples to '%s'", fd);
        close(r->fd);
        if (!err) {
            event_notifier_cleanup(&r->kick);
        }
        return false;
    }
    return true;
}

static void record_begin(VPMURecord *r)
{
    static Notifier shutdown = { .notify = record_shutdown };

    if (!shutdown.node.le_prev) {
        qemu_register_shutdown_notifier(&shutdown);
    }
    r->begun = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    r->hold = qemu_bh_new(arm_vpmu_record_hold, r);
    qemu_sem_init(&r->done, 0);
    for (unsigned int i = 0; i < r->cpus->len; i++) {
        ARMVPMURecordCPU *on = r->cpus->pdata[i];

        run_on_cpu(CPU(on->cpu), arm_vpmu_record_on, RUN_ON_CPU_HOST_PTR(on));
    }
    qemu_thread_create(&r->thread, "vpmu-record", record_writer, r,
                       QEMU_THREAD_JOINABLE);
}

void qmp_vpmu_record_start(const char *fd, VPMURecordEventList *events,
                           bool has_values, bool values, bool has_frames,
                           uint16_t frames, VPMURecordThreads *threads,
                           bool has_buffer, uint64_t buffer, bool has_full,
                           VPMURecordFull full, Error **errp)
{
    VPMURecord *r;

    if (!arm_vpmu_exists(errp)) {
        return;
    }
    if (vpmu_record && vpmu_record->state != VPMU_RECORD_STATE_FINISHED) {
        error_setg(errp, "something is recorded already; vpmu-record-stop "
                   "ends that");
        return;
    }
    if (has_frames && frames >= VPMU_RECORD_CHAIN) {
        error_setg(errp, "a call chain can have 0 to %d frames, not %d",
                   (int)VPMU_RECORD_CHAIN - 1, frames);
        return;
    }
    r = record_new(events, has_values && values,
                   has_buffer ? buffer : BUFFER_DEFAULT,
                   has_full ? full : VPMU_RECORD_FULL_DROP, errp);
    if (!r) {
        return;
    }
    if (!record_open(r, fd, errp)) {
        record_free(r);
        return;
    }
    r->frames = has_frames ? frames : 0;
    r->has_threads = threads;
    r->threads = threads ? *threads : (VPMURecordThreads) {};
    r->ends_full = record_ends_full;
    record_free(vpmu_record);
    vpmu_record = r;
    record_begin(r);
}

void qmp_vpmu_record_stop(Error **errp)
{
    if (!vpmu_record || vpmu_record->state != VPMU_RECORD_STATE_ACTIVE) {
        error_setg(errp, "nothing is recorded");
        return;
    }
    record_finish(vpmu_record, VPMU_RECORD_ASKED);
}

static void record_describe_cpu(ARMVPMURecordCPU *on, bool active,
                                VPMURecordCountList ***tail)
{
    struct vpmu *seen = active ? arm_vpmu_look(on->cpu) : NULL;

    for (unsigned int i = 0; i < on->record->events; i++) {
        VPMUSampler *s = &on->sampler[i];
        VPMURecordCount *count = g_new0(VPMURecordCount, 1);

        count->cpu_index = CPU(on->cpu)->cpu_index;
        count->event = g_strdup(on->record->name[i]);
        qemu_spin_lock(&on->cpu->vpmu->stepping_lock);
        count->count = !active ? s->count
                       : s->span == VPMU_SPAN_COUNT
                       ? vpmu_observer_read(seen, &s->counter) : s->weight;
        count->samples = s->samples;
        count->lost = s->lost;
        qemu_spin_unlock(&on->cpu->vpmu->stepping_lock);
        QAPI_LIST_APPEND(*tail, count);
    }
}

VPMURecordInfo *qmp_query_vpmu_record(Error **errp)
{
    VPMURecord *r = vpmu_record;
    VPMURecordInfo *info;
    VPMURecordCountList **tail;

    if (!r) {
        error_setg(errp, "nothing has been recorded");
        return NULL;
    }
    info = g_new0(VPMURecordInfo, 1);
    tail = &info->counts;
    info->state = r->state;
    info->written = stat64_get(&r->written);
    for (unsigned int i = 0; i < r->cpus->len; i++) {
        record_describe_cpu(r->cpus->pdata[i],
                            r->state == VPMU_RECORD_STATE_ACTIVE, &tail);
    }
    return info;
}

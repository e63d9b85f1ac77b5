/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trace is written while samples arrive. It cannot be made from perf's file, because that file
 * has neither the times of the recording's start and end nor the counts after the last sample.
 */
#include "cpuperf/cpuperf-trace.h"

#include <stdlib.h>

#include "export/fxt-machine.h"

/**
 * struct cpuperf_counter - an event on a vCPU
 * @since: the trace contains the event's counts up to this time.
 * @reported: count up to that time.
 */
struct cpuperf_counter {
    uint64_t since;
    uint64_t reported;
};

static struct cpuperf_counter *counter_of(const struct cpuperf_trace *c, uint32_t cpu,
                                          uint32_t event)
{
    return &c->counters[(size_t)cpu * c->stream.start.events + event];
}

static int begin(struct cpuperf_trace *c, struct error *t)
{
    const struct stream *s = &c->stream;
    size_t n = (size_t)s->start.cpus * s->start.events;

    if (s->start.events != c->session->n) {
        return error_set(t, ERROR_TALK, "the machine records %u events instead of %zu",
                         s->start.events, c->session->n);
    }
    c->counters = calloc(n, sizeof(*c->counters));
    if (!c->counters) {
        return error_memory(t);
    }
    for (size_t i = 0; i < n; i++) {
        c->counters[i].since = s->start.time;
    }
    fxt_machine_begin(&c->fxt);
    for (uint32_t cpu = 0; cpu < s->start.cpus; cpu++) {
        fxt_machine_name(&c->fxt, cpu);
    }
    return event_totals_begin(&c->totals, s, t);
}

static void put(struct cpuperf_trace *c, uint32_t cpu, uint32_t event, uint64_t time,
                const struct fxt_argument *argument, unsigned n)
{
    fxt_machine_counter(&c->fxt, cpu, time, c->session->event[event]->name, argument, n);
}

/* Identifies who ran: the VMID of a guest is in the upper half, CONTEXTIDR in the lower half. */
static uint64_t aspace_of(const struct vpmu_record_sample *from)
{
    return (uint64_t)from->vmid << 32 | from->contextidr;
}

/**
 * move() - write an event's rate since the last call
 * @total: the event's count at @time.
 * @from: the sample whose address and address space are written too, or NULL.
 *
 * If the interval is empty or time went back, as it does when a snapshot is loaded, no rate is
 * written. The count then becomes part of the next interval.
 *
 * Return: 0, or -1 with ERROR_TALK if the count decreased.
 */
static int move(struct cpuperf_trace *c, uint32_t cpu, uint32_t event, uint64_t total,
                uint64_t time, const struct vpmu_record_sample *from, struct error *t)
{
    struct cpuperf_counter *counter = counter_of(c, cpu, event);
    struct fxt_argument argument[] = {{.name = "rate", .is_real = true},
                                      {.name = "aspace", .number = from ? aspace_of(from) : 0},
                                      {.name = "pc", .number = from ? from->pc : 0}};

    if (total < counter->reported) {
        return error_set(t, ERROR_TALK, "%s on vCPU %u: the count decreases",
                         c->stream.event[event].name, cpu);
    }
    if (time > counter->since) {
        argument[0].real = (double)(total - counter->reported) * FXT_MACHINE_PER_SECOND /
                           (double)(time - counter->since);
        put(c, cpu, event, counter->since, argument, from ? 3 : 1);
        counter->reported = total;
    }
    counter->since = time;
    return 0;
}

/* Writes the rates of all events except the one that was sampled. */
static int move_others(struct cpuperf_trace *c, const struct vpmu_record_sample *from,
                       const uint64_t *values, struct error *t)
{
    for (uint32_t i = 0; i < from->values; i++) {
        if (i != from->event && move(c, from->head.cpu, i, values[i], from->time, NULL, t)) {
            return -1;
        }
    }
    return 0;
}

static int take_sample(struct cpuperf_trace *c, const union stream_record *record, struct error *t)
{
    const struct vpmu_record_sample *from = &record->sample;
    const struct event_totals_row *row = event_totals_sample(&c->totals, from);

    if (c->session->tally) {
        return 0;
    }
    return move(c, from->head.cpu, from->event, row->weight, from->time,
                c->session->pc ? from : NULL, t)
               ? -1
               : move_others(c, from, stream_values(record), t);
}

static int take(struct cpuperf_trace *c, const union stream_record *from, struct error *t)
{
    switch (from->head.type) {
    case VPMU_RECORD_EVENT:
        return begin(c, t);
    case VPMU_RECORD_SAMPLE:
        return take_sample(c, from, t);
    case VPMU_RECORD_LOST:
        event_totals_lost(&c->totals, &from->lost);
        return 0;
    case VPMU_RECORD_HOST:
        event_totals_host(&c->totals, &from->host);
        return 0;
    case VPMU_RECORD_COUNT:
        return event_totals_count(&c->totals, &from->count, t);
    default:
        return 0;
    }
}

int cpuperf_trace_take(struct cpuperf_trace *c, const void *data, size_t n, struct error *t)
{
    int got;

    stream_put(&c->stream, data, n);
    while ((got = stream_next(&c->stream, t)) > 0) {
        if (take(c, &c->stream.record, t)) {
            return -1;
        }
    }
    return got;
}

static void end_tally(struct cpuperf_trace *c, uint32_t cpu, uint32_t event, uint64_t count)
{
    struct fxt_argument argument = {.name = "count"};

    put(c, cpu, event, c->stream.start.time, &argument, 1);
    argument.number = count;
    put(c, cpu, event, c->stream.end.time, &argument, 1);
}

/*
 * Writes the rate after the last sample, and then a rate of 0. If the recording ended at the last
 * sample, the interval is extended to one nanosecond.
 */
static int end_rate(struct cpuperf_trace *c, uint32_t cpu, uint32_t event, uint64_t count,
                    struct error *t)
{
    const struct fxt_argument none = {.name = "rate", .is_real = true};
    const struct cpuperf_counter *counter = counter_of(c, cpu, event);
    uint64_t end = c->stream.end.time;

    if (end <= counter->since) {
        end = counter->since + (count > counter->reported);
    }
    if (move(c, cpu, event, count, end, NULL, t)) {
        return -1;
    }
    put(c, cpu, event, end, &none, 1);
    return 0;
}

static int end_counter(struct cpuperf_trace *c, uint32_t cpu, uint32_t event, struct error *t)
{
    const struct event_totals_row *row = event_totals_row(&c->totals, cpu, event);

    if (row->counted && c->session->tally) {
        end_tally(c, cpu, event, row->count);
        return 0;
    }
    return row->counted ? end_rate(c, cpu, event, row->count, t) : 0;
}

static int end_counters(struct cpuperf_trace *c, struct error *t)
{
    for (uint32_t cpu = 0; cpu < c->stream.start.cpus; cpu++) {
        for (uint32_t event = 0; event < c->stream.start.events; event++) {
            if (end_counter(c, cpu, event, t)) {
                return -1;
            }
        }
    }
    return 0;
}

int cpuperf_trace_finish(struct cpuperf_trace *c, struct error *t)
{
    if (c->stream.ended && end_counters(c, t)) {
        return -1;
    }
    if (c->fxt.error.code != ERROR_NONE) {
        *t = c->fxt.error;
        return -1;
    }
    return stream_close(&c->stream, t);
}

void cpuperf_trace_free(struct cpuperf_trace *c)
{
    fxt_free(&c->fxt);
    event_totals_free(&c->totals);
    free(c->counters);
    c->counters = NULL;
}

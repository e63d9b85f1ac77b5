/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_EVENT_TOTALS_H
#define VPMU_STATS_EVENT_TOTALS_H

#include "record/stream.h"

/**
 * struct event_totals_row - totals of an event on one vCPU
 * @samples: number of samples received.
 * @weight: number of events that these samples stand for.
 * @lost: number of samples that the machine dropped for lack of space. Valid if @counted is set.
 * @reported: number of lost samples that were reported during the recording.
 * @counted: the machine has reported the event's count, which it does at the end.
 * @count: the event's count. Valid if @counted is set.
 * @limited: number of samples that came later than the frequency asks for, because samples would
 *     have taken too much time. Valid if @counted is set.
 * @hosts: the host's PMU counted the event. The following fields are valid only then.
 * @enabled: nanoseconds for which the event was enabled.
 * @running: nanoseconds for which the host counted it.
 * @elsewhere: number of lost samples without the guest's address.
 * @throttled: how often the host's kernel throttled the event.
 */
struct event_totals_row {
    uint64_t samples;
    uint64_t weight;
    uint64_t lost;
    uint64_t reported;
    bool counted;
    uint64_t count;
    uint64_t limited;
    bool hosts;
    uint64_t enabled;
    uint64_t running;
    uint64_t elsewhere;
    uint64_t throttled;
};

/**
 * struct event_totals - totals of a stream, to be compared with the counts that come at its end
 * @stream: the stream.
 * @rows: stream->start.events rows for each vCPU; NULL before event_totals_begin().
 */
struct event_totals {
    const struct stream *stream;
    struct event_totals_row *rows;
};

/**
 * event_totals_begin() - allocate the rows, once the stream's events are known
 *
 * Return: 0, or -1 if there is no memory.
 */
int event_totals_begin(struct event_totals *l, const struct stream *stream, struct error *t);

/* The number of rows, and the row of an event on a vCPU. */
size_t event_totals_size(const struct event_totals *l);
struct event_totals_row *event_totals_row(const struct event_totals *l, uint32_t cpu,
                                          uint32_t event);

/** event_totals_sample() - add a sample and return its row */
struct event_totals_row *event_totals_sample(struct event_totals *l,
                                             const struct vpmu_record_sample *sample);

/** event_totals_lost() - add a report of lost samples */
void event_totals_lost(struct event_totals *l, const struct vpmu_record_lost *lost);

/** event_totals_host() - note that the host's PMU counted the event whose count comes next */
void event_totals_host(struct event_totals *l, const struct vpmu_record_host *host);

/**
 * event_totals_count() - check an event's final count against the samples, and store it
 *
 * The count may exceed the events that samples stand for by less than one period. This limit does
 * not apply to events that the host's PMU counts: the guest continues until the host is
 * interrupted, and the host's kernel may not deliver the interrupt at all.
 *
 * Return: 0, or -1 with ERROR_TALK if the count and the samples disagree.
 */
int event_totals_count(struct event_totals *l, const struct vpmu_record_count *count,
                       struct error *t);

void event_totals_free(struct event_totals *l);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_EVENT_TOTALS_H
#define VPMU_STATS_EVENT_TOTALS_H

#include "record/stream.h"

/**
 * struct event_totals_row - an event on one vCPU
 * @samples, @weight: what came, and how many events that stands for.
 * @lost: samples that the machine had no room for.
 * @reported: of these, those reported during the recording.
 * @counted: the machine has said the rest, which it does in the end:
 * @count: how often the event has happened.
 * @hosts: the host's PMU has counted it:
 * @enabled, @running: for how many nanoseconds it could have, and did.
 * @elsewhere: lost samples that did not say where the guest was.
 * @throttled: how often the host's kernel stopped it for a while.
 */
struct event_totals_row {
    uint64_t samples;
    uint64_t weight;
    uint64_t lost;
    uint64_t reported;
    bool counted;
    uint64_t count;
    bool hosts;
    uint64_t enabled;
    uint64_t running;
    uint64_t elsewhere;
    uint64_t throttled;
};

/**
 * struct event_totals - what came of a stream, to be held against what the machine says in the end
 * @rows: stream->start.events for each vCPU; NULL before event_totals_begin().
 */
struct event_totals {
    const struct stream *stream;
    struct event_totals_row *rows;
};

/** event_totals_begin() - once the events are known. Return: 0, or -1 with an error. */
int event_totals_begin(struct event_totals *l, const struct stream *stream, struct error *t);

/* Rows that there are; an event's on a vCPU. */
size_t event_totals_size(const struct event_totals *l);
struct event_totals_row *event_totals_row(const struct event_totals *l, uint32_t cpu,
                                          uint32_t event);

/** event_totals_sample() - a sample came. Return: its row. */
struct event_totals_row *event_totals_sample(struct event_totals *l,
                                             const struct vpmu_record_sample *sample);

/** event_totals_lost() - the machine tells of lost samples */
void event_totals_lost(struct event_totals *l, const struct vpmu_record_lost *lost);

/** event_totals_host() - the host's PMU has counted the event whose count comes next */
void event_totals_host(struct event_totals *l, const struct vpmu_record_host *host);

/**
 * event_totals_count() - the machine says what it has counted: nothing that no sample stands for,
 * but for less than one more. The host's PMU is not so exact: the guest goes on until it is
 * interrupted, and the kernel may not ask for it at all.
 *
 * Return: 0, or -1 with ERROR_TALK if that does not agree with what came.
 */
int event_totals_count(struct event_totals *l, const struct vpmu_record_count *count,
                       struct error *t);

void event_totals_free(struct event_totals *l);

#endif

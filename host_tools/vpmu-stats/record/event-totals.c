/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/event-totals.h"

#include <stdlib.h>

int event_totals_begin(struct event_totals *l, const struct stream *stream, struct error *t)
{
    l->stream = stream;
    l->rows = calloc(event_totals_size(l), sizeof(*l->rows));
    return l->rows ? 0 : error_memory(t);
}

size_t event_totals_size(const struct event_totals *l)
{
    return (size_t)l->stream->start.cpus * l->stream->start.events;
}

struct event_totals_row *event_totals_row(const struct event_totals *l, uint32_t cpu,
                                          uint32_t event)
{
    return &l->rows[(size_t)cpu * l->stream->start.events + event];
}

struct event_totals_row *event_totals_sample(struct event_totals *l,
                                             const struct vpmu_record_sample *sample)
{
    struct event_totals_row *row = event_totals_row(l, sample->head.cpu, sample->event);

    row->samples++;
    row->weight += sample->weight;
    return row;
}

void event_totals_lost(struct event_totals *l, const struct vpmu_record_lost *lost)
{
    event_totals_row(l, lost->head.cpu, lost->event)->reported += lost->samples;
}

void event_totals_host(struct event_totals *l, const struct vpmu_record_host *host)
{
    struct event_totals_row *row = event_totals_row(l, host->head.cpu, host->event);

    row->hosts = true;
    row->enabled = host->enabled;
    row->running = host->running;
    row->elsewhere = host->elsewhere;
    row->throttled = host->throttled;
}

static int disagree(struct error *t, const struct event_totals *l,
                    const struct vpmu_record_count *count, const char *what)
{
    return error_set(t, ERROR_TALK, "%s of %s on vCPU %u: its samples and its count disagree", what,
                     l->stream->event[count->event].name, count->head.cpu);
}

static bool remainder_fits(const struct vpmu_record_event *event,
                           const struct vpmu_record_count *from, bool hosts)
{
    if (!event->period && !event->frequency) {
        return true;
    }
    return from->count >= from->weight && (hosts || from->count - from->weight < from->period);
}

static int check(const struct event_totals *l, const struct vpmu_record_count *from,
                 const struct event_totals_row *to, struct error *t)
{
    const struct vpmu_record_event *event = &l->stream->event[from->event];

    if (to->counted) {
        return disagree(t, l, from, "two counts");
    }
    if (from->samples != to->samples || from->lost < to->reported) {
        return disagree(t, l, from, "the number of samples");
    }
    if (from->lost == 0 && from->weight != to->weight) {
        return disagree(t, l, from, "the weight of samples");
    }
    if (!remainder_fits(event, from, to->hosts)) {
        return disagree(t, l, from, "the remainder");
    }
    return 0;
}

int event_totals_count(struct event_totals *l, const struct vpmu_record_count *count,
                       struct error *t)
{
    struct event_totals_row *row = event_totals_row(l, count->head.cpu, count->event);

    if (check(l, count, row, t)) {
        return -1;
    }
    row->counted = true;
    row->count = count->count;
    row->lost = count->lost;
    row->limited = count->limited;
    return 0;
}

void event_totals_free(struct event_totals *l)
{
    free(l->rows);
    l->rows = NULL;
}

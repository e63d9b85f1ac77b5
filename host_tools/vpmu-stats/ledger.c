/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger.h"

#include <stdlib.h>

int ledger_begin(struct ledger *l, const struct stream *stream, struct trouble *t)
{
    l->stream = stream;
    l->rows = calloc(ledger_size(l), sizeof(*l->rows));
    return l->rows ? 0 : trouble_memory(t);
}

size_t ledger_size(const struct ledger *l)
{
    return (size_t)l->stream->start.cpus * l->stream->start.events;
}

struct ledger_row *ledger_row(const struct ledger *l, uint32_t cpu, uint32_t event)
{
    return &l->rows[(size_t)cpu * l->stream->start.events + event];
}

struct ledger_row *ledger_sample(struct ledger *l, const struct vpmu_record_sample *sample)
{
    struct ledger_row *row = ledger_row(l, sample->head.cpu, sample->event);

    row->samples++;
    row->weight += sample->weight;
    return row;
}

void ledger_lost(struct ledger *l, const struct vpmu_record_lost *lost)
{
    ledger_row(l, lost->head.cpu, lost->event)->told += lost->samples;
}

void ledger_host(struct ledger *l, const struct vpmu_record_host *host)
{
    struct ledger_row *row = ledger_row(l, host->head.cpu, host->event);

    row->hosts = true;
    row->enabled = host->enabled;
    row->running = host->running;
    row->elsewhere = host->elsewhere;
    row->throttled = host->throttled;
}

static int disagree(struct trouble *t, const struct ledger *l,
                    const struct vpmu_record_count *count, const char *what)
{
    return trouble_set(t, TROUBLE_TALK, "%s of %s on vCPU %u: its samples and its count disagree",
                       what, l->stream->event[count->event].name, count->head.cpu);
}

static bool remainder_fits(const struct vpmu_record_event *event,
                           const struct vpmu_record_count *from, bool hosts)
{
    if (!event->period && !event->frequency) {
        return true;
    }
    return from->count >= from->weight && (hosts || from->count - from->weight < from->period);
}

static int check(const struct ledger *l, const struct vpmu_record_count *from,
                 const struct ledger_row *to, struct trouble *t)
{
    const struct vpmu_record_event *event = &l->stream->event[from->event];

    if (to->counted) {
        return disagree(t, l, from, "two counts");
    }
    if (from->samples != to->samples || from->lost < to->told) {
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

int ledger_count(struct ledger *l, const struct vpmu_record_count *count, struct trouble *t)
{
    struct ledger_row *row = ledger_row(l, count->head.cpu, count->event);

    if (check(l, count, row, t)) {
        return -1;
    }
    row->counted = true;
    row->count = count->count;
    row->lost = count->lost;
    return 0;
}

void ledger_free(struct ledger *l)
{
    free(l->rows);
    l->rows = NULL;
}

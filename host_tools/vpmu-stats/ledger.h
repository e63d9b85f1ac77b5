/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_LEDGER_H
#define VPMU_STATS_LEDGER_H

#include "stream.h"

/**
 * struct ledger_row - an event on one vCPU
 * @samples, @weight: what came, and how many events that stands for.
 * @lost: samples that the machine had no room for.
 * @told: of these, those that it told of while it went on.
 * @counted: the machine has said the rest, which it does in the end:
 * @count: how often the event has happened.
 * @hosts: the host's PMU has counted it:
 * @enabled, @running: for how many nanoseconds it could have, and did.
 * @elsewhere: lost samples that did not say where the guest was.
 * @throttled: how often the host's kernel stopped it for a while.
 */
struct ledger_row {
    uint64_t samples;
    uint64_t weight;
    uint64_t lost;
    uint64_t told;
    bool counted;
    uint64_t count;
    bool hosts;
    uint64_t enabled;
    uint64_t running;
    uint64_t elsewhere;
    uint64_t throttled;
};

/**
 * struct ledger - what came of a stream, to be held against what the machine says in the end
 * @rows: stream->start.events for each vCPU; NULL before ledger_begin().
 */
struct ledger {
    const struct stream *stream;
    struct ledger_row *rows;
};

/** ledger_begin() - once the events are known. Return: 0, or -1 with trouble. */
int ledger_begin(struct ledger *l, const struct stream *stream, struct trouble *t);

/* Rows that there are; an event's on a vCPU. */
size_t ledger_size(const struct ledger *l);
struct ledger_row *ledger_row(const struct ledger *l, uint32_t cpu, uint32_t event);

/** ledger_sample() - a sample came. Return: its row. */
struct ledger_row *ledger_sample(struct ledger *l, const struct vpmu_record_sample *sample);

/** ledger_lost() - the machine tells of lost samples */
void ledger_lost(struct ledger *l, const struct vpmu_record_lost *lost);

/** ledger_host() - the host's PMU has counted the event whose count comes next */
void ledger_host(struct ledger *l, const struct vpmu_record_host *host);

/**
 * ledger_count() - the machine says what it has counted: nothing that no sample stands for, but for
 * less than one more. The host's PMU is not so exact: the guest goes on until it is interrupted,
 * and the kernel may not ask for it at all.
 *
 * Return: 0, or -1 with TROUBLE_TALK if that does not agree with what came.
 */
int ledger_count(struct ledger *l, const struct vpmu_record_count *count, struct trouble *t);

void ledger_free(struct ledger *l);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_STREAM_H
#define VPMU_STATS_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "vpmu/record.h"

#define STREAM_MAX_CPUS 65536u

/**
 * union stream_record - a record of any type, whose contents have been checked
 *
 * Names and paths are zero-terminated where the format says so, and can contain anything.
 */
union stream_record {
    struct vpmu_record_head head;
    struct vpmu_record_start start;
    struct vpmu_record_event event;
    struct vpmu_record_sample sample;
    struct vpmu_record_lost lost;
    struct vpmu_record_count count;
    struct vpmu_record_end end;
    struct vpmu_record_thread thread;
    struct vpmu_record_span span;
    struct vpmu_record_host host;
    struct vpmu_record_map map;
    struct vpmu_record_guest guest;
    struct vpmu_record_access access;
    struct vpmu_record_stack stack;
    struct vpmu_record_call call;
    uint64_t words[(UINT16_MAX + 1) / sizeof(uint64_t)];
    unsigned char bytes[UINT16_MAX + 1];
};

/* The arrays that follow a sample. The sample has the number of entries of each. */
static inline const uint64_t *stream_values(const union stream_record *record)
{
    return record->words + sizeof(record->sample) / sizeof(uint64_t);
}

static inline const uint64_t *stream_chain(const union stream_record *record)
{
    return stream_values(record) + record->sample.values;
}

static inline const struct vpmu_branch *stream_branches(const union stream_record *record)
{
    return (const struct vpmu_branch *)(stream_chain(record) + record->sample.chain);
}

/* The path that follows a mapping. */
static inline const char *stream_path(const union stream_record *record)
{
    return (const char *)record->bytes + sizeof(record->map);
}

/* The registers and the stack that follow a stack's record. */
static inline const unsigned char *stream_stack(const union stream_record *record)
{
    return record->bytes + sizeof(record->stack);
}

/**
 * struct stream - a stream of samples in the format of vpmu/record.h; all 0 at first
 * @start: valid if stream_began().
 * @event: start.events events.
 * @end: valid if @ended is set.
 * @record: the record that stream_next() has found; valid until its next call.
 *
 * The other fields are private.
 */
struct stream {
    struct vpmu_record_start start;
    struct vpmu_record_event event[VPMU_RECORD_EVENTS];
    struct vpmu_record_end end;
    bool ended;
    bool started;
    bool broken;
    bool is_call;
    unsigned events;
    const unsigned char *input;
    size_t left;
    size_t have;
    union stream_record record;
};

/** stream_began() - are the events known? */
static inline bool stream_began(const struct stream *s)
{
    return s->started && s->events == s->start.events;
}

/**
 * stream_put() - give the next @n bytes, which may end anywhere in a record
 *
 * They must exist until stream_next() has returned 0 or -1.
 */
void stream_put(struct stream *s, const void *data, size_t n);

/**
 * stream_next() - find the next record
 *
 * The first record is the last event: then stream_began() is true. Records of unknown types are
 * passed over.
 *
 * Return: 1 if there is one in @s->record; 0 if more bytes are needed; or -1 with ERROR_TALK if the
 * stream is invalid, and at each further call.
 */
int stream_next(struct stream *s, struct error *t);

/**
 * stream_close() - check that the stream is complete when no more data come
 *
 * Return: 0, or -1 with ERROR_ENDED if the stream is truncated, or with ERROR_TALK if it ended
 * before its events were known.
 */
int stream_close(struct stream *s, struct error *t);

#endif

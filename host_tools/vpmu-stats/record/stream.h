/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_STREAM_H
#define VPMU_STATS_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "vpmu/record.h"

#define STREAM_MAX_CPUS 65536u

struct stream;

/**
 * struct stream_ops - callbacks for records, whose contents are checked before
 * @begin: the events are known.
 * @thread: the thread's name can contain anything.
 * @map: @path is zero-terminated and can contain anything. May be NULL.
 * @guest: applies to the vCPU's following samples of a guest. May be NULL.
 * @guest_thread: the same; the thread's name can contain anything. May be NULL.
 * @span: applies to the vCPU's next sample.
 * @access: applies to the vCPU's next sample. May be NULL.
 * @stack: applies to the vCPU's next sample if that has the same time: @bytes are the registers and
 *     the stack. May be NULL.
 * @call: the vCPU's next sample is about this call. May be NULL.
 * @host: applies to the event and vCPU whose count comes next.
 * @sample: @values, @chain and @branches have as many entries as the sample says.
 * @taken: called when everything received so far has been processed; may be NULL.
 *
 * Each callback returns 0, or -1 with an error, which ends the stream.
 */
struct stream_ops {
    int (*begin)(struct stream *s, struct error *t);
    int (*sample)(struct stream *s, const struct vpmu_record_sample *sample, const uint64_t *values,
                  const uint64_t *chain, const struct vpmu_branch *branches, struct error *t);
    int (*thread)(struct stream *s, const struct vpmu_record_thread *thread, struct error *t);
    int (*map)(struct stream *s, const struct vpmu_record_map *map, const char *path,
               struct error *t);
    int (*guest)(struct stream *s, const struct vpmu_record_guest *guest, struct error *t);
    int (*guest_thread)(struct stream *s, const struct vpmu_record_thread *thread, struct error *t);
    int (*span)(struct stream *s, const struct vpmu_record_span *span, struct error *t);
    int (*access)(struct stream *s, const struct vpmu_record_access *access, struct error *t);
    int (*stack)(struct stream *s, const struct vpmu_record_stack *stack,
                 const unsigned char *bytes, struct error *t);
    int (*call)(struct stream *s, const struct vpmu_record_call *call, struct error *t);
    int (*lost)(struct stream *s, const struct vpmu_record_lost *lost, struct error *t);
    int (*host)(struct stream *s, const struct vpmu_record_host *host, struct error *t);
    int (*count)(struct stream *s, const struct vpmu_record_count *count, struct error *t);
    int (*taken)(struct stream *s, struct error *t);
};

/**
 * struct stream - a stream of samples in the format of vpmu/record.h
 * @ops: set by the caller; all other fields must be 0 at first.
 * @start: valid when ops.begin is called.
 * @event: start.events events.
 * @end: valid if @ended is set.
 *
 * The other fields are private.
 */
struct stream {
    const struct stream_ops *ops;
    struct vpmu_record_start start;
    struct vpmu_record_event event[VPMU_RECORD_EVENTS];
    struct vpmu_record_end end;
    bool ended;
    bool started;
    bool broken;
    unsigned events;
    size_t have;
    union {
        struct vpmu_record_head head;
        unsigned char bytes[UINT16_MAX + 1];
    } record;
};

/**
 * stream_take() - process the next @n bytes, which may end anywhere in a record
 *
 * Return: 0, or -1 with an error: ERROR_TALK if the stream is invalid. After an error, all further
 * data are ignored.
 */
int stream_take(struct stream *s, const void *data, size_t n, struct error *t);

/**
 * stream_close() - check that the stream is complete when no more data come
 *
 * Return: 0, or -1 with ERROR_ENDED if the stream is truncated, or with ERROR_TALK if it ended
 * before its events were known.
 */
int stream_close(struct stream *s, struct error *t);

#endif

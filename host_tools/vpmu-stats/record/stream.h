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
 * struct stream_ops - what becomes of records; all that a record says is checked before
 * @begin: the events are known.
 * @thread: its name can be anything.
 * @map: its @path ends in NUL; it can be anything.
 * @span: of the vCPU's next sample.
 * @host: of the event and vCPU whose count comes next.
 * @sample: with as many values and addresses of a call chain as it says.
 * @taken: called when everything received so far has been processed; may be NULL.
 *
 * Each returns 0, or -1 with an error, which ends it.
 */
struct stream_ops {
    int (*begin)(struct stream *s, struct error *t);
    int (*sample)(struct stream *s, const struct vpmu_record_sample *sample, const uint64_t *values,
                  const uint64_t *chain, struct error *t);
    int (*thread)(struct stream *s, const struct vpmu_record_thread *thread, struct error *t);
    int (*map)(struct stream *s, const struct vpmu_record_map *map, const char *path,
               struct error *t);
    int (*span)(struct stream *s, const struct vpmu_record_span *span, struct error *t);
    int (*lost)(struct stream *s, const struct vpmu_record_lost *lost, struct error *t);
    int (*host)(struct stream *s, const struct vpmu_record_host *host, struct error *t);
    int (*count)(struct stream *s, const struct vpmu_record_count *count, struct error *t);
    int (*taken)(struct stream *s, struct error *t);
};

/**
 * struct stream - samples that come in, as vpmu/record.h describes them
 * @ops: set by the caller; all else 0.
 * @start: once ops.begin is called.
 * @event: start.events of them.
 * @end: once @ended.
 *
 * The rest is private.
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
 * stream_take() - takes the next @n bytes, however they are cut
 * Return: 0, or -1: ERROR_TALK if they are not a stream. After that nothing more is taken.
 */
int stream_take(struct stream *s, const void *data, size_t n, struct error *t);

/**
 * stream_close() - no more bytes come
 * Return: 0, or -1: ERROR_ENDED if the machine ended in the middle, also of a record,
 * ERROR_TALK if it did so before there was anything.
 */
int stream_close(struct stream *s, struct error *t);

#endif

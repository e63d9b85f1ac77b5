/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_CPUPERF_TRACE_H
#define VPMU_STATS_CPUPERF_TRACE_H

#include "cpuperf/cpuperf.h"
#include "export/fxt.h"
#include "record/event-totals.h"
#include "record/stream.h"

/**
 * struct cpuperf_trace - writes samples to a trace like that of Fuchsia's cpuperf
 * @stream: the input.
 * @fxt: the output. The caller owns its file.
 * @session: what is recorded. It belongs to the caller.
 * @totals: totals of what was received. It has rows once the stream has begun.
 *
 * Each event on each vCPU is a trace counter. Its value is the event's rate per second. A value
 * covers the time from one sample to the next, or from the start of the recording to the first
 * sample. A last value covers the time from the last sample to the end of the recording, where the
 * rate becomes 0. So rate multiplied by time gives the total count.
 *
 * A tally has no rates: the counter is 0 at the start and the total at the end.
 *
 * The other fields are private and must be 0 at first.
 */
struct cpuperf_trace {
    struct stream stream;
    struct fxt fxt;
    const struct cpuperf *session;
    struct event_totals totals;
    struct cpuperf_counter *counters;
};

/**
 * cpuperf_trace_take() - process the next bytes of the stream, which may end anywhere in a record
 *
 * Return: 0, or -1 with an error: ERROR_TALK if the stream is invalid or does not fit the session.
 */
int cpuperf_trace_take(struct cpuperf_trace *c, const void *data, size_t n, struct error *t);

/**
 * cpuperf_trace_finish() - complete the trace when no more data come
 *
 * The trace can be read even after an error, unless it is empty because @totals has no rows.
 *
 * Return: 0, or -1 with an error of stream_close() or of writing the trace, or with ERROR_TALK.
 */
int cpuperf_trace_finish(struct cpuperf_trace *c, struct error *t);

void cpuperf_trace_free(struct cpuperf_trace *c);

#endif

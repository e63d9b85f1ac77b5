/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_CPUPERF_TRACE_H
#define VPMU_STATS_CPUPERF_TRACE_H

#include "record/cpuperf.h"
#include "export/fxt.h"
#include "record/event-totals.h"

/**
 * struct cpuperf_trace - samples on their way into a trace such as Fuchsia's cpuperf makes
 * @stream: what comes in.
 * @fxt: what goes out. Its file is the caller's.
 * @session: what is recorded; the caller's.
 * @totals: what came; it has rows once the stream has begun.
 *
 * Each event on each vCPU is a counter: what came a second in the time before a sample, from the
 * sample before on, the first one from where the recording begins. Of the last sample's on there is
 * what came until the end, where it becomes 0; so that rates and times come to all that was
 * counted. Of a tally there is a count, 0 in the beginning, and in the end the total.
 *
 * The rest, 0 at first, is private.
 */
struct cpuperf_trace {
    struct stream stream;
    struct fxt fxt;
    const struct cpuperf *session;
    struct event_totals totals;
    struct cpuperf_counter *counters;
};

/** cpuperf_trace_init() - ready for its stream; the caller has set what is its */
void cpuperf_trace_init(struct cpuperf_trace *c);

/**
 * cpuperf_trace_finish() - no more comes: makes the trace complete
 * Return: 0; or -1, as stream_close(). The trace can be read in each case, unless there is nothing
 * in it: if @totals has no rows.
 */
int cpuperf_trace_finish(struct cpuperf_trace *c, struct error *t);

void cpuperf_trace_free(struct cpuperf_trace *c);

#endif

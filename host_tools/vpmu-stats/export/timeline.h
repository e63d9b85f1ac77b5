/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_TIMELINE_H
#define VPMU_STATS_TIMELINE_H

#include "export/fxt.h"
#include "profile/sample-input.h"

/**
 * struct timeline - samples on a time axis
 * @fxt: its file is set, all else is 0 at first.
 * @texts: the texts of the samples.
 *
 * Each vCPU is a thread of the trace. Each sample is an instant with the name of the event, its
 * period, its address and who ran. A slice shows who ran from which sample to which. Each event on
 * each vCPU is a counter, as in Fuchsia's cpuperf: its value is the rate per second since the
 * sample before.
 *
 * The other fields are private, and 0 at first.
 */
struct timeline {
    struct fxt fxt;
    const struct string_table *texts;
    void *cpus;
    void *counters;
};

/** timeline_begin() - write the start of a trace */
void timeline_begin(struct timeline *l);

/** timeline_sample() - a sample_input_each: write a sample. g->sink is the struct timeline. */
int timeline_sample(struct sample_input *g, const struct input_sample *s, struct error *t);

/** timeline_end() - finish after the last sample. Return: 0, or -1 with an error. */
int timeline_end(struct timeline *l, struct error *t);

/** timeline_free() - release memory; needed in any case */
void timeline_free(struct timeline *l);

#endif

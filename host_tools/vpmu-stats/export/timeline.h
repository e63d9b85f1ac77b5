/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_TIMELINE_H
#define VPMU_STATS_TIMELINE_H

#include "export/fxt.h"
#include "profile/sample-input.h"

/**
 * struct timeline - samples on a time axis
 * @fxt: its file is set, all else 0 at first.
 * @texts: those of the samples.
 *
 * Each vCPU is a thread, on which each sample is an instant, with its event's name, what it stands
 * for, where it was and who ran; as far as samples tell, who ran from when to when is a slice. Each
 * event on each vCPU is a counter, as Fuchsia's cpuperf has them: what came a second in the time
 * before a sample, from the sample before on.
 *
 * The rest is private, and 0 at first.
 */
struct timeline {
    struct fxt fxt;
    const struct string_table *texts;
    void *cpus;
    void *counters;
};

/** timeline_begin() - writes what a trace begins with */
void timeline_begin(struct timeline *l);

/** timeline_sample() - a sample_input_each; gather.sink is the struct timeline */
int timeline_sample(struct sample_input *g, const struct input_sample *s, struct error *t);

/** timeline_end() - after the last sample. Return: 0, or -1 with an error. */
int timeline_end(struct timeline *l, struct error *t);

/** timeline_free() - needed in any case */
void timeline_free(struct timeline *l);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_LIVE_H
#define VPMU_STATS_LIVE_H

#include "record/recording.h"
#include "record/sampling.h"
#include "session/session.h"
#include "top/function-options.h"
#include "top/hot-functions.h"

/**
 * struct live - a recording whose samples are shown while it runs; all 0 at first
 *
 * The recording is written to a temporary file, which is replaced with each frame and then read as
 * report reads it.
 *
 * @session: the machine. Its output is not open.
 * @functions: the functions so far.
 * @began: time of the first frame's beginning, from qmp_now().
 * @looked: time of the last frame's end.
 * @interval: length of the last frame in nanoseconds.
 *
 * The other fields are private.
 */
struct live {
    struct session session;
    struct hot_functions functions;
    int64_t began;
    int64_t looked;
    int64_t interval;
    const struct function_options *o;
    struct recording *recording;
    struct machine_memory memory;
    struct sampling sampling;
    struct samplefile file;
    int stop_fd;
    bool runs;
};

/**
 * live_open() - connect to the machine, find names and start the recording
 *
 * Return: 0, or -1 with an error. Call live_close() in any case.
 */
int live_open(struct live *l, const struct function_options *o, int stop_fd, struct error *t);

/**
 * live_wait() - receive samples
 * @until: when to return, as a time of qmp_now().
 * @fd: return as soon as this can be read; -1 for none.
 *
 * Return: 0, or -1 with an error: ERROR_ENDED if the machine ended the recording.
 */
int live_wait(struct live *l, int64_t until, int fd, struct error *t);

/**
 * live_frame() - add the samples since the last frame to @l->functions
 * @zero: forget earlier samples.
 *
 * Return: 0, or -1 with an error.
 */
int live_frame(struct live *l, bool zero, struct error *t);

/** live_close() - end the recording, close everything and print the error. Return: the exit code.
 */
int live_close(struct live *l, struct error *t);

#endif

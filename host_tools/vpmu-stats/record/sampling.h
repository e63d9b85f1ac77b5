/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_SAMPLING_H
#define VPMU_STATS_SAMPLING_H

#include "qmp/qmp.h"
#include "record/samplefile.h"
#include "record/stream.h"

/**
 * struct sampling - a recording in a machine
 * @q: the machine's monitor.
 * @stream: receives the samples.
 * @file: where the samples are written. An error there ends the recording.
 * @patience: how long the machine may take to stop, in milliseconds.
 * @until: when to stop, as a time of qmp_now(); INT64_MAX if the machine decides.
 * @stop_fd: becomes readable when the user stops the program.
 * @by_user: the user has stopped the recording.
 *
 * The other fields are private.
 */
struct sampling {
    struct qmp *q;
    struct stream *stream;
    struct samplefile *file;
    int patience;
    int64_t until;
    int stop_fd;
    bool by_user;
    int samples;
    int64_t looked;
};

/**
 * sampling_start() - start the recording
 * @arguments: the arguments of vpmu-record-start, except the descriptor. The function releases
 *     them.
 *
 * Return: 0, or -1 with an error: ERROR_USAGE if the machine cannot record the events. After
 * success, call sampling_receive() or sampling_end().
 */
int sampling_start(struct sampling *s, struct json_object *arguments, struct error *t);

/**
 * sampling_receive() - receive samples until the recording has ended
 *
 * Return: 0, or -1 with an error.
 */
int sampling_receive(struct sampling *s, struct error *t);

/**
 * sampling_wait() - receive samples for some time, instead of sampling_receive()
 * @until: when to return, as a time of qmp_now().
 * @fd: return as soon as this can be read; -1 for none.
 *
 * @s->until is not used.
 *
 * Return: 1 if the recording continues; 0 if the machine has ended it; or -1 with an error:
 * ERROR_STOPPED if the user stops the program.
 */
int sampling_wait(struct sampling *s, int64_t until, int fd, struct error *t);

/** sampling_end() - end the recording without reading the rest of it, after sampling_wait() */
void sampling_end(struct sampling *s);

#endif

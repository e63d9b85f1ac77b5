/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_SAMPLING_H
#define VPMU_STATS_SAMPLING_H

#include "qmp/qmp.h"
#include "record/samplefile.h"

/**
 * struct sampling - a recording in a machine
 * @q: the machine's monitor.
 * @file: where the samples are written. An error there ends the recording.
 * @patience: how long the machine may take to stop, in milliseconds. sampling_wait() asks a
 *     machine that has sent nothing for this time whether it still responds.
 * @until: when to stop, as a time of qmp_now(); INT64_MAX if the machine decides.
 * @stop_fd: becomes readable when the user stops the program.
 * @by_user: the user has stopped the recording.
 * @data, @size: bytes of a stream, see record/stream.h; valid after SAMPLING_DATA, until the next
 *     call.
 *
 * The other fields are private.
 */
struct sampling {
    struct qmp *q;
    struct samplefile *file;
    int patience;
    int64_t until;
    int stop_fd;
    bool by_user;
    const unsigned char *data;
    size_t size;
    int samples;
    int64_t looked;
    int64_t heard;
    bool stopped;
    int64_t impatient;
};

/**
 * sampling_start() - start the recording
 * @arguments: the arguments of vpmu-record-start, except the descriptor. The function releases
 *     them.
 *
 * Return: 0, or -1 with an error: ERROR_USAGE if the machine cannot record the events. After
 * success, call sampling_next() until it returns something else than SAMPLING_DATA, or
 * sampling_end().
 */
int sampling_start(struct sampling *s, struct json_object *arguments, struct error *t);

enum sampling_result {
    SAMPLING_ENDED = 0, /* the machine has ended the recording */
    SAMPLING_DATA,      /* @s->data and @s->size have been set */
    SAMPLING_TIME,      /* the time is over, or the other descriptor can be read */
};

/**
 * sampling_next() - wait for samples
 *
 * It stops the recording at @s->until, or when the user stops the program.
 *
 * Return: SAMPLING_DATA; SAMPLING_ENDED; or -1 with an error.
 */
int sampling_next(struct sampling *s, struct error *t);

/**
 * sampling_wait() - wait for samples, instead of sampling_next()
 * @until: when to return, as a time of qmp_now().
 * @fd: return as soon as this can be read; -1 for none.
 *
 * @s->until is not used.
 *
 * Return: enum sampling_result, or -1 with an error: ERROR_STOPPED if the user stops the program,
 * ERROR_TALK if the machine does not respond.
 */
int sampling_wait(struct sampling *s, int64_t until, int fd, struct error *t);

/** sampling_end() - end the recording without reading the rest of it, after sampling_wait() */
void sampling_end(struct sampling *s);

#endif

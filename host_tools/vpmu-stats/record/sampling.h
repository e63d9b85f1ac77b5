/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_SAMPLING_H
#define VPMU_STATS_SAMPLING_H

#include "qmp/qmp.h"
#include "record/samplefile.h"
#include "record/stream.h"

/**
 * struct sampling - a recording that goes on in a machine
 * @q: the machine's monitor.
 * @stream: takes what comes.
 * @file: where that goes; what goes wrong there ends it.
 * @patience: how long the machine may take to end it, in milliseconds.
 * @until: when to stop, as qmp_now() has it; INT64_MAX: not before it ends.
 * @stop_fd: what becomes readable when the user wants to end.
 * @by_user: the user has ended it.
 *
 * The rest is private.
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
};

/**
 * sampling_start() - has the machine begin
 * @arguments: of vpmu-record-start but for the descriptor; are put.
 *
 * Return: 0, after which sampling_receive() is needed; or -1: ERROR_USAGE if the machine cannot
 * record such events.
 */
int sampling_start(struct sampling *s, struct json_object *arguments, struct error *t);

/** sampling_receive() - takes samples until no more come. Return: 0, or -1 with an error. */
int sampling_receive(struct sampling *s, struct error *t);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_RECORD_OPTIONS_H
#define VPMU_STATS_RECORD_OPTIONS_H

#include "measure-options.h"

/* The file, if nothing else is said. */
#define RECORD_FILE "perf.data"

/**
 * struct record_options - what is recorded
 * @period: a sample each time an event has happened so often; or, if it is 0,
 * @frequency: so many samples a second of each vCPU.
 * @kallsyms, @vmlinux: files, or NULL.
 * @chains: with call chains, of at most @frames.
 * @group: the first event is sampled, and all are read.
 * @blackout: the meter's windows as well: of the events, the last @spans are these.
 * @full: what becomes of a sample when a buffer is full, as vpmu-record-start has it; NULL: it is
 *     lost.
 * @buffer: KiB for each vCPU; 0: the machine's own.
 *
 * The rest is private.
 */
struct record_options {
    uint64_t period;
    uint64_t frequency;
    const char *kallsyms;
    const char *vmlinux;
    bool chains;
    long frames;
    bool group;
    bool blackout;
    size_t spans;
    const char *full;
    long buffer;
    const char *count;
    const char *hz;
};

/**
 * record_options_parse() - parses the command line; what is wrong by itself ends the program
 *
 * Return: 0, or -1: TROUBLE_USAGE if options exclude each other, or a number cannot be.
 */
int record_options_parse(struct record_options *o, int argc, char **argv, struct options *common,
                         struct measure_options *measure, struct trouble *t);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_RECORD_OPTIONS_H
#define VPMU_STATS_RECORD_OPTIONS_H

#include "record/cpuperf.h"
#include "session/measure-options.h"
#include "symbols/programs.h"

/* The file, if nothing else is said; that of a session of categories. */
#define RECORD_FILE "perf.data"
#define RECORD_TRACE "trace.fxt"

/* As vpmu-record-start has it: of a vCPU, and of all together. */
#define RECORD_MAX_BUFFER_KIB (256 << 10)
#define RECORD_MAX_BUFFERS_KIB (1 << 20)

/**
 * struct record_options - what is recorded
 * @period: a sample each time an event has happened so often; or, if it is 0,
 * @frequency: so many samples a second of each vCPU.
 * @kallsyms, @vmlinux: files, or NULL.
 * @maps: @n_maps programs, as programs_add() takes them.
 * @symfs: a directory with copies of the guest's files, or NULL.
 * @no_names: names are not looked for in the guest's memory.
 * @chains: with call chains, of at most @frames.
 * @group: the first event is sampled, and all are read.
 * @blackout: the meter's windows as well: of the events, the last @spans are these.
 * @full: what becomes of a sample when a buffer is full, as vpmu-record-start has it; NULL: it is
 *     lost.
 * @buffer: KiB for each vCPU; 0: the machine's own. @buffer_is_asked: no less will do.
 * @by_category: it is @session, and becomes a trace; else perf's file.
 *
 * The rest is private.
 */
struct record_options {
    uint64_t period;
    uint64_t frequency;
    const char *kallsyms;
    const char *vmlinux;
    const char *maps[PROGRAMS_MAX];
    size_t n_maps;
    const char *symfs;
    bool no_names;
    bool chains;
    long frames;
    bool group;
    bool blackout;
    size_t spans;
    const char *full;
    long buffer;
    bool buffer_is_asked;
    bool by_category;
    struct cpuperf session;
    long buffer_mb;
    const char *count;
    const char *hz;
    struct error error;
};

/**
 * record_options_parse() - parses the command line; what is wrong by itself ends the program
 *
 * Return: 0, or -1: ERROR_USAGE if options exclude each other, or a number cannot be.
 */
int record_options_parse(struct record_options *o, int argc, char **argv, struct options *common,
                         struct measure_options *measure, struct error *t);

#endif

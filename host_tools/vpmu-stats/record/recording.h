/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_RECORDING_H
#define VPMU_STATS_RECORDING_H

#include "record/buildids.h"
#include "record/event-totals.h"
#include "record/program-maps.h"
#include "perfdata/perfdata.h"
#include "record/stream.h"
#include "symbols/symbols.h"

/*
 * A vCPU: the guest's thread that runs there, if it says; whether the user has named its program;
 * and how long the next sample's was.
 */
struct recording_cpu {
    bool known;
    uint32_t tid;
    uint32_t pid;
    bool mapped;
    uint64_t ns;
};

/**
 * struct recording - samples on their way into perf's file
 * @stream: what comes in.
 * @file: what goes out. The caller sets what no sample says: file, pipe, group, host, command.
 * @kernel: where the guest's kernel is; @kernel.text 0 if that is not known.
 * @functions: the kernel's; sorted, if there are any.
 * @mapped: programs that the user has named; NULL: none.
 * @symfs: a directory with copies of the guest's files; NULL: none.
 * @programs, @alone: samples of programs with call chains, and those of them without any caller.
 * @totals: what came; it has rows once the stream has begun.
 *
 * The rest, 0 at first, is private.
 */
struct recording {
    struct stream stream;
    struct perfdata file;
    struct symbols kernel;
    struct functions functions;
    const struct program_maps *mapped;
    const char *symfs;
    uint64_t programs;
    uint64_t alone;
    struct event_totals totals;
    struct perfdata_event event[VPMU_RECORD_EVENTS];
    struct recording_cpu *cpus;
    struct written_maps *written;
    struct buildids *ids;
    bool *used;               /* of @functions: the file has them */
    uint64_t worlds;          /* mask of cgroups that have a path; the first of them */
    uint64_t vmids[1u << 10]; /* the same of guests */
};

/** recording_init() - ready for recording_take(); the caller has set what is its */
void recording_init(struct recording *r);

/** recording_take() - see stream_take() */
int recording_take(struct recording *r, const void *data, size_t n, struct error *t);

/**
 * recording_finish() - no more comes: makes the file complete
 * Return: 0; or -1, as stream_close(), or ERROR_TALK if the machine's counts do not agree with
 * its samples. The file can be read in each case, unless there is nothing in it: if @totals
 * has no rows.
 */
int recording_finish(struct recording *r, struct error *t);

void recording_free(struct recording *r);

#endif

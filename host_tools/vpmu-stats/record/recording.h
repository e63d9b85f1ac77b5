/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_RECORDING_H
#define VPMU_STATS_RECORDING_H

#include "kernel/nested-guests.h"
#include "record/buildids.h"
#include "record/event-totals.h"
#include "record/guest-names.h"
#include "kernel/guest-threads.h"
#include "record/kept-maps.h"
#include "record/program-maps.h"
#include "unwind/guest-code.h"
#include "unwind/program-stacks.h"
#include "perfdata/perfdata.h"
#include "record/stream.h"
#include "record/thread-filter.h"
#include "record/written-maps.h"

/**
 * struct recording_cpu - what is known about a vCPU
 * @known: the guest's thread is known.
 * @tid, @pid: the guest's thread.
 * @comm: the name of the thread.
 * @mapped: the user has named the thread's program.
 * @call: what the next sample calls, if @calls is set.
 * @ns: duration of the next sample, in nanoseconds.
 * @access: access of the next sample, if @accessed is set.
 * @kept: with recording.keeps_maps, the mappings of the process that runs.
 * @guest: its last record of a guest; all 0 if there was none.
 * @svm: x86-64: the number of that guest, from 1; 0 if it has none.
 * @in_guest: the thread of that guest.
 */
struct recording_cpu {
    bool known;
    uint32_t tid;
    uint32_t pid;
    char comm[VPMU_RECORD_COMM + 1];
    bool mapped;
    bool calls;
    struct vpmu_record_call call;
    uint64_t ns;
    bool accessed;
    struct vpmu_record_access access;
    struct kept_maps kept;
    struct vpmu_record_guest guest;
    unsigned svm;
    struct guest_thread in_guest;
};

/**
 * struct recording - writes samples to a file in perf's format
 * @stream: the input.
 * @file: the output. The caller sets the fields that do not depend on samples: file, pipe, group,
 *     host and command.
 * @names: addresses and functions of the guest's kernel.
 * @nested: guests of the machine's own hypervisor. The caller sets its memory to find functions of
 *     their kernels, and @found to pass where these have their threads.
 * @memory: the machine's memory, from which files are read that have no copy; or NULL.
 * @mapped: programs that the user has named, or NULL.
 * @symfs: a directory with copies of the guest's files, or NULL.
 * @filter: the threads whose samples are written; NULL for all.
 * @latency: only samples with an access of at least this latency are written; 0 for all.
 * @calls: the file has events for calls.
 * @keeps_maps: recording_next() will be called.
 * @stack: bytes of the stack in each sample of a program, from which its call chain is found; 0 to
 *     find it by frame pointers.
 * @keeps_stacks: with @stack, write the registers and stacks instead of the chains of programs.
 * @frames: maximum length of a chain.
 * @dropped: number of samples that were not written because of @filter or @latency.
 * @programs: number of samples of programs that have call chains.
 * @alone: number of these samples whose chain has no caller.
 * @totals: totals of what was received. It has rows once the stream has begun.
 *
 * The other fields are private and must be 0 at first.
 */
struct recording {
    struct stream stream;
    struct perfdata file;
    struct guest_names names;
    struct nested_guests nested;
    struct memory *memory;
    const struct program_maps *mapped;
    const char *symfs;
    const struct thread_filter *filter;
    unsigned latency;
    bool calls;
    bool keeps_maps;
    uint32_t stack;
    bool keeps_stacks;
    size_t frames;
    uint64_t dropped;
    uint64_t programs;
    uint64_t alone;
    struct event_totals totals;
    struct program_stacks stacks;
    struct guest_code code;
    struct filesymbols *symbols; /* of guests and of @code */
    struct perfdata_event event[VPMU_RECORD_EVENTS];
    /* By event: that of what calls cost of it, or 0 */
    unsigned called[VPMU_RECORD_EVENTS];
    struct recording_cpu *cpus;
    struct written_maps *written;
    struct guest_maps guest_maps;
    /* Processes whose data have a mapping; see map_data(). */
    uint32_t anonymous[WRITTEN_MAPS_SLOTS];
    struct buildids *ids;
    bool *used;         /* for each of @names.functions, whether a sample needs it */
    uint64_t code_next; /* when recording_find_code() reads again */
    uint64_t code_wait;
    uint64_t worlds;                      /* bit mask of cgroups that already have a path */
    uint64_t vmids[1u << 10];             /* the same for guests, by VMID */
    uint64_t svm[NESTED_GUESTS / 64 + 1]; /* and for guests of SVM */
};

/**
 * recording_take() - process the next bytes of the stream, which may end anywhere in a record
 *
 * Return: 0, or -1 with an error: ERROR_TALK if the stream is invalid.
 */
int recording_take(struct recording *r, const void *data, size_t n, struct error *t);

/**
 * recording_next() - complete the file, and write what follows to another file
 * @next: the new file. The caller closes the previous one.
 *
 * @r->totals must have rows, which are totals of all files. The new file can be read without the
 * previous one.
 */
void recording_next(struct recording *r, FILE *next);

/**
 * recording_finish() - complete the file when no more data come
 *
 * The file can be read even after an error, unless it is empty because @totals has no rows.
 *
 * Return: 0, or -1 with an error of stream_close().
 */
int recording_finish(struct recording *r, struct error *t);

void recording_free(struct recording *r);

#endif

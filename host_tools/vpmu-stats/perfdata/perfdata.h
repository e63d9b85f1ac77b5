/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PERFDATA_H
#define VPMU_STATS_PERFDATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "symbols/functions.h"

/* Where a sample was taken, as perf has it (PERF_RECORD_MISC_KERNEL, ...). */
enum perfdata_mode {
    PERFDATA_KERNEL = 1,
    PERFDATA_USER = 2,
};

/* In place of a process: of all. */
#define PERFDATA_ALL UINT32_MAX

struct perfdata_event {
    const char *name;
    uint64_t period; /* 0: it is read with the first one, or has a frequency */
    uint64_t frequency;
};

/**
 * struct perfdata - a file that perf reads, as if perf had run in the guest
 * @file: where to; it can be a pipe if @pipe is set: then it is perf's format for pipes.
 * @event: @events of them.
 * @cpus: numbers of vCPUs are below this.
 * @group: the first event is sampled, and all are read with each of its samples.
 * @chains: samples have call chains.
 * @links: samples have an Arm CPU's link register if nobody knows yet whether it is a return
 * address.
 * @spans: samples say how long what they are of has lasted.
 * @arch: of the machine, as uname(1) has it.
 * @host: what the machine is called.
 * @release: of the guest's kernel; NULL if it is not known.
 * @command: @words of them: the command that this is the result of.
 * @functions: of the kernel, or NULL; with @used those are told of whose member is true, in the
 * end.
 *
 * All that is set by the caller; the rest, 0 at first, is private.
 *
 * What goes wrong with the file is in it, for ferror().
 */
struct perfdata {
    FILE *file;
    bool pipe;
    const struct perfdata_event *event;
    size_t events;
    unsigned cpus;
    bool group;
    bool chains;
    bool links;
    bool spans;
    const char *arch;
    const char *host;
    const char *release;
    char *const *command;
    int words;
    const struct functions *functions;
    const bool *used;
    uint64_t attributes; /* where these are in the file */
    uint64_t data;       /* where records begin */
    uint64_t first;      /* time of samples */
    uint64_t last;
    uint64_t samples;
};

/**
 * struct perfdata_sample - a sample
 * @values: of all events, with perfdata.group.
 * @group: perf's cgroup: a number of perfdata_group().
 * @ns: with perfdata.spans; 0 of a moment. perf calls it the weight.
 * @chain: with perfdata.chains, @depth return addresses, of the innermost function first.
 * @link: with perfdata.links, the link register; NULL if @chain has it, or it is none of them.
 */
struct perfdata_sample {
    enum perfdata_mode mode;
    uint32_t pid;
    uint32_t tid;
    uint32_t cpu;
    unsigned event;
    uint64_t time;
    uint64_t ip;
    uint64_t weight;
    uint64_t ns;
    uint64_t group;
    const uint64_t *values;
    const uint64_t *chain;
    size_t depth;
    const uint64_t *link;
};

/**
 * struct perfdata_thread - a thread
 * @time, @cpu: when and where it was seen; 0: it was there all the time.
 */
struct perfdata_thread {
    uint32_t pid;
    uint32_t tid;
    uint64_t time;
    uint32_t cpu;
};

/**
 * struct perfdata_code - code of a process: @length bytes at @start are those of @path from @offset
 * @build_id: of @build_id_size bytes, up to PERFDATA_BUILD_ID; 0 if it is not known.
 */
struct perfdata_code {
    uint64_t start;
    uint64_t length;
    uint64_t offset;
    const char *path;
    const unsigned char *build_id;
    size_t build_id_size;
};

#define PERFDATA_BUILD_ID 20u

/** perfdata_begin() - what comes first: the events */
void perfdata_begin(struct perfdata *p);

/** perfdata_map() - code of @mode lies at @start, for @length bytes, and is @name's from @offset on
 */
void perfdata_map(struct perfdata *p, enum perfdata_mode mode, uint32_t pid, uint64_t start,
                  uint64_t length, uint64_t offset, const char *name);

/** perfdata_code() - from now on a process has this, and nothing else there */
void perfdata_code(struct perfdata *p, const struct perfdata_thread *thread,
                   const struct perfdata_code *code);

/** perfdata_comm() - from now on a thread has a name of at most 15 characters */
void perfdata_comm(struct perfdata *p, const struct perfdata_thread *thread, const char *name);

/** perfdata_group() - the number of a cgroup, not 0, has a path */
void perfdata_group(struct perfdata *p, uint64_t number, const char *path);

void perfdata_sample(struct perfdata *p, const struct perfdata_sample *sample);

/** perfdata_lost() - so many samples are missing here */
void perfdata_lost(struct perfdata *p, uint32_t cpu, unsigned event, uint64_t time, uint64_t n);

/** perfdata_so_far() - if the recorder is killed now, perf can read what there is */
void perfdata_so_far(struct perfdata *p);

/** perfdata_end() - what comes last; a file gets its final header */
void perfdata_end(struct perfdata *p);

#endif

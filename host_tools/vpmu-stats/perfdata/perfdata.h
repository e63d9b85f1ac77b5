/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PERFDATA_H
#define VPMU_STATS_PERFDATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "perfdata/file-ids.h"
#include "perfdata/filesymbols.h"
#include "symbols/functions.h"
#include "vpmu/branch.h"
#include "vpmu/record.h"

/* Where a sample was taken; the values are perf's PERF_RECORD_MISC_KERNEL and _USER. */
enum perfdata_mode {
    PERFDATA_KERNEL = 1,
    PERFDATA_USER = 2,
};

/* Bytes of a build ID. */
#define PERFDATA_BUILD_ID 20u

/* Stands for all processes where a record has a process number. */
#define PERFDATA_ALL UINT32_MAX

struct perfdata_event {
    const char *name;
    uint64_t period; /* 0: the event has a frequency or is read with the first event */
    uint64_t frequency;
};

/**
 * struct perfdata_record - a record that is being made
 * @size: its size so far; 0 if no record is being made.
 * @full: it is too large.
 */
struct perfdata_record {
    size_t size;
    bool full;
    unsigned char byte[UINT16_MAX + 1];
};

/**
 * struct perfdata - a file in perf's format, written as if perf had run in the guest
 * @file: the output. It can be a pipe only if @pipe is set.
 * @pipe: write perf's format for pipes.
 * @event: the events.
 * @events: number of events.
 * @cpus: number of vCPUs; their numbers are smaller than this.
 * @group: only the first event is sampled, and each of its samples has the counts of all events.
 * @chains: samples have call chains.
 * @links: samples have an Arm CPU's link register where it is unknown whether it is a return
 *     address.
 * @spans: samples have a duration.
 * @branches: samples have branches: perf_event_attr.branch_sample_type; 0: they have none. Samples
 *     with branches have no cgroup, because create_llvm_prof does not know that.
 * @predictions: branches say whether they were mispredicted.
 * @accesses: samples have the address, the source and the latency of data. Excludes @spans.
 * @registers: samples have the registers of the program with these numbers, and at most @stack
 * bytes of its stack; 0: they have neither.
 * @arch: architecture of the machine, as in uname(1).
 * @host: name of the machine.
 * @release: release of the guest's kernel, or NULL if it is unknown.
 * @build_id: build ID of the guest's kernel, PERFDATA_BUILD_ID bytes; NULL to make one that no
 * other recording has, from the fields here.
 * @start: the time at which the recording began.
 * @command: words of the command line that makes this file.
 * @words: number of words.
 * @functions: functions of the guest's kernel, or NULL. perfdata_end() writes them.
 * @used: for each function, whether to write it.
 * @programs: files of programs, @n_programs of them. perfdata_end() writes their functions, unless
 *     this is a pipe.
 *
 * The caller sets these fields. The other fields are private and must be 0 at first.
 *
 * Errors of writing are left in @file for ferror().
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
    uint64_t branches;
    bool predictions;
    bool accesses;
    uint64_t registers;
    uint32_t stack;
    const char *arch;
    const char *host;
    const char *release;
    const unsigned char *build_id;
    uint64_t start;
    char *const *command;
    int words;
    const struct functions *functions;
    const bool *used;
    const struct filesymbols *programs;
    size_t n_programs;
    uint64_t attributes; /* file offset of the event descriptions */
    uint64_t data;       /* file offset of the first record */
    uint64_t first;      /* times of the first and the last sample */
    uint64_t last;
    uint64_t samples;
    struct file_ids ids; /* with @branches */
    struct perfdata_record record;
};

/**
 * struct perfdata_sample - a sample
 * @time: in nanoseconds.
 * @weight: number of events that the sample stands for; perf calls it the period.
 * @ns: with perfdata.spans, the duration in nanoseconds, or 0. perf calls it the weight.
 * @group: number of a cgroup; see perfdata_group().
 * @values: with perfdata.group, the counts of all events.
 * @chain: with perfdata.chains, return addresses, those of the innermost function first.
 * @depth: number of return addresses.
 * @branch: with perfdata.branches, the branches that were taken last, the newest first.
 * @entries: the same as perf has them, instead of @branch; or NULL.
 * @branches: number of branches.
 * @access: with perfdata.accesses, the access to memory; NULL if there was none.
 * @registers: with perfdata.registers, the values of these registers, 8 bytes each; otherwise NULL.
 *     @chain then lacks the part of the program, because the reader of the file finds that part.
 * @stack: @stack_size bytes of the stack, a multiple of 8.
 * @link: with perfdata.links, the link register. NULL if @chain contains it or if it is not a
 *     return address.
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
    const struct vpmu_branch *branch;
    const unsigned char *entries;
    size_t branches;
    const struct vpmu_record_access *access;
    const unsigned char *registers;
    const unsigned char *stack;
    size_t stack_size;
    const uint64_t *link;
};

/**
 * struct perfdata_thread - a thread, and when and where it was seen
 * @time: in nanoseconds; 0 means that it has always existed.
 * @cpu: number of the vCPU.
 */
struct perfdata_thread {
    uint32_t pid;
    uint32_t tid;
    uint64_t time;
    uint32_t cpu;
};

/**
 * struct perfdata_code - a mapping of a process
 * @start: virtual address.
 * @length: size in bytes.
 * @offset: offset in the file.
 * @path: path of the file.
 * @is_data: it is not executable.
 * @build_id: build ID of the file.
 * @build_id_size: size of the build ID, up to PERFDATA_BUILD_ID bytes; 0 if it is unknown.
 */
struct perfdata_code {
    uint64_t start;
    uint64_t length;
    uint64_t offset;
    const char *path;
    bool is_data;
    const unsigned char *build_id;
    size_t build_id_size;
};

/*
 * Events of a file with calls: how often, and the instructions until they returned. Other events
 * until then have names of costs_called(). A sample's address is what was called, and its chain has
 * one address, that of the call instruction. If the chain has this address twice, the instruction
 * is a jump. It is a call if it leads to the start of a function.
 */
#define PERFDATA_CALLS "calls"
#define PERFDATA_CALLED "called-instructions"

/** perfdata_begin() - write the start of the file, with the events */
void perfdata_begin(struct perfdata *p);

/**
 * perfdata_map() - write a mapping of the kernel or of a process
 * @mode: whether the kernel or a program runs there.
 * @pid: process, or PERFDATA_ALL.
 * @start: virtual address.
 * @length: size in bytes.
 * @offset: offset in @name.
 * @name: name of what is mapped.
 */
void perfdata_map(struct perfdata *p, enum perfdata_mode mode, uint32_t pid, uint64_t start,
                  uint64_t length, uint64_t offset, const char *name);

/**
 * perfdata_code() - write a mapping of a process, which replaces older mappings in its range from
 * thread->time on
 */
void perfdata_code(struct perfdata *p, const struct perfdata_thread *thread,
                   const struct perfdata_code *code);

/**
 * perfdata_data() - write a mapping of all addresses of a process, for the addresses of data. Other
 * mappings have precedence.
 */
void perfdata_data(struct perfdata *p, uint32_t pid);

/** perfdata_comm() - write a thread's name of at most 15 characters, valid from thread->time on */
void perfdata_comm(struct perfdata *p, const struct perfdata_thread *thread, const char *name);

/**
 * perfdata_fork() - write that a thread has another one: a process with the mappings of its parent,
 * unless both have the same @pid
 * @thread: the new thread.
 */
void perfdata_fork(struct perfdata *p, const struct perfdata_thread *thread, uint32_t parent_pid,
                   uint32_t parent_tid);

/**
 * perfdata_group() - write the path of the cgroup with the given number, which is not 0, unless
 * samples have branches
 */
void perfdata_group(struct perfdata *p, uint64_t number, const char *path);

void perfdata_sample(struct perfdata *p, const struct perfdata_sample *sample);

/** perfdata_lost() - report that @n samples of an event were lost, at @time in nanoseconds */
void perfdata_lost(struct perfdata *p, uint32_t cpu, unsigned event, uint64_t time, uint64_t n);

/**
 * perfdata_so_far() - update the header, so that perf can read the file if the recorder is killed
 * now
 */
void perfdata_so_far(struct perfdata *p);

/** perfdata_end() - write the end of the file, and the final header unless it is a pipe */
void perfdata_end(struct perfdata *p);

/** perfdata_free() - release memory; the file stays open */
void perfdata_free(struct perfdata *p);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_RECORD_OPTIONS_H
#define VPMU_STATS_RECORD_OPTIONS_H

#include "cpuperf/cpuperf.h"
#include "record/start-arguments.h"
#include "record/thread-filter.h"
#include "session/measure-options.h"
#include "symbols/programs.h"
#include "vpmu/branch_observer.h"

/* The default output file, without and with --category. */
#define RECORD_FILE "perf.data"
#define RECORD_TRACE "trace.fxt"

/**
 * struct record_options - what to record
 * @period: number of events between two samples; 0 to use @frequency.
 * @frequency: samples per second of each vCPU.
 * @exact: count how often each instruction is executed instead.
 * @calls: with @exact, count who calls whom, too.
 * @caches, @costs_branches: with @exact, count these costs, too; see costs_names().
 * @kallsyms, @vmlinux: paths, or NULL.
 * @maps: programs, for programs_add().
 * @n_maps: number of programs.
 * @symfs: a directory with copies of the guest's files, or NULL.
 * @no_names: do not search the guest's memory for names.
 * @chains: record call chains.
 * @frames: maximum length of a chain.
 * @stack: bytes of the stack in each sample of a program, to find call chains without frame
 *     pointers; 0 for none.
 * @keeps_stacks: write the stacks instead of the chains of programs.
 * @branches: record the branches that pass this filter; NULL for none.
 * @filtered: what @branches means.
 * @memory: record accesses to memory.
 * @latency: with @memory, the least latency of an access, in cycles.
 * @filter: the threads whose samples are kept.
 * @modifier: "k" with --kernel, "u" with --user, otherwise NULL.
 * @group: sample the first event only, and read all events with each sample.
 * @blackout: also record blackout windows.
 * @spans: number of events for blackout windows. They are the last events.
 * @full: what happens when a buffer is full, as in vpmu-record-start; NULL loses samples.
 * @percent: how much of a vCPU's time samples may take; 0 for the machine's default.
 * @buffer: KiB for each vCPU; 0 for the machine's default.
 * @buffer_is_asked: the user requested this size, so do not use a smaller one.
 * @by_category: record @session into a trace instead of a file in perf's format.
 *
 * The other fields are private.
 */
struct record_options {
    uint64_t period;
    uint64_t frequency;
    bool exact;
    bool calls;
    bool caches;
    bool costs_branches;
    const char *kallsyms;
    const char *vmlinux;
    const char *maps[PROGRAMS_MAX];
    size_t n_maps;
    const char *symfs;
    bool no_names;
    bool chains;
    struct thread_filter filter;
    const char *modifier;
    long frames;
    long stack;
    bool keeps_stacks;
    const char *branches;
    struct vpmu_branch_filter filtered;
    bool memory;
    long latency;
    bool group;
    bool blackout;
    size_t spans;
    const char *full;
    long percent;
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
 * record_options_parse() - parse the command line
 *
 * An option that is wrong on its own ends the program.
 *
 * Return: 0, or -1 with ERROR_USAGE if options exclude each other or a number is out of range.
 */
int record_options_parse(struct record_options *o, int argc, char **argv, struct options *common,
                         struct measure_options *measure, struct error *t);

#endif

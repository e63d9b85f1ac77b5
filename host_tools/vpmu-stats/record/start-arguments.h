/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_START_ARGUMENTS_H
#define VPMU_STATS_START_ARGUMENTS_H

#include "machine/events.h"
#include "record/guest-names.h"
#include "record/sampling.h"

/* Limits of vpmu-record-start in KiB: for one vCPU, and for all vCPUs together. */
#define START_MAX_BUFFER_KIB (256 << 10)
#define START_MAX_BUFFERS_KIB (1 << 20)

/**
 * struct start_arguments - the arguments of vpmu-record-start
 * @events: the events.
 * @period: number of events between two samples; 0 to use @frequency.
 * @frequency: samples per second of each vCPU.
 * @exact: count how often each instruction is executed instead.
 * @calls: with @exact, count calls, too.
 * @spans: number of events for blackout windows, each of which is a sample. They are the last
 *     events.
 * @group: sample the first event only, and read all events with each sample.
 * @chains: record call chains.
 * @frames: maximum length of a chain.
 * @stack: bytes of the stack in each sample of a program; 0 for none.
 * @branches: record the branches that pass this filter; NULL for none.
 * @accesses: record accesses to memory.
 * @names: how to find threads in the guest's memory.
 * @buffer: KiB for each vCPU; 0 for the machine's default.
 * @cpus: number of vCPUs.
 * @full: what happens when a buffer is full; NULL loses samples.
 * @percent: how much of a vCPU's time samples may take; 0 for the machine's default.
 */
struct start_arguments {
    const struct events *events;
    uint64_t period;
    uint64_t frequency;
    bool exact;
    bool calls;
    size_t spans;
    bool group;
    bool chains;
    long frames;
    long stack;
    const char *branches;
    bool accesses;
    struct guest_names *names;
    long buffer;
    size_t cpus;
    const char *full;
    long percent;
};

/**
 * start_arguments_buffer() - get the size of each vCPU's buffer in KiB: the requested size, or the
 * largest that all vCPUs can have
 */
long start_arguments_buffer(const struct start_arguments *a);

/**
 * start_arguments_begin() - start the recording
 *
 * An older QEMU finds no files of programs, and records no branches and accesses. It records
 * everything else, and @a->names then says that it does not.
 *
 * Return: as sampling_start(). The error for an unknown event suggests similar names.
 */
int start_arguments_begin(const struct start_arguments *a, struct sampling *s, struct error *t);

#endif

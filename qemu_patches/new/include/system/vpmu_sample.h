/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recording emulated PMUs: the part that all targets share.  Each target
 * implements the interface in vpmu_target.h.
 *
 * observer-recorder.c  the recorder, with a ring for each CPU
 * sample.c             taking samples
 * read-virtual.c       reading guest memory, for call chains and threads
 * stack.c              copying the stack of a program
 * threads.c            which thread a CPU runs
 * maps.c               which files the addresses of programs lie in
 * map-find.c           finding the file at an address
 * lossless.c           the ring; stopping the machine while the reader is slow
 */

#ifndef SYSTEM_VPMU_SAMPLE_H
#define SYSTEM_VPMU_SAMPLE_H

#include "qemu/thread.h"
#include "system/vpmu_record.h"
#include "vpmu/arm/blackout.h"
#include "vpmu/count.h"
#include "vpmu/arm/observer.h"
#include "vpmu/frequency.h"

/* An event on a CPU. */
typedef struct VPMUSampler {
    struct vpmu_observer counter;
    struct VPMUObservedCPU *on;
    /* Record the meter's windows of this kind; VPMU_SPAN_COUNT: count. */
    enum vpmu_span span;
    unsigned int event;
    /* For an event with a frequency, whose period changes. */
    struct vpmu_frequency frequency;
    /* VPMUObservedCPU.spent at the last sample. */
    uint64_t spent;
    /* Samples that came later because of VPMURecord.percent. */
    uint32_t limited;
    /* How many events the samples stand for, those that were lost included. */
    uint64_t weight;
    uint64_t samples;
    uint64_t lost;
    /* Lost samples that have not been reported to the reader yet. */
    uint64_t unreported;
    /*
     * The event is a cost of instructions, of the same profile; otherwise this
     * is VPMU_COST_COUNT.
     */
    unsigned int cost;
    /* The event is profiled; its counters, once the recording finishes. */
    bool exact;
    void *counters;
    /* The count.  Valid once the recording is finishing. */
    uint64_t count;
} VPMUSampler;

/* How many branches a sample has at most: as many as on usual hardware. */
#define VPMU_BRANCH_DEPTH 32

/*
 * A sample, with its values, call chain and branches in @more.  In front of it
 * is the record that precedes it, of @before bytes: a span or an access.  Until
 * the length of the call chain is known, the branches are in @branch.
 */
typedef struct VPMUSample {
    size_t before;
    union {
        struct {
            uint64_t reserved[3];
            struct vpmu_record_span span;
        };
        struct vpmu_record_access access;
    };
    struct vpmu_record_sample sample;
    uint64_t more[VPMU_RECORD_EVENTS + VPMU_RECORD_CHAIN +
                  VPMU_BRANCH_DEPTH * sizeof(struct vpmu_branch) / 8];
    struct vpmu_branch branch[VPMU_BRANCH_RECORDS];
} VPMUSample;

/*
 * A thread of the guest; all 0 if it is not known.  The structure has no holes,
 * so that it can be compared with memcmp().
 */
typedef struct VPMUThread {
    uint32_t known;
    uint32_t tid;
    uint32_t pid;
    char name[VPMU_RECORD_COMM];
} VPMUThread;

/*
 * A kernel: the register that is added to the addresses of per-CPU variables,
 * and the size of a program's page as a number of bits.
 */
typedef struct VPMUKernel {
    uint64_t per_cpu;
    unsigned int page_bits;
} VPMUKernel;

/*
 * The address space of the current thread, and how many pages of code it has.
 * Both are 0 if the thread has none.
 */
typedef struct VPMUSpace {
    uint64_t mm;
    uint64_t code;
} VPMUSpace;

/* An area of an address space.  @path is empty if it is not code. */
typedef struct VPMUMap {
    uint64_t start;
    uint64_t end;
    uint64_t offset;
    uint64_t file;
    char path[VPMU_RECORD_PATH];
} VPMUMap;

/* How many areas a CPU remembers. */
#define VPMU_MAPS 64

/* Areas whose records have been written, for one state of one address space. */
typedef struct VPMUMaps {
    uint32_t pid;
    VPMUSpace space;
    unsigned int n;
    struct {
        uint64_t start;
        uint64_t end;
    } known[VPMU_MAPS];
} VPMUMaps;

/*
 * The registers of a program, and the top of its stack.  The record is followed
 * by its registers, and these by @size bytes of the stack.
 */
typedef struct VPMUStack {
    struct vpmu_record_stack record;
    uint64_t reg[VPMU_RECORD_REGS + VPMU_RECORD_STACK_MAX / 8];
} VPMUStack;

/*
 * A CPU that is recorded.  The ring has one producer, the CPU, which owns
 * @head, and one consumer, the writer, which owns @tail.  Both only grow.
 */
typedef struct VPMUObservedCPU {
    VPMURecordCPU base;
    uint8_t *ring;
    size_t head;
    size_t tail;
    VPMUSampler sampler[VPMU_RECORD_EVENTS];
    /* The time that samples have taken, in nanoseconds of the virtual clock. */
    uint64_t spent;
    /* The threads of the last thread records. */
    VPMUThread thread[VPMU_THREADS_COUNT];
    VPMUMaps maps;
    /* The stack of the sample; NULL if the recording has none. */
    VPMUStack *stack;
    /* The last guest record; all 0 if there is none. */
    struct vpmu_record_guest guest;
    /* The sample that is being made. */
    VPMUSample buf;
} VPMUObservedCPU;

QEMU_BUILD_BUG_ON(offsetof(VPMUSample, sample) !=
                  offsetof(VPMUSample, span) + sizeof(struct vpmu_record_span));
QEMU_BUILD_BUG_ON(offsetof(VPMUSample, sample) !=
                  offsetof(VPMUSample, access) +
                  sizeof(struct vpmu_record_access));

/* The recorder of emulated PMUs. */
extern const VPMURecorder vpmu_observed_recorder;

/*
 * Records a sample of an observer in a VPMUSampler, and sets the next period if
 * the event has a frequency.  @in_insn: see PMU_IN_INSN.
 */
void vpmu_record_sample(const struct vpmu_sample *sample, bool in_insn);

/* Called when a window of the meter has ended.  Records it if asked to. */
void vpmu_record_span(VPMUObservedCPU *on, enum vpmu_span kind,
                      const uint64_t size[VPMU_UNIT_COUNT]);

/* Start and stop to record a CPU.  Called on the CPU's thread. */
void vpmu_record_on(CPUState *cs, run_on_cpu_data data);
void vpmu_record_off(CPUState *cs, run_on_cpu_data data);

/* VPMURecorder.hold of emulated PMUs. */
void vpmu_record_hold(void *opaque);

/*
 * A reader of the guest's memory.  It remembers the page that it read last,
 * because the next read is likely to be of the same page.
 */
typedef struct VPMUReader {
    CPUState *cpu;
    /* The byte order of numbers. */
    bool big_endian;
    uint64_t page;
    const uint8_t *host;
} VPMUReader;

/*
 * Copies the program's registers and stack to @on->stack, and puts them into
 * the ring.  Sets @room to false if the ring has no room.  Returns the number
 * of words of the stack; 0 if the sample has none.
 */
unsigned int vpmu_record_stack(VPMUObservedCPU *on,
                               const struct vpmu_record_sample *sample,
                               bool *room);

/*
 * Writes records of the files that the sample's address, the @n addresses of
 * its call chain and its branches lie in, unless that was done before or the
 * ring has no room.  The same for the first @words words of the CPU's stack
 * that may be return addresses.
 */
void vpmu_record_maps(VPMUObservedCPU *on, const VPMUSample *buf,
                      const uint64_t *chain, unsigned int n,
                      unsigned int words);

/*
 * Puts a record into the ring of the CPU.  Returns false if it has no room.  If
 * the ring is half full and the recording is without loss, the CPU stops before
 * its next instruction.
 */
bool vpmu_ring_put(VPMUObservedCPU *on, const void *data, size_t len);

/*
 * Reads @len bytes at the virtual address @addr of the current exception level.
 * The guest cannot notice, unless it has page tables in a device.  Call this in
 * an RCU critical section, without a lock: the MMU may need the BQL.
 *
 * Returns false if a part of the range is not mapped RAM.
 */
bool vpmu_read_virtual(VPMUReader *reader, uint64_t addr, void *buf,
                       size_t len);

/* The same for a number of @len bytes, at most 8. */
bool vpmu_read_number(VPMUReader *reader, uint64_t addr, size_t len,
                      uint64_t *value);

/*
 * Reads @len bytes at the physical address @addr, which lie in one page.
 * Returns false if it is not RAM.  Call this in an RCU critical section.
 */
bool vpmu_read_physical(CPUState *cs, uint64_t addr, void *buf, size_t len);

/*
 * Finds the thread that ran when the sample was taken; all 0 if it cannot be
 * read.  Returns false if there can be none.  Like the next two, this is called
 * on the thread of the CPU, without a lock held.
 */
bool vpmu_thread_find(CPUState *cs, const VPMURecordPlaces *where,
                      const struct vpmu_record_sample *sample,
                      VPMUThread *thread);

/*
 * Find the address space of that thread, and the area at an address.  Return
 * false if that cannot be known.
 */
bool vpmu_thread_space(CPUState *cs, const VPMURecordThreads *where,
                       const struct vpmu_record_sample *sample,
                       VPMUSpace *space);
bool vpmu_map_find(CPUState *cs, const VPMURecordThreads *where,
                   const struct vpmu_record_sample *sample, uint64_t mm,
                   uint64_t addr, VPMUMap *map);

#endif

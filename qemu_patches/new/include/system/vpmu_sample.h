/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording where QEMU emulates the PMUs: what all targets that have such
 * have in common, and what each of them does for it
 *
 * observed.c  what there is for each CPU
 * sample.c    what a CPU does: samples into a ring of its own
 * peek.c      the guest's memory, for call chains and threads
 * maps.c      which files addresses of programs are in
 * hold.c      the machine stands still while the reader is slow
 */

#ifndef SYSTEM_VPMU_SAMPLE_H
#define SYSTEM_VPMU_SAMPLE_H

#include "qemu/thread.h"
#include "system/vpmu_record.h"
#include "vpmu/blackout.h"
#include "vpmu/count.h"
#include "vpmu/observer.h"

/* An event of a CPU. */
typedef struct VPMUSampler {
    struct vpmu_observer counter;
    /* Whose it is. */
    struct VPMUObservedCPU *on;
    /* It is the meter's spans of this kind; VPMU_SPAN_COUNT: it is counted. */
    enum vpmu_span span;
    unsigned int event;
    /* If its period changes. */
    struct vpmu_frequency frequency;
    /* What its samples stand for; those in the ring, and those without room. */
    uint64_t weight;
    uint64_t samples;
    uint64_t lost;
    /* Those that the reader has not been told of. */
    uint64_t untold;
    /* What it has counted, once the recording is finishing. */
    uint64_t count;
} VPMUSampler;

/* A sample; behind it values and the call chain, before it how long it was. */
typedef struct VPMUSample {
    struct vpmu_record_span span;
    struct vpmu_record_sample sample;
    uint64_t more[VPMU_RECORD_EVENTS + VPMU_RECORD_CHAIN];
} VPMUSample;

/* A thread of the guest's, if it is known; else 0.  There are no holes. */
typedef struct VPMUThread {
    uint32_t known;
    uint32_t tid;
    uint32_t pid;
    char name[VPMU_RECORD_COMM];
} VPMUThread;

/*
 * The address space of the thread that runs, and how much code it has; 0 if it
 * has none.
 */
typedef struct VPMUSpace {
    uint64_t mm;
    uint64_t code;
} VPMUSpace;

/* An area of an address space; without a path it is not code of a file's. */
typedef struct VPMUMap {
    uint64_t start;
    uint64_t end;
    uint64_t offset;
    uint64_t file;
    char path[VPMU_RECORD_PATH];
} VPMUMap;

/* Areas that a CPU keeps in mind. */
#define VPMU_MAPS 16

/* What there is to say of them is said, as long as nothing else is here. */
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
 * A CPU that is recorded.  The ring has one producer, who owns @head, and one
 * consumer, who owns @tail; both only grow.
 */
typedef struct VPMUObservedCPU {
    VPMURecordCPU base;
    uint8_t *ring;
    size_t head;
    size_t tail;
    VPMUSampler sampler[VPMU_RECORD_EVENTS];
    /* The thread that the reader has been told of. */
    VPMUThread thread;
    VPMUMaps maps;
    /* Samples of the last instruction that miss call chain or thread. */
    unsigned int waiting;
    VPMUSample wait[VPMU_RECORD_EVENTS + 1];
} VPMUObservedCPU;

/* For vpmu_cpu_recorder(). */
extern const VPMURecorder vpmu_observed_recorder;

/* What observers call; vpmu_count.opaque is the CPU. */
void vpmu_record_sample(void *opaque, struct vpmu_observer *o,
                        uint64_t periods);

/* A span of the meter has ended here, if it is recorded. */
void vpmu_record_span(VPMUObservedCPU *on, enum vpmu_span kind,
                      const uint64_t size[VPMU_UNIT_COUNT]);

/* Samples that wait, if any, get chain and thread, and go into the ring. */
void vpmu_record_waiting(VPMUObservedCPU *on);

/* The recording of a CPU begins and ends, on its own thread. */
void vpmu_record_on(CPUState *cs, run_on_cpu_data data);
void vpmu_record_off(CPUState *cs, run_on_cpu_data data);

/*
 * The ring of this CPU, that executes, is half full: it waits, from its next
 * instruction on.
 */
void vpmu_record_wait(VPMUObservedCPU *on);

/* In the main thread: the machine waits as long as it must, or goes on. */
void vpmu_record_hold(void *opaque);

/*
 * A look at the memory of a guest: where it was read last is likely to have
 * what comes next as well.
 */
typedef struct VPMUPeek {
    CPUState *cpu;
    uint64_t page;
    const uint8_t *host;
} VPMUPeek;

/*
 * Code of programs that the sample is in, or its call chain of @n addresses:
 * the reader is told of it, as far as there is room and it does not know.
 */
void vpmu_record_maps(VPMUObservedCPU *on,
                      const struct vpmu_record_sample *sample,
                      const uint64_t *chain, unsigned int n);

/* Into the ring of this CPU.  False if there is no room. */
bool vpmu_ring_put(VPMUObservedCPU *on, const void *data, size_t len);

/*
 * Reads @len bytes at @addr, as the CPU's exception level sees it.  The guest
 * cannot notice, unless it has page tables in a device.  In an RCU critical
 * section, without a lock: the MMU may need the BQL.
 *
 * Returns false if not all of that is mapped RAM.
 */
bool vpmu_peek(VPMUPeek *peek, uint64_t addr, void *buf, size_t len);

/*
 * What a target does, on the thread of the CPU, but for the first two.
 */

/* Held while samples are taken; NULL: nothing is. */
QemuSpin *vpmu_cpu_samples_lock(CPUState *cs);

/* The meter, if there is one, is on; which of its spans has this name. */
bool vpmu_cpu_has_meter(CPUState *cs);
enum vpmu_span vpmu_cpu_span(const char *name);

/* It is recorded from now on; or no more, if that is NULL. */
void vpmu_cpu_set_record(CPUState *cs, VPMUObservedCPU *on);

/* When and where it is, and who runs. */
void vpmu_cpu_describe(CPUState *cs, struct vpmu_record_sample *sample);

/*
 * Is a lock held, so that memory cannot be looked at?  Then the target calls
 * vpmu_record_waiting() when it has been released.
 */
bool vpmu_cpu_is_locked(CPUState *cs);

/*
 * A call chain of up to @frames frames, as the guest's registers and memory
 * have it.  Nothing of it can be relied on.  Not to be called with a lock.
 * @entry: if it is known, that of a kernel goes on in the program below.
 *
 * Returns how many addresses @chain has been given, at most @frames + 1.
 */
unsigned int vpmu_cpu_unwind(CPUState *cs,
                             const struct vpmu_record_sample *sample,
                             const VPMURecordEntry *entry, uint64_t *chain,
                             unsigned int frames);

/*
 * The thread that runs where the sample was taken.  Nothing of it can be
 * relied on.  Not to be called with a lock.
 *
 * Returns false if nobody can know there.
 */
bool vpmu_cpu_thread(CPUState *cs, const VPMURecordThreads *where,
                     const struct vpmu_record_sample *sample,
                     VPMUThread *thread);

/*
 * Has a look while the CPU is at the level of programs: of their memory a
 * kernel may read nothing (PAN).  Not to be called with a lock.
 */
void vpmu_cpu_as_program(CPUState *cs,
                         void (*look)(CPUState *cs, void *opaque),
                         void *opaque);

/*
 * The address space of that thread, and what is there at an address.  The same
 * holds for them.
 *
 * Return false if that cannot be known.
 */
bool vpmu_cpu_space(CPUState *cs, const VPMURecordThreads *where,
                    const struct vpmu_record_sample *sample,
                    VPMUSpace *space);
bool vpmu_cpu_map(CPUState *cs, const VPMURecordThreads *where,
                  const struct vpmu_record_sample *sample, uint64_t mm,
                  uint64_t addr, VPMUMap *map);

#endif

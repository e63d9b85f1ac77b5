/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording, for the files that make it
 *
 * record.c                     the commands, and what becomes of samples
 * record-out.c                 where these go to
 * observed.c                   who takes them where QEMU emulates the PMUs;
 *                              see vpmu_sample.h
 * target/arm/pmu/record-kvm.c  the same with KVM, by the host's PMU
 */

#ifndef SYSTEM_VPMU_RECORD_H
#define SYSTEM_VPMU_RECORD_H

#include "block/aio.h"
#include "hw/core/cpu.h"
#include "qapi/qapi-types-vpmu.h"
#include "qemu/event_notifier.h"
#include "qemu/main-loop.h"
#include "qemu/stats64.h"
#include "system/runstate.h"
#include "vpmu/record.h"

typedef struct VPMURecord VPMURecord;

/* A CPU that is recorded; who takes the samples has more behind it. */
typedef struct VPMURecordCPU {
    VPMURecord *record;
    /* NULL once it has been unplugged. */
    CPUState *cpu;
    uint32_t index;
} VPMURecordCPU;

/* How an event of a CPU stands. */
typedef struct VPMURecordTotal {
    struct vpmu_record_count count;
    struct vpmu_record_host host;
} VPMURecordTotal;

/* Who takes samples. */
typedef struct VPMURecorder {
    /* It is the host's PMU: totals have a host. */
    bool host;
    /* Of vpmu_record_start.flags, which machine it is. */
    uint16_t machine;
    /* Can it do what @r wants, whatever the events? */
    bool (*check)(const VPMURecord *r, Error **errp);
    /* The first CPU that it can record, or the next one; NULL at the end. */
    CPUState *(*next_cpu)(CPUState *cpu);
    /* All that a CPU needs; on failure @errp says of which event. */
    VPMURecordCPU *(*cpu_new)(VPMURecord *r, CPUState *cpu,
                              VPMURecordEventList *events, Error **errp);
    /* It needs no more than what totals() tells; it needs nothing. */
    void (*cpu_release)(VPMURecordCPU *on);
    void (*cpu_free)(void *on);
    /* The recording of a CPU begins and ends, on its own thread. */
    run_on_cpu_func on;
    run_on_cpu_func off;
    /* Nanoseconds, as samples have them. */
    int64_t (*now)(void);
    /* The writer: gives away what there is.  False if there is no reader. */
    bool (*drain)(VPMURecordCPU *on);
    /* What becomes readable when the writer had better look; -1: nothing. */
    int (*fd)(const VPMURecordCPU *on);
    /*
     * For those who let the machine wait: in the main thread, it waits as
     * long as it must, or goes on.  Called when the writer has emptied the
     * rings, and at the end.
     */
    QEMUBHFunc *hold;
    /* How all events stand, but for heads and numbers, which are 0. */
    void (*totals)(VPMURecordCPU *on, VPMURecordTotal *totals);
} VPMURecorder;

/* Threads that share an entry are told of more often than is needed. */
#define VPMU_RECORD_TELLERS 4096

struct VPMURecord {
    const VPMURecorder *by;
    VPMURecordState state;
    unsigned int events;
    char *name[VPMU_RECORD_EVENTS];
    uint64_t period[VPMU_RECORD_EVENTS];
    uint32_t frequency[VPMU_RECORD_EVENTS];
    bool values;
    unsigned int frames;
    /* Of @threads, maps and entry are these, if they are there. */
    bool has_threads;
    VPMURecordThreads threads;
    VPMURecordMaps maps;
    VPMURecordEntry entry;
    VPMURecordFull when_full;
    size_t size;
    /* Of VPMURecordCPU. */
    GPtrArray *cpus;
    /*
     * Which CPU, counted from 1, has told of a thread last, by its number: one
     * that it comes back to cannot know what it was called meanwhile.
     */
    uint32_t teller[VPMU_RECORD_TELLERS];
    int64_t begun;
    /*
     * A snapshot sets the clock back: what is added to it, so that times of
     * samples do not go back; and what that was when the machine stopped.
     */
    int64_t shift;
    int64_t stopped;
    VMChangeStateEntry *state_change;
    /* Of the writer. */
    QemuThread thread;
    int fd;
    Stat64 written;
    /* GPollFD: @fd, @kick, then those of the CPUs. */
    GArray *polled;
    /* Wakes the writer up; somebody has done so. */
    EventNotifier kick;
    bool kicked;
    /* No sample is taken any more because a ring was full; what ends it. */
    bool full;
    QEMUBHFunc *ends_full;
    /* What holds the machine while a ring is too full, or lets it go on. */
    QEMUBH *hold;
    bool held;
    /* The observers are gone, and why. */
    bool finishing;
    enum vpmu_record_why why;
    int64_t ended;
    QemuSemaphore done;
};

static inline struct vpmu_record_head
vpmu_record_head_of(const VPMURecordCPU *on, enum vpmu_record_type type,
                    size_t size)
{
    return (struct vpmu_record_head) {
        .type = type, .size = size, .cpu = on->index,
    };
}

/* The writer has something to do. */
static inline void vpmu_record_kick(VPMURecord *r)
{
    if (!qatomic_xchg(&r->kicked, true)) {
        event_notifier_set(&r->kick);
    }
}

/* A sample was lost: the user may want the recording to end then. */
static inline void vpmu_record_was_lost(VPMURecord *r)
{
    if (r->when_full == VPMU_RECORD_FULL_STOP &&
        !qatomic_xchg(&r->full, true)) {
        /* The writer may be waiting for the reader. */
        aio_bh_schedule_oneshot(qemu_get_aio_context(), r->ends_full, r);
    }
}

/* A CPU goes: its thread has ended.  For a target whose CPUs can. */
void vpmu_record_unplug(CPUState *cs);

/*
 * Where samples go to.  Takes the file descriptor that has this name; the
 * caller has added all CPUs.
 */
bool vpmu_record_open(VPMURecord *r, const char *fd, Error **errp);
void vpmu_record_close(VPMURecord *r);

/*
 * The writer: waits so many milliseconds, or until something is to be done;
 * gives bytes away.  Both return false if there is no reader any more.
 */
bool vpmu_record_poll(VPMURecord *r, int ms);
bool vpmu_record_write(VPMURecord *r, const void *data, size_t len);

#endif

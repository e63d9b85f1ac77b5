/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings: what the files that implement them share
 *
 * record.c                     the commands and the writer's thread
 * record-out.c                 the file descriptor that samples go to
 * observer-recorder.c          the recorder of emulated PMUs; see vpmu_sample.h
 * accel/kvm/kvm-vpmu-record.c  the recorder of KVM guests, by the host's PMU
 */

#ifndef SYSTEM_VPMU_RECORD_H
#define SYSTEM_VPMU_RECORD_H

#include "hw/core/cpu.h"
#include "qapi/qapi-types-vpmu.h"
#include "qemu/event_notifier.h"
#include "qemu/main-loop.h"
#include "system/runstate.h"
#include "vpmu/branch_observer.h"
#include "vpmu/record.h"

typedef struct VPMURecord VPMURecord;

/* A CPU that is recorded.  Each recorder embeds this in a larger structure. */
typedef struct VPMURecordCPU {
    VPMURecord *record;
    /* NULL once it has been unplugged. */
    CPUState *cpu;
    uint32_t index;
} VPMURecordCPU;

/* Totals of an event on a CPU.  @host is used if VPMURecorder.host is set. */
typedef struct VPMURecordTotal {
    struct vpmu_record_count count;
    struct vpmu_record_host host;
} VPMURecordTotal;

/* A recorder: a way to take samples. */
typedef struct VPMURecorder {
    /* True if the host's PMU samples.  Each total then has a host record. */
    bool host;
    /* Checks what @r asks for, except events. */
    bool (*check)(const VPMURecord *r, Error **errp);
    /* Returns the next CPU that can be recorded; NULL at the end. */
    CPUState *(*next_cpu)(CPUState *cpu);
    /* Prepares a CPU.  On failure @errp names the event. */
    VPMURecordCPU *(*cpu_new)(VPMURecord *r, CPUState *cpu,
                              VPMURecordEventList *events, Error **errp);
    /* Frees everything that totals() does not need; frees the rest. */
    void (*cpu_release)(VPMURecordCPU *on);
    void (*cpu_free)(void *on);
    /* Start and stop to record a CPU.  Called on the CPU's thread. */
    run_on_cpu_func on;
    run_on_cpu_func off;
    /* Returns the time, in nanoseconds, of the clock that samples use. */
    int64_t (*now)(void);
    /* Writes the CPU's records.  Returns false if the reader is gone. */
    bool (*drain)(VPMURecordCPU *on);
    /* A descriptor that is readable when there are records; -1: none. */
    int (*fd)(const VPMURecordCPU *on);
    /*
     * Stops the machine while a ring is too full, or lets it continue.  Called
     * in the main thread, when the writer has emptied the rings and at the
     * end.  NULL if this recorder cannot stop the machine.
     */
    QEMUBHFunc *hold;
    /*
     * Writes the records that exist at the end only.  Returns false if the
     * reader is gone.  NULL: there are none.
     */
    bool (*finish)(VPMURecordCPU *on);
    /* Fills in the totals of all events, except heads and event numbers. */
    void (*totals)(VPMURecordCPU *on, VPMURecordTotal *totals);
} VPMURecorder;

/* Threads that share an entry get more thread records than they need. */
#define VPMU_RECORD_THREADS 4096
/* How many guests of the machine's own hypervisor have known threads. */
#define VPMU_RECORD_GUESTS 64

/* Whose threads: those of the machine's own kernel, or of a guest of it. */
enum {
    VPMU_THREADS_OWN,
    VPMU_THREADS_GUEST,
    VPMU_THREADS_COUNT,
};

/* Where a guest of the machine's own hypervisor keeps its threads. */
typedef struct VPMURecordGuest {
    uint64_t vttbr;
    VPMURecordPlaces places;
} VPMURecordGuest;

struct VPMURecord {
    const VPMURecorder *by;
    VPMURecordState state;
    unsigned int events;
    char *name[VPMU_RECORD_EVENTS];
    uint64_t period[VPMU_RECORD_EVENTS];
    uint32_t frequency[VPMU_RECORD_EVENTS];
    bool exact[VPMU_RECORD_EVENTS];
    bool calls[VPMU_RECORD_EVENTS];
    /* The most of a CPU's time that samples of these events may take. */
    unsigned int percent;
    bool values;
    unsigned int frames;
    /* Bytes of the stack in each sample; see vpmu_record_stack. */
    uint32_t stack;
    bool has_branches;
    struct vpmu_branch_filter branches;
    bool has_accesses;
    /* The recording owns the maps, the entry and the orc of @threads. */
    bool has_threads;
    VPMURecordThreads threads;
    VPMURecordMaps maps;
    VPMURecordEntry entry;
    /*
     * The tables that @threads names, which the first CPU that needs them reads
     * from the guest, and how often that was tried.
     */
    void *orc;
    unsigned int orc_tries;
    /*
     * The first @guests of @guest are valid and do not change any more.  CPUs
     * read them while the recording runs.
     */
    VPMURecordGuest guest[VPMU_RECORD_GUESTS];
    unsigned int guests;
    VPMURecordFull when_full;
    size_t size;
    /* Elements are VPMURecordCPU. */
    GPtrArray *cpus;
    /*
     * Which CPU, counted from 1, wrote the last record of a thread, by the
     * thread's number.  A CPU to which a thread returns does not know whether
     * the thread got another name meanwhile.
     */
    uint32_t thread_cpu[VPMU_THREADS_COUNT][VPMU_RECORD_THREADS];
    int64_t begun;
    /*
     * Loading a snapshot sets the clock back.  @shift is added to it, so that
     * the times of samples do not go back.  @stopped is the sum of both when
     * the machine last stopped.
     */
    int64_t shift;
    int64_t stopped;
    VMChangeStateEntry *state_change;
    /* The writer. */
    QemuThread thread;
    int fd;
    uint64_t written;
    /* Elements are GPollFD: @fd, @kick, then the descriptors of the CPUs. */
    GArray *polled;
    /* Wakes the writer; @kicked is set until the writer has seen it. */
    EventNotifier kick;
    bool kicked;
    /* A ring was full, and the recording ends; the function that ends it. */
    bool full;
    QEMUBHFunc *ends_full;
    /* Calls VPMURecorder.hold; @held is set while that stops the machine. */
    QEMUBH *hold;
    bool held;
    /* Set when no more samples are taken; @why is the reason. */
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

/* Wakes the writer. */
static inline void vpmu_record_kick(VPMURecord *r)
{
    if (!qatomic_xchg(&r->kicked, true)) {
        event_notifier_set(&r->kick);
    }
}

/* Called after a sample was lost.  Ends the recording if that is wanted. */
static inline void vpmu_record_was_lost(VPMURecord *r)
{
    if (r->when_full == VPMU_RECORD_FULL_STOP &&
        !qatomic_xchg(&r->full, true)) {
        /* Not by the writer, which may be waiting for the reader. */
        aio_bh_schedule_oneshot(qemu_get_aio_context(), r->ends_full, r);
    }
}

/* Called by the thread of an unplugged CPU at its end, or after that. */
void vpmu_record_unplug(CPUState *cs);

/*
 * Opens the output: takes the file descriptor of this name from the monitor.
 * The caller must have added all CPUs.
 */
bool vpmu_record_open(VPMURecord *r, const char *fd, Error **errp);
void vpmu_record_close(VPMURecord *r);

/*
 * For the writer's thread: wait up to @ms milliseconds for something to do, and
 * write bytes to the reader.  Both return false if the reader is gone.
 */
bool vpmu_record_poll(VPMURecord *r, int ms);
bool vpmu_record_write(VPMURecord *r, const void *data, size_t len);

#endif

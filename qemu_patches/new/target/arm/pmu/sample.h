/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording where QEMU emulates the PMUs
 *
 * record-tcg.c  what there is for each CPU
 * sample.c      what a CPU does: samples into a ring of its own
 * unwind.c      call chains
 * unwind32.c    those of AArch32 code
 * thread.c      which thread runs
 * peek.c        the guest's memory, for these two
 * hold.c        the machine stands still while the reader is slow
 */

#ifndef TARGET_ARM_VPMU_SAMPLE_H
#define TARGET_ARM_VPMU_SAMPLE_H

#include "cpu.h"
#include "private.h"
#include "record.h"

/* An event of a CPU. */
typedef struct VPMUSampler {
    struct vpmu_observer counter;
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
 * A CPU that is recorded.  The ring has one producer, who owns @head, and one
 * consumer, who owns @tail; both only grow.
 */
typedef struct ARMVPMURecordCPU {
    VPMURecordCPU base;
    ARMCPU *cpu;
    uint8_t *ring;
    size_t head;
    size_t tail;
    VPMUSampler sampler[VPMU_RECORD_EVENTS];
    /* The thread that the reader has been told of. */
    VPMUThread thread;
    /* Samples of the last instruction that miss call chain or thread. */
    unsigned int waiting;
    VPMUSample wait[VPMU_RECORD_EVENTS + 1];
} ARMVPMURecordCPU;

/* What observers call; vpmu.opaque is the CPU. */
void arm_vpmu_record_sample(void *opaque, struct vpmu_observer *o,
                            uint64_t periods);

/* What the meter calls, if it has anything to record. */
void arm_vpmu_record_span(void *opaque, enum vpmu_span kind,
                          const uint64_t size[VPMU_UNIT_COUNT]);

/* The recording of a CPU begins and ends, on its own thread. */
void arm_vpmu_record_on(CPUState *cs, run_on_cpu_data data);
void arm_vpmu_record_off(CPUState *cs, run_on_cpu_data data);

/*
 * The ring of this CPU, that executes, is half full: it waits, from its next
 * instruction on.
 */
void arm_vpmu_record_wait(ARMVPMURecordCPU *on);

/* In the main thread: the machine waits as long as it must, or goes on. */
void arm_vpmu_record_hold(void *opaque);

/*
 * A look at the memory of a guest: where it was read last is likely to have
 * what comes next as well.
 */
typedef struct VPMUPeek {
    ARMCPU *cpu;
    uint64_t page;
    const uint8_t *host;
} VPMUPeek;

/*
 * Reads @len bytes at @addr, as the CPU's exception level sees it.  The guest
 * cannot notice, unless it has page tables in a device.  In an RCU critical
 * section, without a lock: the MMU may need the BQL.
 *
 * Returns false if not all of that is mapped RAM.
 */
bool arm_vpmu_peek(VPMUPeek *peek, uint64_t addr, void *buf, size_t len);

/* The same of a number of @len bytes, in the byte order of data. */
bool arm_vpmu_peek_number(VPMUPeek *peek, uint64_t addr, size_t len,
                          uint64_t *value);

/*
 * The link register, and up to @frames return addresses, as the guest's frame
 * pointer and memory have them.  Nothing of it can be relied on.  Not to be
 * called with a lock.
 *
 * Returns how many addresses @chain has been given.
 */
unsigned int arm_vpmu_unwind(ARMCPU *cpu, uint64_t *chain, unsigned int frames);

/* The same of AArch32 code. */
unsigned int arm_vpmu_unwind32(ARMCPU *cpu, uint64_t *chain,
                               unsigned int frames);

/*
 * The thread that runs.  The CPU is at @el or below; @el, 1 or 2, is that of
 * its kernel.  Nothing of it can be relied on.  Not to be called with a lock.
 */
VPMUThread arm_vpmu_thread(ARMCPU *cpu, const VPMURecordThreads *where,
                           unsigned int el);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef EVENT_H
#define EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Events of the architecture, and the bits of config1 that Linux's driver defines. */
enum {
#ifdef __x86_64__
    EVENT_INST_RETIRED = 0xc0, /* Intel's and AMD's */
#else
    EVENT_INST_RETIRED = 0x8,
    EVENT_CPU_CYCLES = 0x11,
#endif
    CONFIG1_LONG = 1,
    CONFIG1_RDPMC = 2
};

/* Attributes of a raw event that counts EL0 only and is disabled at first. */
struct perf_event_attr event_user(uint64_t number);

/* The PMU's type number; 0 if there is none. */
uint32_t event_pmu_type(void);

/* Calls perf_event_open(). Returns -1 with errno on failure. */
int event_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group);

/* The same; a failure is reported as the test's. */
int event_must_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group);

/* Returns the count of an event without read_format. A failure is reported, and reads as 0. */
uint64_t event_read(int fd);

/* measure.S */

/**
 * measure_loop() - enables an event, executes a loop, and disables the event
 * @fd: the event.
 * @rounds: at least 1.
 * @flag: PERF_IOC_FLAG_GROUP or 0.
 *
 * From the return of the first ioctl up to and including the second, there are MEASURE_FIXED +
 * MEASURE_ROUND * @rounds user instructions.
 */
void measure_loop(int fd, uint64_t rounds, uint64_t flag);

/* The same with another loop, whose instructions stall; see threshold_tests.c. */
void measure_stalls(int fd, uint64_t rounds);

/**
 * struct user_measure - two reads of an event without the kernel, and one with it
 * @page: the event's, from mmap().
 * @rounds: of a loop of two instructions, at least 1; twice, with sched_setaffinity() in between.
 * @mask: for sched_setaffinity(), the first 64 CPUs.
 * @fd: the event's; it must have no read_format.
 * @select: read the counter through PMSELR and PMXEVCNTR, not by its number.
 * @counts: what was read before the first loop, after the second, and then by read().
 * @again: how often a read was repeated because the page had changed.
 * @index: the counter's number in the page at each read; 0 if there was none, and no count.
 */
struct user_measure {
    volatile struct perf_event_mmap_page *page;
    uint64_t rounds;
    const uint64_t *mask;
    int32_t fd;
    uint32_t select;
    uint64_t counts[3];
    uint64_t again[2];
    uint32_t index[2];
};

/**
 * measure_user() - does these reads
 * @measure: is filled in.
 *
 * From the first read to the second there are USER_FIXED instructions, MEASURE_ROUND for each of 2
 * * @rounds, and USER_AGAIN for each repetition of the second. From there to read() there are
 * USER_TO_READ (the MRS itself is included in what it reads). Selecting adds USER_SELECT to the
 * first and to each repetition.
 */
void measure_user(struct user_measure *measure);

#define USER_FIXED 36
#define USER_TO_READ 20
#define USER_AGAIN 23
#define USER_SELECT 2

/**
 * try_user() - executes one PMU instruction at EL0
 * @which: an enum user_insn.
 *
 * Return: the result of a read. SIGILL is sent if EL0 may not execute it.
 */
uint64_t try_user(unsigned which);

/*
 * In the order of user_insns in measure.S. Reads of counters have the counter's number; 31 is
 * PMCCNTR.
 */
enum user_insn {
    USER_READ_PMCCNTR = 31,
    USER_READ_PMSELR,
    USER_WRITE_PMSELR,
    USER_READ_PMXEVCNTR,
    USER_READ_PMUSERENR,
    USER_READ_PMCR,
    USER_WRITE_PMCR,
    USER_WRITE_PMEVCNTR0,
    USER_WRITE_PMCCNTR,
    USER_READ_PMEVTYPER0,
    USER_READ_PMXEVTYPER,
    USER_READ_PMCNTENSET,
    USER_WRITE_PMCNTENSET,
    USER_WRITE_PMOVSCLR,
    USER_WRITE_PMSWINC,
    USER_READ_PMCEID0,
    USER_READ_PMINTENSET,
    USER_INSNS
};

#define MEASURE_FIXED 5
#define MEASURE_ROUND 2

#endif

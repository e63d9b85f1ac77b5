/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef EVENT_H
#define EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Events of the architecture, and the bits of config1 that Linux' driver knows. */
enum {
    EVENT_INST_RETIRED = 0x8,
    EVENT_CPU_CYCLES = 0x11,
    CONFIG1_LONG = 1,
    CONFIG1_RDPMC = 2
};

/* Attributes of a raw event that counts EL0 only and begins disabled. */
struct perf_event_attr event_user(uint64_t number);

/* The PMU's type number; 0 if there is none. */
uint32_t event_pmu_type(void);

/* perf_event_open(); -1 with errno. */
int event_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group);

/* The same; a failure is reported as the test's. */
int event_must_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group);

/* The count of an event with no read_format; a failure is reported, and reads as 0. */
uint64_t event_read(int fd);

/* measure.S */

/**
 * measure_loop() - enable an event, go round a loop, disable the event
 * @fd: the event.
 * @rounds: at least 1.
 * @flag: PERF_IOC_FLAG_GROUP or 0.
 *
 * From the return of the first ioctl to the second inclusive these are
 * MEASURE_FIXED + MEASURE_ROUND * @rounds user instructions.
 */
void measure_loop(int fd, uint64_t rounds, uint64_t flag);

/* The same with another loop, of instructions that stall; see threshold_tests.c. */
void measure_stalls(int fd, uint64_t rounds);

/**
 * measure_counter() - read a counter from EL0, go round a loop, read it again
 * @index: event counter, 0 to 30, or 31 for the cycle counter.
 * @rounds: at least 1.
 *
 * Return: the difference. From the first read inclusive to the second exclusive there are
 * MEASURE_COUNTER_FIXED + MEASURE_ROUND * @rounds instructions.
 */
uint64_t measure_counter(unsigned index, uint64_t rounds);

#define MEASURE_FIXED 5
#define MEASURE_ROUND 2
#define MEASURE_COUNTER_FIXED 4

#endif

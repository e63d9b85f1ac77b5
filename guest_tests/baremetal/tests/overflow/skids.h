/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_SKIDS_H
#define TESTS_SKIDS_H

#include "tests/events/events.h"

/* Enables the interrupts of a mask of counters, and records every interrupt. */
void skids_prepare(uint64_t counters);

/* Filter bits that count events at one level only. */
uint64_t skids_filter(enum level level);

/* Sets a counter so that it overflows at the k-th event. */
void skids_set(unsigned counter, uint64_t type, uint64_t k);

/* skids_begin() forgets earlier interrupts; skids_count() returns how many came since. */
void skids_begin(void);
unsigned skids_count(void);

/* Runs code with its argument at a level. Returns the number of interrupts. */
unsigned skids_run(level_fn code, enum level level, const void *arg);

/* Where the interrupts were taken, from 0 on, and x15, the loop's counter, at that time. */
uint64_t skids_elr(unsigned n);
uint64_t skids_x15(unsigned n);

/* Tests of the skids image that are in skid_models.c. */
void test_skid_refills(void);
void test_skid_refills_far(void);
void test_skid_write_backs(void);
void test_skid_tlb(void);
void test_skid_fetches(void);
void test_skid_branches(void);
void test_skid_cycles(void);
void test_skid_cycles_far(void);

/* Tests that are in skids32.c. */
void test_skid_a32(void);
void test_skid_t32(void);

#endif

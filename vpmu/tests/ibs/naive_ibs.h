/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_TESTS_NAIVE_IBS_H
#define VPMU_TESTS_NAIVE_IBS_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu/x86/ibs.h"

/*
 * A second IBS, written from the APM, volume 2, 13.3, and Linux's amd/ibs.h, field by field. It
 * shares no code with the library, only the numbers of levels and the latencies. Random numbers are
 * not its own: it takes those of the library, and tells whether they can be.
 *
 * reg: MSRC001_1030 and so on, counts included. fetch_low: bits 3:0 of the fetch counter.
 */
struct naive_ibs {
    unsigned zen;
    uint64_t reg[13];
    unsigned fetch_low;
    unsigned turn;
};

void naive_ibs_start(struct naive_ibs *n, unsigned zen);
enum vpmu_x86_access naive_ibs_wrmsr(struct naive_ibs *n, unsigned reg, uint64_t val);

/* How many more ops, cycles or fetches are counted until one is tagged; UINT64_MAX: none is. */
uint64_t naive_ibs_op_left(const struct naive_ibs *n);
uint64_t naive_ibs_fetch_left(const struct naive_ibs *n);
void naive_ibs_count_op(struct naive_ibs *n, uint64_t events);
void naive_ibs_count_fetch(struct naive_ibs *n, uint64_t fetches);

/* A sample, of which these return whether it is kept. Then the counts have a random part. */
bool naive_ibs_op(struct naive_ibs *n, const struct vpmu_ibs_op *op);
bool naive_ibs_fetch(struct naive_ibs *n, const struct vpmu_x86_data_access *fetch);
void naive_ibs_abort(struct naive_ibs *n);

/* Takes the random part of the count of ops, or of fetches; returns false if it cannot be. */
bool naive_ibs_adopt_op(struct naive_ibs *n, uint64_t count);
bool naive_ibs_adopt_fetch(struct naive_ibs *n, uint64_t count);

#endif

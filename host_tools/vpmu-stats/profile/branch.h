/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_BRANCH_H
#define VPMU_STATS_BRANCH_H

#include "profile/sample-input.h"

/**
 * branch_of() - get a branch of a sample
 * @i: 0 for the newest, below s->s->n_branches.
 */
struct input_branch branch_of(const struct input_sample *s, uint64_t i);

/**
 * branch_mode() - get the mode of an address of a branch: PERF_RECORD_MISC_KERNEL, _USER, ...
 *
 * The record does not contain it. An address in Linux's range for the kernel belongs to the kernel.
 * On a machine that has no such addresses, the mode is that of the sample.
 */
unsigned branch_mode(const struct input_sample *s, uint64_t address);

#endif

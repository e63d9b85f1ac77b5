/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_BRANCH_H
#define VPMU_STATS_BRANCH_H

#include "profile/sample-input.h"

/**
 * branch_of() - a branch of a sample
 * @i: 0 for the newest, below s->s->n_branches.
 */
struct input_branch branch_of(const struct input_sample *s, uint64_t i);

/**
 * branch_mode() - where an address of a branch is: PERF_RECORD_MISC_KERNEL, _USER, ...
 *
 * The record does not say it: a kernel's addresses are those that Linux gives it. A machine without
 * such addresses is where the sample is.
 */
unsigned branch_mode(const struct input_sample *s, uint64_t address);

#endif

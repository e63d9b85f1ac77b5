/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PERFBRANCH_H
#define VPMU_STATS_PERFBRANCH_H

#include <stddef.h>

#include "vpmu/branch_observer.h"

/* Bytes of a branch in a sample: struct perf_branch_entry. */
#define PERFBRANCH_SIZE 24u

/** perfbranch_filter() - a filter as perf_event_attr.branch_sample_type */
uint64_t perfbranch_filter(const struct vpmu_branch_filter *filter);

/**
 * perfbranch_encode() - write a branch as perf has it
 * @entry: PERFBRANCH_SIZE bytes.
 * @predictions: VPMU_BRANCH_MISPREDICTED says whether the branch was mispredicted. Otherwise it is
 *     unknown.
 */
void perfbranch_encode(unsigned char *entry, const struct vpmu_branch *branch, bool predictions);

#endif

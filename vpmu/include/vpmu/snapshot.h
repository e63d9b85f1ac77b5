/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_SNAPSHOT_H
#define VPMU_SNAPSHOT_H

#include <stdint.h>

#include "vpmu/pmu.h"

/*
 * A look at a PMU while its PE executes. A machine tallies a block of instructions as a whole when
 * it begins, and takes back what turns out not to have been executed: what a total says at some
 * moment need not stay. A snapshot has totals of its own, which are never ahead of what was
 * executed, and never go back. So what is computed from them does not go back either, and is exact
 * where the PE stands still.
 */

/**
 * struct vpmu_snapshot - a PMU as it stood at some moment
 * @pmu: a copy, settled: its registers, vpmu_settle() and vpmu_observer_read() work as those of the
 *     original, time stands still in it, and it asks nothing of the machine. It has no watch.
 * @totals: what it counts from.
 *
 * The caller owns the memory, fills it with zeroes before the first vpmu_snapshot_take(), and
 * leaves it alone between that and the next one. It must stay where it is.
 */
struct vpmu_snapshot {
    struct vpmu pmu;
    struct vpmu_totals totals;
};

/**
 * vpmu_snapshot_take() - look at a PMU
 * @s: always that of this PMU.
 * @v: is not changed. Nobody else may change it meanwhile; its totals may go on.
 * @ahead: for each source, the most that may yet be taken back from its total in the PE's context;
 *     NULL if nothing can be, because the PE does not execute.
 *
 * Totals must be such that they can be read while they are written: on machines of 64 bits they
 * are. Calls no vpmu_ops but clock.
 */
void vpmu_snapshot_take(struct vpmu_snapshot *s, const struct vpmu *v,
                        const uint64_t ahead[VPMU_SRC_COUNT]);

#endif

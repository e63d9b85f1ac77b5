/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_ARM_SNAPSHOT_H
#define VPMU_ARM_SNAPSHOT_H

#include <stdint.h>

#include "vpmu/arm/pmu.h"
#include "vpmu/decls.h"

VPMU_DECLS_BEGIN

/*
 * Reading a PMU while its PE executes. A machine tallies a block of instructions as a whole when
 * the block begins, and subtracts what is then not executed, so a total may go back. A snapshot has
 * totals of its own, which never exceed what was executed and never go back. So what is computed
 * from them does not go back either, and it is exact if the PE is stopped.
 */

/**
 * struct vpmu_snapshot - a copy of a PMU at one moment
 * @pmu: a settled copy. vpmu_reg_read(), vpmu_settle() and vpmu_observer_read() work on it as on
 *     the original. Time stands still in it, and it calls no callbacks of the machine. It has no
 *     watch.
 * @totals: the totals of the copy.
 *
 * The caller owns the memory, zeroes it before the first vpmu_snapshot_take(), and does not write
 * it between calls. It must stay at its address.
 */
struct vpmu_snapshot {
    struct vpmu pmu;
    struct vpmu_totals totals;
};

/**
 * vpmu_snapshot_take() - update a snapshot from a PMU
 * @s: the snapshot. Use it for the same PMU each time.
 * @v: the PMU. It is not changed.
 * @ahead: for each source, the largest amount that may still be subtracted from its total in the
 *     PE's context; NULL if the PE does not execute and nothing can be.
 *
 * Context: no other call may change @v meanwhile, but the machine may go on tallying. Reads of a
 * total must be single-copy atomic, as they are on 64-bit machines. Calls no vpmu_ops but clock.
 */
void vpmu_snapshot_take(struct vpmu_snapshot *s, const struct vpmu *v,
                        const uint64_t ahead[VPMU_SRC_COUNT]);

VPMU_DECLS_END

#endif

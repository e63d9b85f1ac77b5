/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_ARM_SNAPSHOT_H
#define VPMU_ARM_SNAPSHOT_H

#include <stdint.h>

#include "vpmu/arm/pmu.h"
#include "vpmu/decls.h"

VPMU_DECLS_BEGIN

/**
 * struct vpmu_arm_snapshot - a copy of a PMU at one moment
 * @pmu: a settled copy. vpmu_arm_reg_read(), vpmu_arm_settle() and vpmu_arm_observer_read() work on
 * it as on the original, with NULL for @now: time stands still in it. It has no watch and no
 * observers.
 * @totals: the totals of the copy.
 *
 * The caller owns the memory, which must stay at its address while the copy is used.
 */
struct vpmu_arm_snapshot {
    struct vpmu_arm pmu;
    struct vpmu_arm_totals totals;
};

/**
 * vpmu_arm_snapshot_take() - copy a PMU
 * @s: the copy. What it had before does not matter.
 * @v: the PMU. It is not changed.
 * @now: what the clocks show; NULL if no source is timed.
 *
 * All values of the copy are those of one moment, so counts of disjoint contexts add up.
 *
 * Context: while the PE does not execute, such as between two blocks of instructions. A total may
 * include instructions of a block that has begun and is not finished.
 */
void vpmu_arm_snapshot_take(struct vpmu_arm_snapshot *s, const struct vpmu_arm *v,
                            const struct vpmu_now *now);

VPMU_DECLS_END

#endif

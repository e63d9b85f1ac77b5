/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_X86_SNAPSHOT_H
#define VPMU_X86_SNAPSHOT_H

#include <stdint.h>

#include "vpmu/decls.h"
#include "vpmu/x86/pmu.h"

VPMU_DECLS_BEGIN

/* A copy of a PMU at one moment, with the same rules as struct vpmu_arm_snapshot. */
struct vpmu_x86_snapshot {
    struct vpmu_x86 pmu;
    struct vpmu_x86_totals totals;
};

/**
 * vpmu_x86_snapshot_take() - copy a PMU
 * @s: the copy. What it had before does not matter.
 * @v: the PMU. It is not changed.
 * @now: what the clocks show; NULL if no source is timed.
 *
 * Context: as for vpmu_arm_snapshot_take().
 */
void vpmu_x86_snapshot_take(struct vpmu_x86_snapshot *s, const struct vpmu_x86 *v,
                            const struct vpmu_now *now);

VPMU_DECLS_END

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* When a counter of a timed source overflows. */
#include "vpmu/arm/deadline.h"
#include "../count/count_internal.h"

uint64_t vpmu_deadline(const struct vpmu *v, const struct vpmu_rate rate[VPMU_CLOCK_COUNT])
{
    uint64_t room[VPMU_CLOCK_COUNT];

    for (unsigned i = 0; i < VPMU_CLOCK_COUNT; i++) {
        room[i] = vpmu_headroom(v, VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES + i), v->count.ctx);
    }
    return vpmu_count_deadline_(&v->count, room, rate);
}

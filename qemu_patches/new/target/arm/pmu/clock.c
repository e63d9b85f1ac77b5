/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clocks of an Arm CPU's PMU
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "internals.h"
#include "private.h"

void arm_vpmu_rates(ARMCPU *cpu, struct vpmu_rate rate[VPMU_CLOCK_COUNT])
{
    rate[0] = (struct vpmu_rate) {
        .ticks = 1, .ns = NANOSECONDS_PER_SECOND / ARM_CPU_FREQ,
    };
    rate[1] = (struct vpmu_rate) {
        .ticks = 1, .ns = gt_cntfrq_period_ns(cpu),
    };
}

struct vpmu_now arm_vpmu_now(ARMCPU *cpu)
{
    int64_t ns = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    struct vpmu_now now = { .ns = ns };
    struct vpmu_rate rate[VPMU_CLOCK_COUNT];

    arm_vpmu_rates(cpu, rate);
    for (unsigned int i = 0; i < VPMU_CLOCK_COUNT; i++) {
        now.ticks[i] = vpmu_rate_ticks(&rate[i], ns);
    }
    return now;
}

uint64_t arm_vpmu_cycles(ARMCPU *cpu)
{
    return arm_vpmu_now(cpu).ticks[0];
}

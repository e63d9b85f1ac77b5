/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_ARM_DEADLINE_H
#define VPMU_ARM_DEADLINE_H

#include <stdint.h>

#include "vpmu/arm/pmu.h"
#include "vpmu/decls.h"
#include "vpmu/rate.h"

VPMU_DECLS_BEGIN

/*
 * For machines that derive cycles from a clock: when the timer must fire that finds the next
 * overflow.
 */

/**
 * vpmu_arm_deadline() - when a counter of a timed source will overflow in the current context
 * @v: the PMU. It need not be settled: the result is based on the last value of vpmu_now.ticks.
 * @rate: the rates of VPMU_SRC_CPU_CYCLES and VPMU_SRC_CNT_CYCLES. The rate of a source that is not
 *     in vpmu_config.timed is ignored. vpmu_now.ticks must be vpmu_rate_ticks() of the same rate.
 *
 * Call it again after VPMU_DUE_REARM and vpmu_arm_set_context(). At the deadline call
 * vpmu_arm_settle(). As with vpmu_arm_headroom(), only overflows count that have an effect without
 * a read.
 *
 * Return: nanoseconds since the clock was 0; a value in the past if the overflow is due. UINT64_MAX
 * if no such overflow will happen within 64 bits of nanoseconds.
 */
uint64_t vpmu_arm_deadline(const struct vpmu_arm *v, const struct vpmu_rate rate[VPMU_CLOCK_COUNT]);

VPMU_DECLS_END

#endif

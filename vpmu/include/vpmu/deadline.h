/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_DEADLINE_H
#define VPMU_DEADLINE_H

#include <stdint.h>

#include "vpmu/pmu.h"
#include "vpmu/rate.h"

/* For machines whose cycles are a clock's: when the timer must fire that finds an overflow. */

/**
 * vpmu_deadline() - when a counter of a timed source overflows where the PE runs
 * @v: the PMU. It need not be settled: what counts is what vpmu_ops.clock said last.
 * @rate: of VPMU_SRC_CPU_CYCLES, then of VPMU_SRC_CNT_CYCLES; not looked at for a source that is
 *     not in vpmu_config.timed. vpmu_ops.clock is vpmu_rate_ticks() of the same rate.
 *
 * Ask again in vpmu_ops.rearm and after vpmu_set_context(). At that moment call vpmu_settle().
 * Only overflows count that something notices, as with vpmu_headroom().
 *
 * Context: that of vpmu_headroom().
 * Return: nanoseconds since the clock showed 0; past already if it is due. UINT64_MAX if there is
 * no such overflow, or none within 64 bits of nanoseconds.
 */
uint64_t vpmu_deadline(const struct vpmu *v, const struct vpmu_rate rate[VPMU_CLOCK_COUNT]);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_FREQUENCY_H
#define VPMU_FREQUENCY_H

#include <stdint.h>

#include "vpmu/count.h"
#include "vpmu/decls.h"

VPMU_DECLS_BEGIN

/* How the period of an observer follows a sampling frequency. */

/**
 * struct vpmu_frequency - state of an observer that is sampled at a frequency
 * @hz: samples per second, 1 to VPMU_FREQUENCY_MAX.
 * @last: time of the last sample, in nanoseconds.
 * @count: events of the last samples, weighted; 0 at first.
 * @ns: the time that these took, weighted alike; 0 at first.
 * @owed: nanoseconds by which samples are behind the rate; 0 at first.
 */
struct vpmu_frequency {
    uint32_t hz;
    uint64_t last;
    uint64_t count;
    uint64_t ns;
    int64_t owed;
};

#define VPMU_FREQUENCY_MAX 1000000u

/**
 * vpmu_frequency_next() - the next period of an observer that is sampled at a frequency
 * @f: updated; its @last is set to @now.
 * @period: the period that has ended. The first one is 1.
 * @count: events since the last sample.
 * @now: nanoseconds of any clock that does not go back.
 *
 * The period is the rate of the last samples, as all their events by all their time, divided by
 * @f->hz; if samples are behind, it is shorter, so that they catch up. A mean of the samples' own
 * rates would be too large: the event is fast in short intervals and slow in long ones, and each
 * interval has one sample. The period becomes at most eight times as long and at least half as
 * long, so that a single unusual sample has little effect. If more than eight samples' time and 8
 * ms have passed, the PE was idle or did something else. That interval says little about what
 * follows: it is left out and the period is halved. The period changes only when a sample is taken,
 * so an event that becomes much rarer for less time than its period lasts gets fewer samples.
 *
 * Return: the period, 1 to VPMU_PERIOD_MAX.
 */
uint64_t vpmu_frequency_next(struct vpmu_frequency *f, uint64_t period, uint64_t count,
                             uint64_t now);

VPMU_DECLS_END

#endif

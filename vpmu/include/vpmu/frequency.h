/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_FREQUENCY_H
#define VPMU_FREQUENCY_H

#include <stdint.h>

#include "vpmu/count.h"

/* How the period of an observer follows a sampling frequency. */

/**
 * struct vpmu_frequency - the state of an observer that is sampled at a frequency
 * @hz: samples per second, 1 to VPMU_FREQUENCY_MAX.
 * @last: the time of the last sample in nanoseconds.
 */
struct vpmu_frequency {
    uint32_t hz;
    uint64_t last;
};

#define VPMU_FREQUENCY_MAX 1000000u

/**
 * vpmu_frequency_next() - the next period of an observer that is sampled at a frequency
 * @f: the frequency. @f->last is set to @now.
 * @period: the period that has ended; the first period is 1.
 * @count: the number of events since the last sample.
 * @now: nanoseconds of any clock that does not go back.
 *
 * The period moves an eighth of the way to its target, as in Linux's perf_adjust_period(), and
 * becomes at most eight times as long, so that a single unusual sample has little effect. If more
 * than eight sample intervals and 8 ms have passed, the PE was idle or did something else. This
 * says little about the next interval, and the period is halved.
 *
 * Return: the period, 1 to VPMU_PERIOD_MAX.
 * Source: Linux, kernel/events/core.c, perf_adjust_period().
 */
uint64_t vpmu_frequency_next(struct vpmu_frequency *f, uint64_t period, uint64_t count,
                             uint64_t now);

#endif

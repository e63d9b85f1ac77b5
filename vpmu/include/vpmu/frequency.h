/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_FREQUENCY_H
#define VPMU_FREQUENCY_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu/count.h"
#include "vpmu/decls.h"

VPMU_DECLS_BEGIN

/* How the period of an observer follows a sampling frequency. */

/**
 * struct vpmu_frequency - state of an observer that is sampled at a frequency
 * @hz: samples per second, 1 to VPMU_FREQUENCY_MAX.
 * @percent: the largest part of the time that samples may take, 1 to VPMU_FREQUENCY_PERCENT_MAX.
 * @last: time of the last sample, in nanoseconds.
 * @count: events of the last samples, weighted; 0 at first.
 * @ns: the time that these took without sampling, weighted alike; 0 at first.
 * @spent: the time that the last samples took, weighted; 0 at first.
 * @samples: the number of samples that are part of @spent, weighted; 0 at first.
 * @owed: nanoseconds by which samples are behind the rate; 0 at first.
 * @limited: the period is longer than for @hz, because of @percent.
 */
struct vpmu_frequency {
    uint32_t hz;
    uint32_t percent;
    uint64_t last;
    uint64_t count;
    uint64_t ns;
    uint64_t spent;
    uint64_t samples;
    int64_t owed;
    bool limited;
};

#define VPMU_FREQUENCY_MAX 1000000u
/* The remaining time lets an event's rate be measured. */
#define VPMU_FREQUENCY_PERCENT_MAX 95u

/**
 * vpmu_frequency_next() - the next period of an observer that is sampled at a frequency
 * @f: the state, whose @hz is 1 to VPMU_FREQUENCY_MAX. It is updated; its @last is set to @now.
 * @period: the period that has ended, 1 to VPMU_PERIOD_MAX. The first one is 1.
 * @count: events since the last sample.
 * @now: nanoseconds of any clock that does not go back.
 * @spent: nanoseconds of that clock, since the last sample, that sampling took. 0 if the clock does
 *     not advance meanwhile.
 *
 * The function divides the rate of the event in the last samples by @f->hz. If samples are behind,
 * the period is shorter, so that they catch up. The rate is the sum of the samples' events divided
 * by the sum of their times. A mean of the rates of single samples would be too large, because a
 * sample's interval is short where the event is frequent.
 *
 * The rate is that without sampling, so the period does not become shorter because samples take
 * time. Samples come at @f->hz if they then take at most @f->percent of the time. Otherwise they
 * come as often as that allows.
 *
 * The period becomes at most eight times as long and at least half as long, so that a single
 * unusual sample has little effect. If more than eight samples' time and 8 ms have passed, the PE
 * was idle or did something else. Such an interval says little about what follows, so its rate is
 * not used, and the period is halved. The period changes only when a sample is taken. So an event
 * that becomes much rarer for less time than its period gets fewer samples than @f->hz.
 *
 * Return: the period, 1 to VPMU_PERIOD_MAX.
 */
uint64_t vpmu_frequency_next(struct vpmu_frequency *f, uint64_t period, uint64_t count,
                             uint64_t now, uint64_t spent);

VPMU_DECLS_END

#endif

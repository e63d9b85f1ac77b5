/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Periods that change so that samples come at a rate. */
#include "vpmu/frequency.h"

#define SECOND UINT64_C(1000000000)
#define LATE_NS UINT64_C(8000000)
#define LATE_SAMPLES 8
#define STEP 8

/* @count * SECOND / @divisor, three digits at a time; @divisor is below 2^54. */
static uint64_t per_second(uint64_t count, uint64_t divisor)
{
    uint64_t quotient = count / divisor;
    uint64_t rest = count % divisor;

    for (unsigned i = 0; i < 3; i++) {
        rest *= 1000;
        if (quotient > VPMU_PERIOD_MAX / 1000 - 1) {
            return VPMU_PERIOD_MAX;
        }
        quotient = quotient * 1000 + rest / divisor;
        rest %= divisor;
    }
    return quotient;
}

/* An eighth of the way, rounded up, but not to more than eight times as much. */
static uint64_t towards(uint64_t from, uint64_t to)
{
    uint64_t next = from + (to - from + STEP - 1) / STEP;

    if (from >= to) {
        return from - (from - to + STEP - 1) / STEP;
    }
    return next < from * STEP ? next : from * STEP;
}

uint64_t vpmu_frequency_next(struct vpmu_frequency *f, uint64_t period, uint64_t count,
                             uint64_t now)
{
    uint64_t ns = now > f->last ? now - f->last : 1;
    uint64_t late = LATE_SAMPLES * SECOND / f->hz;
    uint64_t wanted;

    f->last = now;
    if (ns > (late > LATE_NS ? late : LATE_NS)) {
        return period > 1 ? period / 2 : 1;
    }
    wanted = per_second(count, ns * f->hz);
    return towards(period, wanted ? wanted : 1);
}

/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Adapts periods so that samples are taken at a frequency. */
#include "vpmu/frequency.h"

#define SECOND UINT64_C(1000000000)
#define LATE_NS UINT64_C(8000000)
#define LATE_SAMPLES 8
#define STEP 8
#define WINDOW 8
#define OWED 8

/* Returns @count * SECOND / @divisor, computed three digits at a time. @divisor is below 2^54. */
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

/* Adds to a sum, after reducing it by an eighth. */
static uint64_t decayed(uint64_t sum, uint64_t more)
{
    return sum - sum / WINDOW + more;
}

/*
 * Limits a new period to eight times and to half of the last one, so that one unusual sample has
 * little effect.
 */
static uint64_t limited(uint64_t from, uint64_t to)
{
    uint64_t most = from < VPMU_PERIOD_MAX / STEP ? from * STEP : VPMU_PERIOD_MAX;
    uint64_t least = from / 2;

    to = to < least ? least : to > most ? most : to;
    return to ? to : 1;
}

/*
 * Returns by how many nanoseconds samples are behind the rate, or ahead of it if negative. A long
 * delay is only partly made up for. Samples that catch up come fast, and the sum of their times
 * becomes small, so the delay that is left is remembered even then.
 */
static int64_t owed(const struct vpmu_frequency *f, uint64_t ns)
{
    int64_t sum = (int64_t)f->ns;
    int64_t usual = (int64_t)(WINDOW * (SECOND / f->hz));
    int64_t most = OWED * (sum > usual ? sum : usual);
    int64_t now = f->owed + (int64_t)(ns - SECOND / f->hz);

    return now > most ? most : now < -sum / 2 ? -sum / 2 : now;
}

uint64_t vpmu_frequency_next(struct vpmu_frequency *f, uint64_t period, uint64_t count,
                             uint64_t now)
{
    uint64_t ns = now > f->last ? now - f->last : 1;
    uint64_t late = LATE_SAMPLES * SECOND / f->hz;
    uint64_t most = LATE_NS > late ? LATE_NS : late;

    f->last = now;
    if (ns > most) {
        /* Continue as if the earlier samples had come at the right rate with half the period. */
        period = limited(period, 0);
        f->count = WINDOW * period;
        f->ns = WINDOW * (SECOND / f->hz);
        f->owed = owed(f, most);
        return period;
    }
    f->count = decayed(f->count, count);
    f->ns = decayed(f->ns, ns);
    f->owed = owed(f, ns);
    return limited(period, per_second(f->count, (f->ns + (uint64_t)f->owed) * f->hz));
}

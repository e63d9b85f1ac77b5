/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Adapts periods so that samples are taken at a frequency. */
#include "vpmu/frequency.h"

#define SECOND UINT64_C(1000000000)
#define LATE_NS UINT64_C(8000000)
#define LATE_SAMPLES 8
#define STEP 8
#define WINDOW 8
#define OWED 8
/* A sample that takes less is never unusual, and none counts for more than the second value. */
#define USUAL_NS UINT64_C(20000)
#define MOST_NS UINT64_C(10000000)

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
static int64_t owed(const struct vpmu_frequency *f, uint64_t ns, uint64_t interval)
{
    int64_t sum = (int64_t)f->ns;
    int64_t usual = (int64_t)(WINDOW * interval);
    int64_t most = OWED * (sum > usual ? sum : usual);
    int64_t now = f->owed + (int64_t)(ns - interval);

    return now > most ? most : now < -sum / 2 ? -sum / 2 : now;
}

/* Returns the mean time that a sample takes. */
static uint64_t cost(const struct vpmu_frequency *f)
{
    return f->samples ? f->spent / f->samples : 0;
}

/* A sample during which the host ran something else, or the first one, is much longer. */
static void add_spent(struct vpmu_frequency *f, uint64_t spent)
{
    uint64_t most = 4 * cost(f) + USUAL_NS;

    most = most < MOST_NS ? most : MOST_NS;
    f->spent = decayed(f->spent, spent < most ? spent : most);
    f->samples = decayed(f->samples, 1);
}

/*
 * Returns the time between two samples, from the start of one to the start of the next: that of the
 * frequency, or as much longer as @f->percent demands.
 */
static uint64_t interval_of(struct vpmu_frequency *f)
{
    uint64_t wanted = SECOND / f->hz;
    uint64_t least = f->percent ? cost(f) * 100 / f->percent : 0;

    f->limited = least > wanted;
    return f->limited ? least : wanted;
}

uint64_t vpmu_frequency_next(struct vpmu_frequency *f, uint64_t period, uint64_t count,
                             uint64_t now, uint64_t spent)
{
    uint64_t whole = now > f->last ? now - f->last : 1;
    uint64_t ns = whole > spent ? whole - spent : 1;
    uint64_t interval;
    uint64_t own;
    uint64_t late;

    f->last = now;
    if (spent) {
        add_spent(f, spent);
    }
    interval = interval_of(f);
    own = interval > cost(f) ? interval - cost(f) : 1;
    late = LATE_SAMPLES * interval > LATE_NS ? LATE_SAMPLES * interval : LATE_NS;
    if (ns > late) {
        /* Continue as if the earlier samples had come at the right rate with half the period. */
        period = limited(period, 0);
        f->count = WINDOW * period;
        f->ns = WINDOW * own;
        f->owed = owed(f, late, interval);
        return period;
    }
    f->count = decayed(f->count, count);
    f->ns = decayed(f->ns, ns);
    f->owed = owed(f, whole, interval);
    /* Without @spent, the frequency is exact. */
    return limited(period, per_second(f->count, (f->ns + (uint64_t)f->owed) *
                                                    (f->samples ? SECOND / own : f->hz)));
}

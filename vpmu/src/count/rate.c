/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Converts clocks with a rational rate, and computes when they reach a value. */
#include "count_internal.h"

/*
 * Returns @value * @times / @by, rounded up or down. The quotient and the remainder of @value / @by
 * are scaled separately, so that no product exceeds 64 bits: the remainder and @times have 32 bits
 * each.
 */
static uint64_t scale(uint64_t value, uint32_t times, uint32_t by, bool up)
{
    uint64_t whole = value / by;
    uint64_t rest = value % by * times;
    uint64_t part = rest / by + (up && rest % by);

    if (__builtin_mul_overflow(whole, times, &whole) ||
        __builtin_add_overflow(whole, part, &whole)) {
        return UINT64_MAX;
    }
    return whole;
}

uint64_t vpmu_rate_ticks(const struct vpmu_rate *rate, uint64_t ns)
{
    return scale(ns, rate->ticks, rate->ns, false);
}

uint64_t vpmu_rate_ns(const struct vpmu_rate *rate, uint64_t ticks)
{
    return scale(ticks, rate->ns, rate->ticks, true);
}

uint64_t vpmu_count_deadline_(const struct vpmu_count *c,
                              const struct vpmu_rate rate[VPMU_CLOCK_COUNT])
{
    uint64_t first = UINT64_MAX;

    for (unsigned i = 0; i < VPMU_CLOCK_COUNT; i++) {
        vpmu_sources source = VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES + i);
        uint64_t room = c->timed & source ? vpmu_count_headroom_(c, source, c->ctx) : UINT64_MAX;

        if (room != UINT64_MAX && room <= UINT64_MAX - c->clock[i]) {
            uint64_t due = vpmu_rate_ns(&rate[i], c->clock[i] + room);

            first = due < first ? due : first;
        }
    }
    return first;
}

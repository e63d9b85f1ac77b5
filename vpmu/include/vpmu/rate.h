/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_RATE_H
#define VPMU_RATE_H

#include <stdint.h>

/* Clocks: how many ticks of a constant rate there are in so many nanoseconds, and back. */

/**
 * struct vpmu_rate - how fast a clock goes
 * @ticks: so many ticks, 1 or more,
 * @ns: in so many nanoseconds, 1 or more.
 *
 * F Hz are {F, 1000000000}; what does not fit is reduced: 6 GHz are {6, 1}, 100/3 MHz {1, 30}.
 */
struct vpmu_rate {
    uint32_t ticks;
    uint32_t ns;
};

/**
 * vpmu_rate_ticks() - what the clock shows
 * @rate: how fast it goes.
 * @ns: nanoseconds since it showed 0.
 *
 * Exact: the ticks that are over by then. UINT64_MAX if they are more than 64 bits can say.
 */
uint64_t vpmu_rate_ticks(const struct vpmu_rate *rate, uint64_t ns);

/**
 * vpmu_rate_ns() - when the clock shows so many ticks
 * @rate: how fast it goes.
 * @ticks: how many.
 *
 * Exact: the first nanosecond at which vpmu_rate_ticks() is @ticks or more. UINT64_MAX if it lies
 * beyond 64 bits.
 */
uint64_t vpmu_rate_ns(const struct vpmu_rate *rate, uint64_t ticks);

#endif

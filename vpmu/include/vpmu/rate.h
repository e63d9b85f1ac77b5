/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_RATE_H
#define VPMU_RATE_H

#include <stdint.h>

#include "vpmu/decls.h"

VPMU_DECLS_BEGIN

/* Clocks with a constant rate: conversion between ticks and nanoseconds. */

/**
 * struct vpmu_rate - the rate of a clock: @ticks ticks in @ns nanoseconds
 * @ticks: ticks, 1 or more.
 * @ns: nanoseconds, 1 or more.
 *
 * F Hz is {F, 1000000000}. Reduce the fraction if it does not fit: 6 GHz is {6, 1}, and 100/3 MHz
 * is {1, 30}.
 */
struct vpmu_rate {
    uint32_t ticks;
    uint32_t ns;
};

/**
 * vpmu_rate_ticks() - the number of complete ticks in a time
 * @rate: the rate of the clock.
 * @ns: nanoseconds since the clock was 0.
 *
 * Return: @ns * @rate->ticks / @rate->ns, rounded down; UINT64_MAX if that exceeds 64 bits.
 */
uint64_t vpmu_rate_ticks(const struct vpmu_rate *rate, uint64_t ns);

/**
 * vpmu_rate_ns() - the time at which a clock reaches a number of ticks
 * @rate: the rate of the clock.
 * @ticks: the number of ticks.
 *
 * Return: the first nanosecond at which vpmu_rate_ticks() is @ticks or more; UINT64_MAX if that
 * exceeds 64 bits.
 */
uint64_t vpmu_rate_ns(const struct vpmu_rate *rate, uint64_t ticks);

VPMU_DECLS_END

#endif

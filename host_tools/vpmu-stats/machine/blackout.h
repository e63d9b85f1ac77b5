/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_BLACKOUT_H
#define VPMU_STATS_BLACKOUT_H

#include "machine/histogram.h"
#include "machine/machine.h"
#include "vpmu/arm/blackout.h"

/* Windows are those of these spans; the rest are leaks. */
#define BLACKOUT_WINDOWS VPMU_SPAN_LEAK_HOST
/* Reasons with a name, and one for the others. */
#define BLACKOUT_MAX_REASONS (VPMU_EXIT_REASONS + 1)

/**
 * struct windows - windows of a kind
 * @min, @max: instructions; of no use if @n is 0.
 */
struct windows {
    uint64_t n;
    uint64_t instructions;
    uint64_t min;
    uint64_t max;
};

/**
 * struct span - windows of a direction, or leaks
 */
struct span {
    struct windows w;
    uint64_t cycles;
    uint64_t nanoseconds;
    struct histogram histogram;
};

/** struct blackout - what the meter of a machine says */
struct blackout {
    struct span span[VPMU_SPAN_COUNT];
    struct windows reason[BLACKOUT_MAX_REASONS];
};

/** blackout_span_name() - "entry" and so on, for enum vpmu_span */
const char *blackout_span_name(unsigned span);

/** blackout_reason_name() - Return: NULL from the number of reasons on */
const char *blackout_reason_name(unsigned reason);

/**
 * blackout_read() - asks a machine whose meter is on
 * @b: one, of all vCPUs together; or with @per_vcpu one for each of @pmus.
 */
int blackout_read(struct blackout *b, bool per_vcpu, struct qmp *q, const struct pmus *pmus,
                  struct error *t);

/**
 * blackout_subtract() - what has come since @before
 *
 * The smallest and the largest stay those since the meter was switched on.
 */
void blackout_subtract(struct blackout *b, const struct blackout *before);

/** blackout_lost() - instructions in windows of all directions */
uint64_t blackout_lost(const struct blackout *b);

#endif

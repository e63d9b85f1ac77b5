/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_BLACKOUT_H
#define VPMU_STATS_BLACKOUT_H

#include "machine/histogram.h"
#include "machine/machine.h"
#include "vpmu/arm/blackout.h"

/* Spans below this one are windows; the others are leaks. */
#define BLACKOUT_WINDOWS VPMU_SPAN_LEAK_HOST
/* The most reasons: those with a name, and one for all others. */
#define BLACKOUT_MAX_REASONS (VPMU_EXIT_REASONS + 1)

/**
 * struct windows - the windows of one kind
 * @n: the number of windows.
 * @instructions: the sum of their sizes, in instructions.
 * @min: the smallest size in instructions; undefined if @n is 0.
 * @max: the largest size in instructions; undefined if @n is 0.
 */
struct windows {
    uint64_t n;
    uint64_t instructions;
    uint64_t min;
    uint64_t max;
};

/**
 * struct span - the windows of one direction, or the leaks to one side
 * @w: their number and sizes.
 * @cycles: the sum of their sizes in cycles.
 * @nanoseconds: the sum of their sizes in nanoseconds.
 * @histogram: how many have which size in instructions.
 */
struct span {
    struct windows w;
    uint64_t cycles;
    uint64_t nanoseconds;
    struct histogram histogram;
};

/**
 * struct blackout - a reading of a machine's blackout meter
 * @span: by enum vpmu_span.
 * @reason: by the argument of blackout_reason_name().
 */
struct blackout {
    struct span span[VPMU_SPAN_COUNT];
    struct windows reason[BLACKOUT_MAX_REASONS];
};

/** blackout_span_name() - get the name of an enum vpmu_span, such as "entry" */
const char *blackout_span_name(unsigned span);

/**
 * blackout_reason_name() - get the name of an exit reason
 * @reason: 0 for the first reason. The last one is "other".
 *
 * Return: the name; NULL if there are only @reason reasons or fewer.
 */
const char *blackout_reason_name(unsigned reason);

/**
 * blackout_read() - read the blackout meter, which must be on
 * @b: is filled in with the sums over all vCPUs. With @per_vcpu it is an array with an element for
 *     each of @pmus.
 * @per_vcpu: read each vCPU separately.
 * @q: the monitor of the machine.
 * @pmus: the PMUs of the machine.
 *
 * Return: 0; or -1: ERROR_TALK if another client has switched the meter off.
 */
int blackout_read(struct blackout *b, bool per_vcpu, struct qmp *q, const struct pmus *pmus,
                  struct error *t);

/**
 * blackout_subtract() - subtract an earlier reading
 *
 * The smallest and the largest size remain those since the meter was switched on.
 */
void blackout_subtract(struct blackout *b, const struct blackout *before);

/** blackout_lost() - add up the instructions in the windows of all directions */
uint64_t blackout_lost(const struct blackout *b);

#endif

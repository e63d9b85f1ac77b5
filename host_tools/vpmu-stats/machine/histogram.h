/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_HISTOGRAM_H
#define VPMU_STATS_HISTOGRAM_H

#include "qmp/response.h"
#include "base/out.h"

/* Bucket 0 holds the value 0. Bucket n holds the values from 2^(n-1) to 2^n - 1. */
#define HISTOGRAM_BUCKETS 65u

/** struct histogram - the number of values in each bucket */
struct histogram {
    uint64_t n[HISTOGRAM_BUCKETS];
};

/**
 * histogram_read() - add the histogram in the "value" of a statistic. Return: 0; -1 with
 * ERROR_TALK.
 */
int histogram_read(struct histogram *h, struct response stat);

/** histogram_subtract() - subtract an earlier reading; buckets that have fallen become 0 */
void histogram_subtract(struct histogram *h, const struct histogram *before);

/**
 * histogram_print() - print a line with a bar for each bucket from the first to the last that is
 * not 0
 */
void histogram_print(struct out *out, const struct histogram *h);

/**
 * histogram_list() - make a JSON list of the buckets up to the last that is not 0, but at least one
 */
struct json_object *histogram_list(const struct histogram *h);

#endif

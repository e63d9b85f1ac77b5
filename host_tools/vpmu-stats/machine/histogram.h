/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_HISTOGRAM_H
#define VPMU_STATS_HISTOGRAM_H

#include "qmp/response.h"
#include "base/out.h"

/* Bucket 0 is 0; bucket n is 2^(n-1) to 2^n - 1. */
#define HISTOGRAM_BUCKETS 65u

/** struct histogram - how many values of each power of two */
struct histogram {
    uint64_t n[HISTOGRAM_BUCKETS];
};

/** histogram_read() - adds the histogram of a statistic. Return: 0, or -1 with ERROR_TALK. */
int histogram_read(struct histogram *h, struct response stat);

/** histogram_subtract() - what has come since @before */
void histogram_subtract(struct histogram *h, const struct histogram *before);

/** histogram_print() - a line with a bar for each bucket from the first to the last used */
void histogram_print(struct out *out, const struct histogram *h);

/** histogram_list() - as a list, up to the last bucket that is not 0, at least one */
struct json_object *histogram_list(const struct histogram *h);

#endif

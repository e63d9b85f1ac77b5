/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the two implementations of query-stats for the provider vpmu
 */

#ifndef SYSTEM_VPMU_STATS_H
#define SYSTEM_VPMU_STATS_H

#include "qapi/qapi-builtin-types.h"
#include "qapi/util.h"

/* Lists the buckets up to the last one that is not 0, at least one of @n. */
static inline uint64List *vpmu_histogram_list(const uint64_t *buckets,
                                              unsigned int n)
{
    uint64List *list = NULL;

    while (n > 1 && !buckets[n - 1]) {
        n--;
    }
    while (n-- > 0) {
        QAPI_LIST_PREPEND(list, buckets[n]);
    }
    return list;
}

#endif

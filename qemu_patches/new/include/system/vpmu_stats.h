/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the two implementations of query-stats for the provider vpmu
 */

#ifndef SYSTEM_VPMU_STATS_H
#define SYSTEM_VPMU_STATS_H

#include "qapi/qapi-types-stats.h"
#include "qapi/util.h"
#include "vpmu/arm/blackout.h"

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

/* Appends a statistic: that histogram, or that number. */
static inline void vpmu_append_stat(StatsList ***tail, const char *name,
                                    const uint64_t *histogram,
                                    bool is_boolean, uint64_t number)
{
    Stats *s = g_new0(Stats, 1);

    s->name = g_strdup(name);
    s->value = g_new0(StatsValue, 1);
    if (histogram) {
        s->value->type = QTYPE_QLIST;
        s->value->u.list = vpmu_histogram_list(histogram, VPMU_LOG2_BUCKETS);
    } else if (is_boolean) {
        s->value->type = QTYPE_QBOOL;
        s->value->u.boolean = number;
    } else {
        s->value->type = QTYPE_QNUM;
        s->value->u.scalar = number;
    }
    QAPI_LIST_APPEND(*tail, s);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_SAVED_SOURCES_H
#define VPMU_SAVED_SOURCES_H

#include "cursor.h"
#include "vpmu/sources.h"

/*
 * The numbers that sources have in saved states. They never change, whatever the numbers in memory
 * do. Sources that are not in a table have the same number in both. Sources that were added later
 * are not saved, so that states of earlier versions still load: whether a machine has them follows
 * from its other sources.
 */
#define VPMU_UNSAVED_ 0xffu

struct vpmu_saved_range_ {
    uint8_t first; /* a source */
    uint8_t count; /* number of sources from there on */
    uint8_t saved; /* the first of their numbers in saved states, or VPMU_UNSAVED_ */
};

/* The number of a source in saved states; VPMU_UNSAVED_ or above if it is not in them. */
static inline unsigned vpmu_saved_source_(const struct vpmu_saved_range_ *ranges, size_t count,
                                          unsigned source)
{
    for (size_t i = 0; i < count; i++) {
        if (source - ranges[i].first < ranges[i].count) {
            return source - ranges[i].first + ranges[i].saved;
        }
    }
    return source;
}

/* Reads or writes a mask of sources. It is part of a configuration, so it is only compared. */
static inline void vpmu_pass_sources_(struct vpmu_cursor_ *c, vpmu_sources sources,
                                      const struct vpmu_saved_range_ *ranges, size_t count)
{
    uint64_t saved = 0;

    while (sources) {
        unsigned number = vpmu_saved_source_(ranges, count, vpmu_source_take(&sources));

        saved |= number < VPMU_UNSAVED_ ? UINT64_C(1) << number : 0;
    }
    VPMU_PASS_(c, saved);
}

#endif

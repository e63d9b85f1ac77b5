/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_CATEGORIES_H
#define VPMU_STATS_CATEGORIES_H

#include <stdbool.h>
#include <stddef.h>

/* Events that a category has at most. */
#define CATEGORY_EVENTS 5u

/**
 * struct category_event - one of a category
 * @name: as it is called in traces: cpuperf's name.
 * @event: the Arm ARM's name of what is counted.
 */
struct category_event {
    const char *name;
    const char *event;
};

/**
 * struct category - events that belong together, as Fuchsia's cpuperf has them
 * @name: without "cpu:".
 * @fixed: there can be several of these in a session; of others one.
 * @event: until the first without a name.
 */
struct category {
    const char *name;
    bool fixed;
    struct category_event event[CATEGORY_EVENTS + 1];
};

/** categories_get() - the category with this index, from 0 on; NULL behind the last */
const struct category *categories_get(size_t i);

/**
 * categories_find() - the category with this name; NULL if there is none
 * @name: without "cpu:"; those of Skylake's also without "skl:".
 */
const struct category *categories_find(const char *name);

/** categories_is_missing() - cpuperf has a category or option with this name that is not here */
bool categories_is_missing(const char *name);

#endif

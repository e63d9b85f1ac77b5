/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_CATEGORIES_H
#define VPMU_STATS_CATEGORIES_H

#include <stdbool.h>
#include <stddef.h>

/* Maximum number of events in a category. */
#define CATEGORY_EVENTS 5u

/**
 * struct category_event - an event of a category
 * @name: cpuperf's name, which traces use.
 * @event: the event's name in the Arm ARM.
 */
struct category_event {
    const char *name;
    const char *event;
};

/**
 * struct category - a category of events, as in Fuchsia's cpuperf
 * @name: name without "cpu:".
 * @fixed: a session can have several such categories, but only one that is not fixed.
 * @event: the events. The last one is followed by one without a name.
 */
struct category {
    const char *name;
    bool fixed;
    struct category_event event[CATEGORY_EVENTS + 1];
};

/** categories_get() - get the category with index @i, or NULL if @i is too large */
const struct category *categories_get(size_t i);

/**
 * categories_find() - find a category by its name
 * @name: without "cpu:". Names of Skylake's categories are also accepted without "skl:".
 *
 * Return: the category, or NULL if there is none.
 */
const struct category *categories_find(const char *name);

/** categories_is_missing() - test whether a name is a category or option that only cpuperf has */
bool categories_is_missing(const char *name);

#endif

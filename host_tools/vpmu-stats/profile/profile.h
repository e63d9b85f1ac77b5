/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PROFILE_H
#define VPMU_STATS_PROFILE_H

#include <stddef.h>

#include "base/string-table.h"

/**
 * struct profile_entry - what samples with the same key come to
 * @event: index.
 * @total: of a row with children: the period with them. Otherwise not used.
 * @mark: the caller's, 0 at first.
 * @key: @n numbers of texts. The caller decides what they mean.
 */
struct profile_entry {
    uint64_t samples;
    uint64_t period;
    uint64_t total;
    uint64_t mark;
    unsigned event;
    uint32_t n;
    uint32_t key[];
};

/** struct profile_event - an event, and what all its samples come to */
struct profile_event {
    const char *name;
    uint64_t samples;
    uint64_t period;
    uint64_t lost;
};

/**
 * struct profile - samples summed up, 0 at first
 * @texts: texts of keys.
 * @event: @events of them; once profile_events() was called. Their names are texts of @texts.
 * @entry: @n of them, in the order in which they were first met, until they are sorted.
 * @lost: lost samples of an unknown event.
 *
 * The rest is private.
 */
struct profile {
    struct string_table texts;
    struct profile_event *event;
    size_t events;
    struct profile_entry **entry;
    size_t n;
    size_t room;
    uint64_t lost;
    void *tree;
    struct profile_entry *spare;
    uint32_t spare_room;
};

/** profile_events() - makes room for events, whose names are still NULL. Return: 0 or -1. */
int profile_events(struct profile *p, size_t events, struct error *t);

/**
 * profile_add() - adds a sample
 * @key: @n numbers of texts of p->texts.
 *
 * Return: 0, or -1 with an error.
 */
int profile_add(struct profile *p, unsigned event, uint64_t period, const uint32_t *key, uint32_t n,
                struct error *t);

/** profile_entry() - the entry with this key, which is added if it is new; or NULL with an error */
struct profile_entry *profile_entry(struct profile *p, unsigned event, const uint32_t *key,
                                    uint32_t n, struct error *t);

/** profile_text() - part @i of an entry's key */
const char *profile_text(const struct profile *p, const struct profile_entry *e, uint32_t i);

/** profile_compare_keys() - by the texts, one after another: <0, 0, >0 */
int profile_compare_keys(const struct profile *p, const struct profile_entry *a,
                         const struct profile_entry *b);

/** profile_sort_by_period() - by event, then the largest first, then by key */
void profile_sort_by_period(struct profile *p);

/** profile_sort_by_total() - by event, then the largest total first, then by period and key */
void profile_sort_by_total(struct profile *p);

/** profile_sort_by_key() - by event, then by key */
void profile_sort_by_key(struct profile *p);

/** profile_free_entries() - frees the entries only: @p has borrowed the rest from another profile
 */
void profile_free_entries(struct profile *p);

void profile_free(struct profile *p);

#endif
